"""`lal parse TEXT`: a stream of parses. A format is one function, at the end of this
file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Optional,
)

import typer

from spacy_lal.cli import io, tables
from spacy_lal.cli.inputs import DOCBIN, ManyInputs, with_inputs
from spacy_lal.cli.texts import Origin

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from spacy_lal.trees import Parse

LEMMAS = ("conllu", DOCBIN, tables.JSONL)  # formats with lemmas
LEMMATIZERS = ("lemmatizer", "trainable_lemmatizer", "lal_lemmas")


@with_inputs(ManyInputs)
def parse_cli(
    inputs: ManyInputs,
    ids: Annotated[
        bool,
        typer.Option(
            "--ids", help="Begin each tree with the id of its text, or else its line"
        ),
    ] = False,
    without: Annotated[
        Optional[list[str]],
        typer.Option(help="Leave out this component; may be said several times"),
    ] = None,
) -> None:
    """Parse texts into trees, tables or Docs.

    Writes each parse to stdout as it is made; the file of --output appears when all is
    parsed. The formats are brackets, conllu, json, tree and docbin, and tables. A text
    may hold several sentences: a row of a table is a sentence. JSON,
    CoNLL-U and tables name the id of each text, or else its line; with --ids, the other
    formats too."""
    from spacy_lal.annotations import read_parses

    formats = (*FORMATS, DOCBIN, "json")
    output_format = tables.find_format(inputs, formats)
    if output_format == "json":
        output_format = tables.JSONL
    unread = [] if output_format == DOCBIN else [io.ROLES_FACTORY]
    if output_format not in LEMMAS:
        unread += LEMMATIZERS
    readable = inputs.find()
    nlp = io.load_pipeline(inputs.model, inputs.gpu_id, exclude=unread)
    for name in without or ():
        if name not in unread:
            nlp.disable_pipe(name)
    docs = inputs.docs(nlp, readable)
    if output_format == DOCBIN:
        _write_docbin(docs, inputs, ids)
        return

    def lines(doc: "Doc", origin: Origin) -> str:
        show = FORMATS[output_format]
        return "".join(show(parse, origin, ids) for parse in read_parses(doc))

    records = to_records if output_format == tables.JSONL else None
    tables.write_docs(docs, inputs, output_format, "parse", lines, records)


def _write_docbin(
    docs: "Iterable[tuple[Doc, Origin]]", inputs: ManyInputs, ids: bool
) -> None:
    from spacy.tokens import DocBin

    from spacy_lal.treebanks.docs import DOCBIN_ATTRS

    # Of the user data only ids are kept: in a pipeline with a transformer they take two
    # kilobytes per token.
    doc_bin = DocBin(attrs=DOCBIN_ATTRS, store_user_data=ids)
    for doc, origin in docs:
        if ids:
            doc.user_data = {"id": origin.name, "line": origin.line}
        doc_bin.add(doc)
    with io.binary_output(inputs.output) as file:
        file.write(doc_bin.to_bytes())
    io.wrote(inputs.output, f"the parse of {io.counted(len(doc_bin), 'text')}")


def format_brackets(parse: "Parse", origin: Origin, ids: bool = False) -> str:
    """One tree on one line; with ids, after the name of its text and a tab."""
    tree = parse.to_brackets()
    return f"{origin.name}\t{tree}\n" if ids else f"{tree}\n"


def format_conllu(parse: "Parse", origin: Origin, ids: bool = False) -> str:
    """See `export.to_conllu`. Line and id of the text are comments; with ids, the line
    is the id of a text without."""
    from spacy_lal.export import sentence_to_conllu

    text_id = origin.name if ids else origin.id
    named = {"text_id": text_id, "file": origin.file, "line": origin.line}
    comments = {name: str(value) for name, value in named.items() if value is not None}
    return sentence_to_conllu(parse, text_id or str(origin.number + 1), comments)


def to_records(doc: "Doc", origin: Origin) -> Iterator[dict[str, Any]]:
    """An object for each sentence (docs/reference/formats.md): the row of a table, and
    all annotation. What the pipeline does not set is null."""
    from spacy_lal.export import SCHEMA_VERSION, read_parses, sentence_record

    for parse in read_parses(doc):
        yield {
            "id": origin.name,
            "sentence": parse.number + 1,
            "text": parse.text,
            "brackets": None if parse.constituents is None else parse.to_brackets(),
            "schema": SCHEMA_VERSION,
            "doc": origin.number,
            "line": origin.line,
            "file": origin.file,
            **sentence_record(parse),
        }


def format_drawing(parse: "Parse", origin: Origin, ids: bool = False) -> str:
    """The tree drawn with letters, a table of heads below, and a heading with line and
    id, if any."""
    from spacy_lal.pictures.markup import visible
    from spacy_lal.pictures.tree import tree_to_text

    named = {
        "file": origin.file,
        "line": origin.line,
        "id": origin.name if ids else origin.id,
    }
    names = [f"{kind} {visible(str(x))}" for kind, x in named.items() if x is not None]
    heading = f"# {', '.join(names)}, sentence {parse.number + 1}\n" if names else ""
    pieces = []
    if parse.constituents is not None:
        pieces.append(tree_to_text(parse.to_tree()))
    if parse.heads is not None:
        pieces.append(_table(parse, parse.heads))
    return heading + "\n".join(pieces) + "\n"


def _table(parse: "Parse", heads: Sequence[Optional[int]]) -> str:
    from spacy_lal.pictures.markup import printable, visible

    words = ["", *map(visible, parse.words)]
    width = len(str(len(heads)))
    rows = [("", "word", "tag", "head", "", "deprel")]
    for i, (place, head) in enumerate(zip(parse.tokens, heads, strict=True), start=1):
        token = parse.doc[place]
        number = f"{i:>{width}}"
        tag = token.tag_ or token.pos_
        governor = ("_", "")
        if head is not None:
            governor = (str(head), words[head])
        rows.append((number, words[i], tag, *governor, token.dep_))
    return printable("\n".join(io.aligned(rows))) + "\n"


FORMATS: dict[str, "Callable[[Parse, Origin, bool], str]"] = {
    "brackets": format_brackets,
    "conllu": format_conllu,
    "tree": format_drawing,
}

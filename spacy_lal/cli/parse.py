"""`python -m spacy lal parse TEXT`: a stream of parses. A format is one function, at
the end of this file."""

from itertools import chain, islice
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
)

import typer

from spacy_lal.cli import io, workers
from spacy_lal.cli.texts import (
    Origin,
    ParagraphsOption,
    Reading,
    TextOption,
    WordsArgument,
    find_sources,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.trees import Parse

# Texts per memory zone: at its end spaCy forgets the words that it has met.
ZONE_SIZE = 4096
DOCBIN = "docbin"
TREES = ("brackets", "tree")  # formats without lemmas
LEMMATIZERS = ("lemmatizer", "trainable_lemmatizer", "lal_lemmas")


FormatOption = Annotated[
    Optional[str],
    typer.Option(
        "--format",
        "-f",
        help="brackets, conllu, json, tree, docbin  [default: by the output's ending]",
        show_default=False,
    ),
]
InputFormatOption = Annotated[
    Optional[str],
    typer.Option(
        "--input-format",
        "-i",
        help="text, jsonl, tsv (ID, tab, text)  [default: by the file's ending]",
    ),
]
IdsOption = Annotated[
    bool,
    typer.Option(
        "--ids", help="Begin each tree with the id of its text, or else its line"
    ),
]
ColumnOption = Annotated[
    str, typer.Option("--text-column", help="The key of the texts in JSON lines")
]
WithoutOption = Annotated[
    Optional[List[str]],
    typer.Option(
        "--without", help="Leave out this component; may be said several times"
    ),
]


def parse_cli(
    words: WordsArgument = None,
    model: io.ModelOption = None,
    text: TextOption = None,
    output_format: FormatOption = None,
    output: io.OutputOption = None,
    input_format: InputFormatOption = None,
    ids: IdsOption = False,
    paragraphs: ParagraphsOption = None,
    without: WithoutOption = None,
    batch_size: io.BatchOption = 32,
    n_process: io.ProcessesOption = 1,
    gpu_id: io.GpuOption = -1,
    text_column: ColumnOption = "text",
) -> None:
    """Parse texts into trees, CoNLL-U, JSON or Docs.

    Writes each parse to stdout as it is made; the file of --output appears when all is
    parsed. A text may hold several sentences. JSON and CoNLL-U name the line and the id
    of each text; with --ids, the other formats too."""
    reading = Reading(
        find_sources(words, text, output), input_format, paragraphs, text_column
    )
    output_format = io.output_format(output_format, output, (*FORMATS, DOCBIN))
    if output_format == DOCBIN and output is None:
        io.fail(
            "--format docbin writes a .spacy file: say which with --output (- is "
            "stdout)"
        )
    workers.count_workers(n_process)
    unread = [] if output_format == DOCBIN else [io.ROLES_FACTORY]
    if output_format in TREES:
        unread += LEMMATIZERS
    nlp = io.load_pipeline(model, gpu_id, exclude=unread)
    for name in without or ():
        if name not in unread:
            nlp.disable_pipe(name)
    if any(source.is_terminal for source in reading.sources):
        batch_size = 1
    docs = parse_texts(
        nlp, reading.texts(nlp.max_length), batch_size=batch_size, n_process=n_process
    )
    _write(docs, output_format, output, ids)


def _write(
    docs: "Iterable[Tuple[Doc, Origin]]",
    output_format: str,
    output: Optional[Path],
    ids: bool,
) -> None:
    n_docs = n_sentences = 0
    if output_format == DOCBIN:
        from spacy.tokens import DocBin

        from spacy_lal.files import write_file
        from spacy_lal.treebanks.docs import DOCBIN_ATTRS

        # Of the user data only ids are kept: in a pipeline with a transformer they take
        # two kilobytes per token.
        doc_bin = DocBin(attrs=DOCBIN_ATTRS, store_user_data=ids)
        for doc, origin in docs:
            if ids:
                doc.user_data = {"id": origin.name, "line": origin.line}
            doc_bin.add(doc)
            n_docs += 1
            n_sentences += sum(1 for _ in doc.sents)
        with io.output_path(output) as path:
            write_file(path, doc_bin.to_bytes())
    else:
        from spacy_lal.export import read_parses

        with io.text_output(output) as write:
            for doc, origin in docs:
                n_docs += 1
                for parse in read_parses(doc):
                    write(FORMATS[output_format](parse, origin, ids))
                    n_sentences += 1
    io.wrote(
        output, f"{io.counted(n_sentences, 'sentence')} of {io.counted(n_docs, 'text')}"
    )


def parse_texts(
    nlp: "Language",
    texts: "Iterable[Tuple[str, Origin]]",
    *,
    batch_size: int,
    n_process: int = 1,
) -> "Iterator[Tuple[Doc, Origin]]":
    """Parse a stream. New words are regularly forgotten (`nlp.memory_zone`), so that
    memory does not grow with the text: each Doc is valid until the next one is
    requested.

    YIELDS (Tuple[Doc, Origin]): Each Doc, with the origin of its text.
    """
    n_workers = workers.count_workers(n_process)
    if n_workers > 1:
        yield from workers.parse_in_workers(
            nlp, texts, batch_size=batch_size, n_workers=n_workers
        )
        return
    texts = iter(texts)
    for first in texts:
        with nlp.memory_zone():
            zone = chain([first], islice(texts, ZONE_SIZE - 1))
            yield from nlp.pipe(zone, as_tuples=True, batch_size=batch_size)


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


def format_json(parse: "Parse", origin: Origin, ids: bool = False) -> str:
    """One object on one line (docs/reference/formats.md). Annotation that the pipeline
    does not set is null."""
    from spacy_lal.export import SCHEMA_VERSION, sentence_record
    from spacy_lal.pictures.markup import printable_json

    record: Dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "doc": origin.number,
        "line": origin.line,
        "id": origin.name,
    }
    if origin.file is not None:
        record["file"] = origin.file
    record["sent"] = parse.number
    record.update(sentence_record(parse))
    return f"{printable_json(record)}\n"


def format_drawing(parse: "Parse", origin: Origin, ids: bool = False) -> str:
    """The tree drawn with letters, a table of heads below, and a heading with line and
    id, if any."""
    from spacy_lal.pictures.markup import visible
    from spacy_lal.pictures.tree import tree_to_text

    names = []
    if origin.file is not None:
        names.append(f"file {origin.file}")
    if origin.line is not None:
        names.append(f"line {origin.line}")
    if origin.id is not None or ids:
        names.append(f"id {visible(origin.name)}")
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


FORMATS: Dict[str, "Callable[[Parse, Origin, bool], str]"] = {
    "brackets": format_brackets,
    "conllu": format_conllu,
    "json": format_json,
    "tree": format_drawing,
}

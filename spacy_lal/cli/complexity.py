"""`lal complexity FILE...`: a table of syntactic complexity, one row a text or a
sentence."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from spacy_lal.cli import io, tables
from spacy_lal.cli.inputs import (
    DOCBIN,
    ManyInputs,
    Readable,
    read_heads,
    read_trees,
    with_inputs,
)
from spacy_lal.cli.parse import LEMMATIZERS
from spacy_lal.cli.texts import STORED, TEXT
from spacy_lal.lang import DEFAULT_LANGUAGE, LANGUAGES, conventions

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.complexity import Complexity
    from spacy_lal.trees import Parse

    # Its name; its words, None for a file; its sentences.
    MeasuredText = tuple[str, Optional[str], Iterable[tuple[str, Complexity]]]

TREES = "brackets"
HEADS = "conllu"
STRUCTURES_MISSING = (
    "structures are defined for English alone: counts and indices are empty for the "
    "language"
)


@with_inputs(ManyInputs, stored=(TREES, HEADS, DOCBIN), keeps_blank=True)
def complexity_cli(
    inputs: ManyInputs,
    by_sentence: Annotated[
        bool, typer.Option("--by-sentence", help="A row a sentence, with its text")
    ] = False,
    lang: Annotated[
        str, typer.Option("--lang", help="The language of .ptb and .conllu files")
    ] = DEFAULT_LANGUAGE,
) -> None:
    """Measure the syntactic complexity of texts.

    A row is a file, or a row of a table of texts; a column is a measure.

    The columns are those of L2SCA (Lu 2010), then means over sentences, then parts of
    the counts. Trees (.ptb), heads (.conllu) and Docs (.spacy) are measured as they
    are; texts are parsed. A text without sentences has a row, too: counts of 0."""
    from spacy_lal.tables import find_kind

    output_format = tables.find_format(inputs, ())
    if lang not in LANGUAGES:
        io.fail(f"--lang: expected one of {', '.join(LANGUAGES)}, got {lang!r}")
    readable = inputs.find()
    kinds = {form.kind for _, form in readable}
    nlp = None
    if not kinds <= set(STORED.values()):
        unread = (io.ROLES_FACTORY, *LEMMATIZERS)
        nlp = io.load_pipeline(inputs.model, inputs.gpu_id, exclude=unread)
    columns = find_kind("sentences").columns
    rows = (
        _rows(text, by_sentence, columns)
        for text in _measured(inputs, nlp, readable, lang)
    )
    n_rows = tables.write_table(rows, columns, output_format, inputs)
    io.wrote(inputs.output, io.counted(n_rows, "row"))
    if HEADS in kinds:
        io.say("CoNLL-U has no constituents: measures of trees are empty there")
    code = nlp.lang if nlp else lang
    if not conventions(code or "").structures:
        io.say(f"{STRUCTURES_MISSING} {code!r}")


def _measured(
    inputs: ManyInputs,
    nlp: "Optional[Language]",
    readable: list[Readable],
    lang: str,
) -> "Iterator[MeasuredText]":
    import spacy

    from spacy_lal.trees import Parse

    nlp = nlp or spacy.blank(lang)
    for kind, group in groupby(readable, lambda pair: pair[1].kind):
        sources = [pair for pair in group if pair[0].shown not in inputs.done]
        name = sources[0][0].shown if sources else ""
        if kind in (TREES, HEADS):
            for source, form in sources:
                if kind == HEADS:
                    parses = read_heads(source, form)
                else:
                    parses = (Parse.from_tree(x) for x, _ in read_trees(source, form))
                yield (source.shown, None, _of_parses(parses, lang))
        elif kind in (TEXT, DOCBIN):  # a file is a text
            docs = inputs.docs(nlp, sources)
            for file, pairs in groupby(docs, lambda pair: pair[1].file):
                measured = chain.from_iterable(_of_doc(doc) for doc, _ in pairs)
                yield (file or name, None, measured)
        else:
            for doc, origin in inputs.docs(nlp, sources):
                yield (origin.name, doc.text, _of_doc(doc))


def _of_parses(
    parses: "Iterable[Parse]", lang: str
) -> "Iterator[tuple[str, Complexity]]":
    from spacy_lal.complexity import measure_sentence

    for parse in parses:
        text = parse.metadata.get("text") or " ".join(parse.words)
        yield text, measure_sentence(parse, lang=lang)


def _of_doc(doc: "Doc") -> "Iterator[tuple[str, Complexity]]":
    from spacy_lal.annotations import sentence_complexities, sentence_words

    sentences = [words for words in sentence_words(doc) if words]
    for words, measures in zip(sentences, sentence_complexities(doc), strict=True):
        yield doc[words[0] : words[-1] + 1].text, measures


def _rows(
    text: "MeasuredText", by_sentence: bool, columns: Sequence[str]
) -> Iterator[tables.Row]:
    from spacy_lal.complexity import summed
    from spacy_lal.tables import measure_values

    name, content, sentences = text
    numbered: Iterable[Any] = enumerate(sentences, start=1)
    if not by_sentence:
        whole = summed(measures for _, measures in sentences)
        numbered = [(None, (content, whole))]
    for number, (words, measures) in numbered:
        values = (name, number, words, *measure_values(measures))
        yield dict(zip(columns, values, strict=True))

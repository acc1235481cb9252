"""`python -m spacy lal search PATTERN FILE...`: constituents by patterns of tgrep, with
the exit codes of grep."""

from functools import lru_cache
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Iterable,
    Iterator,
    Optional,
    Tuple,
)

import typer

from spacy_lal.cli import io, texts
from spacy_lal.cli.texts import (
    ParagraphsOption,
    Reading,
    Source,
    TextOption,
    WordsArgument,
    find_sources,
)

if TYPE_CHECKING:
    from nltk.tree import Tree
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.trees.tgrep import Pattern

NOT_FOUND = 1  # exit code, as of grep
BATCH_SIZE = 32
FORMATS = {
    ".brackets": "brackets",
    ".mrg": "brackets",
    ".ptb": "brackets",
    ".spacy": "docbin",
}
FormatOption = Annotated[
    Optional[str],
    typer.Option(
        "--input-format",
        "-i",
        help="brackets, docbin, text  [default: by the file's ending]",
    ),
]


def search_cli(
    pattern: Annotated[
        str,
        typer.Argument(metavar="PATTERN", help="tgrep's, such as 'NP < (NN $. PP)'"),
    ],
    words: WordsArgument = None,
    text: TextOption = None,
    count: Annotated[
        bool,
        typer.Option("--count", help="Print the number of matches for each file"),
    ] = False,
    output: io.OutputOption = None,
    input_format: FormatOption = None,
    paragraphs: ParagraphsOption = None,
    model: io.ModelOption = None,
    gpu_id: io.GpuOption = -1,
) -> None:
    """Print the constituents that match a pattern of tgrep.

    A match is a line, FILE:LINE: (NP (DT the) (NN cat)). FILE has trees (.ptb, .mrg),
    Docs (.spacy), or texts to parse. In a .spacy file the place is the number of the
    Doc and of its sentence, from 1: FILE:3.1. Exits with code 0 if something was found,
    1 if nothing was, 2 after an error."""
    from spacy_lal.trees.tgrep import Pattern

    try:
        compiled = Pattern(pattern)
    except ValueError as error:
        io.fail(f"PATTERN: {error}")
    if input_format not in (None, "text", *FORMATS.values()):
        io.fail(
            f"expected an input format of brackets, docbin, text, got {input_format!r}"
        )
    sources = find_sources(words, text, output)
    load = lru_cache(lambda: io.load_pipeline(model, gpu_id))
    total = 0
    with io.text_output(output) as write:
        for source in sources:
            kind = input_format or FORMATS.get(source.suffix, "")
            if kind == "brackets":
                trees = _of_brackets(source)
            elif kind == "docbin":
                trees = _of_docs(source)
            else:
                trees = _of_texts(Reading([source], input_format, paragraphs), load())
            n_found = 0
            for line in _matches(compiled, trees):
                n_found += 1
                if not count:
                    write(f"{source.shown}:{line}\n")
            if count:
                name = f"{source.shown}:" if len(sources) > 1 else ""
                write(f"{name}{n_found}\n")
            total += n_found
    io.wrote(output, io.counted(total, "constituent"))
    if not total:
        raise typer.Exit(NOT_FOUND)


def _matches(pattern: "Pattern", trees: "Iterable[Tuple[str, Tree]]") -> Iterator[str]:
    """Place and brackets of each node that matches."""
    from nltk.tree import Tree

    from spacy_lal.trees import escape_word, write_brackets

    for place, tree in trees:
        for match in pattern.search(tree):
            if isinstance(match.node, Tree):
                yield f"{place}: {write_brackets(match.node)}"
            else:
                yield f"{place}: {escape_word(str(match.node))}"


def _of_brackets(source: Source) -> "Iterator[Tuple[str, Tree]]":
    """The place of each tree, such as a line, and the tree."""
    from spacy_lal.trees import read_brackets_with_lines

    lines = (line for _, line in texts.numbered_lines(source))
    for tree, line in read_brackets_with_lines(
        lines, name=source.shown, strip_functions=False, strip_traces=False
    ):
        yield str(line), tree


def _of_docs(source: Source) -> "Iterator[Tuple[str, Tree]]":
    import spacy

    docs = io.read_docs(Path(source.name), spacy.blank("xx").vocab)
    for number, doc in enumerate(docs, start=1):
        for sentence, tree in _of_doc(doc, f"{source.shown}: Doc {number}"):
            yield f"{number}.{sentence}", tree


def _of_texts(reading: Reading, nlp: "Language") -> "Iterator[Tuple[str, Tree]]":
    """The lines of texts, and their trees; a text of the command line is line 1."""
    read = reading.texts(nlp.max_length)
    for doc, origin in nlp.pipe(read, as_tuples=True, batch_size=BATCH_SIZE):
        place = str(origin.line or 1)
        for _, tree in _of_doc(doc, f"{reading.sources[0].shown}:{place}"):
            yield place, tree


def _of_doc(doc: "Doc", where: str) -> "Iterator[Tuple[int, Tree]]":
    """The number of each sentence, from 1, and its tree."""
    from spacy_lal.export import read_parses
    from spacy_lal.trees.parse import MissingParseError

    try:
        for parse in read_parses(doc):
            yield parse.number + 1, parse.to_tree()
    except MissingParseError:
        io.fail(f"{where}: the Doc has no constituents")

"""`python -m spacy lal search PATTERN FILE...`: constituents by patterns of tgrep, with the exit codes of grep."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Iterator, List, NamedTuple, Optional, Tuple

import typer

from spacy_lal.cli.io import STDIN, GpuOption, ModelOption, OutputOption, fail, load_pipeline, read_docs, text_output
from spacy_lal.cli.texts import ParagraphsOption, Reading, Source, TextOption, find_sources, numbered_lines

if TYPE_CHECKING:
    from nltk.tree import Tree
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.trees.tgrep import Pattern

NOT_FOUND = 1  # exit code, as of grep
BATCH_SIZE = 32
BRACKETS = (".brackets", ".mrg", ".ptb")


class InputFormat(str, Enum):
    """How a file is read."""

    auto = "auto"
    brackets = "brackets"
    docbin = "docbin"
    text = "text"


class _Found(NamedTuple):
    """A tree, and its place in its file, such as "12" for a line."""

    place: str
    tree: "Tree"


def search_cli(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="tgrep's, such as 'NP < (NN $. PP)'")],
    words: Annotated[
        Optional[List[str]],
        typer.Argument(
            metavar="[FILE|-|TEXT]...",
            help="Trees (.ptb, .mrg), Docs (.spacy), files or quoted texts to parse  [default: -, stdin]",
        ),
    ] = None,
    text: TextOption = None,
    count: Annotated[bool, typer.Option("--count", "-c", help="Print the number of matches for each file")] = False,
    output: OutputOption = None,
    input_format: Annotated[
        InputFormat, typer.Option("--input-format", "-i", help="auto: by the file's ending; stdin is text")
    ] = InputFormat.auto,
    paragraphs: ParagraphsOption = None,
    model: ModelOption = None,
    gpu_id: GpuOption = -1,
) -> None:
    """Print the constituents that match a pattern of tgrep, as FILE:LINE: (NP (DT the) (NN cat)).

    In a .spacy file the place is the number of the Doc and of its sentence, from 1: FILE:3.1. Exits with code 0 if
    something was found, 1 if nothing was, 2 after an error.
    """
    from spacy_lal.trees.tgrep import Pattern

    try:
        compiled = Pattern(pattern)
    except ValueError as error:
        fail(f"PATTERN: {error}")
    sources = find_sources(words, text)
    parser = _Parser(model, gpu_id, paragraphs)
    readers = [_reader(source, input_format, parser) for source in sources]
    total = 0
    with text_output(output) as write:
        for source, trees in zip(sources, readers, strict=True):
            n_found = 0
            for place, match in _matches(compiled, trees):
                n_found += 1
                if not count:
                    write(f"{source.shown}:{place}: {match}\n")
            if count:
                write(f"{source.shown}:{n_found}\n" if len(sources) > 1 else f"{n_found}\n")
            total += n_found
    if not total:
        raise typer.Exit(NOT_FOUND)


def _matches(pattern: "Pattern", trees: Iterator[_Found]) -> Iterator[Tuple[str, str]]:
    """The place and the brackets of each match."""
    from nltk.tree import Tree

    from spacy_lal.trees import escape_word, write_brackets

    for place, tree in trees:
        for match in pattern.search(tree):
            node = match.node
            yield place, write_brackets(node) if isinstance(node, Tree) else escape_word(str(node))


def _reader(source: Source, input_format: InputFormat, parser: "_Parser") -> Iterator[_Found]:
    kind = input_format
    if kind is InputFormat.auto:
        kind = InputFormat.docbin if source.suffix == ".spacy" else InputFormat.text
        kind = InputFormat.brackets if source.suffix in BRACKETS else kind
    if kind is InputFormat.brackets:
        return _of_brackets(source)
    if kind is InputFormat.docbin:
        return _of_docs(source)
    return parser.parse(Reading([source], "text" if input_format is InputFormat.text else None, parser.paragraphs))


def _of_brackets(source: Source) -> Iterator[_Found]:
    from spacy_lal.trees import read_brackets_with_lines

    lines = (f"{line}\n" for _, line in numbered_lines(source)) if source.name == STDIN else source.name
    for tree, line in read_brackets_with_lines(lines, name=source.shown, strip_functions=False, strip_traces=False):
        yield _Found(str(line), tree)


def _of_docs(source: Source) -> Iterator[_Found]:
    import spacy

    for number, doc in enumerate(read_docs(Path(source.name), spacy.blank("xx").vocab), start=1):
        for sentence, tree in _of_doc(doc, f"{source.shown}: Doc {number}"):
            yield _Found(f"{number}.{sentence}", tree)


def _of_doc(doc: "Doc", where: str) -> Iterator[Tuple[int, "Tree"]]:
    """The number of each sentence, from 1, and its tree."""
    from spacy_lal.export import MissingParseError, read_sentences

    try:
        for sentence in read_sentences(doc):
            yield sentence.number + 1, sentence.tree()
    except MissingParseError:
        fail(f"{where}: the Doc has no constituents")


class _Parser:
    """Parses texts, with a pipeline that is loaded at the first one."""

    def __init__(self, model: Optional[str], gpu_id: int, paragraphs: Optional[bool]) -> None:
        self._given = (model, gpu_id)
        self.paragraphs = paragraphs
        self._nlp: Optional[Language] = None

    def parse(self, reading: Reading) -> Iterator[_Found]:
        """The trees of a source, with their lines; a text of the command line is line 1."""
        nlp = self._nlp = self._nlp or load_pipeline(*self._given)
        for doc, origin in nlp.pipe(reading.texts(nlp.max_length), as_tuples=True, batch_size=BATCH_SIZE):
            place = str(origin.line or 1)
            for _, tree in _of_doc(doc, f"{reading.sources[0].shown}:{place}"):
                yield _Found(place, tree)

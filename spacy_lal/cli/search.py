"""`python -m spacy lal search PATTERN FILE...`: constituents by patterns of tgrep, with the exit codes of grep."""

import sys
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Iterator, List, NamedTuple, NoReturn, Optional, Tuple

import typer

from spacy_lal.cli.inputs import check_is_text
from spacy_lal.cli.options import GpuOption, ModelOption, is_file
from spacy_lal.cli.streams import closed_pipe_is_no_error, fail, say
from spacy_lal.cli.texts import STDIN, Interruptible, TextReader, given_text

if TYPE_CHECKING:
    from nltk.tree import Tree
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.trees.tgrep import Pattern

NOT_FOUND, ERROR = 1, 2  # exit codes, as of grep
BATCH_SIZE = 32


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
    files: Annotated[
        Optional[List[str]],
        typer.Argument(metavar="[FILE|-]...", help="Trees (.ptb, .mrg), Docs (.spacy), or text to parse"),
    ] = None,
    text: Annotated[Optional[str], typer.Option("--text", "-t", help="Search this text instead of files")] = None,
    count: Annotated[bool, typer.Option("--count", "-c", help="Print the number of matches for each file")] = False,
    input_format: Annotated[
        InputFormat, typer.Option("--input-format", help="auto: by the file's ending; stdin is text")
    ] = InputFormat.auto,
    model: ModelOption = None,
    gpu_id: GpuOption = -1,
) -> None:
    """Print the constituents that match a pattern of tgrep, as FILE:LINE: (NP (DT the) (NN cat)).

    In a .spacy file the place is the number of the Doc and of its sentence, from 1: FILE:3.1. Exits with code 0 if
    something was found, 1 if nothing was, 2 after an error.
    """
    from spacy_lal.trees.tgrep import Pattern
    from spacy_lal.trees.tgrep_pattern import PatternError

    with _errors_exit_with_2():
        try:
            compiled = Pattern(pattern)
        except PatternError as error:
            fail(f"PATTERN: {error}")
        sources = list(files or ())
        if bool(sources) == (text is not None):
            fail("expected one of FILE and --text (a FILE - is stdin)")
        for name in sources:
            if name != STDIN and not is_file(name):
                fail(f"can't find the file {name}; a text is given by --text")
        parser = _Parser(model, gpu_id)
        with closed_pipe_is_no_error():
            if text is not None:
                total = _search(compiled, "<text>", parser.parse("<text>", text), count, len(sources) > 1)
            else:
                found = [
                    _search(compiled, _shown(name), _trees(name, input_format, parser), count, len(sources) > 1)
                    for name in sources
                ]
                total = sum(found)
    if not total:
        raise typer.Exit(NOT_FOUND)


def _search(pattern: "Pattern", name: str, trees: Iterator[_Found], count: bool, several: bool) -> int:
    """Print the matches in a file, or their number; and return it."""
    from nltk.tree import Tree

    from spacy_lal.trees import escape_word, write_brackets

    total = 0
    for place, tree in trees:
        for match in pattern.search(tree):
            total += 1
            if not count:
                node = match.node
                say(f"{name}:{place}: {write_brackets(node) if isinstance(node, Tree) else escape_word(str(node))}")
    if count:
        say(f"{name}:{total}" if several else str(total))
    return total


def _trees(name: str, input_format: InputFormat, parser: "_Parser") -> Iterator[_Found]:
    from spacy_lal.treebanks.reader import BRACKETS, SUFFIXES

    suffix = Path(name).suffix.lower()
    if input_format is InputFormat.auto and name != STDIN:
        kinds = {
            ".spacy": InputFormat.docbin,
            **{s: InputFormat.brackets for s, k in SUFFIXES.items() if k == BRACKETS},
        }
        input_format = kinds.get(suffix, InputFormat.text)
        if input_format is InputFormat.text:
            read = "trees in brackets, Docs (.spacy) or text"
            check_is_text(name, f"{read}; --input-format text parses its lines as they are")
    if input_format is InputFormat.brackets:
        return _of_brackets(name)
    if input_format is InputFormat.docbin:
        return _of_docs(name)
    return parser.parse(name)


def _of_brackets(name: str) -> Iterator[_Found]:
    from spacy_lal.trees import read_brackets_with_lines

    lines = (line.decode("utf8") for line in sys.stdin.buffer) if name == STDIN else name
    try:
        for tree, line in read_brackets_with_lines(lines, name=_shown(name), strip_functions=False, strip_traces=False):
            yield _Found(str(line), tree)
    except ValueError as error:  # of brackets, or no UTF-8
        fail(str(error) if _shown(name) in str(error) else f"{_shown(name)}: {error}")


def _of_docs(name: str) -> Iterator[_Found]:
    import spacy
    from spacy.tokens import DocBin

    try:
        content = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
        docs = list(DocBin().from_bytes(content).get_docs(spacy.blank("xx").vocab))
    except OSError:
        raise
    except Exception as error:  # errors of zlib, msgpack and spaCy have no common base
        fail(f"{_shown(name)} is no .spacy file ({type(error).__name__}: {error})")
    for number, doc in enumerate(docs, start=1):
        for sentence, tree in _of_doc(doc, f"{_shown(name)}: Doc {number}"):
            yield _Found(f"{number}.{sentence}", tree)


def _of_doc(doc: "Doc", where: str) -> Iterator[Tuple[int, "Tree"]]:
    """The number of each sentence, from 1, and its tree."""
    from spacy_lal.export import MissingParseError, read_sentences

    try:
        for sentence in read_sentences(doc):
            yield sentence.number + 1, sentence.tree()
    except (MissingParseError, ValueError) as error:
        reason = "the Doc has no constituents" if isinstance(error, MissingParseError) else str(error)
        fail(f"{where}: {reason}")


class _Parser:
    """Parses text, with a pipeline that is loaded at the first text."""

    def __init__(self, model: Optional[str], gpu_id: int) -> None:
        self._given = (model, gpu_id)
        self._nlp: Optional[Language] = None

    def parse(self, name: str, text: Optional[str] = None) -> Iterator[_Found]:
        """The trees of a file's lines, or of a text, with their lines."""
        from spacy_lal.cli.pipelines import load_pipeline

        nlp = self._nlp = self._nlp or load_pipeline(*self._given)
        reader = TextReader(name, max_length=nlp.max_length)
        texts = Interruptible(reader if text is None else given_text(text))
        pairs = ((given.text, given.line or 1) for given in texts)  # --text has no line
        for doc, line in nlp.pipe(pairs, as_tuples=True, batch_size=BATCH_SIZE):
            for _, tree in _of_doc(doc, f"{_shown(name)}:{line}"):
                yield _Found(str(line), tree)
        if texts.error is not None:
            fail(str(texts.error))


def _shown(name: str) -> str:
    return "<stdin>" if name == STDIN else name


@contextmanager
def _errors_exit_with_2() -> Iterator[None]:
    """Other commands exit with 1 after an error; here 1 means that nothing was found."""
    try:
        yield
    except typer.Exit as ended:
        if ended.exit_code == 1:
            raise typer.Exit(ERROR) from None
        raise
    except OSError as error:
        _fail_with_2(f"can't read {error.filename or 'the input'}: {error.strerror or error}")


def _fail_with_2(message: str) -> NoReturn:
    say(message, err=True)
    raise typer.Exit(ERROR)

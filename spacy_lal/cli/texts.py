"""Texts for a command: an argument with a space, `--text`, or lines, paragraphs or
records of files and stdin."""

import os
import re
import sys
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import (
    Annotated,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

import typer

from spacy_lal import files
from spacy_lal.cli.io import STDIN, check_apart, check_one_stdin, fail, say
from spacy_lal.files import quoted

TEXT = "text"
JSONL = "jsonl"
TSV = "tsv"
INPUT_FORMATS = (TEXT, JSONL, TSV)
BY_ENDING = {".jsonl": JSONL, ".tsv": TSV}
# Each of their lines would be parsed as a text.
TREEBANKS = (
    ".brackets",
    ".conll",
    ".conllu",
    ".mrg",
    ".ptb",
)
PAGES = (".htm", ".html", ".xml")  # their tags would be parsed, too
# By these endings, a name with spaces is a file's and no text.
_FILE_NAME = re.compile(
    r"\w\.(conllu|csv|docx?|html?|jsonl?|md|parquet|pdf|ptb|spacy|tsv|te?xt)$",
    re.IGNORECASE,
)
WRAPPED_WIDTH = range(40, 101)  # characters of a line that an editor broke
LOOKED_AT = 100  # lines, to see whether they are wrapped

WordsArgument = Annotated[
    Optional[List[str]],
    typer.Argument(
        metavar="[FILE|-|TEXT]...",
        help="Files, or texts in quotes  [default: -, stdin]",
    ),
]
TextOption = Annotated[
    Optional[str], typer.Option("--text", "-t", help="This text instead of files")
]
ParagraphsOption = Annotated[
    Optional[bool],
    typer.Option(
        "--paragraphs/--lines",
        help=(
            "Blank lines end a text, or each line is one  [default: --lines, unless a "
            "file's lines look wrapped]"
        ),
        show_default=False,
    ),
]


class Origin(NamedTuple):
    """Where a Doc comes from: the place among all texts, from 0, blank lines aside; the
    line where the text begins, from 1, None where it is not from a file; the name that
    the input gives the text; the file, where several are read."""

    number: int
    line: Optional[int] = None
    id: Optional[str] = None
    file: Optional[str] = None

    @property
    def name(self) -> str:
        """The id, or else the line, or else the place from 1."""
        return self.id or str(self.line or self.number + 1)


class Source(NamedTuple):
    """Something to read.

    name (str): A file, or `-` for stdin.
    text (Optional[str]): A text of the command line.
    """

    name: str
    text: Optional[str] = None

    @property
    def shown(self) -> str:
        """The name for messages."""
        if self.text is not None:
            return "<text>"
        return "<stdin>" if self.name == STDIN else self.name

    @property
    def suffix(self) -> str:
        """The ending of the file's name, in small letters."""
        return "" if self.text is not None else Path(self.name).suffix.lower()

    @property
    def is_terminal(self) -> bool:
        """Whether somebody types the texts."""
        return self.text is None and self.name == STDIN and sys.stdin.isatty()


def find_sources(
    words: Optional[Sequence[str]], text: Optional[str], output: Optional[Path] = None
) -> List[Source]:
    """What a command reads: files, `-`, texts with a space; without an argument, stdin.
    Ends it otherwise, or if one of them is the output."""
    if text is not None and words:
        fail(f"expected one of FILE and --text, got both: {words[0]}")
    if text is not None:
        return [Source("--text", text)]
    names = words or [STDIN]
    check_one_stdin(names)
    check_apart(output, *(words or ()))
    return [_find_source(name) for name in names]


def _find_source(word: str) -> Source:
    if word == STDIN or (os.path.exists(word) and not os.path.isdir(word)):
        return Source(word)
    if os.path.isdir(word):
        fail(f"{word} is a folder: expected a file")
    if len(word.split()) > 1 and not _FILE_NAME.search(word):
        return Source("TEXT", word)
    fail(
        f"can't find the file {quoted(word)}; a text is given by --text: --text "
        f"{quoted(word)}"
    )


@dataclass
class Reading:
    """How the texts of a command are read: the format (None goes by the ending of each
    file); whether blank lines end a text, otherwise each line is one (None: for a file
    whose lines look wrapped); the key of the texts in JSON lines."""

    sources: List[Source]
    input_format: Optional[str] = None
    paragraphs: Optional[bool] = None
    text_field: str = "text"

    def __post_init__(self) -> None:
        if self.input_format not in (None, *INPUT_FORMATS):
            fail(
                f"expected an input format of {', '.join(INPUT_FORMATS)}, got "
                f"{self.input_format!r}"
            )
        for source in self.sources:
            if source.suffix in TREEBANKS + PAGES and self.input_format is None:
                kind = "a page with tags" if source.suffix in PAGES else "a treebank"
                fail(
                    f"{source.name} is {kind} by its ending: expected texts; "
                    "--input-format text reads its lines"
                )

    def texts(self, max_length: int) -> Iterator[Tuple[str, Origin]]:
        """The texts of all sources, of at most `max_length` characters, blank ones left
        out, each with its origin.

        RAISES (ValueError): A line cannot be read; with file and line.
        """
        number = 0
        for source in self.sources:
            if source.is_terminal:
                say(
                    "Reading from the terminal: each line is a text, Ctrl-D ends",
                    err=True,
                )
            for line, text, name in self._records(source):
                where = f"{source.shown}, line {line}"
                if len(text) > max_length:
                    raise ValueError(
                        f"{where}: a text of more than {max_length} characters"
                    )
                if name is not None and not _is_id(name):
                    raise ValueError(
                        f"{where}: expected an id of printable characters, got "
                        f"{quoted(name)}"
                    )
                if text.strip():
                    file = source.name if len(self.sources) > 1 else None
                    yield text, Origin(number, line, name, file)
                    number += 1

    def _records(
        self, source: Source
    ) -> Iterator[Tuple[Optional[int], str, Optional[str]]]:
        """Line, text and id of each record."""
        if source.text is not None:
            # The command line may hold bytes of another encoding.
            source.text.encode("utf8")
            yield None, source.text, None
            return
        lines = numbered_lines(source)
        kind = self.input_format or BY_ENDING.get(source.suffix, TEXT)
        if kind != TEXT:
            read = self._read_json if kind == JSONL else _read_tsv
            for number, line in lines:
                if line.strip():
                    yield (number, *read(line, f"{source.shown}, line {number}"))
            return
        paragraphs = self.paragraphs
        if paragraphs is None and source.name != STDIN:
            first = list(islice(lines, LOOKED_AT))
            lines = chain(first, lines)
            paragraphs = looks_wrapped([line for _, line in first])
            if paragraphs:
                say(
                    f"{source.name}: its lines look wrapped, so that blank lines end "
                    "a text (or say --lines)",
                    err=True,
                )
        for number, text in _paragraphs(lines) if paragraphs else lines:
            yield number, text, None

    def _read_json(self, line: str, where: str) -> Tuple[str, Optional[str]]:
        try:
            record = files.read_json(line)
            text = record[self.text_field]
            text.encode("utf8")  # an escape may be half a surrogate pair
            name = record.get("id")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as err:
            problem = (
                f"expected a JSON object with a string as {self.text_field!r} (see "
                "--text-column)"
            )
            raise ValueError(
                f"{where}: {problem}, got {quoted(line)} ({type(err).__name__}: {err})"
            ) from None
        return text, None if name is None else str(name)


def _is_id(name: str) -> bool:
    return bool(name) and name.isprintable() and name == name.strip()


def _read_tsv(line: str, where: str) -> Tuple[str, Optional[str]]:
    name, tab, text = line.partition("\t")
    if not tab:
        raise ValueError(
            f"{where}: expected an id, a tab and a text, got {quoted(line)}"
        )
    return text, name


def numbered_lines(source: Source) -> Iterator[Tuple[int, str]]:
    """Lines with their numbers, from 1, without their ends.

    RAISES (TreebankError): As `files.numbered_lines`.
    """
    # The reader closes it.
    file = sys.stdin.buffer if source.name == STDIN else open(source.name, "rb")
    for number, line in files.numbered_lines(file, source.shown):
        yield number, line.rstrip("\r\n")


def _paragraphs(lines: Iterable[Tuple[int, str]]) -> Iterator[Tuple[int, str]]:
    """Blocks of lines between blank lines, joined by spaces, with the number of their
    first line."""
    parts: List[str] = []
    first = 0
    for number, line in chain(lines, [(0, "")]):
        if line.strip():
            first = first if parts else number
            parts.append(line.strip())
        elif parts:
            yield first, " ".join(parts)
            parts = []


def looks_wrapped(lines: Sequence[str]) -> bool:
    """Whether an editor has broken the lines of paragraphs: most of them end at a usual
    width and amid a sentence."""
    n_pairs = 0
    n_broken = 0
    for one, other in zip(lines, lines[1:], strict=False):
        line = one.rstrip()
        after = other.lstrip()
        if line and after:
            n_pairs += 1
            is_full = len(line) in WRAPPED_WIDTH
            n_broken += is_full and line[-1] not in ".!?" and after[0].islower()
    return n_broken > 1 and 2 * n_broken > n_pairs

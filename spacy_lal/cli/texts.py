"""Texts of files and stdin: lines, paragraphs, rows of tables, JSON lines."""

import csv
import glob
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, groupby, islice, pairwise
from pathlib import Path
from typing import (
    Annotated,
    BinaryIO,
    NamedTuple,
    Optional,
)

import typer

from spacy_lal import files
from spacy_lal.cli.io import FORMAT_OF, STDIN
from spacy_lal.files import quoted

TEXT = "text"
TEXT_NAME = "<text>"
JSONL = "jsonl"
SEPARATORS = {"csv": ",;\t", "tsv": "\t"}  # that a heading may have
TEXT_FORMATS = (TEXT, JSONL, *SEPARATORS)
STORED = FORMAT_OF  # of files that hold no texts
# The lines of other files would be parsed as texts.
OTHERS = {
    ".conll": "a treebank",
    ".htm": "a page with tags",
    ".html": "a page with tags",
    ".json": "JSON, whose lines --input-format jsonl reads as objects,",
    ".parquet": "a table that pandas turns into .csv",
    ".xls": "a spreadsheet, which Excel saves as .csv",
    ".xlsx": "a spreadsheet, which Excel saves as .csv",
    ".xml": "a page with tags",
    **dict.fromkeys(STORED, "a treebank"),
}
IN_FOLDERS = (".md", ".text", ".txt")  # what is read there; other files lie beside
# By these endings, a name with spaces is a file's and no text.
_FILE_NAME = re.compile(
    r"\w\.(conllu|csv|docx?|html?|jsonl?|md|parquet|pdf|ptb|spacy|tsv|te?xt|xlsx?)$",
    re.IGNORECASE,
)
WRAPPED_WIDTH = range(40, 101)  # characters of a line that an editor broke
LOOKED_AT = 100  # lines, to see whether they are wrapped

TextColumnOption = Annotated[
    Optional[str],
    typer.Option(
        help="The column of the texts in .csv and .tsv, their key in .jsonl  [default: "
        "text]",
    ),
]
IdColumnOption = Annotated[
    Optional[str],
    typer.Option(
        help="The column or key of their ids  [default: id, or else the line]",
    ),
]
ParagraphsOption = Annotated[
    Optional[bool],
    typer.Option(
        "--paragraphs/--lines",
        help=(
            "Blank lines end a text, or each line is one  [default: --lines, unless a "
            "file's lines look wrapped]"
        ),
    ),
]


class Origin(NamedTuple):
    """Where a Doc comes from: the place among all texts, from 0, blank ones aside; the
    line where the text begins, from 1, None where it is not from a file; the name that
    the input gives the text; the file, where several are read."""

    number: int
    line: Optional[int] = None
    id: Optional[str] = None
    file: Optional[str] = None

    @property
    def name(self) -> str:
        """The id, or else the line, after the file where several are read, or else the
        place from 1."""
        line = str(self.line or self.number + 1)
        return self.id or (f"{self.file}:{line}" if self.file else line)


class Source(NamedTuple):
    """Something to read.

    name (str): A file, `-` for stdin, or `TEXT_NAME`.
    text (Optional[str]): A text of the command line.
    """

    name: str
    text: Optional[str] = None

    @property
    def shown(self) -> str:
        """The name for messages."""
        return "<stdin>" if self.name == STDIN else self.name

    @property
    def suffix(self) -> str:
        """The ending of the file's name, in small letters."""
        return Path(self.name).suffix.lower()

    @property
    def is_terminal(self) -> bool:
        """Whether somebody types the texts."""
        return self.name == STDIN and sys.stdin.isatty()

    @property
    def is_file(self) -> bool:
        """Whether it can be read twice."""
        return Path(self.name).is_file()

    def open(self) -> BinaryIO:
        """The bytes of a file or of stdin, for a reader that closes them."""
        return sys.stdin.buffer if self.name == STDIN else open(self.name, "rb")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines with their numbers, from 1, without their ends.

        RAISES (TreebankError): As `files.numbered_lines`.
        """
        for number, line in files.numbered_lines(self.open(), self.shown):
            yield number, line.rstrip("\r\n")


class Record(NamedTuple):
    """A text with the line where it begins, None if it is none of a file, and the id
    that the file gives it."""

    line: Optional[int]
    text: str
    id: Optional[str] = None


class Form(NamedTuple):
    """How a file is read: the format; whether blank lines end a text, otherwise each
    line is one; the names of the columns, or keys, of texts and ids (None: `text`, and
    `id` if there is one)."""

    kind: str = TEXT
    paragraphs: bool = False
    text_column: Optional[str] = None
    id_column: Optional[str] = None


def find_sources(word: str, endings: Collection[str] = ()) -> list[Source]:
    """What an argument of the command line names: a file, the files of a folder or of a
    pattern, `-`, or a text with a space.

    endings (Collection[str]): Of files that are read in a folder, beside texts.
    RAISES (ValueError): It is none of these.
    """
    endings = (*IN_FOLDERS, *endings)
    if os.path.isdir(word):
        inside = sorted(
            str(path)
            for path in Path(word).rglob("*")
            if path.suffix.lower() in endings and path.is_file()
        )
        if not inside:
            raise ValueError(
                f"{word} is a folder without files of {', '.join(endings)}"
            )
        return list(map(Source, inside))
    if word == STDIN or os.path.exists(word):
        return [Source(word)]
    matched = sorted(glob.glob(word, recursive=True))
    if matched:
        return list(map(Source, matched))
    if len(word.split()) > 1 and not _FILE_NAME.search(word):
        return [Source(TEXT_NAME, word)]
    raise ValueError(
        f"can't find the file {quoted(word)}; a text is given by --text: --text "
        f"{quoted(word)}"
    )


def read_records(source: Source, form: Form) -> Iterator[Record]:
    """The texts of a source, also blank ones.

    RAISES (ValueError): A line cannot be read; with file and line.
    """
    if source.text is not None:
        # The command line may hold bytes of another encoding.
        source.text.encode("utf8")
        yield Record(None, source.text)
    elif form.kind == TEXT:
        lines = source.lines()
        for line in _paragraphs(lines) if form.paragraphs else lines:
            yield Record(*line)
    else:
        read = _json_records if form.kind == JSONL else _rows
        for record in read(source, form):
            if record.id is not None and not _is_id(record.id):
                raise ValueError(
                    f"{source.shown}, line {record.line}: expected an id of printable "
                    f"characters, got {quoted(record.id)}"
                )
            yield record


def _is_id(name: str) -> bool:
    return bool(name) and name.isprintable() and name == name.strip()


def _json_records(source: Source, form: Form) -> Iterator[Record]:
    key = form.text_column or "text"
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            record = files.read_json(line)
            text = record[key]
            text.encode("utf8")  # an escape may be half a surrogate pair
            name = record[form.id_column] if form.id_column else record.get("id")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as err:
            raise ValueError(
                f"{source.shown}, line {number}: expected a JSON object with a string "
                f"as {key!r} (see --text-column), got {quoted(line)} "
                f"({type(err).__name__}: {err})"
            ) from None
        yield Record(number, text, None if name is None else str(name))


def _rows(source: Source, form: Form) -> Iterator[Record]:
    """The rows of a table with a heading. The heading tells what separates cells."""
    lines = (line for _, line in files.numbered_lines(source.open(), source.shown))
    heading = next(lines, "")
    separator = max(SEPARATORS[form.kind], key=heading.count)
    csv.field_size_limit(files.MAX_LINE)
    table = csv.DictReader(chain([heading], lines), delimiter=separator, strict=True)
    try:
        names = [name.strip() for name in table.fieldnames or ()]
        text = form.text_column or "text"
        id_ = form.id_column or ("id" if "id" in names else text)
        for name, option in ((text, "--text-column"), (id_, "--id-column")):
            if names.count(name) != 1:
                raise ValueError(
                    f"{source.shown}: expected one column {name!r} in the heading, got "
                    f"{', '.join(map(quoted, names)) or 'none'}: {option} names it"
                )
        table.fieldnames = names
        has_ids = form.id_column or id_ != text
        for row in table:
            if None in row or None in row.values():
                raise csv.Error(
                    f"expected {len(names)} cells, as in the heading; a cell with a "
                    "separator or a line break stands in double quotes"
                )
            line = table.line_num - "".join(row.values()).count("\n")
            name = row[id_].strip() if has_ids else ""
            yield Record(line, row[text], name or None)
    except csv.Error as error:
        line = table.reader.line_num
        raise ValueError(f"{source.shown}, line {line}: {error}") from None


def _paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Blocks of lines between blank lines, joined by spaces, with the number of their
    first line."""
    for is_text, group in groupby(lines, key=lambda line: bool(line[1].strip())):
        block = list(group)
        if is_text:
            yield block[0][0], " ".join(text.strip() for _, text in block)


def looks_wrapped(lines: Iterable[str]) -> bool:
    """Whether an editor has broken the lines of paragraphs: most of the first ones end
    at a usual width and amid a sentence."""
    pairs = [
        (line.rstrip(), following.lstrip())
        for line, following in pairwise(islice(lines, LOOKED_AT))
        if line.strip() and following.strip()
    ]
    n_broken = sum(
        len(line) in WRAPPED_WIDTH and line[-1] not in ".!?" and following[0].islower()
        for line, following in pairs
    )
    return n_broken > 1 and 2 * n_broken > len(pairs)

"""Reading CoNLL-U, one sentence at a time, over the `conllu` library's readers of
single fields; and writing it. Column 9, enhanced dependencies, is dropped. Only
sentences that are not a dependency graph over words 1..n raise an error.

Format: https://universaldependencies.org/format.html
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import (
    NamedTuple,
    NoReturn,
    Optional,
    Union,
)

from conllu.parser import parse_comment_line, parse_dict_value

from ..files import TreebankError, numbered_lines, quoted
from .parse import Heads, Parse

N_COLUMNS = 10
FORM = 1  # the places of columns
MISC = 9
MAX_ROWS = 200_000  # lines of a sentence, including comments
_SHOWN = 60  # characters of a field that an error shows
_FEATS = re.compile(r"[^=|]*=[^=|]*(?:\|[^=|]*=[^=|]*)*")
# No sentence has words of more digits; Python refuses to convert 5,000.
_ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")
_HEAD = re.compile(r"_|-?[0-9]{1,9}")
_WHITE_SPACE = re.compile(r"\s")
# Characters that would split a line or a column.
_UNWRITABLE = re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")

Source = Union[str, Path, Iterable[str]]


class _Row(NamedTuple):
    """A line: its number from 1; its word number, and that behind the mark of a range
    (1-2) or of an empty node (1.1); ten columns."""

    line: int
    number: int
    mark: str
    last: int
    columns: list[str]


class ConlluBlock(NamedTuple):
    """The unparsed lines of one sentence: (line number from 1, text without line
    end)."""

    path: str
    lines: list[tuple[int, str]]


def read_conllu(source: Source) -> Iterator[Parse]:
    """The sentences of a file, given by its name, or of lines; in order, with at most
    one in memory.

    RAISES (TreebankError): With file and line: wrong number of columns; ids that are
        not 1..n; a head that is not a whole number, lies outside 0..n, or closes a
        cycle; FEATS that are not `Name=Value` pairs, as in CoNLL-X; text that is not
        UTF-8; a sentence of more than `MAX_ROWS` lines.
    """
    return map(parse_conllu_block, read_conllu_blocks(source))


def read_conllu_blocks(source: Source) -> Iterator[ConlluBlock]:
    """The unparsed sentences of a file, for callers that continue after an invalid
    sentence.

    RAISES (TreebankError): Text that is not UTF-8; a sentence of more than `MAX_ROWS`
        lines.
    """
    path = "<conllu>"
    source_lines: Iterable[tuple[int, str]]
    if isinstance(source, (str, Path)):
        path = str(source)
        source_lines = numbered_lines(Path(source))
    else:
        source_lines = enumerate(source, start=1)
    lines: list[tuple[int, str]] = []
    has_words = False
    for number, line in chain(source_lines, [(0, "")]):
        line = line.rstrip("\r\n")
        if line.strip():
            if len(lines) == MAX_ROWS:
                reason = (
                    f"expected a sentence of at most {MAX_ROWS:,} lines (is an empty "
                    "line missing?)"
                )
                raise TreebankError(f"{path}:{lines[0][0]}: {reason}")
            lines.append((number, line))
            has_words = has_words or not line.startswith("#")
        elif has_words:  # comments alone belong to the next sentence
            yield ConlluBlock(path, lines)
            lines = []
            has_words = False


def parse_conllu_block(block: ConlluBlock) -> Parse:
    """One sentence from its lines. Ranges (`1-2`) and empty nodes (`1.1`) are no words;
    of ranges, only the space behind them is kept.

    RAISES (TreebankError): See `read_conllu`.
    """
    metadata: dict[str, Optional[str]] = {}
    words: list[_Row] = []
    ranges: list[_Row] = []
    try:
        for line, text in block.lines:
            if text.startswith("#"):
                metadata.update(parse_comment_line(text))
                continue
            row = _read_row(line, text, len(words))
            if row.mark != ".":
                (ranges if row.mark else words).append(row)
        if not words:
            _fail(block.lines[-1][0], "a sentence without words")
        _, forms, lemmas, *values, heads, deprels, _, misc = zip(
            *(row.columns for row in words), strict=True
        )
        pos, tags, morphs = map(_values, values)
        parse = Parse(
            words=list(forms),
            tags=tags,
            heads=[None if head == "_" else int(head) for head in heads],
            deprels=_values(deprels),
            lemmas=[
                lemma if lemma != "_" or form == "_" else ""
                for form, lemma in zip(forms, lemmas, strict=True)
            ],
            pos=pos,
            morphs=morphs,
            spaces=_spaces(misc, forms, ranges),
            metadata=metadata,
            path=block.path,
            lines=[row.line for row in words],
        )
        _check_heads(parse, parse.heads or ())
    except TreebankError as error:
        raise TreebankError(f"{block.path}:{error}") from None
    return parse


def format_conllu(parse: Parse) -> str:
    """One sentence as CoNLL-U text, with the empty line at its end. White space that
    would break the format (tabs, line breaks inside a word) becomes a space. Spaces
    that are not known are written."""
    comments = {key: _writable(value or "") for key, value in parse.metadata.items()}
    lines = [
        f"# {key} = {value}" if value else f"# {key}" for key, value in comments.items()
    ]
    ends = dict(parse.ranges)
    within = 0  # the last word of the open range
    n_words = len(parse.words)
    spaces = parse.spaces or [True] * n_words
    heads = parse.heads or [None] * n_words
    texts = (parse.lemmas, parse.pos, parse.tags, parse.morphs, parse.deprels)
    columns = [column or [""] * n_words for column in (parse.words, *texts)]
    for number, (*values, deprel, head, space) in enumerate(
        zip(*columns, heads, spaces, strict=True), start=1
    ):
        if number in ends:
            within = ends[number]
            form = "".join(parse.words[number - 1 : within])
            misc = _misc(spaces[within - 1])
            lines.append(_line(f"{number}-{within}", form, *[""] * 7, misc))
        shown = "" if head is None else str(head)
        misc = _misc(space or number <= within)
        lines.append(_line(str(number), *values, shown, deprel, "", misc))
    return "\n".join([*lines, "", ""])


def _line(*columns: str) -> str:
    return "\t".join(_writable(column) or "_" for column in columns)


def _misc(space: bool) -> str:
    return "" if space else "SpaceAfter=No"


def _writable(text: str) -> str:
    return _UNWRITABLE.sub(" ", text).strip()


def _fail(line: int, reason: str) -> NoReturn:
    raise TreebankError(f"{line}: {reason}")


def _read_row(line: int, text: str, n_words: int) -> _Row:
    """A line after n words.

    RAISES (TreebankError): It is no word, range or empty node, or its columns are
        malformed.
    """
    columns = text.split("\t")
    if len(columns) != N_COLUMNS:
        ends = " (a carriage return alone ends no line)" if "\r" in text else ""
        reason = f"{N_COLUMNS} columns separated by tabs, got {len(columns)}{ends}"
        _fail(line, f"expected {reason}: {quoted(text)}")
    match = _ID.fullmatch(columns[0])
    got = quoted(columns[0], _SHOWN)
    if not match:
        _fail(
            line,
            "expected a word number, a range (1-2) or an empty node (1.1) in column "
            f"1, got {got}",
        )
    number, mark, last = match.groups(default="")
    row = _Row(line, int(number), mark, int(last or number), columns)
    if mark == "-" and row.number != n_words + 1:
        _fail(line, f"expected a range that begins with word {n_words + 1}, got {got}")
    if not mark and row.number != n_words + 1:
        _fail(line, f"expected word number {n_words + 1}, got {number}")
    fault = "" if mark else _fault_of_word(*columns)
    if fault:
        _fail(line, fault)
    return row


def _fault_of_word(number: str, form: str, *columns: str) -> str:
    """What is wrong with a word; empty for nothing."""
    _, upos, xpos, feats, head, deprel, _, _ = columns
    if not form.strip():
        return f"word {number} is empty"
    expected = got = ""
    for name, value in (("UPOS", upos), ("XPOS", xpos), ("DEPREL", deprel)):
        if _WHITE_SPACE.search(value):
            expected = f"{name} without white space"
            got = value
    if not _HEAD.fullmatch(head):
        expected = "a whole number or '_' as head"
        got = head
    elif feats not in ("", "_") and not _FEATS.fullmatch(feats):
        expected = "FEATS as Name=Value pairs (or '_')"
        got = feats
    elif deprel.isdecimal():
        expected = "a deprel"
        got = deprel
    shown = f"{expected} for word {number} ({quoted(form, _SHOWN)})"
    return f"expected {shown}, got {quoted(got, _SHOWN)}" if expected else ""


def _values(column: Sequence[str]) -> list[str]:
    return ["" if value == "_" else value for value in column]


def _spaces(
    misc: Sequence[str], words: Sequence[str], ranges: Sequence[_Row]
) -> list[bool]:
    """Whether white space follows each word.

    RAISES (TreebankError): A range goes beyond the sentence.
    """
    spaces = [_has_space(column) for column in misc]
    for line, first, _, last, columns in ranges:
        if last > len(words):
            reason = f"goes beyond the sentence's {len(words)} words"
            _fail(line, f"the range {columns[0]} {reason}")
        # The parts of "don't", do and n't, spell it: no space lies between them.
        spell_it = "".join(words[first - 1 : last]) == columns[FORM]
        inside = [not spell_it] * (last - first)
        spaces[first - 1 : last] = [*inside, _has_space(columns[MISC])]
    return spaces


def _has_space(misc: str) -> bool:
    if "SpaceAfter" not in misc:
        return True
    return (parse_dict_value(misc) or {}).get("SpaceAfter") != "No"


def _check_heads(parse: Parse, heads: Heads) -> None:
    """Check that heads lie in the sentence, and form no circle.

    RAISES (TreebankError): They do not.
    """
    n_words = len(heads)
    for number, head in enumerate(heads, start=1):
        if head is not None and not 0 <= head <= n_words:
            shown = f"word {number} ({quoted(parse.words[number - 1], _SHOWN)})"
            reason = f"expected a head from 0 to {n_words} for {shown}, got {head}"
            _fail(parse.lines[number - 1], reason)
    seen_from: dict[int, int] = {}  # the first word below which each was seen
    for start in range(1, n_words + 1):
        word = start
        while word and word not in seen_from:
            seen_from[word] = start
            word = heads[word - 1] or 0
        if word and seen_from[word] == start:
            shown = f"word {word} ({quoted(parse.words[word - 1], _SHOWN)})"
            _fail(parse.lines[word - 1], f"heads go in a circle from {shown}")

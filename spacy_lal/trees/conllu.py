"""Reading CoNLL-U, one sentence at a time, over the `conllu` library's readers of
single fields; and writing it. Column 9, enhanced dependencies, is dropped. Only
sentences that are not a dependency graph over words 1..n raise an error.

Format: https://universaldependencies.org/format.html
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

from conllu.exceptions import ParseException
from conllu.parser import (
    parse_comment_line,
    parse_dict_value,
    parse_id_value,
    parse_int_value,
)

from ..files import TreebankError, numbered_lines, quoted

N_COLUMNS = 10
MAX_ROWS = 200_000  # lines of a sentence, including comments
_SHOWN = 60  # characters of a field that an error shows
_FEATS = re.compile(r"[^=|]*=[^=|]*(?:\|[^=|]*=[^=|]*)*")
# No sentence has so many words; Python refuses to convert 5,000 digits.
_LONG_NUMBER = re.compile(r"\d{10}")
_WHITE_SPACE = re.compile(r"\s")
# Characters that would split a line or a column.
_UNWRITABLE = re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")

Source = Union[str, Path, Iterable[str]]


@dataclass
class ConlluSentence:
    """One sentence of n words; all lists have length n; empty strings are missing.
    Ranges (`1-2`) and empty nodes (`1.1`) do not count as words.

    heads (List[Optional[int]]): Word numbers from 1; 0 = root; None = missing.
    spaces (List[bool]): Whether whitespace follows (False for `SpaceAfter=No`); unknown
        unless `spaces_known`.
    metadata (Dict[str, Optional[str]]): The comment lines `# key = value`, in order.
    path (str): Name of the file.
    lines (List[int]): The line of each word, from 1.
    ranges (List[Tuple[int, int]]): Multiword tokens to write: first and last word, from
        1. Reading leaves it empty.
    """

    words: List[str]
    lemmas: List[str]
    pos: List[str]
    tags: List[str]
    morphs: List[str]
    heads: List[Optional[int]]
    deprels: List[str]
    spaces: List[bool]
    metadata: Dict[str, Optional[str]] = field(default_factory=dict)
    path: str = "<conllu>"
    lines: List[int] = field(default_factory=list)
    spaces_known: bool = True
    ranges: List[Tuple[int, int]] = field(default_factory=list)

    @property
    def line(self) -> int:
        """The line of the first word; 0 for a sentence without a file."""
        return self.lines[0] if self.lines else 0


class ConlluBlock(NamedTuple):
    """The unparsed lines of one sentence: (line number from 1, text without line
    end)."""

    path: str
    lines: List[Tuple[int, str]]


def read_conllu(source: Source) -> Iterator[ConlluSentence]:
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
    source_lines: Iterable[Tuple[int, str]]
    if isinstance(source, (str, Path)):
        path = str(source)
        source_lines = numbered_lines(Path(source))
    else:
        source_lines = enumerate(source, start=1)
    lines: List[Tuple[int, str]] = []
    has_words = False
    for number, line in source_lines:
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
    if has_words:
        yield ConlluBlock(path, lines)


def parse_conllu_block(block: ConlluBlock) -> ConlluSentence:
    """One sentence from its lines.

    RAISES (TreebankError): See `read_conllu`.
    """
    sentence = ConlluSentence([], [], [], [], [], [], [], [], path=block.path)
    ranges: List[Tuple[int, int, int, List[str]]] = []
    fault: Optional[str] = None
    number = 0
    for number, line in block.lines:
        if line.startswith("#"):
            sentence.metadata.update(parse_comment_line(line))
        else:
            fault = fault or _add_row(sentence, ranges, number, line)
        if fault:
            break
    else:
        if not sentence.words:
            fault = "a sentence without words"
    for start_line, start, end, columns in ranges if not fault else ():
        if end > len(sentence.words):
            number = start_line
            fault = (
                f"the range {columns[0]} goes beyond the sentence's "
                f"{len(sentence.words)} words"
            )
            break
        # The parts of "don't", do and n't, spell it: no space lies between them.
        spell_it = "".join(sentence.words[start - 1 : end]) == columns[1]
        inside = [not spell_it] * (end - start)
        sentence.spaces[start - 1 : end] = [*inside, _has_space(columns[9])]
    if not fault:
        number, fault = _fault_of_heads(sentence)
    if fault:
        raise TreebankError(f"{block.path}:{number}: {fault}")
    return sentence


def format_conllu(sentence: ConlluSentence) -> str:
    """One sentence as CoNLL-U text, with the empty line at its end. White space that
    would break the format (tabs, line breaks inside a word) becomes a space."""
    values = {key: _writable(value or "") for key, value in sentence.metadata.items()}
    lines = [
        f"# {key} = {value}" if value else f"# {key}" for key, value in values.items()
    ]
    ends = dict(sentence.ranges)
    within = 0  # the last word of the open range
    columns = (sentence.lemmas, sentence.pos, sentence.tags, sentence.morphs)
    for i, (word, head) in enumerate(zip(sentence.words, sentence.heads, strict=True)):
        number = i + 1
        if number in ends:
            within = ends[number]
            form = "".join(sentence.words[i:within])
            misc = _misc(sentence.spaces[within - 1])
            lines.append(_row(f"{number}-{within}", form, *[""] * 7, misc))
        lines.append(
            _row(
                str(number),
                word,
                *(column[i] for column in columns),
                "" if head is None else str(head),
                sentence.deprels[i],
                "",  # enhanced dependencies
                _misc(sentence.spaces[i] or number <= within),
            )
        )
    return "\n".join([*lines, "", ""])


def _row(*fields: str) -> str:
    return "\t".join(_writable(field) or "_" for field in fields)


def _misc(space: bool) -> str:
    return "" if space else "SpaceAfter=No"


def _add_row(
    sentence: ConlluSentence,
    ranges: List[Tuple[int, int, int, List[str]]],
    number: int,
    line: str,
) -> Optional[str]:
    """Add a word or a range to a sentence. Gives what is wrong with the line."""
    columns = line.split("\t")
    if len(columns) != N_COLUMNS:
        ends = " (a carriage return alone ends no line)" if "\r" in line else ""
        return (
            f"expected {N_COLUMNS} columns separated by tabs, got "
            f"{len(columns)}{ends}: {quoted(line)}"
        )
    word_id = _parsed(parse_id_value, columns[0])
    n_words = len(sentence.words)
    got = quoted(columns[0], _SHOWN)
    if word_id is None:
        return (
            "expected a word number, a range (1-2) or an empty node (1.1) in column "
            f"1, got {got}"
        )
    if isinstance(word_id, int):
        sentence.lines.append(number)
        return _add_word(sentence, word_id, columns)
    if word_id[1] == "-":
        ranges.append((number, word_id[0], word_id[2], columns))
        if word_id[0] != n_words + 1:
            return f"expected a range that begins with word {n_words + 1}, got {got}"
    return None


def _parsed(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return None if _LONG_NUMBER.search(text) else parse(text)
    except ParseException:
        return None


def _add_word(
    sentence: ConlluSentence, word_id: int, columns: List[str]
) -> Optional[str]:
    shown = f"word {word_id} ({quoted(columns[1], _SHOWN)})"
    head = _parsed(parse_int_value, columns[6])
    if word_id != len(sentence.words) + 1:
        return f"expected word number {len(sentence.words) + 1}, got {word_id}"
    if not columns[1].strip():
        return f"word {word_id} is empty"
    if head is None and columns[6] != "_":
        return (
            f"expected a whole number or '_' as head of {shown}, got "
            f"{quoted(columns[6], _SHOWN)}"
        )
    if columns[5] not in ("", "_") and not _FEATS.fullmatch(columns[5]):
        got = quoted(columns[5], _SHOWN)
        return (
            f"expected FEATS as Name=Value pairs joined by | or '_' for {shown}, got "
            f"{got}"
        )
    for name, number in (("UPOS", 3), ("XPOS", 4), ("DEPREL", 7)):
        if _WHITE_SPACE.search(columns[number]):
            return (
                f"expected {name} without white space for {shown}, got "
                f"{quoted(columns[number], _SHOWN)}"
            )
    if columns[7].isdecimal():
        return f"expected a deprel for {shown}, got the number {columns[7]}"
    sentence.words.append(columns[1])
    sentence.lemmas.append(columns[2] if columns[2] != "_" or columns[1] == "_" else "")
    sentence.pos.append(_value(columns[3]))
    sentence.tags.append(_value(columns[4]))
    sentence.morphs.append(_value(columns[5]))
    sentence.deprels.append(_value(columns[7]))
    sentence.heads.append(head)
    sentence.spaces.append(_has_space(columns[9]))
    return None


def _value(field: str) -> str:
    return "" if field == "_" else field


def _has_space(misc: str) -> bool:
    if "SpaceAfter" not in misc:
        return True
    return (parse_dict_value(misc) or {}).get("SpaceAfter") != "No"


def _fault_of_heads(sentence: ConlluSentence) -> Tuple[int, Optional[str]]:
    """The line and the description of a head outside of the sentence, or of a
    circle."""
    n_words = len(sentence.words)
    done = [True] + [False] * n_words
    for word, head in enumerate(sentence.heads, start=1):
        if head is not None and not 0 <= head <= n_words:
            shown = f"word {word} ({quoted(sentence.words[word - 1], _SHOWN)})"
            fault = f"expected a head from 0 to {n_words} for {shown}, got {head}"
            return sentence.lines[word - 1], fault
    for word in range(1, n_words + 1):
        path: Dict[int, None] = {}
        while not done[word]:
            if word in path:
                circle = list(path)[list(path).index(word) :]
                shown = _shown_circle(sentence.words, circle)
                return sentence.lines[word - 1], f"heads go in a circle: {shown}"
            path[word] = None
            word = sentence.heads[word - 1] or 0
        for passed in path:
            done[passed] = True
    return 0, None


def _shown_circle(words: List[str], circle: List[int]) -> str:
    """The first words of a circle of heads, and the one at which it closes."""
    numbered = [f"{i} {quoted(words[i - 1], _SHOWN // 2)}" for i in circle]
    more = ["..."] if len(circle) > 5 else []
    return " -> ".join([*numbered[:5], *more, numbered[0]])


def _writable(text: str) -> str:
    return _UNWRITABLE.sub(" ", text).strip()

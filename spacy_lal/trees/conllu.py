"""Reading and writing CoNLL-U, one sentence at a time, over the `conllu` library's readers of single fields.

Not here: enhanced dependencies (column 9 is dropped), and checks of valid but unusual sentences (no root, several
roots, crossing arcs); `spacy lal check` reports them. Only sentences that are not a dependency graph over words 1..n
raise an error, with the file and the line.

Format: https://universaldependencies.org/format.html
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from conllu.exceptions import ParseException
from conllu.models import Metadata, Token, TokenList
from conllu.parser import parse_comment_line, parse_dict_value, parse_id_value, parse_int_value

from .lines import MAX_CHARACTERS, LineError, numbered_lines, quoted

N_COLUMNS = 10
MAX_ROWS = 200_000  # lines of a sentence, including comments
_SHOWN = 60  # characters of a field that an error shows
_FEATS = re.compile(r"[^=|]*=[^=|]*(?:\|[^=|]*=[^=|]*)*")
_LONG_NUMBER = re.compile(r"\d{10}")  # no sentence has so many words; Python refuses to convert 5,000 digits
_UNWRITABLE = re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")  # characters that would split a line or a column

Source = Union[str, Path, Iterable[str]]


class ConlluError(ValueError):
    """A sentence that is not a dependency graph over words 1..n.

    reason (str): The expected and the actual content.
    path (str): The file. line (int): The line, from 1.
    """

    def __init__(self, reason: str, path: str, line: int) -> None:
        self.reason, self.path, self.line = reason, path, line
        super().__init__(reason, path, line)  # the original arguments: errors are pickled between processes

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass
class ConlluSentence:
    """One sentence of n words; all lists have length n. Ranges (`1-2`) and empty nodes (`1.1`) do not count as words.

    words (List[str]): Forms as written.
    lemmas, pos, tags, morphs, deprels (List[str]): LEMMA, UPOS, XPOS, FEATS, DEPREL; empty string if missing.
    heads (List[Optional[int]]): Word numbers from 1; 0 = root; None = missing.
    spaces (List[bool]): Whether whitespace follows (False for `SpaceAfter=No`).
    metadata (Dict[str, Optional[str]]): The comment lines `# key = value`, in order.
    path (str): Name of the file. lines (List[int]): The line of each word, from 1.
    spaces_known (bool): Whether `spaces` is known; False for words of a format without text, such as columns.
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

    @property
    def line(self) -> int:
        """The line of the first word; 0 for a sentence without a file."""
        return self.lines[0] if self.lines else 0


class ConlluBlock(NamedTuple):
    """The unparsed lines of one sentence: (line number from 1, text without line end)."""

    path: str
    lines: List[Tuple[int, str]]


def read_conllu(source: Source) -> Iterator[ConlluSentence]:
    """The sentences of a file, in order, with at most one in memory.

    source (Union[str, Path, Iterable[str]]): Name of a file, or lines.
    RAISES (ConlluError): With file and line: wrong number of columns; ids that are not 1..n; a head that is not a whole
        number, lies outside 0..n, or closes a cycle; FEATS that are not `Name=Value` pairs, as in CoNLL-X; text that is
        not UTF-8; a sentence of more than `MAX_ROWS` lines.
    """
    for block in read_conllu_blocks(source):
        yield parse_conllu_block(block)


def read_conllu_blocks(source: Source) -> Iterator[ConlluBlock]:
    """The unparsed sentences of a file, for callers that continue after an invalid sentence.

    RAISES (ConlluError): Text that is not UTF-8; a sentence that exceeds the maximum length.
    """
    path = str(source) if isinstance(source, (str, Path)) else "<conllu>"
    lines: List[Tuple[int, str]] = []
    has_words = False
    n_characters = 0
    for number, line in _numbered_lines(source, path):
        if line.strip():
            n_characters = len(line) + (n_characters if lines else 0)
            if len(lines) == MAX_ROWS or n_characters > MAX_CHARACTERS:
                size = f"{MAX_ROWS:,} lines" if len(lines) == MAX_ROWS else f"{MAX_CHARACTERS:,} characters"
                message = f"expected a sentence of at most {size}, got a longer one (is an empty line missing?)"
                raise ConlluError(message, path, lines[0][0] if lines else number)
            lines.append((number, line))
            has_words = has_words or not line.startswith("#")
        elif has_words:  # comments alone belong to the next sentence
            yield ConlluBlock(path, lines)
            lines, has_words = [], False
    if has_words:
        yield ConlluBlock(path, lines)


def parse_conllu_block(block: ConlluBlock) -> ConlluSentence:
    """One sentence from its lines.

    RAISES (ConlluError): See `read_conllu`.
    """
    sentence = ConlluSentence([], [], [], [], [], [], [], [], path=block.path)
    pending: Optional[_Range] = None
    for number, line in block.lines:
        if line.startswith("#"):
            sentence.metadata.update(parse_comment_line(line))
            continue
        columns = line.split("\t")
        if len(columns) != N_COLUMNS:
            ends = " (a carriage return alone ends no line)" if "\r" in line else ""
            message = f"expected {N_COLUMNS} columns separated by tabs, got {len(columns)}{ends}: {quoted(line)}"
            raise ConlluError(message, block.path, number)
        word_id = _parse_id(columns[0], block.path, number)
        if isinstance(word_id, int):
            _add_word(sentence, word_id, columns, number)
        elif word_id[1] == "-":
            _finish_range(sentence, pending)
            pending = _open_range(sentence, columns, word_id[0], word_id[2], number)
    _finish_range(sentence, pending)
    if not sentence.words:
        raise ConlluError("a sentence without words", block.path, block.lines[-1][0])
    _check_heads(sentence)
    return sentence


def format_conllu(sentence: ConlluSentence) -> str:
    """One sentence as CoNLL-U text, with the empty line at its end.

    Whitespace that would break the format (tabs, line breaks inside a word) becomes a space.
    """
    tokens = []
    for i, word in enumerate(sentence.words):
        tokens.append(
            Token(
                id=i + 1,
                form=_writable(word),
                lemma=_writable(sentence.lemmas[i]),
                upos=_writable(sentence.pos[i]),
                xpos=_writable(sentence.tags[i]),
                feats=_writable(sentence.morphs[i]),
                head=sentence.heads[i],
                deprel=_writable(sentence.deprels[i]),
                deps=None,
                misc=None if sentence.spaces[i] else {"SpaceAfter": "No"},
            )
        )
    metadata = Metadata()
    for key, value in sentence.metadata.items():
        metadata[key] = None if value is None else _writable(value)
    return TokenList(tokens, metadata).serialize()


class _Range(NamedTuple):
    """An open multiword token: its first and last word (from 1), surface form, space after it, and line."""

    start: int
    end: int
    surface: str
    space: bool
    line: int


def _numbered_lines(source: Source, path: str) -> Iterator[Tuple[int, str]]:
    if not isinstance(source, (str, Path)):
        for number, text in enumerate(source, start=1):
            yield number, text.rstrip("\r\n")
        return
    try:
        for number, text in numbered_lines(Path(source)):
            yield number, text.rstrip("\r\n")
    except LineError as error:
        raise ConlluError(f"{error.reason}: {quoted(error.text)}", path, error.number) from None


def _parse_id(text: str, path: str, line: int) -> Union[int, Tuple[int, str, int]]:
    try:
        value = None if _LONG_NUMBER.search(text) else parse_id_value(text)
    except ParseException:
        value = None
    if value is None:
        got = quoted(text, _SHOWN)
        message = f"expected a word number, a range (1-2) or an empty node (1.1) in column 1, got {got}"
        raise ConlluError(message, path, line)
    return value


def _parse_head(columns: List[str], path: str, line: int) -> Optional[int]:
    try:
        if not _LONG_NUMBER.search(columns[6]):
            return parse_int_value(columns[6])
    except ParseException:
        pass
    word, got = quoted(columns[1], _SHOWN), quoted(columns[6], _SHOWN)
    message = f"expected a whole number or '_' as head of word {columns[0]} ({word}), got {got}"
    raise ConlluError(message, path, line)


def _add_word(sentence: ConlluSentence, word_id: int, columns: List[str], line: int) -> None:
    if word_id != len(sentence.words) + 1:
        raise ConlluError(f"expected word number {len(sentence.words) + 1}, got {word_id}", sentence.path, line)
    if not columns[1].strip():
        raise ConlluError(f"word {word_id} is empty", sentence.path, line)
    head = _parse_head(columns, sentence.path, line)
    if columns[5] not in ("", "_") and not _FEATS.fullmatch(columns[5]):
        message = (
            f"expected FEATS as Name=Value pairs joined by | or '_' for word {word_id} ({quoted(columns[1], _SHOWN)}), "
            f"got {quoted(columns[5], _SHOWN)}"
        )
        raise ConlluError(message, sentence.path, line)
    sentence.words.append(columns[1])
    sentence.lemmas.append(columns[2] if columns[2] != "_" or columns[1] == "_" else "")
    sentence.pos.append("" if columns[3] == "_" else columns[3])
    sentence.tags.append("" if columns[4] == "_" else columns[4])
    sentence.morphs.append("" if columns[5] == "_" else columns[5])
    sentence.heads.append(head)
    sentence.deprels.append("" if columns[7] == "_" else columns[7])
    sentence.spaces.append(_has_space(columns[9]))
    sentence.lines.append(line)


def _has_space(misc: str) -> bool:
    return "SpaceAfter" not in misc or (parse_dict_value(misc) or {}).get("SpaceAfter") != "No"


def _open_range(sentence: ConlluSentence, columns: List[str], start: int, end: int, line: int) -> _Range:
    if start != len(sentence.words) + 1:
        message = f"expected a range that begins with word {len(sentence.words) + 1}, got {quoted(columns[0], _SHOWN)}"
        raise ConlluError(message, sentence.path, line)
    return _Range(start, end, columns[1], _has_space(columns[9]), line)


def _finish_range(sentence: ConlluSentence, pending: Optional[_Range]) -> None:
    """Set the spaces of a range's words: none inside if they spell the surface form (do|n't); after the last word, the
    space of the range's own line."""
    if pending is None:
        return
    words = sentence.words[pending.start - 1 : pending.end]
    if len(words) != pending.end - pending.start + 1:
        message = f"the range {pending.start}-{pending.end} goes beyond the sentence's {len(sentence.words)} words"
        raise ConlluError(message, sentence.path, pending.line)
    spells = "".join(words) == pending.surface
    for i in range(pending.start - 1, pending.end - 1):
        sentence.spaces[i] = not spells
    sentence.spaces[pending.end - 1] = pending.space


def _check_heads(sentence: ConlluSentence) -> None:
    n_words = len(sentence.words)
    for i, head in enumerate(sentence.heads):
        if head is not None and not 0 <= head <= n_words:
            word_shown = quoted(sentence.words[i], _SHOWN)
            message = f"expected a head from 0 to {n_words} for word {i + 1} ({word_shown}), got {head}"
            raise ConlluError(message, sentence.path, sentence.lines[i])
    done = [False] * (n_words + 1)
    for start in range(1, n_words + 1):
        path: List[int] = []
        on_path = set()
        word: Optional[int] = start
        while word and not done[word]:
            if word in on_path:
                circle = path[path.index(word) :]
                around = [f"{i} {quoted(sentence.words[i - 1], _SHOWN // 2)}" for i in [*circle[:5], word]]
                shown = " -> ".join([*around[:-1], *(["..."] if len(circle) > 5 else []), around[-1]])
                raise ConlluError(f"heads go in a circle: {shown}", sentence.path, sentence.lines[word - 1])
            path.append(word)
            on_path.add(word)
            word = sentence.heads[word - 1]
        for passed in path:
            done[passed] = True


def _writable(text: str) -> Optional[str]:
    return _UNWRITABLE.sub(" ", text).strip() or None

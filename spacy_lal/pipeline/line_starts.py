"""Sentence starts that the text alone decides, set by the tokenizer.

A sentence begins after a blank line. It begins at a line that is an item of a list, a
heading, a row of a table, or a turn with its speaker's label. A mark or label and the
rest of its line are one sentence, as in English Web Treebank. No sentence begins within
a word, at whitespace, at an address after a word such as "see", or at a number after an
abbreviation such as "No.".
In a language without rules for lines, a sentence begins after a blank line alone.
Components that keep what is set (spaCy's `senter` and `sentencizer` with
`overwrite = false`) decide about all other tokens."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Optional

import numpy as np
from spacy.tokens import Doc, Token

from ..annotations import without_notes
from ..lang import conventions
from ..lang.conventions import LayoutRules, LineKind, Rule

_BLOCK = re.compile(r"(?:(?!^[ \t\r\f]*$).+\n?)+", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t\r\f]*\n")
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_GOES_ON = re.compile(r"[,;–—-]$")
_MIN_ADDRESS = 40  # characters of a line without spaces that tells no width
_MAX_LIST = 40  # columns of a list's lines


class Layout:
    """The layout rules of a language, compiled.

    rules (LayoutRules): Of the language.
    patterns (Dict[str, Pattern[str]]): Its single rules by their names in `rules`; `^`
        and `$` match at lines."""

    def __init__(self, rules: LayoutRules) -> None:
        self.rules = rules
        self.patterns = {
            name: re.compile(rule.pattern, re.MULTILINE)
            for name, rule in vars(rules).items()
            if isinstance(rule, Rule)
        }
        kinds = "|".join(
            f"(?P<kind_{i}>{kind.pattern})" for i, kind in enumerate(rules.kinds)
        )
        self._kind = re.compile(rf"\s*(?:{kinds})")

    def kind(self, line: str) -> Optional[LineKind]:
        """The kind of a line, if its beginning has one."""
        match = self._kind.match(line)
        if match is None or match.lastgroup is None:
            return None
        return self.rules.kinds[int(match.lastgroup.partition("_")[2])]


@cache
def layout_of(lang: str) -> Optional[Layout]:
    """The layout rules of a language, compiled; None if it has none."""
    rules = conventions(lang).layout
    return Layout(rules) if rules else None


def set_line_starts(doc: Doc, lang: str) -> Doc:
    """Set the sentence starts of a new Doc that its text decides, and leave the others
    unknown. None begins at the mark of a note."""
    layout = layout_of(lang)
    seen = without_notes(doc)
    value = _Starts(layout, seen.doc.text).value if layout else _after_blank_line
    values = np.zeros(len(doc), dtype=np.int64)
    values[seen.tokens] = [value(token) for token in seen.doc]
    for start, end in seen.notes:
        values[start:end] = -1
    if values.any():
        values[0] = 1
        doc.from_array(["SENT_START"], values.astype(np.uint64))  # type: ignore[arg-type]
    return doc


def _after_blank_line(token: Token) -> int:
    """As `_Starts.value`, for a language without rules: 1 after a blank line."""
    if token.is_space:
        return -1
    return int(token.i > 0 and bool(_BLANK_LINE.search(token.nbor(-1).text)))


class _Starts:
    """Tells of one token of a text after the other whether a sentence begins at it."""

    def __init__(self, layout: Layout, text: str) -> None:
        self._layout = layout
        self._text = text
        has_lines = "\n" in text or "<" in text
        self._starts = line_starts(text, layout) if has_lines else []
        self._ends = [_end_of_marker(text, start, layout) for start in self._starts]
        self._within = self._after_labels()
        self._n_passed = 0  # of the starts
        self._until = 0  # no sentence begins before this place
        self._last = ""  # the last token that is not whitespace
        self._end = 0  # of that token

    def _after_labels(self) -> set[int]:
        """Places after labels, of names that are called, and of marks at the ends of
        headings."""
        patterns = self._layout.patterns
        places = [
            mark.end() for mark in patterns["certain_labels"].finditer(self._text)
        ]
        places += [name.end() for name in patterns["called"].finditer(self._text)]
        names = [
            name.end() for name in patterns["possible_labels"].finditer(self._text)
        ]
        if len(names) > 1:
            places += names
        if self._starts:
            closing = patterns["closing"].finditer(self._text)
            places += [match.start(1) for match in closing]
        return set(places)

    def value(self, token: Token) -> int:
        """1 where a sentence begins, -1 where none does, 0 where the text decides
        nothing."""
        if token.is_space:
            return -1
        word = token.text
        place = token.idx
        last = self._last
        gap = self._text[self._end : place]
        self._last = word
        self._end = place + len(word)
        is_first = not token.i
        n_passed = bisect_right(self._starts, place)
        if n_passed > self._n_passed:
            self._n_passed = n_passed
            self._until = self._ends[n_passed - 1]
            # whitespace at the beginning belongs to the first sentence
            return 1 if last or is_first else -1
        if word in self._layout.rules.starting and gap and _ENDS.search(last):
            return 1
        if is_first:
            return 0
        is_within = place < self._until or place in self._within or not last
        return 0 if not is_within and self._may_start(gap, word, last) else -1

    def _may_start(self, gap: str, word: str, last: str) -> bool:
        """Tell whether a sentence may begin at a word after whitespace.
        last (str): The token before."""
        rules = self._layout.rules
        patterns = self._layout.patterns
        if not gap:
            is_clitic = word[0].isalnum() or bool(patterns["clitic"].match(word))
            return not (last[-1:].isalnum() and is_clitic)
        if last in rules.before_numbers and (word[0].isdigit() or len(word) == 1):
            return False
        is_field = last.isidentifier() and "_" in last.strip("_")  # "last_name Novak"
        if is_field:
            return False
        is_address = bool(patterns["address"].match(word))
        return not (is_address and last.lower() in rules.before_addresses)


def _end_of_marker(text: str, start: int, layout: Layout) -> int:
    """Give the end of the characters of a line within which no sentence begins. start:
    Where the line does."""
    patterns = layout.patterns
    marker = patterns["marker"].match(text, start)
    label = patterns["label"].match(text, marker.end() if marker else start)
    if marker is None:
        return label.end() - 1 if label else start
    if label and patterns["source"].match(text, start):
        return label.end() + 2
    return marker.end() + 1  # the word after it, too


def line_starts(text: str, layout: Layout) -> list[int]:
    """Tell where lines, and blocks of HTML, begin that begin a sentence: offsets in the
    text, in order."""
    starts = {match.end() for match in layout.patterns["block"].finditer(text)}
    for block in _BLOCK.finditer(text):
        lines = block[0].splitlines(keepends=True)
        place = block.start()
        for line, begins in zip(lines, _begins(block[0], lines, layout), strict=True):
            if begins:
                starts.add(place + len(line) - len(line.lstrip()))
            place += len(line)
    return sorted(starts)


def _begins(block: str, lines: Sequence[str], layout: Layout) -> list[bool]:
    """Tell of each line of a block, between blank lines, whether it begins a
    sentence."""
    width = _width(lines)
    is_list = _is_list(lines, width)
    has_dashes = bool(layout.patterns["dash_in_prose"].search(block))
    seen: set[Optional[LineKind]] = set()
    flags: list[bool] = []
    before = ""
    for line in lines:
        kind = layout.kind(line)
        if kind and kind.is_dash and has_dashes and line.lstrip()[0] in "–—":
            kind = None
        begins = not before or _is_apart(line, kind, before, layout)
        if not begins and kind:
            fits = len(before) + 1 + len(line.split(None, 1)[0]) <= width
            begins = kind in seen or fits or bool(_ENDS.search(before))
        begins = begins and bool(line.strip())
        if is_list and not _GOES_ON.search(before):
            begins |= line.partition(" ")[0].lower() not in layout.rules.joining
        flags.append(begins)
        seen.add(kind)
        before = line.rstrip()
    return flags


def _width(lines: Sequence[str]) -> int:
    """The columns of a block of lines, without those of long addresses."""
    widths = (
        len(line.rstrip())
        for line in lines
        if " " in line.strip() or len(line) < _MIN_ADDRESS or len(lines) < 2
    )
    return max(widths, default=0)


def _is_list(lines: Sequence[str], width: int) -> bool:
    """Tell whether lines are a list: each has one or two words; or all are shorter
    than lines of prose, and all begin with capitals and numbers, or every other one
    with a number."""
    words = [line.split() for line in lines if line.strip()]
    most_words = max(map(len, words), default=0)
    if len(words) > 2 and most_words < 3:
        return True
    initials = [line[0][0] for line in words]
    first = "".join(initials)
    is_formal = bool(re.fullmatch(r"[A-Z\d]+", first))
    n_numbers = sum(map(str.isdigit, first))
    is_numbered = 2 * n_numbers >= len(first)
    return width < _MAX_LIST and (is_formal or is_numbered)


def _is_apart(line: str, kind: Optional[LineKind], before: str, layout: Layout) -> bool:
    """Tell whether a line begins a sentence wherever it stands. before: the line before
    it."""
    last = layout.kind(before)
    quoted = layout.patterns["quoted"]
    is_quote_border = bool(quoted.match(line)) != bool(quoted.match(before))
    if (kind and kind.is_certain) or (last and last.ends_sentence):
        return True
    return is_quote_border or bool(layout.patterns["salutation"].match(before))

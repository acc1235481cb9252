"""Sentence starts that the text alone decides, set by the tokenizer before any component runs.

A sentence begins after a blank line, and at a line that is an item of a list, a heading, a turn that begins with its
speaker's label, or a row of a table. A mark or label and what follows it in its line are one sentence, as in EWT. None
begins within a word, at whitespace, or at an address after a word such as "see". Components that keep what is set
(spaCy's `senter` and `sentencizer` with `overwrite = false`) decide about all other tokens.
"""

import re
from bisect import bisect_right
from typing import List, Optional, Set

import numpy as np
from spacy.tokens import Doc

from ..lang.en import BEFORE_ADDRESSES, BEFORE_NUMBERS

# Lines that begin a sentence: those that no wrapped line of prose looks like, then those that one may look like.
_CERTAIN = {
    "bullet": r"[•‣◦▪●○■·]\s*\S",
    "heading": r"#{1,6}\s+\S|={1,6}\s?[^=\s].*=\s*$",
    "row": r"\|.*\||\S[^\t]*\t+\S",
    "rule": r"(?:={3,}|-{3,}|\*{3,}|_{3,})\s*$",
}
_LABEL = r"\w[\w.'’-]{0,20}(?: [A-Z(][\w.'’)-]*){0,3}:"
_POSSIBLE = {"dash": r"[-*+–—]\s+\S", "number": r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\s+\S", "label": rf"{_LABEL}\s"}
_KIND = re.compile(r"\s*(?:" + "|".join(f"(?P<{k}>{v})" for k, v in {**_CERTAIN, **_POSSIBLE}.items()) + ")")
# Not after "Michael:", which may be a salutation.
_AFTER_LABEL = re.compile(r"^[ \t]*(?:[A-Z][A-Z.]*|[a-z][\w.-]*):[ \t]+(?=\S)", re.MULTILINE)
_MARKER = re.compile(r"(?:[•‣◦▪●○■·*+–—-]|#{1,6}|=+|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])[ \t]+(?=\S)")
_CLOSING = re.compile(r"^=+[ \t].*[ \t](=+)[ \t]*$", re.MULTILINE)  # of a heading
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|m|d|ll|re|ve|t|em))$", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S|\S+@\S+\.\S")


def set_line_starts(doc: Doc) -> Doc:
    """Set the sentence starts of a new Doc that its text decides, and leave the others unknown."""
    text, end, last, n_passed = doc.text, 0, "", 0
    starts = line_starts(text) if "\n" in text else []
    within = {match.end() for match in _AFTER_LABEL.finditer(text)} if ":" in text else set()
    markers = (_MARKER.match(text, start) for start in starts)
    within.update(match.end() for match in markers if match)
    within.update(match.start(1) for match in _CLOSING.finditer(text) if starts)
    values = np.zeros(len(doc), dtype=np.int64)
    for i, token in enumerate(doc):
        word, place = token.text, token.idx
        if word.isspace():
            values[i] = -1
            continue
        if n_passed < len(starts) and starts[n_passed] <= place:
            values[i] = 1
            n_passed = bisect_right(starts, place)
        elif word == "'T" and end < place and _ENDS.search(last):  # 'Tis
            values[i] = 1
        elif i and (place in within or not _may_start(text[end:place], last, word)):
            values[i] = -1
        end, last = place + len(word), word
    if values.any():
        values[0] = 1
        doc.from_array(["SENT_START"], values.astype(np.uint64))  # type: ignore[arg-type]
    return doc


def _may_start(gap: str, last: str, word: str) -> bool:
    """Whether a sentence may begin at a word. gap: the whitespace before it. last: the word before it."""
    if not gap:
        return not (last[-1:].isalnum() and (word[0].isalnum() or _CLITIC.match(word)))
    if last in BEFORE_NUMBERS and (word[0].isdigit() or len(word) == 1):
        return False
    return last.lower() not in BEFORE_ADDRESSES or not _ADDRESS.match(word)


def line_starts(text: str) -> List[int]:
    """Where lines begin that begin a sentence: offsets in the text, in order."""
    found: List[int] = []
    for block in re.finditer(r"(?:(?!^[ \t\r\f]*$).+\n?)+", text, re.MULTILINE):
        lines = block[0].splitlines(keepends=True)
        width = max(len(line.rstrip()) for line in lines)
        place, before = block.start(), None
        seen: Set[Optional[str]] = set()
        for line in lines:
            match = _KIND.match(line)
            kind = match.lastgroup if match else None
            if before is None or _begins(line, kind, before, seen, width):
                found.append(place + len(line) - len(line.lstrip()))
            seen.add(kind)
            place, before = place + len(line), line.rstrip()
    return found


def _begins(line: str, kind: Optional[str], before: str, seen: Set[Optional[str]], width: int) -> bool:
    """Whether a line within a block begins a sentence. before: the line before it. seen: kinds of the block's lines."""
    last = _KIND.match(before)
    if kind in _CERTAIN or (last and last.lastgroup in ("heading", "row", "rule")):
        return True
    fits = len(before) + 1 + len(line.split(None, 1)[0]) <= width
    return kind is not None and (kind in seen or fits or bool(_ENDS.search(before)))

"""Where Spans stand on the present tokens of a Doc, from their characters.

*Not* here: groups of Spans, and warnings of Spans that are lost (`span_groups.py`).
"""

from bisect import bisect_left, bisect_right
from typing import Iterable, List, Optional, Sequence, Tuple

from spacy.tokens import Doc, Span, Token

# A Span: its tokens when the group was written; its characters; its label. Both ranges are half-open.
RawSpan = Tuple[int, int, int, int, str]
_Words = Tuple[List[int], List[int], List[int]]  # index, first character and end of each


def places_of(raws: Sequence[RawSpan], doc: Doc, first: int, last: int) -> Tuple[List[Optional[Tuple[int, int]]], bool]:
    """For each Span its range of the present tokens `doc[first:last]`, or None; and whether one is None because it
    covers parts of tokens and other tokens."""
    if not raws:
        return [], False
    if (first, last) == (0, len(doc)):
        starts = doc.to_array("IDX").tolist()
        ends = [start + length for start, length in zip(starts, doc.to_array("LENGTH").tolist(), strict=True)]
    else:
        tokens = list(doc[first:last])
        starts = [token.idx for token in tokens]
        ends = [start + len(token) for start, token in zip(starts, tokens, strict=True)]
    found: List[Optional[Tuple[int, int]]] = []
    words, any_lost = None, False
    for start, end, start_char, end_char, _ in raws:
        if start_char >= end_char:
            found.append(None)
            continue
        begins = first <= start < end <= last and starts[start - first] == start_char
        if begins and ends[end - first - 1] == end_char:
            found.append((start, end))
        else:
            words = words or _visible_words(doc[first:last])
            ends_within, is_lost = _by_characters(words, start_char, end_char)
            any_lost |= is_lost
            found.append(ends_within)
    return found, any_lost


def _by_characters(words: _Words, start_char: int, end_char: int) -> Tuple[Optional[Tuple[int, int]], bool]:
    """The range of tokens for a range of characters, or None; and whether it is None because the characters are of
    parts of tokens and of other tokens."""
    indices, starts, ends = words
    first, last = bisect_left(starts, start_char), bisect_right(ends, end_char)
    cuts_first = first > 0 and ends[first - 1] > start_char
    cuts_last = last < len(ends) and starts[last] < end_char
    if first < last and not cuts_first and not cuts_last:
        return (indices[first], indices[last - 1] + 1), False
    return None, last - first + cuts_first + cuts_last > 1  # one word, if it is cut at both ends: -1 + 2


def _visible_words(tokens: Iterable[Token]) -> _Words:
    """Index, first character and end of each word, without white space at the ends of a merged token: a constituent may
    lack it."""
    indices, starts, ends = [], [], []
    for token in tokens:
        if not token.is_space:
            text = token.text
            word = text.strip() or text
            start = token.idx + text.index(word)
            indices.append(token.i)
            starts.append(start)
            ends.append(start + len(word))
    return indices, starts, ends


def fits(doc: Doc, span: Span) -> bool:
    """Whether the tokens of a non-empty Span have its characters."""
    if span.end > len(doc) or doc[span.start].idx != span.start_char:
        return False
    last = doc[span.end - 1]
    return last.idx + len(last) == span.end_char

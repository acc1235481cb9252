"""Span groups on a Doc whose tokens have changed since they were written.

When tokens are merged or split, spaCy moves heads, but leaves the Spans of a group at the token indices that they had.
Their character offsets stay right: a Span whose tokens and characters disagree is read by its characters. *Not* here:
what the Spans mean.
"""

import struct
import warnings
from bisect import bisect_left, bisect_right
from typing import Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import srsly
from spacy.tokens import Doc, Span, SpanGroup, Token

# Attributes of a group: how many Spans it had when they were in pre-order; the Doc's tokens and characters then.
IN_ORDER, N_TOKENS, N_CHARS = "in_order", "n_tokens", "n_chars"
_STORED_SPAN = struct.Struct(">QQQllll")  # of `SpanGroup.to_bytes`: id, kb_id, label, then the four numbers of `RawSpan`


class StaleParseError(ValueError):
    """A parse or a Span that does not fit the Doc's present tokens, and cannot be carried over to them."""


class LostConstituentsWarning(UserWarning):
    """Constituents are left out, since tokens or sentences have changed since the Doc was parsed."""


class RawSpan(NamedTuple):
    """A Span of a group: what stands in it, whether or not it fits the Doc.

    start, end (int): Half-open range of tokens, of the Doc as it was.
    start_char, end_char (int): Half-open range of characters.
    label (str): Its label.
    """

    start: int
    end: int
    start_char: int
    end_char: int
    label: str


class PreorderGroup(SpanGroup):
    """A group that is written in pre-order, and knows when it is no longer sure of that. What others append shows in
    the number of Spans."""

    def __init__(self, doc: Doc, name: str, spans: Sequence[Span]) -> None:
        attrs = {IN_ORDER: len(spans), N_TOKENS: len(doc), N_CHARS: _n_chars(doc)}
        super().__init__(doc, name=name, attrs=attrs, spans=spans)

    def __setitem__(self, i: int, span: Span) -> None:
        self.attrs.pop(IN_ORDER, None)
        super().__setitem__(i, span)

    def __delitem__(self, i: int) -> None:
        self.attrs.pop(IN_ORDER, None)
        super().__delitem__(i)


def is_in_order(group: SpanGroup) -> bool:
    """Whether a group is known to be in pre-order."""
    return group.attrs.get(IN_ORDER) == len(group)


def check_present(span: Span) -> None:
    """See that a Span has the Doc's present tokens.

    RAISES (StaleParseError): It was made before tokens were merged or split, or others have set its ends.
    """
    doc = span.doc
    if len(span) and not _fits(doc, span):
        raise StaleParseError(
            f"the Span of tokens {span.start}:{span.end} and characters {span.start_char}:{span.end_char} does not fit "
            f"the Doc of {len(doc)} tokens, which were merged or split since it was made: take it from the Doc again, "
            f"as doc[start:end] or doc.char_span({span.start_char}, {span.end_char})"
        )


def present_spans(group: SpanGroup, *, preorder: bool = False) -> List[Tuple[int, int, str]]:
    """The Spans of a group that have tokens, as half-open ranges of the Doc's present tokens, with their labels.

    A Span over several tokens that were merged is one over the new token; one over a token that was split is one over
    its parts. One over a part of a merged token is left out; with a warning, if it is over other tokens too.

    preorder (bool): Give them by their start, the longer first; those over the same characters in their order in the
        group. Otherwise all are in the order of the group.
    RAISES (StaleParseError): Tokens and characters of the Doc are others than when the group was written.
    """
    doc, raws = group.doc, _read(group)
    if preorder:
        raws.sort(key=lambda raw: (raw.start_char, -raw.end_char))
    place = _Placing(doc, doc)
    found = [(place(raw), raw.label) for raw in raws]
    place.warn()
    return [(*ends, label) for ends, label in found if ends is not None]


def spans_between(group: SpanGroup, start: int, end: int) -> Optional[List[Tuple[int, int, str]]]:
    """Those of `present_spans` that begin in a half-open range of present tokens, in pre-order. The cost does not grow
    with the group.

    RETURNS (Optional[List[Tuple[int, int, str]]]): None where the whole group must be read: it is not in pre-order, or
        a Span goes on after the range, or the group does not give its Spans one by one.
    """
    doc = group.doc
    if not is_in_order(group) or _goes_by_tokens(group):
        return None
    first, last = doc[start].idx, doc[end - 1].idx + len(doc[end - 1])
    place = _Placing(doc, doc[start:end])
    found, before = [], (first, -last)
    try:
        for i in range(bisect_left(group, first, key=lambda span: span.start_char), len(group)):
            span = group[i]
            if span.start_char >= last:
                break
            here = (span.start_char, -span.end_char)
            if here < before or span.end_char > last:
                return None
            before = here
            found.append((place(span), span.label_))
    except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
        return None
    place.warn()
    return [(*ends, label) for ends, label in found if ends is not None]


def label_around(group: SpanGroup, span: Span) -> Optional[str]:
    """The label of the Span of a group, whose Spans lie side by side, that a present Span is a part of; None where it
    is a part of none.

    RAISES (StaleParseError): As `present_spans`.
    """
    start, end = span.start_char, span.end_char
    if is_in_order(group) and not _goes_by_tokens(group):
        try:
            i = bisect_right(group, start, key=lambda one: one.start_char) - 1
            return group[i].label_ if i >= 0 and end <= group[i].end_char else None
        except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
            pass
    return next((raw.label for raw in _read(group) if raw.start_char <= start and end <= raw.end_char), None)


def warn_of_lost() -> None:
    """Say that constituents were left out; once, unless the filters of warnings say otherwise."""
    warnings.warn(
        "constituents are left out of a tree: they begin or end within a token, or go beyond the end of a sentence. "
        "Tokens were merged or split, or sentences changed, after lal_parser had run; a component that does so, such "
        "as merge_entities, can stand before it",
        LostConstituentsWarning,
        stacklevel=2,
    )


class _Placing:
    """Finds the present tokens of Spans.

    doc (Doc): The Doc.
    tokens (Iterable[Token]): Those among which they are.
    """

    def __init__(self, doc: Doc, tokens: Iterable[Token]) -> None:
        self.doc, self.tokens = doc, tokens
        self.any_lost = False
        self._words: Optional[Tuple[List[int], List[int], List[int]]] = None

    def __call__(self, span: Union[RawSpan, Span]) -> Optional[Tuple[int, int]]:
        """The half-open range of tokens; None where there is none."""
        if span.start_char >= span.end_char:
            return None
        return (span.start, span.end) if _fits(self.doc, span) else self._by_characters(span.start_char, span.end_char)

    def warn(self) -> None:
        """Warn if constituents were lost on the way."""
        if self.any_lost:
            warn_of_lost()

    def _by_characters(self, start_char: int, end_char: int) -> Optional[Tuple[int, int]]:
        if self._words is None:
            self._words = _visible_words(self.tokens)
        indices, starts, ends = self._words
        first, last = bisect_left(starts, start_char), bisect_right(ends, end_char)
        cuts_first = first > 0 and ends[first - 1] > start_char
        cuts_last = last < len(ends) and starts[last] < end_char
        if first < last and not cuts_first and not cuts_last:
            return indices[first], indices[last - 1] + 1
        n_touched = last - first + cuts_first + cuts_last  # of one word that is cut at both ends: -1 + 2
        self.any_lost |= n_touched > 1
        return None


def _visible_words(tokens: Iterable[Token]) -> Tuple[List[int], List[int], List[int]]:
    """Index, first character and end of each word. White space with which a merged token begins or ends is no part of
    it: a constituent may go without."""
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


def _fits(doc: Doc, span: Union[RawSpan, Span]) -> bool:
    """Whether the tokens of a Span, which has some, have its characters."""
    if span.end > len(doc) or doc[span.start].idx != span.start_char:
        return False
    last = doc[span.end - 1]
    return last.idx + len(last) == span.end_char


def _read(group: SpanGroup) -> List[RawSpan]:
    if _goes_by_tokens(group):
        doc, spans = group.doc, [span for span in group if len(span)]
        ends = [doc[span.end - 1] for span in spans]
        return [
            RawSpan(span.start, span.end, doc[span.start].idx, last.idx + len(last), span.label_)
            for span, last in zip(spans, ends, strict=True)
        ]
    try:
        return [RawSpan(span.start, span.end, span.start_char, span.end_char, span.label_) for span in group]
    except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
        strings = group.doc.vocab.strings
        raws = (_STORED_SPAN.unpack(stored) for stored in srsly.msgpack_loads(group.to_bytes())["spans"])
        return [RawSpan(*numbers, strings[label]) for _, _, label, *numbers in raws]


def _goes_by_tokens(group: SpanGroup) -> bool:
    """Whether the characters have changed, and not the tokens: a DocBin forgets the spaces of a Doc that was made
    without them.

    RAISES (StaleParseError): Both have.
    """
    doc = group.doc
    before = group.attrs.get(N_TOKENS), group.attrs.get(N_CHARS)
    if before[1] in (None, _n_chars(doc)):
        return False
    if before[0] != len(doc):
        raise StaleParseError(
            f"doc.spans[{group.name!r}] was written for {before[0]} tokens in {before[1]} characters, and the Doc has "
            f"{len(doc)} tokens in {_n_chars(doc)} characters: parse it again"
        )
    return True


def _n_chars(doc: Doc) -> int:
    """Where the last token ends."""
    return doc[-1].idx + len(doc[-1]) if len(doc) else 0

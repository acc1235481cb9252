"""Span groups on a Doc whose tokens have changed since they were written.

When tokens are merged or split, spaCy moves heads, but leaves the Spans of a group at their old token indices. Their
character offsets stay right: a Span whose tokens and characters disagree is read by its characters. *Not* here: the
meaning of the Spans.
"""

import struct
import warnings
import zlib
from bisect import bisect_left, bisect_right
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import srsly
from spacy.tokens import Doc, Span, SpanGroup

from ..locks import MAKING
from .present_places import RawSpan, fits, places_of
from .sentences import same_tokens

# Attributes of a group, as it is written in pre-order: its number of Spans; the Doc's numbers of tokens and characters.
IN_ORDER, N_TOKENS, N_CHARS = "in_order", "n_tokens", "n_chars"
CHANGED = -1  # in place of the number of Spans, once a Span was replaced or deleted
# In stored groups: a checksum of these Spans. spaCy reads them as plain groups, which record no changes.
CHECKSUM = "checksum"
_STORED_SPAN = struct.Struct(">QQQllll")  # of `SpanGroup.to_bytes`: id, kb_id, label, then the numbers of a `RawSpan`

Entry = Tuple[int, int, int]  # a Span's first character, end, and label id


class StaleParseError(ValueError):
    """A parse or a Span does not fit the Doc's present tokens, and cannot be carried over to them."""


class LostConstituentsWarning(UserWarning):
    """Constituents are left out, since tokens or sentences have changed since the Doc was parsed."""


class StoredSpan(NamedTuple):
    """A Span of a group, on the Doc's present tokens.

    place (Optional[Tuple[int, int]]): The half-open range of present tokens; None for an empty Span, and if the Span
        covers a part of a merged token.
    start, start_char (int): Its first token and first character when the group was written.
    label, kb_id, id (str): The Span's own.
    """

    place: Optional[Tuple[int, int]]
    start: int
    start_char: int
    label: str
    kb_id: str
    id: str


class PreorderGroup(SpanGroup):
    """A group that is written in an order, usually pre-order, and records whether it is still known to be. Appended
    Spans show in its number of Spans. Its bytes have a checksum.

    When tokens were merged or split, its Spans get the present tokens before one is given, copied or stored: spaCy
    refuses Spans beyond the last token. A Span over a part of a merged token has no token then. All keep their
    characters, from which readers tell the one from the other.
    """

    def __init__(self, doc: Doc, name: str, spans: Sequence[Span]) -> None:
        attrs = {IN_ORDER: len(spans), N_TOKENS: len(doc), N_CHARS: _n_chars(doc)}
        super().__init__(doc, name=name, attrs=attrs, spans=spans)
        self.n_changes = 0  # Spans replaced or deleted
        self._tokens = _signature(doc)  # of the tokens to which the Spans point

    def __getitem__(self, i: int) -> Span:
        if len(self.doc) != self._tokens[0]:
            self._follow_tokens()
        span = super().__getitem__(i)
        if not len(span) or fits(self.doc, span):
            return span
        self._follow_tokens()  # as many tokens as before, but others
        return super().__getitem__(i)

    def __setitem__(self, i: int, span: Span) -> None:
        self.n_changes += 1
        self.attrs[IN_ORDER] = CHANGED
        super().__setitem__(i, span)  # type: ignore[misc]

    def __delitem__(self, i: int) -> None:
        self.n_changes += 1
        self.attrs[IN_ORDER] = CHANGED
        super().__delitem__(i)  # type: ignore[misc]

    def copy(self, doc: Optional[Doc] = None) -> "PreorderGroup":
        """See `SpanGroup`. The copy records changes, too."""
        self._follow_tokens()
        owner = self.doc if doc is None else doc
        copied = PreorderGroup(owner, self.name, [])
        if owner.vocab is self.doc.vocab and owner.text == self.doc.text and same_tokens(owner, self.doc):
            copied.from_bytes(super().to_bytes())  # with the Spans over parts of tokens, which spaCy's copy refuses
        else:
            plain = super().copy(doc)
            copied.extend(plain)
            copied.attrs = plain.attrs
        copied.n_changes = self.n_changes
        return copied

    def to_bytes(self) -> bytes:
        """See `SpanGroup`."""
        self._follow_tokens()
        message = srsly.msgpack_loads(super().to_bytes())
        if self.attrs[IN_ORDER] != CHANGED:
            message["attrs"] = {**self.attrs, CHECKSUM: _checksum(message["spans"][: self.attrs[IN_ORDER]])}
        return srsly.msgpack_dumps(message)

    def _follow_tokens(self) -> None:
        """Let the Spans point to the present tokens. Characters, of which the checksum is, stay."""
        with MAKING:
            tokens = _signature(self.doc)
            if tokens != self._tokens and self.attrs.get(N_CHARS) == _n_chars(self.doc):
                self._move()
            self._tokens = tokens

    def _move(self) -> None:
        doc = self.doc
        message = srsly.msgpack_loads(super().to_bytes())
        stored = [_STORED_SPAN.unpack(one) for one in message["spans"]]
        places = places_of([(one[3], one[4], one[5], one[6], "") for one in stored], doc, 0, len(doc))[0]
        message["spans"] = [
            _STORED_SPAN.pack(*one[:3], *((min(one[3], len(doc)),) * 2 if place is None else place), *one[5:])
            for one, place in zip(stored, places, strict=True)
        ]
        self.from_bytes(srsly.msgpack_dumps(message))


def _signature(doc: Doc) -> Tuple[int, int]:
    """The number of tokens, and a checksum of their first characters."""
    return len(doc), zlib.crc32(doc.to_array("IDX").tobytes())


def is_marked_in_order(group: SpanGroup) -> bool:
    """Whether a group was written in pre-order and has as many Spans. If it does not record changes, Spans may have
    been replaced."""
    return group.attrs.get(IN_ORDER) == len(group)


def is_in_order(group: SpanGroup) -> bool:
    """Whether a group is known to be in pre-order. The cost grows with the group, if it does not record changes."""
    return is_marked_in_order(group) and (isinstance(group, PreorderGroup) or _is_sorted(group))


def is_untouched(group: SpanGroup) -> bool:
    """Whether no Span was replaced or deleted since the group was written, as far as is known. Spans may have been
    appended. The cost grows with the group, if it does not record changes."""
    number = group.attrs.get(IN_ORDER, 0)
    if not 0 <= number <= len(group):
        return False
    if isinstance(group, PreorderGroup) or CHECKSUM not in group.attrs:
        return True
    return _checksum(srsly.msgpack_loads(group.to_bytes())["spans"][:number]) == group.attrs[CHECKSUM]


def _checksum(spans: Sequence[bytes]) -> int:
    """Of Spans of `SpanGroup.to_bytes`, without their tokens: copies of a Doc with merged tokens have others."""
    return zlib.crc32(b"".join([one[:24] + one[32:] for one in spans]))


def _is_sorted(group: SpanGroup) -> bool:
    before = (-1, 0)
    try:
        for span in group:
            here = (span.start_char, -span.end_char)
            if here < before:
                return False
            before = here
    except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
        return False
    return True


def check_present(span: Span) -> None:
    """Check that a Span has the Doc's present tokens.

    RAISES (StaleParseError): Tokens were merged or split after it was made, or its ends were changed.
    """
    doc = span.doc
    if len(span) and not fits(doc, span):
        raise StaleParseError(
            f"the Span of tokens {span.start}:{span.end} and characters {span.start_char}:{span.end_char} does not fit "
            f"the Doc of {len(doc)} tokens, which were merged or split since it was made: take it from the Doc again, "
            f"as doc[start:end] or doc.char_span({span.start_char}, {span.end_char})"
        )


def present_spans(group: SpanGroup, *, preorder: bool = False) -> List[Tuple[int, int, str]]:
    """The non-empty Spans of a group, as half-open ranges of the Doc's present tokens, with their labels.

    A Span over several merged tokens becomes a Span over the new token. A Span over a split token becomes a Span over
    its parts. A Span over a part of a merged token is left out, with a warning if it is over other tokens too.

    preorder (bool): Whether to sort by start, the longer first; Spans over the same characters keep their order in the
        group. Otherwise all are in the order of the group.
    RAISES (StaleParseError): Both tokens and characters of the Doc have changed since the group was written.
    """
    raws = _read(group)
    if preorder:
        size = max((raw[3] for raw in raws), default=0) + 1
        raws.sort(key=lambda raw: raw[2] * size - raw[3])  # by start_char, then by -end_char
    return _place(raws, group.doc, 0, len(group.doc))


def stored_spans(group: SpanGroup) -> List[StoredSpan]:
    """All Spans of a group, in its order, for readers to whom a missing Span matters.

    RAISES (StaleParseError): As `present_spans`.
    """
    raws = _read(group)
    places = places_of(raws, group.doc, 0, len(group.doc))[0]
    try:
        by_tokens = goes_by_tokens(group)
        ids = [(span.kb_id_, span.id_) for span in group if len(span) or not by_tokens]
    except IndexError:  # as in `_read`
        strings = group.doc.vocab.strings
        stored = [_STORED_SPAN.unpack(one) for one in srsly.msgpack_loads(group.to_bytes())["spans"]]
        ids = [(strings[kb_id] if kb_id else "", strings[id_] if id_ else "") for id_, kb_id, *_ in stored]
    return [
        StoredSpan(place, raw[0], raw[2], raw[4], kb_id, id_)
        for place, raw, (kb_id, id_) in zip(places, raws, ids, strict=True)
    ]


def stored_range(group: SpanGroup, first: int, last: int) -> List[StoredSpan]:
    """The result of `stored_spans` for the Spans `first` to `last - 1` alone, if the group is not read by tokens.

    RAISES (IndexError): A Span reaches beyond the present tokens.
    """
    spans = [group[i] for i in range(first, last)]
    raws = [(span.start, span.end, span.start_char, span.end_char, span.label_) for span in spans]
    if all(len(span) and fits(group.doc, span) for span in spans):  # the cost does not grow with the Doc
        found: List[Optional[Tuple[int, int]]] = [(span.start, span.end) for span in spans]
    else:
        found = places_of(raws, group.doc, 0, len(group.doc))[0]
    return [
        StoredSpan(place, span.start, span.start_char, span.label_, span.kb_id_, span.id_)
        for place, span in zip(found, spans, strict=True)
    ]


def spans_between(
    group: SpanGroup, start: int, end: int, in_order: Optional[bool] = None
) -> Optional[List[Tuple[int, int, str]]]:
    """The Spans of `present_spans` that begin in a half-open range of present tokens, in pre-order. The cost does not
    grow with the group.

    in_order (Optional[bool]): The result of `is_in_order`, if the caller has it.
    RETURNS (Optional[List[Tuple[int, int, str]]]): None where the whole group must be read: it is not in pre-order, a
        Span goes on after the range, or the group cannot give single Spans.
    """
    doc = group.doc
    if not (is_in_order(group) if in_order is None else in_order) or goes_by_tokens(group):
        return None
    first, last = doc[start].idx, doc[end - 1].idx + len(doc[end - 1])
    raws, before = [], (first, -last)
    try:
        for i in range(bisect_left(group, first, key=_start_char), len(group)):
            span = group[i]
            raw = (span.start, span.end, span.start_char, span.end_char, span.label_)
            if raw[2] >= last:
                break
            here = (raw[2], -raw[3])
            if here < before or raw[3] > last:
                return None
            before = here
            raws.append(raw)
    except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
        return None
    return _place(raws, doc, start, end)


def entries_by_place(
    group: SpanGroup, start: int, end: int, in_order: bool
) -> Dict[Tuple[int, int], List[Tuple[int, Entry]]]:
    """Where the Spans that begin in a range of characters stand in a group, by the characters that they cover.

    start, end (int): The range of characters, half-open.
    in_order (bool): The result of `is_in_order`. Without an order, the cost grows with the group.
    RETURNS (Dict[Tuple[int, int], List[Tuple[int, Tuple[int, int, int]]]]): For each pair of first character and end,
        positions in the group, each with first character, end and label id. Empty where the group cannot give single
        Spans.
    """
    found: Dict[Tuple[int, int], List[Tuple[int, Entry]]] = {}
    try:
        first = bisect_left(group, start, key=_start_char) if in_order else 0
        for i in range(first, len(group)):
            span = group[i]
            place = (span.start_char, span.end_char)
            if in_order and place[0] >= end:
                break
            if start <= place[0] < end:
                found.setdefault(place, []).append((i, (*place, span.label)))
    except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
        return {}
    return found


def label_around(group: SpanGroup, span: Span) -> Optional[str]:
    """The label of the Span in a group of disjoint Spans that contains a present Span; None if no Span contains it.

    RAISES (StaleParseError): As `present_spans`.
    """
    start, end = span.start_char, span.end_char
    if is_marked_in_order(group) and not goes_by_tokens(group):
        try:
            i = bisect_right(group, start, key=_start_char) - 1
            if i >= 0 and group[i].start_char <= start and end <= group[i].end_char:  # the only one, in any order
                return group[i].label_
            if isinstance(group, PreorderGroup):
                return None
        except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
            pass
    return next((raw[4] for raw in _read(group) if raw[2] <= start and end <= raw[3]), None)


def warn_of_lost() -> None:
    """Warn that constituents were left out; once, unless the filters of warnings say otherwise."""
    warnings.warn(
        "constituents are left out of a tree: they begin or end within a token, or go beyond the end of a sentence. "
        "Tokens were merged or split, or sentences changed, after lal_parser had run; a component that does so, such "
        "as merge_entities, can stand before it",
        LostConstituentsWarning,
        stacklevel=2,
    )


def _place(raws: Sequence[RawSpan], doc: Doc, first: int, last: int) -> List[Tuple[int, int, str]]:
    """Spans as ranges of the present tokens `doc[first:last]`; Spans that cover no whole token are left out."""
    places, any_lost = places_of(raws, doc, first, last)
    if any_lost:
        warn_of_lost()
    return [(*place, raw[4]) for place, raw in zip(places, raws, strict=True) if place is not None]


def _start_char(span: Span) -> int:
    return span.start_char


def _read(group: SpanGroup) -> List[RawSpan]:
    if goes_by_tokens(group):
        spans = [(span, span[0].idx, span[-1].idx + len(span[-1])) for span in group if len(span)]
        return [(span.start, span.end, first, last, span.label_) for span, first, last in spans]
    try:
        return [(span.start, span.end, span.start_char, span.end_char, span.label_) for span in group]
    except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
        strings = group.doc.vocab.strings
        stored = (_STORED_SPAN.unpack(one) for one in srsly.msgpack_loads(group.to_bytes())["spans"])
        return [(start, end, first, last, strings[label]) for _, _, label, start, end, first, last in stored]


def goes_by_tokens(group: SpanGroup) -> bool:
    """Whether the characters have changed but not the tokens: a DocBin loses the spaces of a Doc that was made without
    them.

    RAISES (StaleParseError): Both have changed.
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

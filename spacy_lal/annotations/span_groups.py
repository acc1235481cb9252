"""Span groups that survive changes of a Doc's tokens.

A group stores tokens and characters of each Span. Where tokens were merged or split
afterwards, a Span is read by its tokens if they have its characters, else by its
characters, else left out with a warning. A group that somebody edits by hand is read in
the order of the text."""

import struct
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

import srsly
from spacy.tokens import Doc, Span, SpanGroup

CONSTRAINTS_KEY = "constraints"
Range = tuple[int, int]  # half-open
# `SpanGroup.to_bytes` stores a Span as id, kb_id, label, tokens and characters.
_STORED_SPAN = struct.Struct(">QQQllll")


class StaleParseError(ValueError):
    """A parse or a Span does not fit the Doc's present tokens."""


class LostAnnotationsWarning(UserWarning):
    """Constituents or roles are left out, since tokens or sentences have changed since
    they were written."""


class GroupSpan(NamedTuple):
    """A Span of a group on the Doc's present tokens.
    place (Optional[Tuple[int, int]]): Half-open range of tokens; None for an empty
        Span, or if it begins or ends within a token.
    is_cut (bool): Whether it has no place although it covers more than a part of one
        token.
    is_moved (bool): Whether its tokens are other ones than when it was written.
    chars (Tuple[int, int]): Half-open range of characters.
    label, kb_id, id (str): The Span's own."""

    place: Optional[Range]
    is_cut: bool
    is_moved: bool
    chars: Range
    label: str
    kb_id: str
    id: str


# A Span as it was written: tokens, characters, and label, kb_id and id.
_Stored = tuple[Range, Range, Sequence[str]]


def write_group(
    doc: Doc, key: str, spans: Sequence[Span], leaders: Optional[Sequence[int]] = None
) -> None:
    """Write `doc.spans[key]`.
    spans (Sequence[Span]): In the order of their first tokens, unless there are
        leaders.
    leaders (Optional[Sequence[int]]): Positions of the Spans that are in this order,
        each with those that follow it."""
    attrs = {"n_tokens": len(doc), "n_chars": _n_chars(doc), "n_spans": len(spans)}
    if leaders is not None:
        attrs["leaders"] = list(leaders)  # type: ignore[assignment]
    doc.spans[key] = SpanGroup(doc, name=key, attrs=attrs, spans=spans)


def read_group(
    doc: Doc, key: str, start: int = 0, end: Optional[int] = None
) -> list[GroupSpan]:
    """Read the Spans of `doc.spans[key]`, in its order. With a range of tokens, at
    least those that begin in it: the cost grows with the range, not with the Doc,
    unless the group was edited or the Doc's last tokens were merged.
    RAISES (StaleParseError): Both tokens and characters of the Doc have changed since
        the group was written."""
    group = doc.spans[key]
    n_tokens = group.attrs.get("n_tokens")
    n_chars = group.attrs.get("n_chars")
    # A DocBin loses the spaces of a Doc that was made without them.
    by_tokens = n_chars not in (None, _n_chars(doc))
    if by_tokens and n_tokens != len(doc):
        raise StaleParseError(
            f"doc.spans[{key!r}] was written for {n_tokens} tokens in {n_chars} "
            "characters, and the Doc has others: parse it again"
        )
    last = len(doc) if end is None else end
    stored: list[_Stored] = []
    try:
        for i in _positions(group, start, last, by_tokens):
            span = group[i]
            names = (span.label_, span.kb_id_, span.id_)
            chars = (span.start_char, span.end_char)
            stored.append(((span.start, span.end), chars, names))
    except IndexError:  # a group gives no Span beyond the present tokens
        stored = list(_stored_in_bytes(group))
    return [_on_tokens(doc, by_tokens, *span) for span in stored]


def _stored_in_bytes(group: SpanGroup) -> Iterator[_Stored]:
    """Read the Spans of a group that reach beyond the present tokens, too."""
    strings = group.doc.vocab.strings
    for packed in srsly.msgpack_loads(group.to_bytes())["spans"]:
        id_, kb_id, label, *places = _STORED_SPAN.unpack(packed)
        names = [strings[name] for name in (label, kb_id, id_)]
        yield (places[0], places[1]), (places[2], places[3]), names


def _on_tokens(
    doc: Doc, by_tokens: bool, tokens: Range, chars: Range, names: Sequence[str]
) -> GroupSpan:
    """Find a stored Span on the Doc's present tokens."""
    place: Optional[Range] = tokens if tokens[0] < tokens[1] else None
    is_cut = False
    is_moved = not by_tokens and not _fits(doc, *tokens, *chars)
    if is_moved:
        place, is_cut = _place(doc, *chars)
    return GroupSpan(place, is_cut, is_moved, chars, *names)


def _positions(group: SpanGroup, start: int, end: int, by_tokens: bool) -> range:
    """Give the positions of the Spans that begin in a range of tokens; all, if the
    group is not as it was written."""
    doc = group.doc
    n_spans = len(group)
    is_whole = start >= end or (start, end) == (0, len(doc))
    if is_whole or group.attrs.get("n_spans") != n_spans:
        return range(n_spans)
    leaders = group.attrs.get("leaders", range(n_spans))

    def first_from(token_or_char: int) -> int:
        name = "start" if by_tokens else "start_char"
        i = bisect_left(leaders, token_or_char, key=lambda i: getattr(group[i], name))
        return leaders[i] if i < len(leaders) else n_spans

    if by_tokens:
        return range(first_from(start), first_from(end))
    last = doc[end - 1]
    return range(first_from(doc[start].idx), first_from(last.idx + len(last)))


def _fits(doc: Doc, start: int, end: int, start_char: int, end_char: int) -> bool:
    """Tell whether tokens have the characters of a Span; an empty Span always fits."""
    if start == end:
        return True
    return (
        end <= len(doc)
        and doc[start].idx == start_char
        and doc[end - 1].idx + len(doc[end - 1]) == end_char
    )


def _place(doc: Doc, start_char: int, end_char: int) -> tuple[Optional[Range], bool]:
    """Give the tokens that have characters, white space at their ends aside, and
    whether the characters cut tokens."""
    around = doc.char_span(start_char, end_char, alignment_mode="expand")
    if around is None or not len(around):
        return None, False
    first = start_char - around.start_char
    last = end_char - around.start_char
    inside = around.text[first:last]
    outside = around.text[:first] + around.text[last:]
    if outside.strip() or not inside.strip():
        return None, len(around) > 1
    return (around.start, around.end), False


def _n_chars(doc: Doc) -> int:
    """Tell where the last token ends."""
    return doc[-1].idx + len(doc[-1]) if len(doc) else 0


def check_present(span: Span) -> None:
    """Check a Span.
    RAISES (StaleParseError): Its tokens were merged or split since."""
    if not _fits(span.doc, span.start, span.end, span.start_char, span.end_char):
        raise StaleParseError(
            f"the Span {span.start}:{span.end} does not fit the Doc's tokens, which "
            "were merged or split since it was made: take it from the Doc again, as "
            f"doc[start:end] or doc.char_span({span.start_char}, {span.end_char})"
        )


def warn_of_lost(what: str) -> None:
    """Warn that constituents, predicates or arguments were left out."""
    warnings.warn(
        f"{what} are left out: they begin or end within a token, or go beyond the end "
        "of a sentence. Tokens were merged or split, or sentences changed, after they "
        "were written; a component that does so, such as merge_entities, can stand "
        'before the parser, or nlp.add_pipe("lal_carry_over") behind it',
        LostAnnotationsWarning,
        stacklevel=3,
    )

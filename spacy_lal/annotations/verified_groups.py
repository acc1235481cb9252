"""Span groups that record no changes, verified by their checksum once for the Docs read last by each thread.

*Not* here: the checksum (`span_groups.py`).
"""

import threading
import weakref
from array import array
from collections import OrderedDict
from functools import partial
from typing import Any, Callable

from spacy.tokens import SpanGroup

from .span_groups import PreorderGroup, is_untouched

MAX_VERIFIED = 8  # groups for each thread
_AROUND = 16  # Spans compared on either side


class _Verified:
    """A group as it was when it was verified."""

    def __init__(self, group: SpanGroup, drop: Callable[[Any], Any]) -> None:
        self.doc = weakref.ref(group.doc, drop)
        self.group = group  # it refers to its Doc weakly
        self.is_untouched = is_untouched(group)
        self._hashes = array("q", (_hash(group, i) for i in range(len(group))))

    def has(self, first: int, last: int) -> bool:
        """Whether the number of Spans, the last, and those of a range are the same."""
        number = len(self.group)
        if number != len(self._hashes):
            return False
        places = range(max(first - _AROUND, 0), min(last + _AROUND, number))
        return all(_hash(self.group, i) == self._hashes[i] for i in (*places, number - 1) if number)


def _hash(group: SpanGroup, i: int) -> int:
    span = group[i]
    return hash((span.start_char, span.end_char, span.label, span.kb_id, span.id))


class _Groups(threading.local):
    """The groups that a thread has read last, by the id of their Doc."""

    def __init__(self) -> None:
        self.verified: OrderedDict[int, _Verified] = OrderedDict()


_GROUPS = _Groups()


def is_still_untouched(group: SpanGroup, first: int, last: int) -> bool:
    """The result of `is_untouched`. For a group that records no changes, it is found again only if the number of Spans,
    the last Span, or one in or near a range has changed.

    first, last (int): The range, half-open.
    RAISES (IndexError): A Span reaches beyond the present tokens.
    """
    if isinstance(group, PreorderGroup):
        return is_untouched(group)
    verified, number = _GROUPS.verified, id(group.doc)
    known = verified.get(number)
    if known is None or known.doc() is not group.doc or known.group is not group or not known.has(first, last):
        known = verified[number] = _Verified(group, partial(_drop, verified, number))
    verified.move_to_end(number)
    while len(verified) > MAX_VERIFIED:
        verified.popitem(last=False)
    return known.is_untouched


def _drop(verified: "OrderedDict[int, _Verified]", number: int, _: Any) -> None:
    """Forget the group of a Doc that was deleted."""
    verified.pop(number, None)

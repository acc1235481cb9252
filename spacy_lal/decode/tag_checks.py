"""Checks of the arguments of the decoders of tags; `checks.py` has the checks for trees."""

from typing import Any, NoReturn, Optional

import numpy as np
from numpy import ndarray

from .checks import check_array, check_integer, raise_first


def check_tag_scores(scores: Any, name: str) -> ndarray:
    """Tag scores as a C-contiguous array. *Shape:* (n, n_tags), float32."""
    size = np.shape(scores) if isinstance(scores, ndarray) else ()
    return check_array(scores, name, "(n, n_tags)", len(size) == 2 and size[1] >= 1)


def check_tag_ids(ids: Any, name: str, n_tags: int, end: int) -> ndarray:
    """A number for each tag, from -1 to `end` - 1, as a contiguous int32 array; all -1 for None. *Shape:* (n_tags,).

    RAISES (ValueError): On any other type, shape or value.
    """
    array = np.full(n_tags, -1) if ids is None else np.asarray(ids)
    if array.dtype.kind not in "iu" or array.shape != (n_tags,) or array.min() < -1 or array.max() >= end:
        raise ValueError(f"{name} must be {n_tags} integers from -1 to {end - 1}, one for each tag, got {ids!r}")
    return np.ascontiguousarray(array, dtype=np.int32)


def check_transitions(transitions: Any, n_tags: int) -> Optional[ndarray]:
    """Transition scores as a C-contiguous array, or None. *Shape:* (n_tags, n_tags), [from, to], float32."""
    return _check_square(transitions, "transitions", n_tags)


def check_span_bonus(bonus: Any, name: str, n_tokens: int) -> Optional[ndarray]:
    """The bonus of each span as a C-contiguous array, or None. *Shape:* (n + 1, n + 1), [start, end], float32."""
    return _check_square(bonus, name, n_tokens + 1)


def _check_square(value: Any, name: str, size: int) -> Optional[ndarray]:
    if value is None:
        return None
    found = check_array(value, name, f"{(size, size)}", np.shape(value) == (size, size))
    bad = np.isnan(found) | (found == np.inf)
    if bad.any():
        raise_first(found, name, bad, "finite or minus infinity")
    return found


def check_predicate(predicate: Any, verb: Any, n_tokens: int, n_tags: int, item: str) -> None:
    """Check a predicate's token and tag; both are -1 for none.

    RAISES (ValueError): One is no integer or out of range, or there is a predicate without a tag.
    """
    check_integer(predicate, f"predicates{item}", -1, n_tokens)
    check_integer(verb, "verb", 0 if predicate >= 0 else -1, n_tags)


def raise_bad_tags(scores: ndarray, name: str) -> NoReturn:
    """Names the first score that is NaN or plus infinity. RAISES (ValueError): Always."""
    raise_first(scores, name, np.isnan(scores) | (scores == np.inf), "finite or minus infinity")


def check_candidates(ranges: Any, name: str, n_candidates: int, n_tokens: Any) -> ndarray:
    """Candidate spans as a C-contiguous int32 array. *Shape:* (n_candidates, 2), start and end, by ascending start.

    RAISES (ValueError): On any other type, shape, value or order.
    """
    check_integer(n_tokens, "n_tokens", 0)
    array = np.asarray(ranges)
    is_table = array.dtype.kind in "iu" and array.shape == (n_candidates, 2)
    starts, ends = array.T if is_table else (array, array)
    if (
        not is_table
        or (starts < 0).any()
        or (starts >= ends).any()
        or (ends > n_tokens).any()
        or (np.diff(starts) < 0).any()
    ):
        wanted = f"{n_candidates} ranges with 0 <= start < end <= {n_tokens}, sorted by their starts"
        raise ValueError(f"{name} must be {wanted}, got {ranges!r}")
    return np.ascontiguousarray(array, dtype=np.int32)

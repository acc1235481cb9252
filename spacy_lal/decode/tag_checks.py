"""Checks of the arguments of the decoders of tags; `checks.py` has the checks for trees."""

from typing import Any, NoReturn, Optional

import numpy as np
from numpy import ndarray

from .checks import check_dtype


def check_tag_scores(scores: Any, name: str) -> ndarray:
    """Tag scores as a C-contiguous array.

    scores (Any): The caller's argument. Shape: (n, n_tags), float32.
    name (str): Its name in messages.
    RETURNS (ndarray): The same array, or a contiguous copy.
    RAISES (ValueError): On any other type, dtype or shape.
    """
    check_dtype(scores, name, np.dtype(np.float32))
    if scores.ndim != 2 or scores.shape[1] < 1:
        raise ValueError(f"{name} must have shape (n, n_tags), got {scores.shape}")
    return np.ascontiguousarray(scores)


def check_tag_ids(ids: Any, name: str, n_tags: int, end: int) -> ndarray:
    """A number for each tag, as a contiguous int32 array; all -1 for None.

    ids (Any): The caller's argument. Shape: (n_tags,), integers from -1 to `end` - 1.
    name (str): Its name in messages.
    RAISES (ValueError): On any other type, shape or value.
    """
    if ids is None:
        return np.full(n_tags, -1, dtype=np.int32)
    array = np.asarray(ids)
    if array.dtype.kind not in "iu" or array.shape != (n_tags,):
        raise ValueError(f"{name} must be {n_tags} integers, one for each tag, got {array.dtype} of {array.shape}")
    if array.min() < -1 or array.max() >= end:
        raise ValueError(f"{name} must be from -1 to {end - 1}, got {array.min()} to {array.max()}")
    return np.ascontiguousarray(array, dtype=np.int32)


def check_transitions(transitions: Any, n_tags: int) -> Optional[ndarray]:
    """Transition scores as a C-contiguous array, or None.

    transitions (Any): The caller's argument. Shape: (n_tags, n_tags), [from, to], float32, no NaN, no plus infinity.
    RAISES (ValueError): On any other type, dtype, shape or value.
    """
    if transitions is None:
        return None
    check_dtype(transitions, "transitions", np.dtype(np.float32))
    if transitions.shape != (n_tags, n_tags):
        raise ValueError(f"transitions must have shape {(n_tags, n_tags)} as the scores' tags, got {transitions.shape}")
    if np.isnan(transitions).any() or (transitions == np.inf).any():
        raise ValueError("transitions must be finite or minus infinity, got NaN or plus infinity")
    return np.ascontiguousarray(transitions)


def check_span_bonus(bonus: Any, name: str, n_tokens: int) -> Optional[ndarray]:
    """The bonus of each span as a C-contiguous array, or None.

    bonus (Any): The caller's argument. Shape: (n + 1, n + 1), [start, end], float32, no NaN, no plus infinity.
    name (str): Its name in messages.
    RAISES (ValueError): On any other type, dtype, shape or value.
    """
    if bonus is None:
        return None
    check_dtype(bonus, name, np.dtype(np.float32))
    if bonus.shape != (n_tokens + 1, n_tokens + 1):
        raise ValueError(f"{name} must have shape {(n_tokens + 1, n_tokens + 1)}, [start, end], got {bonus.shape}")
    if np.isnan(bonus).any() or (bonus == np.inf).any():
        raise ValueError(f"{name} must be finite or minus infinity, got NaN or plus infinity")
    return np.ascontiguousarray(bonus)


def check_predicate(predicate: Any, verb: Any, n_tokens: int, n_tags: int, item: str) -> None:
    """Check a predicate's token and tag; both are -1 for none.

    RAISES (ValueError): One is no integer or out of range, or there is a predicate without a tag.
    """
    for name, value, end in ((f"predicates{item}", predicate, n_tokens), ("verb", verb, n_tags)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not -1 <= value < end:
            raise ValueError(f"{name} must be an integer from -1 to {end - 1}, got {value!r}")
    if predicate >= 0 and verb < 0:
        raise ValueError(f"predicates{item} is {predicate}: expected the B- tag of predicates in verb, got {verb}")


def raise_bad_tags(scores: ndarray, name: str) -> NoReturn:
    """Names the first score that is NaN or plus infinity. RAISES (ValueError): Always."""
    place = tuple(int(i) for i in np.argwhere(np.isnan(scores) | (scores == np.inf))[0])
    raise ValueError(f"{name}{list(place)} is {scores[place]}: expected a finite score or minus infinity")


def check_candidates(ranges: Any, name: str, n_candidates: int, n_tokens: Any) -> ndarray:
    """Candidate spans as a C-contiguous int32 array.

    ranges (Any): The caller's argument. Shape: (n_candidates, 2), start and end, half-open, by ascending start.
    name (str): Its name in messages.
    n_tokens (Any): The caller's length of the sentence.
    RAISES (ValueError): On any other type, shape, value or order.
    """
    if isinstance(n_tokens, bool) or not isinstance(n_tokens, (int, np.integer)) or n_tokens < 0:
        raise ValueError(f"n_tokens must be an integer of 0 or more, got {n_tokens!r}")
    array = np.asarray(ranges)
    if array.dtype.kind not in "iu" or array.shape != (n_candidates, 2):
        raise ValueError(f"{name} must be integers of shape {(n_candidates, 2)}, got {array.dtype} of {array.shape}")
    bad = np.flatnonzero((array[:, 0] < 0) | (array[:, 0] >= array[:, 1]) | (array[:, 1] > n_tokens))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]].tolist()}: expected 0 <= start < end <= {n_tokens}")
    if (np.diff(array[:, 0].astype(np.int64)) < 0).any():
        raise ValueError(f"{name} must be sorted by their starts")
    return np.ascontiguousarray(array, dtype=np.int32)

"""The arguments of decoders, checked before these release the interpreter lock. That
scores are finite, the decoders check themselves, in the pass that reads them. All
functions raise a ValueError that says what was expected."""

from collections.abc import Callable
from typing import Any, Optional, TypeVar, Union

import numpy as np
from numpy import ndarray


def check_array(
    value: Any, name: str, *sizes: Optional[int], dtype: str = "float32"
) -> ndarray:
    """An argument as a C-contiguous array.
    sizes (Optional[int]): Of its axes; None for any."""
    array = np.ascontiguousarray(value)
    fits = array.dtype == dtype and array.ndim == len(sizes)
    for length, size in zip(array.shape, sizes, strict=False):
        fits &= size in (None, length)
    if not fits:
        raise ValueError(
            f"{name} must be a numpy array of {dtype} with {len(sizes)} axes, of the "
            f"shape {sizes} where it is known, got {array.dtype} {array.shape}"
        )
    return array


def check_chart(chart: ndarray, name: str, min_labels: int = 0) -> ndarray:
    """A chart of all spans or arcs. *Shape:* (n + 1, n + 1, ...)."""
    shape = chart.shape
    if not shape[0] == shape[1] > 0 or shape[-1] < min_labels:
        raise ValueError(
            f"{name} must have the shape (n + 1, n + 1), or (n + 1, n + 1, at least "
            f"{min_labels} labels), got {chart.dtype} {shape}"
        )
    return chart


def check_labels(labels: Any, name: str, min_labels: int) -> ndarray:
    """Label scores as a C-contiguous array. *Shape:* (n + 1, n + 1, n_labels),
    float32."""
    return check_chart(check_array(labels, name, None, None, None), name, min_labels)


def check_arcs(arcs: Any, name: str, n_tokens: Optional[int] = None) -> ndarray:
    """Arc scores as a C-contiguous array. *Shape:* (n + 1, n + 1), [dependent, head],
    float32. n_tokens: n, if known from the label scores."""
    side = None if n_tokens is None else n_tokens + 1
    return check_chart(check_array(arcs, name, side, side), name)


def check_gold(gold: Any, margin: Any, name: str, n_tokens: int) -> Optional[ndarray]:
    """Gold label ids as a C-contiguous array, or None without gold labels. gold:
    *Shape:* (n + 1, n + 1), int32; only start < end is read. margin: A finite number, 0
    or more; 0 without gold."""
    if not 0.0 <= margin < float("inf") or (gold is None and margin):
        raise ValueError(
            f"margin must be a finite number, 0 or more, and 0 without {name}, got "
            f"{margin!r}"
        )
    side = n_tokens + 1
    return None if gold is None else check_array(gold, name, side, side, dtype="int32")


def check_batch(n_items: int, **others: Any) -> None:
    """Check that the arguments of one batch are compatible: each is a list of
    `n_items`, or None."""
    for name, value in others.items():
        is_list = isinstance(value, (list, tuple)) and len(value) == n_items
        if value is not None and not is_list:
            raise ValueError(
                f"{name} must be a list of {n_items} arrays, one for each sentence, "
                f"got {value!r:.80}"
            )


def check_integer(
    value: Any, name: str, least: int, end: Union[int, float] = float("inf")
) -> None:
    """Check an integer and its range."""
    if not isinstance(value, (int, np.integer)) or not least <= value < end:
        raise ValueError(
            f"{name} must be an integer of {least} or more and below {end}, got "
            f"{value!r}"
        )


def check_tag_scores(scores: Any, name: str) -> ndarray:
    """Tag scores as a C-contiguous array. *Shape:* (n, n_tags), float32."""
    array = check_array(scores, name, None, None)
    if not array.shape[1]:
        raise ValueError(f"{name} must have tags, got {array.shape}")
    return array


def check_tag_ids(ids: Any, name: str, n_tags: int, end: int) -> ndarray:
    """A number for each tag, from -1 to `end` - 1, as a contiguous int32 array; all -1
    for None. *Shape:* (n_tags,)."""
    array = np.full(n_tags, -1) if ids is None else np.asarray(ids)
    has_shape = array.dtype.kind in "iu" and array.shape == (n_tags,)
    if not has_shape or array.min() < -1 or array.max() >= end:
        raise ValueError(
            f"{name} must be {n_tags} integers from -1 to {end - 1}, one for each "
            f"tag, got {ids!r}"
        )
    return np.ascontiguousarray(array, dtype=np.int32)


def check_transitions(transitions: Any, n_tags: int) -> Optional[ndarray]:
    """Transition scores as a C-contiguous array, or None. *Shape:* (n_tags, n_tags),
    [from, to], float32."""
    if transitions is None:
        return None
    scores = check_array(transitions, "transitions", n_tags, n_tags)
    if not (scores < np.inf).all():
        raise ValueError("transitions must be finite or minus infinity")
    return scores


def check_predicate(
    predicate: Any, verb: Any, n_tokens: int, n_tags: int, item: str
) -> None:
    """Check a predicate's token and tag; both are -1 for none."""
    check_integer(predicate, f"predicates{item}", -1, n_tokens)
    check_integer(verb, "verb", 0 if predicate >= 0 else -1, n_tags)


def check_candidates(
    ranges: Any, name: str, n_candidates: int, n_tokens: Any
) -> ndarray:
    """Candidate spans as a C-contiguous int32 array. *Shape:* (n_candidates, 2), start
    and end, by ascending start."""
    check_integer(n_tokens, "n_tokens", 0)
    array = np.asarray(ranges)
    fits = array.dtype.kind in "iu" and array.shape == (n_candidates, 2)
    if fits:
        starts, ends = array.T
        is_range = (0 <= starts) & (starts < ends) & (ends <= n_tokens)
        fits = is_range.all() and (np.diff(starts) >= 0).all()
    if not fits:
        raise ValueError(
            f"{name} must be {n_candidates} ranges with 0 <= start < end <= "
            f"{n_tokens}, sorted by their starts, got {ranges!r}"
        )
    return np.ascontiguousarray(array, dtype=np.int32)


# most tags that may occur once: the sets of such tags are part of a decoder's state
MAX_ONCE = 20

ResultT = TypeVar("ResultT")


def decode_counting(
    once: ndarray,
    decode: Callable[[ndarray], ResultT],
    numbers_of: Callable[[ResultT], ndarray],
) -> ResultT:
    """Decode until no tag occurs twice that may occur once. The best result of fewer
    constraints that keeps all of them is the best one. once: A number for each tag that
    may occur once, -1 for others. Shape: (n_tags,), int32. decode: From the numbers to
    count, 0, 1, ..., to a result. numbers_of: The number in `once` of each tag of a
    result. Shape: (n,)."""
    counted: list[int] = []
    while True:
        numbers = np.full(len(once), -1, dtype=np.int32)
        for number, one in enumerate(counted):
            numbers[once == one] = number
        result = decode(numbers)
        numbered = numbers_of(result)
        values, counts = np.unique(numbered[numbered >= 0], return_counts=True)
        if (counts < 2).all():
            return result
        counted.extend(values[counts > 1].tolist())

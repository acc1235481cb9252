"""The arguments of decoders, checked before these release the interpreter lock. That
scores are finite, the decoders check themselves, in the pass that reads them."""

from typing import Any, Callable, List, Optional, TypeVar, Union

import numpy as np
from numpy import ndarray


def check_array(value: Any, name: str, shape: str, fits: bool) -> ndarray:
    """An argument as a C-contiguous array of float32. shape: Its shape in words. fits
    (bool): Whether a float32 array
    has it.
    RAISES (ValueError): It has another type, dtype or shape."""
    if not isinstance(value, ndarray) or value.dtype != np.float32 or not fits:
        given = (
            f"{value.dtype} {value.shape}"
            if isinstance(value, ndarray)
            else type(value).__name__
        )
        raise ValueError(
            f"{name} must be a numpy array of float32 with the shape {shape}, got "
            f"{given}"
        )
    return np.ascontiguousarray(value)


def check_labels(labels: Any, name: str, min_labels: int) -> ndarray:
    """Label scores as a C-contiguous array. *Shape:* (n + 1, n + 1, n_labels),
    float32."""
    size = np.shape(labels) if isinstance(labels, ndarray) else ()
    fits = len(size) == 3 and size[0] == size[1] >= 1 and size[2] >= min_labels
    return check_array(
        labels, name, f"(n + 1, n + 1, at least {min_labels} labels)", fits
    )


def check_arcs(arcs: Any, name: str, n_tokens: Optional[int] = None) -> ndarray:
    """Arc scores as a C-contiguous array. *Shape:* (n + 1, n + 1), [dependent, head],
    float32. n_tokens: n, if known from the label scores."""
    size = np.shape(arcs) if isinstance(arcs, ndarray) else ()
    fits = (
        len(size) == 2 and size[0] == size[1] >= 1 and n_tokens in (None, size[0] - 1)
    )
    wanted = (
        "(n + 1, n + 1)"
        if n_tokens is None
        else f"{(n_tokens + 1, n_tokens + 1)} of the labels"
    )
    return check_array(arcs, name, f"{wanted}, [dependent, head]", fits)


def check_gold(gold: Any, margin: Any, name: str, n_tokens: int) -> Optional[ndarray]:
    """Gold label ids as a C-contiguous array, or None without gold labels. gold:
    *Shape:* (n + 1, n + 1), int32; only start < end is read. margin: A finite number, 0
    or more; 0 without gold.
    RAISES (ValueError): On any other type, dtype, shape or
    margin."""
    is_number = isinstance(margin, (int, float, np.floating, np.integer))
    if not is_number or not 0.0 <= margin < float("inf") or (gold is None and margin):
        raise ValueError(
            f"margin must be a finite number, 0 or more, and 0 without {name}, got "
            f"{margin!r}"
        )
    if gold is None:
        return None
    shape = (n_tokens + 1, n_tokens + 1)
    if not isinstance(gold, ndarray) or gold.dtype != np.int32 or gold.shape != shape:
        given = (
            f"{gold.dtype} {gold.shape}"
            if isinstance(gold, ndarray)
            else type(gold).__name__
        )
        raise ValueError(
            f"{name} must be a numpy array of int32 with the shape {shape} of the "
            f"labels, got {given}"
        )
    return np.ascontiguousarray(gold)


def check_batch(n_items: int, **others: Any) -> None:
    """Check that the arguments of one batch are compatible: each is a list of
    `n_items`, or None.
    RAISES (ValueError): They are incompatible."""
    for name, value in others.items():
        if value is not None and (
            not isinstance(value, (list, tuple)) or len(value) != n_items
        ):
            given = (
                f"{len(value)} items"
                if isinstance(value, (list, tuple))
                else type(value).__name__
            )
            raise ValueError(
                f"{name} must be a list of {n_items} arrays, one for each sentence, "
                f"got {given}"
            )


def check_integer(
    value: Any, name: str, least: int, end: Union[int, float] = float("inf")
) -> None:
    """Check an integer.
    RAISES (ValueError): It is none, or not in range."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, np.integer))
        or not least <= value < end
    ):
        raise ValueError(
            f"{name} must be an integer of {least} or more and below {end}, got "
            f"{value!r}"
        )


def check_tag_scores(scores: Any, name: str) -> ndarray:
    """Tag scores as a C-contiguous array. *Shape:* (n, n_tags), float32."""
    size = np.shape(scores) if isinstance(scores, ndarray) else ()
    return check_array(scores, name, "(n, n_tags)", len(size) == 2 and size[1] >= 1)


def check_tag_ids(ids: Any, name: str, n_tags: int, end: int) -> ndarray:
    """A number for each tag, from -1 to `end` - 1, as a contiguous int32 array; all -1
    for None. *Shape:* (n_tags,).
    RAISES (ValueError): On any other type, shape or value."""
    array = np.full(n_tags, -1) if ids is None else np.asarray(ids)
    if (
        array.dtype.kind not in "iu"
        or array.shape != (n_tags,)
        or array.min() < -1
        or array.max() >= end
    ):
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
    shape = (n_tags, n_tags)
    found = check_array(
        transitions, "transitions", f"{shape}", np.shape(transitions) == shape
    )
    if (np.isnan(found) | (found == np.inf)).any():
        raise ValueError("transitions must be finite or minus infinity")
    return found


def check_predicate(
    predicate: Any, verb: Any, n_tokens: int, n_tags: int, item: str
) -> None:
    """Check a predicate's token and tag; both are -1 for none.
    RAISES (ValueError): One
    is no integer or out of range, or there is a predicate without a tag."""
    check_integer(predicate, f"predicates{item}", -1, n_tokens)
    check_integer(verb, "verb", 0 if predicate >= 0 else -1, n_tags)


def check_candidates(
    ranges: Any, name: str, n_candidates: int, n_tokens: Any
) -> ndarray:
    """Candidate spans as a C-contiguous int32 array. *Shape:* (n_candidates, 2), start
    and end, by ascending start.
    RAISES (ValueError): On any other type, shape, value or order."""
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
        wanted = (
            f"{n_candidates} ranges with 0 <= start < end <= {n_tokens}, sorted by "
            "their starts"
        )
        raise ValueError(f"{name} must be {wanted}, got {ranges!r}")
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
    counted: List[int] = []
    while True:
        numbers = np.full(len(once), -1, dtype=np.int32)
        for number, one in enumerate(counted):
            numbers[once == one] = number
        result = decode(numbers)
        found = numbers_of(result)
        values, counts = np.unique(found[found >= 0], return_counts=True)
        if (counts < 2).all():
            return result
        counted.extend(values[counts > 1].tolist())

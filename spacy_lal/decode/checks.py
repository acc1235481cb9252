"""Checks of the decoders' arguments, made before they release the interpreter lock.

The decoders themselves check that scores are finite, in the pass that reads them; this file only finds the first bad
cell for the message.
"""

from typing import Any, NoReturn, Optional, Union

import numpy as np
from numpy import ndarray


def check_array(value: Any, name: str, shape: str, fits: bool) -> ndarray:
    """An argument as a C-contiguous array of float32.

    shape (str): Its shape in words. fits (bool): Whether a float32 array has it.
    RAISES (ValueError): It has another type, dtype or shape.
    """
    if not isinstance(value, ndarray) or value.dtype != np.float32 or not fits:
        given = f"{value.dtype} {value.shape}" if isinstance(value, ndarray) else type(value).__name__
        raise ValueError(f"{name} must be a numpy array of float32 with the shape {shape}, got {given}")
    return np.ascontiguousarray(value)


def check_labels(labels: Any, name: str, min_labels: int) -> ndarray:
    """Label scores as a C-contiguous array. *Shape:* (n + 1, n + 1, n_labels), float32."""
    size = np.shape(labels) if isinstance(labels, ndarray) else ()
    fits = len(size) == 3 and size[0] == size[1] >= 1 and size[2] >= min_labels
    return check_array(labels, name, f"(n + 1, n + 1, at least {min_labels} labels)", fits)


def check_arcs(arcs: Any, name: str, n_tokens: Optional[int] = None) -> ndarray:
    """Arc scores as a C-contiguous array. *Shape:* (n + 1, n + 1), [dependent, head], float32.

    n_tokens (Optional[int]): n, if known from the label scores.
    """
    size = np.shape(arcs) if isinstance(arcs, ndarray) else ()
    fits = len(size) == 2 and size[0] == size[1] >= 1 and n_tokens in (None, size[0] - 1)
    wanted = "(n + 1, n + 1)" if n_tokens is None else f"{(n_tokens + 1, n_tokens + 1)} of the labels"
    return check_array(arcs, name, f"{wanted}, [dependent, head]", fits)


def check_gold(gold: Any, margin: Any, name: str, n_tokens: int) -> Optional[ndarray]:
    """Gold label ids as a C-contiguous int32 array, or None without gold labels.

    gold (Any): *Shape:* (n + 1, n + 1), of any integer dtype; only start < end is read.
    margin (Any): A finite number, 0 or more; 0 without gold.
    RAISES (ValueError): On any other type, dtype, shape or margin.
    """
    is_number = isinstance(margin, (int, float, np.floating, np.integer))
    if not is_number or not 0.0 <= margin < float("inf") or (gold is None and margin):
        raise ValueError(f"margin must be a finite number, 0 or more, and 0 without {name}, got {margin!r}")
    if gold is None:
        return None
    shape = (n_tokens + 1, n_tokens + 1)
    if not isinstance(gold, ndarray) or gold.dtype.kind not in "iu" or gold.shape != shape:
        given = f"{gold.dtype} {gold.shape}" if isinstance(gold, ndarray) else type(gold).__name__
        raise ValueError(f"{name} must be a numpy array of integers with the shape {shape} of the labels, got {given}")
    if gold.dtype != np.int32:
        gold = np.clip(gold, -1, np.iinfo(np.int32).max)  # an id that is too large stays too large
    return np.ascontiguousarray(gold, dtype=np.int32)


def check_batch(n_threads: Any, n_items: int, **others: Any) -> None:
    """Check that the arguments of one batch are compatible: each is a list of `n_items`, or None.

    RAISES (ValueError): They are incompatible.
    """
    check_threads(n_threads)
    for name, value in others.items():
        if value is not None and (not isinstance(value, (list, tuple)) or len(value) != n_items):
            given = f"{len(value)} items" if isinstance(value, (list, tuple)) else type(value).__name__
            raise ValueError(f"{name} must be a list of {n_items} arrays, one for each sentence, got {given}")


def check_threads(n_threads: Any) -> None:
    """Check a number of threads. RAISES (ValueError): It is not an int of 1 or more."""
    check_integer(n_threads, "n_threads", 1)


def check_integer(value: Any, name: str, least: int, end: Union[int, float] = float("inf")) -> None:
    """Check an integer. RAISES (ValueError): It is none, or not in range."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value < end:
        raise ValueError(f"{name} must be an integer of {least} or more and below {end}, got {value!r}")


def raise_bad_labels(labels: ndarray, name: str) -> NoReturn:
    """Names the first label score that is not finite. RAISES (ValueError): Always."""
    spans = np.triu(np.ones(labels.shape[:2], dtype=bool), 1)
    raise_first(labels, name, ~np.isfinite(labels) & spans[:, :, None], "finite")


def raise_bad_arcs(arcs: ndarray, name: str) -> NoReturn:
    """Names the first arc score that is not finite. RAISES (ValueError): Always."""
    read = ~np.eye(arcs.shape[0], dtype=bool)
    read[0] = False
    raise_first(arcs, name, ~np.isfinite(arcs) & read, "finite")


def raise_bad_gold(gold: ndarray, name: str, n_labels: int) -> NoReturn:
    """Names the first gold label that is out of range. RAISES (ValueError): Always."""
    raise_first(gold, name, np.triu((gold < 0) | (gold >= n_labels), 1), f"label ids 0 to {n_labels - 1}")


def raise_first(values: ndarray, name: str, bad: ndarray, expected: str) -> NoReturn:
    """Names the first bad value. RAISES (ValueError): Always."""
    cell = tuple(np.argwhere(bad)[0].tolist())
    raise ValueError(f"{name} must be {expected}, got {values[cell]} at {list(cell)}")

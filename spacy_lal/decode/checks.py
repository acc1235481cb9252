"""Checks of the decoders' arguments, made before they release the interpreter lock.

The decoders themselves check that scores are finite, in the pass that reads them; this file only finds the first bad
cell for the message.
"""

from typing import Any, NoReturn, Optional

import numpy as np
from numpy import ndarray


def check_labels(labels: Any, name: str, min_labels: int) -> ndarray:
    """Label scores as a C-contiguous array.

    labels (Any): The caller's argument. Shape: (n + 1, n + 1, n_labels), float32.
    name (str): Its name in messages.
    min_labels (int): Minimum number of labels of the decoder.
    RETURNS (ndarray): The same array, or a contiguous copy.
    RAISES (ValueError): On any other type, dtype or shape.
    """
    check_dtype(labels, name, np.dtype(np.float32))
    shape = labels.shape
    if len(shape) != 3 or shape[0] != shape[1] or shape[0] < 1 or shape[2] < min_labels:
        raise ValueError(f"{name} must have shape (n + 1, n + 1, at least {min_labels} labels), got {shape}")
    return np.ascontiguousarray(labels)


def check_arcs(arcs: Any, name: str, n_tokens: Optional[int] = None) -> ndarray:
    """Arc scores as a C-contiguous array.

    arcs (Any): The caller's argument. Shape: (n + 1, n + 1), [dependent, head], float32.
    name (str): Its name in messages.
    n_tokens (Optional[int]): n, if known from the label scores.
    RETURNS (ndarray): The same array, or a contiguous copy.
    RAISES (ValueError): On any other type, dtype or shape.
    """
    check_dtype(arcs, name, np.dtype(np.float32))
    shape = arcs.shape
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 1:
        raise ValueError(f"{name} must have shape (n + 1, n + 1), [dependent, head], got {shape}")
    if n_tokens is not None and shape[0] != n_tokens + 1:
        raise ValueError(f"{name} must have shape {(n_tokens + 1, n_tokens + 1)} as the labels have, got {shape}")
    return np.ascontiguousarray(arcs)


def check_gold(gold: Any, margin: Any, name: str, n_tokens: int) -> Optional[ndarray]:
    """Gold label ids as a C-contiguous array, or None without gold labels.

    gold (Any): The caller's argument. Shape: (n + 1, n + 1), of any integer dtype; only start < end is read.
    margin (Any): Its margin: a finite number, 0 or more; 0 without gold.
    name (str): The name of `gold` in messages.
    n_tokens (int): n, from the label scores.
    RETURNS (Optional[ndarray]): The same array, or a contiguous int32 copy, or None.
    RAISES (ValueError): On any other type, dtype, shape or margin.
    """
    if not isinstance(margin, (int, float, np.floating, np.integer)) or not 0.0 <= margin < float("inf"):
        raise ValueError(f"margin must be a finite number, 0 or more, got {margin!r}")
    if gold is None:
        if margin:
            raise ValueError(f"margin {margin} needs gold label ids to spare, got gold=None")
        return None
    if not isinstance(gold, ndarray) or gold.dtype.kind not in "iu":
        given = f"an array of {gold.dtype}" if isinstance(gold, ndarray) else type(gold).__name__
        raise ValueError(f"{name} must be a numpy array of integers, got {given}")
    if gold.shape != (n_tokens + 1, n_tokens + 1):
        raise ValueError(f"{name} must have shape {(n_tokens + 1, n_tokens + 1)} as the labels have, got {gold.shape}")
    if gold.dtype != np.int32:
        gold = np.clip(gold, -1, np.iinfo(np.int32).max)  # an id that is too large stays too large
    return np.ascontiguousarray(gold, dtype=np.int32)


def check_batch(n_threads: Any, n_items: int, **others: Any) -> None:
    """Check that the arguments of one batch are compatible.

    n_threads (Any): The caller's number of threads: an int, 1 or more.
    n_items (int): Length of the first argument.
    others (Any): The other arguments by name; each a sequence of as many items, or None.
    RAISES (ValueError): They are incompatible.
    """
    check_threads(n_threads)
    for name, value in others.items():
        if value is None:
            continue
        if not isinstance(value, (list, tuple)) or len(value) != n_items:
            given = f"{len(value)} items" if isinstance(value, (list, tuple)) else type(value).__name__
            raise ValueError(f"{name} must be a list of {n_items} arrays, one for each sentence, got {given}")


def check_threads(n_threads: Any) -> None:
    """Check a number of threads. RAISES (ValueError): It is not an int of 1 or more."""
    if isinstance(n_threads, bool) or not isinstance(n_threads, (int, np.integer)) or n_threads < 1:
        raise ValueError(f"n_threads must be an integer, 1 or more, got {n_threads!r}")


def raise_bad_labels(labels: ndarray, name: str) -> NoReturn:
    """Names the first label score that is not finite. RAISES (ValueError): Always."""
    spans = np.triu(np.ones(labels.shape[:2], dtype=bool), 1)
    _raise_first(labels, name, ~np.isfinite(labels) & spans[:, :, None])


def raise_bad_arcs(arcs: ndarray, name: str) -> NoReturn:
    """Names the first arc score that is not finite. RAISES (ValueError): Always."""
    read = ~np.eye(arcs.shape[0], dtype=bool)
    read[0] = False
    _raise_first(arcs, name, ~np.isfinite(arcs) & read)


def raise_bad_gold(gold: ndarray, name: str, n_labels: int) -> NoReturn:
    """Names the first gold label that is out of range. RAISES (ValueError): Always."""
    bad = np.triu((gold < 0) | (gold >= n_labels), 1)
    cell = tuple(np.argwhere(bad)[0].tolist())
    raise ValueError(f"{name} must hold label ids 0 to {n_labels - 1}, got {gold[cell]} at {list(cell)}")


def _raise_first(scores: ndarray, name: str, bad: ndarray) -> NoReturn:
    cell = tuple(np.argwhere(bad)[0].tolist())
    raise ValueError(f"{name} must be finite, got {scores[cell]} at {list(cell)}")


def check_dtype(value: Any, name: str, dtype: np.dtype) -> None:
    """RAISES (ValueError): `value` is no numpy array of the dtype."""
    if not isinstance(value, ndarray):
        raise ValueError(f"{name} must be a numpy array of {dtype}, got {type(value).__name__}")
    if value.dtype != dtype:
        raise ValueError(f"{name} must be an array of {dtype}, got {value.dtype}")

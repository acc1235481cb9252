"""Probabilities of labelled spans: the inside-outside algorithm over the trees of plain
CKY, in NumPy."""

import numpy as np
from numpy import ndarray


def inside_outside(labels: ndarray) -> tuple[ndarray, float]:
    """The marginals of plain CKY's trees, in O(n^3).
    labels (ndarray): Label scores. Shape: (n + 1, n + 1, n_labels), n at least 1; only
        start < end is read.
    RETURNS (Tuple[ndarray, float]): Probabilities, float64, of the same shape; the
        logarithm of the partition function."""
    n = labels.shape[0] - 1
    scores = labels.astype("f8")
    scores[0, n, 0] = -np.inf  # the root bears a label
    cells = np.logaddexp.reduce(scores, axis=-1)
    # inside(i, j) = cell(i, j) + log sum_k exp(inside(i, k) + inside(k, j)), all spans
    # of one width at once
    inside = cells.copy()
    for width in range(2, n + 1):
        start, split, end = _splits(n, width)
        inside[start, end] += np.logaddexp.reduce(
            inside[start, split] + inside[split, end], axis=1, keepdims=True
        )
    # From the root down, a node passes its probability to both halves of each split, by
    # the split's share.
    nodes = np.zeros_like(cells)
    nodes[0, n] = 1.0
    for width in range(n, 1, -1):
        start, split, end = _splits(n, width)
        halves = inside[start, split] + inside[split, end]
        passed = nodes[start, end] * np.exp(
            halves - (inside[start, end] - cells[start, end])
        )
        nodes[start, split] += passed  # no pair of indices occurs twice within a width
        nodes[split, end] += passed
    with np.errstate(invalid="ignore"):
        probabilities = nodes[..., None] * np.exp(scores - cells[..., None])
    return np.where(nodes[..., None] > 0, probabilities, 0.0), float(inside[0, n])


def _splits(n: int, width: int) -> tuple[ndarray, ndarray, ndarray]:
    """All spans of a width: start, split, end. Shapes: (n_spans, 1), (n_spans, width -
    1), (n_spans, 1)."""
    start = np.arange(n - width + 1)[:, None]
    return start, start + np.arange(1, width), start + width

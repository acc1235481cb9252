"""The forced modes of the decoder vectors: the score of a gold tree, binarised as the
authors' decoders binarise it.

No decoder of ours is forced to anything, so this stands with the programs that compare,
not in the library. The sums are float32, in the authors' order, and equal the vectors
bit for bit."""

from typing import Callable, List, Tuple

import numpy as np
from numpy import ndarray

Node = Tuple[int, int, int]


def forced_cky(
    labels: ndarray, gold_label: ndarray, gold_split: ndarray
) -> Tuple[float, ndarray]:
    """Mode `const_gold`: the gold tree binarised at its smallest splits.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels), float32.
    gold_label (ndarray): Shape: (n + 1, n + 1). Gold label ids.
    gold_split (ndarray): Shape: (n + 1, n + 1). The smallest gold split of each span
        (`gold_split_const`).
    RETURNS (Tuple[float, ndarray]): The score, and the nodes, shape (2n - 1, 3), in
    pre-order."""
    nodes = _binarise(gold_label, lambda i, j: int(gold_split[i, j]))
    sums: List[np.float32] = []
    for i, j, label in reversed(nodes):
        value = labels[i, j, label]
        sums.append(value if j - i == 1 else (value + sums.pop()) + sums.pop())
    return float(sums[0]), np.array(nodes, dtype=np.int32)


def forced_joint(
    labels: ndarray,
    arcs: ndarray,
    gold_label: ndarray,
    gold_head: ndarray,
    gold_split: ndarray,
    gold_father: ndarray,
) -> Tuple[float, ndarray]:
    """Mode `hpsg_gold`: the children before the head word are split off first, then,
    from the last, those after it.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels), float32.
    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head], float32.
    gold_label (ndarray): Shape: (n + 1, n + 1). Gold label ids.
    gold_head (ndarray): Shape: (n + 1, n + 1). The head word of each span, from 1.
    gold_split (ndarray): Shape: (n + 1, n + 1). The smallest gold split of each span
        (`gold_split_const`).
    gold_father (ndarray): Shape: (n,). The head of each word, 0 for the root.
    RETURNS (Tuple[float, ndarray]): The score, and the nodes, shape (2n - 1, 3), in
    pre-order."""

    def split(i: int, j: int) -> int:
        first = last = int(gold_split[i, j])
        while j - last > 1 and gold_label[last, j] == 0:
            last = int(gold_split[last, j])
        return last if gold_head[i, j] <= first else first

    nodes = _binarise(gold_label, split)
    score = np.float32(0.0)
    for i, j, label in nodes:
        score += labels[i, j, label]
    for word, head in enumerate(gold_father.tolist(), start=1):
        score += arcs[word, head]
    return float(score), np.array(nodes, dtype=np.int32)


def plain_score(labels: ndarray, spans: ndarray) -> float:
    """The sum of the label scores of some nodes, without a margin, in float64.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels).
    spans (ndarray): Shape: (n_nodes, 3): start, end, label.
    RETURNS (float): The sum. A vector's `augment` is round(score - plain score), with
    the arcs in both for `hpsg`."""
    return float(labels[spans[:, 0], spans[:, 1], spans[:, 2]].sum(dtype=np.float64))


def _binarise(gold_label: ndarray, split: Callable[[int, int], int]) -> List[Node]:
    nodes: List[Node] = []
    stack = [(0, gold_label.shape[0] - 1)]
    while stack:
        i, j = stack.pop()
        nodes.append((i, j, int(gold_label[i, j])))
        if j - i > 1:
            k = split(i, j)
            stack += [(k, j), (i, k)]
    return nodes

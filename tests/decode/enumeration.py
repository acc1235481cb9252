"""Every tree of a short sentence, one by one: what the decoders are proved against.
Slow, and without a recurrence."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple, Optional

import numpy as np
from numpy import ndarray


class Node(NamedTuple):
    """A node of a binarised tree. `must_label`: a non-head child, or the root, longer
    than one word."""

    start: int
    end: int
    must_label: bool


class Derivation(NamedTuple):
    """A binarised tree with a head at each node: its nodes, its head word (from 1), its
    arcs (dependent, head)."""

    nodes: tuple[Node, ...]
    head: int
    arcs: tuple[tuple[int, int], ...]


@cache
def binary_trees(start: int, end: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All binary trees over a span, each as its nodes in pre-order."""
    if end - start == 1:
        return (((start, end),),)
    return tuple(
        ((start, end), *left, *right)
        for split in range(start + 1, end)
        for left in binary_trees(start, split)
        for right in binary_trees(split, end)
    )


@cache
def derivations(
    start: int, end: int, must_label: bool = True
) -> tuple[Derivation, ...]:
    """All binary trees over a span with all choices of a head child at each node."""
    node = Node(start, end, must_label and end - start > 1)
    if end - start == 1:
        return (Derivation((node,), end, ()),)
    found: list[Derivation] = []
    for split in range(start + 1, end):
        for left_is_head in (True, False):
            for left in derivations(start, split, not left_is_head):
                for right in derivations(split, end, left_is_head):
                    head, child = (
                        (left.head, right.head)
                        if left_is_head
                        else (right.head, left.head)
                    )
                    arcs = (*left.arcs, *right.arcs, (child, head))
                    found.append(
                        Derivation((node, *left.nodes, *right.nodes), head, arcs)
                    )
    return tuple(found)


def joint_labels(node: Node, n: int, n_labels: int) -> list[int]:
    """The labels that a node of a joint tree over n words may bear."""
    is_edge = node.end - node.start in (1, n)
    allowed = list(range(2 if is_edge else 1, n_labels))
    return allowed if node.must_label else [0, *allowed]


def with_margin(labels: ndarray, gold: Optional[ndarray], margin: float) -> ndarray:
    """Label scores in float64, where each label but the gold one has gained a
    margin."""
    scores = labels.astype(np.float64)
    if gold is None:
        return scores
    other = np.arange(labels.shape[2]) != gold[:, :, None]
    return scores + margin * other


def joint_scores(labels: ndarray, arcs: ndarray) -> Iterator[float]:
    """The score of every joint tree, with the best labels at each of its nodes."""
    n = labels.shape[0] - 1
    for tree in derivations(0, n):
        score = float(arcs[tree.head, 0]) + sum(
            float(arcs[child, head]) for child, head in tree.arcs
        )
        for node in tree.nodes:
            score += max(
                float(labels[node.start, node.end, y])
                for y in joint_labels(node, n, labels.shape[2])
            )
        yield score


def joint_scores_all_labels(labels: ndarray, arcs: ndarray) -> Iterator[float]:
    """The score of every joint tree with every choice of its labels: for very short
    sentences."""
    n = labels.shape[0] - 1
    for tree in derivations(0, n):
        base = float(arcs[tree.head, 0]) + sum(
            float(arcs[child, head]) for child, head in tree.arcs
        )
        for chosen in product(
            *[joint_labels(node, n, labels.shape[2]) for node in tree.nodes]
        ):
            yield base + sum(
                float(labels[node.start, node.end, y])
                for node, y in zip(tree.nodes, chosen, strict=True)
            )


def cky_scores(labels: ndarray) -> Iterator[float]:
    """The score of every binary tree, with the best label at each node; the root has
    one that is not empty."""
    n = labels.shape[0] - 1
    for tree in binary_trees(0, n):
        yield sum(float(labels[i, j, 1 if j - i == n else 0 :].max()) for i, j in tree)


@cache
def dependency_trees(n: int, projective: bool) -> ndarray:
    """All dependency trees over n words with one dependent of the root. Shape:
    (n_trees, n): the head of each word."""
    trees = [
        heads
        for heads in product(range(n + 1), repeat=n)
        if heads.count(0) == 1 and _reach_root(heads)
    ]
    if projective:
        trees = [heads for heads in trees if is_projective(heads)]
    return np.array(trees, dtype=np.int64)


def dependency_scores(arcs: ndarray, projective: bool) -> ndarray:
    """The score of every dependency tree. Shape: (n_trees,)."""
    n = arcs.shape[0] - 1
    return arcs.astype(np.float64)[
        np.arange(1, n + 1), dependency_trees(n, projective)
    ].sum(axis=1)


def is_projective(heads: tuple[int, ...]) -> bool:
    """Whether no two arcs cross, that of the root included. `heads[i]` is the head of
    word i + 1."""
    arcs = [tuple(sorted((word, head))) for word, head in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def _reach_root(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        steps = 0
        while word and steps <= len(heads):
            word = heads[word - 1]
            steps += 1
        if word:
            return False
    return True

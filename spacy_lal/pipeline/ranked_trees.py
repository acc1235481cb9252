"""The best trees of a sentence, in the order of the decoder's objective. Constraints
divide the trees in parts, as in Hamacher & Queyranne (1985); of each part the best two
trees are known (`decode/next_best.pyx`). The best of all second best trees comes next;
its part is divided where its two trees differ. So every tree comes once, at two
searches. Numbers only: no Docs, no strings."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Optional

import numpy as np
from numpy import ndarray

from ..decode.next_best import next_cky, next_joint
from ..trees import EMPTY, SUB_HEAD
from .charts import AllowedCells, Charts, Derivation

Cell = tuple[int, int]


def constituents(tree: Derivation) -> dict[Cell, int]:
    """The label id of each constituent, by its span."""
    nodes = [] if tree.nodes is None else tree.nodes.tolist()
    return {(start, end): label for start, end, label in nodes if label > SUB_HEAD}


@dataclass
class _Part:
    """The trees that have and lack some constituents and arcs; its best tree."""

    best: Derivation
    known: dict[Cell, int] = field(default_factory=dict)
    excluded: dict[Cell, set[int]] = field(default_factory=dict)
    heads: dict[int, int] = field(default_factory=dict)
    other_heads: set[tuple[int, int]] = field(default_factory=set)

    def divide(self, second: Derivation) -> tuple["_Part", "_Part"]:
        """The part around its best tree, and the part around another."""
        arc = _differing_arc(self.best, second)
        if arc is not None:
            word, head = arc
            ours = replace(self, heads={**self.heads, word: head})
            others = self.other_heads | {arc}
            return ours, replace(self, best=second, other_heads=others)
        ours_alone = _differing_constituent(self.best, second)
        if ours_alone is not None:
            ours = self._with(ours_alone, best=self.best)
            return ours, self._without(ours_alone, best=second)
        theirs_alone = _differing_constituent(second, self.best)
        if theirs_alone is None:
            raise ValueError("expected two trees that differ, got one tree twice")
        ours = self._without(theirs_alone, best=self.best)
        return ours, self._with(theirs_alone, best=second)

    def _with(self, constituent: tuple[Cell, int], best: Derivation) -> "_Part":
        cell, label = constituent
        return replace(self, best=best, known={**self.known, cell: label})

    def _without(self, constituent: tuple[Cell, int], best: Derivation) -> "_Part":
        cell, label = constituent
        labels = self.excluded.get(cell, set()) | {label}
        return replace(self, best=best, excluded={**self.excluded, cell: labels})


def _differing_arc(tree: Derivation, other: Derivation) -> Optional[tuple[int, int]]:
    """The first arc, word and head, that a tree has and another lacks."""
    if tree.heads is None or other.heads is None:
        return None
    words = np.flatnonzero(tree.heads != other.heads)
    return (int(words[0]), int(tree.heads[words[0]])) if len(words) else None


def _differing_constituent(
    tree: Derivation, other: Derivation
) -> Optional[tuple[Cell, int]]:
    """The first constituent, cell and label, that a tree has and another lacks."""
    of_other = constituents(other)
    for cell, label in constituents(tree).items():
        if of_other.get(cell) != label:
            return cell, label
    return None


class RankedTrees:
    """The trees of one sentence, best first. Heads that are found separately are the
    same in all. Where no tree fulfils the constraints, the only tree is that of
    `Charts.derive`.
    charts (Charts): The decoder's.
    allowed (Optional[AllowedCells]): Constraints on all trees. None: no constraints."""

    def __init__(self, charts: Charts, allowed: Optional[AllowedCells] = None) -> None:
        self._charts = charts
        self._allowed = allowed

    def __iter__(self) -> Iterator[Derivation]:
        best = self._charts.derive(self._allowed)
        yield best
        if best.nodes is None or best.score == -np.inf:
            return
        self._prepare()
        waiting: list[tuple[float, int, _Part, Derivation]] = []
        n_parts = 0
        parts: tuple[_Part, ...] = (_Part(best),)
        while True:
            for part in parts:
                n_parts += 1
                second = self._second(part)
                if second is not None:
                    heappush(waiting, (-second.score, n_parts, part, second))
            if not waiting:
                return
            _, _, part, tree = heappop(waiting)
            yield tree
            parts = part.divide(tree)

    def _prepare(self) -> None:
        """Make the charts of the search."""
        charts = self._charts
        self._labels = charts.labels.astype("f8")  # type: ignore[union-attr]
        self._arcs: Optional[ndarray] = None
        if charts.find_heads is None and charts.arcs is not None:
            self._arcs = charts.arcs.astype("f8")
        if self._allowed is not None:
            self._labels[~self._allowed.labels] = -np.inf
            if self._arcs is not None:
                self._arcs[~self._allowed.arcs] = -np.inf
        self._four, self._ids = _four_labels(self._labels)

    def _second(self, part: _Part) -> Optional[Derivation]:
        """The best tree of a part but one."""
        four, ids = self._labels_of(part)
        in_tree = np.zeros(four.shape[:2], dtype=bool)
        for cell in constituents(part.best):
            in_tree[cell] = True
        heads = part.best.heads
        if self._arcs is None or heads is None:
            alone = next_cky(four, in_tree)
            if alone is None:
                return None
            total, nodes = alone
            return Derivation(total, _with_ids(nodes, ids), heads)
        arcs = self._arcs.copy()
        for word, head in part.heads.items():
            arcs[word, np.arange(len(arcs)) != head] = -np.inf
        for arc in part.other_heads:
            arcs[arc] = -np.inf
        joint = next_joint(four, arcs, in_tree, heads)
        if joint is None:
            return None
        total, nodes, heads = joint
        return Derivation(total, _with_ids(nodes, ids), heads)

    def _labels_of(self, part: _Part) -> tuple[ndarray, ndarray]:
        """Scores and ids as `_four_labels`. In the cells of the part's best tree, the
        third label is the tree's, and the fourth the best other one."""
        four = self._four.copy()
        ids = self._ids.copy()
        tree = constituents(part.best)
        for cell in {*tree, *part.excluded}:
            row = self._labels[cell].copy()
            row[list(part.excluded.get(cell, ()))] = -np.inf
            first = tree[cell] if cell in tree else _best_constituent(row)
            four[(*cell, 2)] = row[first]
            ids[(*cell, 2)] = first
            row[first] = -np.inf
            other = _best_constituent(row)
            four[(*cell, 3)] = -np.inf if cell in part.known else row[other]
            ids[(*cell, 3)] = other
        for start, end in part.known:
            _require_constituent(four, start, end)
        return four, ids


def _require_constituent(four: ndarray, start: int, end: int) -> None:
    """Exclude spans that cross one, and no constituent there, in place."""
    four[:start, start + 1 : end] = -np.inf
    four[start + 1 : end, end + 1 :] = -np.inf
    four[start, end, : SUB_HEAD + 1] = -np.inf


def _best_constituent(scores: ndarray) -> int:
    """The id of the best label of a constituent. *Shape:* (n_labels,)."""
    return int(scores[SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1


def _four_labels(labels: ndarray) -> tuple[ndarray, ndarray]:
    """For each span, the scores and ids of the empty label, of the sub-head, and of the
    best two constituents. *Shapes:* (n + 1, n + 1, 4)."""
    others = labels[..., SUB_HEAD + 1 :].copy()
    four = np.empty((*labels.shape[:2], 4))
    four[..., :2] = labels[..., :2]
    ids = np.empty(four.shape, dtype=np.int64)
    ids[..., :2] = (EMPTY, SUB_HEAD)
    for place in (2, 3):
        four[..., place] = others.max(axis=-1)
        best = others.argmax(axis=-1)
        ids[..., place] = best + SUB_HEAD + 1
        np.put_along_axis(others, best[..., None], -np.inf, axis=-1)
    return four, ids


def _with_ids(nodes: ndarray, ids: ndarray) -> ndarray:
    """Nodes with label ids in the place of indices into `ids`. *Shape:* (2n - 1, 3),
    int32."""
    starts, ends, _ = nodes.T
    return np.stack([starts, ends, ids[tuple(nodes.T)]], axis=1).astype(np.int32)

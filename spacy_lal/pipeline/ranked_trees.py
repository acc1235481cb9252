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

Cell = tuple[int, int]  # the span of a constituent, or (_HEAD, a word)
_HEAD = -1


def choices(tree: Derivation) -> dict[Cell, int]:
    """The head of each word, then the label id of each constituent."""
    heads = [] if tree.heads is None else tree.heads.tolist()
    nodes = [] if tree.nodes is None else tree.nodes.tolist()
    chosen = {(_HEAD, word): head for word, head in enumerate(heads)}
    spans = {(start, end): label for start, end, label in nodes if label > SUB_HEAD}
    return {**chosen, **spans}


@dataclass
class _Part:
    """The trees that have some choices and lack others; its best tree."""

    best: Derivation
    known: dict[Cell, int] = field(default_factory=dict)
    excluded: dict[Cell, set[int]] = field(default_factory=dict)

    def divide(self, second: Derivation) -> tuple["_Part", "_Part"]:
        """The part around its best tree, and the part around another."""
        ours = choices(self.best)
        theirs = choices(second)
        for cell, choice in ours.items():
            if theirs.get(cell) != choice:
                part = self._with(self.best, cell, choice)
                return part, self._without(second, cell, choice)
        cell = next(cell for cell in theirs if cell not in ours)
        part = self._without(self.best, cell, theirs[cell])
        return part, self._with(second, cell, theirs[cell])

    def _with(self, best: Derivation, cell: Cell, choice: int) -> "_Part":
        return replace(self, best=best, known={**self.known, cell: choice})

    def _without(self, best: Derivation, cell: Cell, choice: int) -> "_Part":
        excluded = {**self.excluded, cell: {choice, *self.excluded.get(cell, ())}}
        return replace(self, best=best, excluded=excluded)


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
        nodes = part.best.nodes
        starts, ends, _ = nodes[nodes[:, 2] > SUB_HEAD].T  # type: ignore[index]
        in_tree[starts, ends] = True
        heads = part.best.heads
        if self._arcs is None or heads is None:
            second_cky = next_cky(four, in_tree)
            second = None if second_cky is None else (*second_cky, heads)
        else:
            arcs = self._arcs.copy()
            for (start, word), head in part.known.items():
                if start == _HEAD:
                    arcs[word, np.arange(len(arcs)) != head] = -np.inf
            for (start, word), others in part.excluded.items():
                if start == _HEAD:
                    arcs[word, list(others)] = -np.inf
            second = next_joint(four, arcs, in_tree, heads)
        if second is None:
            return None
        total, nodes, heads = second
        return Derivation(total, _with_ids(nodes, ids), heads)

    def _labels_of(self, part: _Part) -> tuple[ndarray, ndarray]:
        """Scores and ids as `_four_labels`. In the cells of the part's best tree, the
        third label is the tree's, and the fourth the best other one."""
        four = self._four.copy()
        ids = self._ids.copy()
        tree = choices(part.best)
        for cell in {*tree, *part.excluded}:
            if cell[0] == _HEAD:
                continue
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
            if start != _HEAD:  # exclude spans that cross it, and no constituent there
                four[:start, start + 1 : end] = -np.inf
                four[start + 1 : end, end + 1 :] = -np.inf
                four[start, end, : SUB_HEAD + 1] = -np.inf
        return four, ids


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

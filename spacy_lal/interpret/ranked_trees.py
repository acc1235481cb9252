"""The trees of one sentence in the order of a decoder's objective. Numbers only: no Docs, no label strings.

The trees are divided in parts by constraints, as in Hamacher & Queyranne (1985). Of each part the best and the second
best tree are known. The best of all second best trees comes next. Its part is divided by a constituent or an arc in
which its two trees differ: each of them is the best of one half, and two searches find the second best of the halves
(`decode/next_best.pyx`). So every tree comes once, and a tree costs two searches.
"""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import numpy as np
from numpy import ndarray

from ..decode.next_best import next_cky, next_joint
from ..pipeline.constrained import AllowedCells, Charts
from ..trees import EMPTY, SUB_HEAD

Cell = Tuple[int, int]


class RankedTree(NamedTuple):
    """A tree of one sentence of n words.

    score (float): The decoder's objective, in float64.
    nodes (ndarray): Shape: (2n - 1, 3), int32: start, end, label id of the nodes of its best binarisation, in
        pre-order, with empty nodes and sub-heads.
    heads (Optional[ndarray]): Shape: (n + 1,), int32, with an entry for the root first. None without heads.
    """

    score: float
    nodes: ndarray
    heads: Optional[ndarray]

    def constituents(self) -> Dict[Cell, int]:
        """The label id of each constituent, by its span."""
        return {(start, end): label for start, end, label in self.nodes.tolist() if label > SUB_HEAD}


@dataclass
class _Part:
    """The trees that have and lack some constituents and arcs; its best tree.

    known (Dict): A label id for each constituent that they have. excluded (Dict): Label ids that they lack.
    heads (Dict): A head for each word, from 1. other_heads (Set): Arcs (dependent, head) that they lack.
    """

    best: RankedTree
    known: Dict[Cell, int] = field(default_factory=dict)
    excluded: Dict[Cell, Set[int]] = field(default_factory=dict)
    heads: Dict[int, int] = field(default_factory=dict)
    other_heads: Set[Tuple[int, int]] = field(default_factory=set)

    def having(self, best: RankedTree, cell: Cell, label: int) -> "_Part":
        return _Part(best, {**self.known, cell: label}, self.excluded, self.heads, self.other_heads)

    def lacking(self, best: RankedTree, cell: Cell, label: int) -> "_Part":
        excluded = {**self.excluded, cell: self.excluded.get(cell, set()) | {label}}
        return _Part(best, self.known, excluded, self.heads, self.other_heads)

    def with_head(self, best: RankedTree, dependent: int, head: int) -> "_Part":
        return _Part(best, self.known, self.excluded, {**self.heads, dependent: head}, self.other_heads)

    def without_head(self, best: RankedTree, dependent: int, head: int) -> "_Part":
        return _Part(best, self.known, self.excluded, self.heads, self.other_heads | {(dependent, head)})

    def divide(self, second: RankedTree) -> Tuple["_Part", "_Part"]:
        """The part around its best tree, and the part around another."""
        if self.best.heads is not None and second.heads is not None:
            differing = np.flatnonzero(self.best.heads != second.heads)
            if len(differing):
                word = int(differing[0])
                head = int(self.best.heads[word])
                return self.with_head(self.best, word, head), self.without_head(second, word, head)
        ours, theirs = self.best.constituents(), second.constituents()
        for cell, label in ours.items():
            if theirs.get(cell) != label:
                return self.having(self.best, cell, label), self.lacking(second, cell, label)
        cell, label = next((cell, label) for cell, label in theirs.items() if cell not in ours)
        return self.lacking(self.best, cell, label), self.having(second, cell, label)


class RankedTrees:
    """The trees of one sentence, best first.

    charts (Charts): The decoder's, with labels; heads are ranked where they are decoded jointly.
    cells (Optional[AllowedCells]): Constraints on all trees. None: no constraints.
    RAISES (ValueError): Nothing is to be ranked: the charts have no labels.
    """

    def __init__(self, charts: Charts, cells: Optional[AllowedCells] = None) -> None:
        if charts.labels is None:
            raise ValueError("trees are ranked by their label scores, and the parser scores no constituents")
        self._charts = charts if cells is None else charts.restricted(cells)
        self._cells = cells
        self._labels = charts.labels.astype("f8")
        self._arcs = charts.arcs.astype("f8") if charts.is_joint and charts.arcs is not None else None
        if cells is not None:
            self._labels[~cells.labels] = -np.inf
            if self._arcs is not None:
                self._arcs[~cells.arcs] = -np.inf
        # For each span: the scores of the empty label, of the sub-head, and of the best two constituents
        others = self._labels[..., SUB_HEAD + 1 :]
        first = others.argmax(-1)[..., None]
        rest = others.copy()
        np.put_along_axis(rest, first, -np.inf, axis=-1)
        second = rest.argmax(-1)[..., None]
        of_two = [np.take_along_axis(others, first, -1), np.take_along_axis(rest, second, -1)]
        self._four = np.concatenate([self._labels[..., : SUB_HEAD + 1], *of_two], axis=-1)
        self._ids = np.concatenate([np.zeros_like(first) + EMPTY, np.zeros_like(first) + SUB_HEAD, first, second], -1)
        self._ids[..., SUB_HEAD + 1 :] += SUB_HEAD + 1

    def __iter__(self) -> Iterator[RankedTree]:
        best = self._best()
        if best is None:
            return
        yield best
        waiting: List[Tuple[float, int, _Part, RankedTree]] = []
        n_found = 0

        def add(part: _Part) -> None:
            nonlocal n_found
            n_found += 1
            second = self._second(part)
            if second is not None:
                heappush(waiting, (-second.score, n_found, part, second))

        add(_Part(best))
        while waiting:
            _, _, part, found = heappop(waiting)
            yield found
            for half in part.divide(found):
                add(half)

    def _best(self) -> Optional[RankedTree]:
        """The decoder's tree; None if no tree fulfils the constraints."""
        nodes, heads = self._charts.decode()
        if nodes is None or (self._cells is not None and not self._cells.allow(nodes, heads)):
            return None
        score = float(self._labels[tuple(nodes.T)].sum())
        if self._arcs is None or heads is None:
            return RankedTree(score, nodes, None)
        return RankedTree(score + float(self._arcs[np.arange(1, len(heads)), heads[1:]].sum()), nodes, heads)

    def _second(self, part: _Part) -> Optional[RankedTree]:
        """The best tree of a part but one."""
        four, ids = self._four.copy(), self._ids.copy()
        in_tree = np.zeros(four.shape[:2], dtype=bool)
        tree = part.best.constituents()
        for cell in {*tree, *part.excluded}:
            row = self._labels[cell].copy()
            row[list(part.excluded.get(cell, ()))] = -np.inf
            first = tree[cell] if cell in tree else int(row[SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1
            four[(*cell, 2)], ids[(*cell, 2)] = row[first], first
            row[first] = -np.inf
            other = int(row[SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1
            four[(*cell, 3)], ids[(*cell, 3)] = -np.inf if cell in part.known else row[other], other
            in_tree[cell] = cell in tree
        for start, end in part.known:
            four[:start, start + 1 : end] = -np.inf
            four[start + 1 : end, end + 1 :] = -np.inf
            four[start, end, : SUB_HEAD + 1] = -np.inf
        if self._arcs is None or part.best.heads is None:
            found = next_cky(four, in_tree)
            return None if found is None else RankedTree(found[0], _with_ids(found[1], ids), None)
        arcs = self._arcs.copy()
        for word, head in part.heads.items():
            arcs[word, np.arange(len(arcs)) != head] = -np.inf
        for arc in part.other_heads:
            arcs[arc] = -np.inf
        joint = next_joint(four, arcs, in_tree, part.best.heads)
        return None if joint is None else RankedTree(joint[0], _with_ids(joint[1], ids), joint[2])


def _with_ids(nodes: ndarray, ids: ndarray) -> ndarray:
    """Nodes with label ids in the place of indices into `ids`. Shape: (2n - 1, 3), int32."""
    return np.stack([nodes[:, 0], nodes[:, 1], ids[tuple(nodes.T)]], axis=1).astype(np.int32)

"""The charts of a sentence, which decoders search, and the parses that they find.
Numbers only: no Docs, no strings."""

from collections.abc import Callable
from typing import NamedTuple, Optional

import numpy as np
from numpy import ndarray

from ..decode import cky, joint
from ..trees import ParseMethod


class DecodedParse(NamedTuple):
    """The parse of one sentence of n words.
    spans (ndarray): Start, end, label id (a whole unary chain), pre-order, real
        constituents only. Shape: (k, 3), int32.
    heads (ndarray): From 1; 0 is the root. Shape: (n,), int32.
    deprels (ndarray): Deprel ids. Shape: (n,), int32.
    method (Optional[ParseMethod]): Of decoding: together ("joint"), "separate", or in
        pieces ("split").
    score (float): The objective by which a decoder ranks parses; minus infinity where
        no parse fulfils the constraints.
    unranked (float): What the objective of a margin adds to the score: heads that are
        found separately, constituents that the heads contradict."""

    spans: ndarray
    heads: ndarray
    deprels: ndarray
    method: Optional[ParseMethod] = None
    score: float = 0.0
    unranked: float = 0.0


class Derivation(NamedTuple):
    """The trees of one sentence of n words, as the search divides them.
    score (float): Of a joint search both trees', else the constituency tree's.
    nodes (Optional[ndarray]): Start, end, label id of the nodes of a binarised tree, in
        pre-order, with empty nodes and sub-heads. Shape: (2n - 1, 3), int32.
    heads (Optional[ndarray]): With an entry for the root first. Shape: (n + 1,),
        int32."""

    score: float
    nodes: Optional[ndarray]
    heads: Optional[ndarray]


class Charts(NamedTuple):
    """The weighted scores that a decoder maximises for one sentence.
    labels (Optional[ndarray]): Shape: (n + 1, n + 1, n_labels), float32. None:
        constituents are not decoded.
    arcs (Optional[ndarray]): Shape: (n + 1, n + 1), float32. None: heads are not
        decoded.
    find_heads (Optional[Callable]): Finds the heads separately. None: both trees are
        found together."""

    labels: Optional[ndarray]
    arcs: Optional[ndarray]
    find_heads: Optional[Callable[[ndarray], ndarray]]

    def derive(self, allowed: "Optional[AllowedCells]" = None) -> Derivation:
        """The best trees; with allowed cells, those with the fewest other cells. Any
        other cell makes the score minus infinity."""
        labels, arcs, find_heads = self if allowed is None else allowed.restrict(self)
        nodes: Optional[ndarray] = None
        heads: Optional[ndarray] = None
        if find_heads is None:
            _, nodes, heads = joint(labels, arcs)  # type: ignore[arg-type]
        else:
            nodes = None if labels is None else cky(labels)[1]
            heads = None if arcs is None else find_heads(arcs)
        if allowed is not None and not allowed.allow(nodes, heads):
            return Derivation(-np.inf, nodes, heads)
        score = 0.0
        if self.labels is not None and nodes is not None:
            score += float(self.labels[tuple(nodes.T)].sum(dtype="f8"))
        if find_heads is None:
            score += self.score_of_heads(heads)
        return Derivation(score, nodes, heads)

    def score_of_heads(self, heads: Optional[ndarray]) -> float:
        """The sum of the arc scores of heads. *Shape:* (n + 1,)."""
        if self.arcs is None or heads is None:
            return 0.0
        return float(self.arcs[np.arange(1, len(heads)), heads[1:]].sum(dtype="f8"))


class AllowedCells(NamedTuple):
    """The cells of a sentence's charts that constraints leave.
    labels (ndarray): Shape: (n + 1, n + 1, n_labels), bool.
    arcs (ndarray): Shape: (n + 1, n + 1), bool, [dependent, head]."""

    labels: ndarray
    arcs: ndarray

    @classmethod
    def all(cls, n_words: int, n_labels: int) -> "AllowedCells":
        """Every cell."""
        size = n_words + 1
        labels = np.ones((size, size, n_labels), dtype=bool)
        return cls(labels, np.ones((size, size), dtype=bool))

    def allow(self, nodes: Optional[ndarray], heads: Optional[ndarray]) -> bool:
        """Whether a tree has only such cells.
        nodes (Optional[ndarray]): Shape: (k, 3).
        heads (Optional[ndarray]): Shape: (n + 1,)."""
        if nodes is not None and not self.labels[tuple(nodes.T)].all():
            return False
        words = np.arange(1, self.arcs.shape[0])
        return heads is None or bool(self.arcs[words, heads[1:]].all())

    def restrict(self, charts: Charts) -> Charts:
        """The same charts, with low scores in the cells that are not allowed. The
        decoders are exact, so their tree has as few of them as can be."""
        scored = [chart for chart in charts[:2] if chart is not None]
        largest = max((float(np.abs(chart).max()) for chart in scored), default=0.0)
        n_words = len(self.arcs) - 1
        # Two trees have at most 6n - 2 scores.
        low = np.float32(-(8.0 * largest * n_words + 1.0))
        labels, arcs = (
            None if chart is None else np.where(cells, chart, low)
            for chart, cells in zip(charts[:2], self, strict=True)
        )
        return Charts(labels, arcs, charts.find_heads)

"""The training loss of a parse and its gradient: a margin over trees, and
cross-entropies over arcs, deprels and label heads. Zhou & Zhao (2019) and the LAL
paper, Eqs. 9, 11, 12, with the weights of the authors' code
(docs/explanation/parser.md), and trees by plain CKY. Departure: the authors divide the
sum by the number of sentences. Adam is scale-invariant, but spaCy's other components
backpropagate sums over tokens to a shared encoder."""

import math
from dataclasses import dataclass
from typing import Sequence, Union

import numpy as np
from numpy import ndarray

from ..decode import cky
from ..layers.configs import FIRST_LABEL
from ..layers.input_configs import Block
from ..scores import MISSING, ParserScores, ScoresGradient, SparseGradient
from .gold import GoldParse

# Reward of each node of a candidate tree whose label is not gold (Hamming distance; Eq.
# 8).
MARGIN = 1.0
# The spans around a constituent that `label_head_loss` calls no constituent: one end is
# moved by one word. Distances of start and end.
NEIGHBOURS = (
    (-1, 0),
    (1, 0),
    (0, -1),
    (0, 1),
)


@dataclass(frozen=True)
class ParserLoss(Block):
    """The weights of a parser's losses; registered as `spacy-lal.ParserLoss.v1`.

    arc_weight, deprel_weight (float): Weights of the losses of heads and deprels,
    beside the loss of trees.
    label_head_weight (float): Weight of the loss of label heads, where the model's span
        scorer has `label_heads`.
    RAISES (ValueError): A value is negative or not finite.
    """

    arc_weight: float = 0.5
    deprel_weight: float = 0.5
    label_head_weight: float = 0.1

    def __call__(
        self, scores: Sequence[ParserScores], golds: Sequence[GoldParse]
    ) -> tuple[dict[str, float], list[ScoresGradient]]:
        """The loss of a batch of sentences, and its gradient."""
        of_spans, d_labels = span_loss(scores, golds)
        losses = {"spans": of_spans, "arcs": 0.0, "deprels": 0.0, "ties": 0.0}
        gradients = []
        for sentence, gold, d_label in zip(scores, golds, d_labels, strict=True):
            heads = gold.heads
            deprels = gold.deprels
            if (
                not sentence.has_deprels
            ):  # the arcs of a network without dependencies are zeros
                heads = np.full_like(heads, MISSING)
                deprels = np.full_like(deprels, MISSING)
            arc_loss, d_arcs = _arc_loss(sentence.arcs, heads)
            deprel_loss, d_deprels = _deprel_loss(sentence.deprels, heads, deprels)
            losses["arcs"] += self.arc_weight * arc_loss
            losses["deprels"] += self.deprel_weight * deprel_loss
            for d_scores, weight in (
                (d_arcs, self.arc_weight),
                (d_deprels, self.deprel_weight),
            ):
                values = (
                    d_scores.values
                    if isinstance(d_scores, SparseGradient)
                    else d_scores
                )
                values *= weight
            d_ties = None
            if sentence.ties is not None and gold.labels is not None:
                loss, d_ties = label_head_loss(sentence.ties, gold.labels)
                losses["ties"] += self.label_head_weight * loss
                d_ties *= self.label_head_weight
            gradients.append(ScoresGradient(d_label, d_arcs, d_deprels, d_ties))
        if not math.isfinite(sum(losses.values())):
            raise ValueError(
                f"the loss is not finite: {losses}; expected a smaller learning rate "
                "or sound vectors"
            )
        return losses, gradients


def span_loss(
    scores: Sequence[ParserScores], golds: Sequence[GoldParse]
) -> tuple[float, list[SparseGradient]]:
    """Eq. 9: the best tree's score with the margin, minus the gold tree's; not
    negative."""
    gradients = [
        SparseGradient(np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.float32))
        for _ in scores
    ]
    scored = [
        (i, sentence.labels, gold.labels)
        for i, (sentence, gold) in enumerate(zip(scores, golds, strict=True))
        if gold.labels is not None and sentence.labels.size
    ]
    charts = [labels for _, labels, _ in scored]
    gold_charts = [gold for _, _, gold in scored]
    results = cky(charts, gold=gold_charts, margin=MARGIN) if scored else []
    loss = 0.0
    for (i, labels, gold), (best, spans) in zip(scored, results, strict=True):
        gold_cells = np.nonzero(gold)
        gold_cells = (*gold_cells, gold[gold_cells])
        loss += best - float(labels[gold_cells].sum(dtype=np.float64))
        gradients[i] = _tree_gradient(
            tuple(spans[spans[:, 2] > 0].T), gold_cells, labels.shape
        )
    return loss, gradients


def _tree_gradient(
    best: tuple[ndarray, ...], gold: tuple[ndarray, ...], shape: tuple[int, ...]
) -> SparseGradient:
    """1 for nodes of the best tree alone, -1 for nodes of the gold tree alone. best,
    gold: start, end, label."""
    best_places = np.ravel_multi_index(best, shape)
    gold_places = np.ravel_multi_index(gold, shape)
    wrong = np.setdiff1d(best_places, gold_places, assume_unique=True)
    missed = np.setdiff1d(gold_places, best_places, assume_unique=True)
    cells = np.stack(np.unravel_index(np.concatenate([wrong, missed]), shape), axis=1)
    return SparseGradient(
        cells,
        np.repeat(np.array([1.0, -1.0], dtype=np.float32), [len(wrong), len(missed)]),
    )


def _arc_loss(arcs: ndarray, heads: ndarray) -> tuple[float, ndarray]:
    """Cross-entropy of each word's head among the root and all words (Eq. 11, first
    factor)."""
    gradient = np.zeros_like(arcs)
    loss, gradient[1:] = cross_entropy(arcs[1:], heads)
    return loss, gradient


def _deprel_loss(
    deprels: ndarray, heads: ndarray, gold: ndarray
) -> tuple[float, Union[ndarray, SparseGradient]]:
    """Cross-entropy of each word's deprel given its gold head (Eq. 11, second factor),
    if scores depend on it."""
    if deprels.ndim == 2:
        return _arc_loss(deprels, gold)
    words = np.flatnonzero((gold != MISSING) & (heads != MISSING))
    cells = np.stack([words + 1, heads[words]], axis=1)
    loss, d_cells = cross_entropy(deprels[tuple(cells.T)], gold[words])
    return loss, SparseGradient(cells, d_cells)


def label_head_loss(ties: ndarray, gold: ndarray) -> tuple[float, ndarray]:
    """The loss that ties a label head to its label; neither the paper nor the authors'
    code has one. Of the gold tree's spans and their neighbours (`NEIGHBOURS`), it is
    the cross-entropy of the gold label's head, under a softmax over the heads and "no
    constituent", whose score is 0."""
    starts, ends = _spans_and_neighbours(gold)
    labels = gold[starts, ends]
    # counted from 1; 0 means no constituent
    heads = np.maximum(labels - (FIRST_LABEL - 1), 0)
    n_heads = ties.shape[1]
    scores = np.zeros((len(starts), n_heads + 1), dtype=ties.dtype)
    scores[:, 1:] = ties[ends] - ties[starts]
    loss, d_scores = cross_entropy(scores, heads)
    d_ties = d_scores[:, 1:]
    gradient = np.zeros_like(ties)
    np.add.at(gradient, ends, d_ties)
    np.subtract.at(gradient, starts, d_ties)
    return loss, gradient


def _spans_and_neighbours(gold: ndarray) -> tuple[ndarray, ndarray]:
    """Starts and ends of the constituents of a chart, and of the spans around them."""
    starts, ends = np.nonzero(gold)
    chosen = gold > 0
    for d_start, d_end in NEIGHBOURS:
        start = starts + d_start
        end = ends + d_end
        is_span = (0 <= start) & (start < end) & (end < len(gold))
        chosen[start[is_span], end[is_span]] = True
    starts, ends = np.nonzero(chosen)
    return starts, ends


def cross_entropy(
    logits: ndarray, gold: ndarray, smoothing: float = 0.0
) -> tuple[float, ndarray]:
    """Cross-entropy summed over rows, and its gradient. The target is `1 - smoothing`
    for the gold label, plus `smoothing / n_labels` for every label, the gold one
    included."""
    gradient = np.zeros_like(logits)
    known = np.flatnonzero(gold != MISSING)
    if not len(known):
        return 0.0, gradient
    rows = logits[known]
    shifted = rows - rows.max(axis=1, keepdims=True)
    exps = np.exp(shifted)
    totals = exps.sum(axis=1, keepdims=True)
    log_shares = shifted - np.log(totals)
    of_gold = (np.arange(len(known)), gold[known])
    loss = -(1.0 - smoothing) * float(log_shares[of_gold].sum(dtype=np.float64))
    if smoothing:
        mean = float(log_shares.mean(axis=1).sum(dtype=np.float64))
        loss -= smoothing * mean
    d_rows = exps / totals - smoothing / logits.shape[1]
    d_rows[of_gold] -= 1.0 - smoothing
    gradient[known] = d_rows
    return loss, gradient

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
        losses = {"spans": of_spans, "arcs": 0.0, "deprels": 0.0, "label_heads": 0.0}
        gradients = []
        for sentence, gold, d_label in zip(scores, golds, d_labels, strict=True):
            heads = gold.heads
            if not sentence.has_deprels:  # arcs without dependencies are zeros
                heads = np.full_like(heads, MISSING)
            arc_loss, d_arcs = _arc_loss(sentence.arcs, heads, self.arc_weight)
            deprel_loss, d_deprels = _deprel_loss(
                sentence.deprels, heads, gold.deprels, self.deprel_weight
            )
            losses["arcs"] += arc_loss
            losses["deprels"] += deprel_loss
            d_label_heads = None
            if sentence.label_heads is not None and gold.labels is not None:
                loss, d_label_heads = label_head_loss(
                    sentence.label_heads, gold.labels, self.label_head_weight
                )
                losses["label_heads"] += loss
            gradient = ScoresGradient(d_label, d_arcs, d_deprels, d_label_heads)
            gradients.append(gradient)
        check_finite(losses)
        return losses, gradients


def check_finite(losses: dict[str, float]) -> None:
    """Check losses.

    RAISES (ValueError): A loss is infinite or no number."""
    if not math.isfinite(sum(losses.values())):
        raise ValueError(
            f"the loss is not finite: {losses}; expected a smaller learning rate or "
            "sound vectors"
        )


def span_loss(
    scores: Sequence[ParserScores], golds: Sequence[GoldParse]
) -> tuple[float, list[SparseGradient]]:
    """Eq. 9: the best tree's score with the margin, minus the gold tree's; not
    negative."""
    nothing = np.zeros((0, 3), dtype=np.int64)
    gradients = [SparseGradient(nothing, np.zeros(0, dtype=np.float32)) for _ in scores]
    scored = {
        i: (sentence.labels, gold.labels)
        for i, (sentence, gold) in enumerate(zip(scores, golds, strict=True))
        if gold.labels is not None and sentence.labels.size
    }
    loss = 0.0
    if not scored:
        return loss, gradients
    charts = [labels for labels, _ in scored.values()]
    gold_charts = [gold for _, gold in scored.values()]
    results = cky(charts, gold=gold_charts, margin=MARGIN)
    for i, (best, spans) in zip(scored, results, strict=True):
        labels, gold = scored[i]
        starts, ends = np.nonzero(gold)
        gold_cells = (starts, ends, gold[starts, ends])
        loss += best - float(labels[gold_cells].sum(dtype=np.float64))
        best_cells = tuple(spans[spans[:, 2] > 0].T)
        gradients[i] = _tree_gradient(best_cells, gold_cells, labels.shape)
    return loss, gradients


def _tree_gradient(
    best: tuple[ndarray, ...], gold: tuple[ndarray, ...], shape: tuple[int, ...]
) -> SparseGradient:
    """1 for nodes of the best tree alone, -1 for nodes of the gold tree alone. best,
    gold: start, end, label."""
    best_places = np.ravel_multi_index(best, shape)
    gold_places = np.ravel_multi_index(gold, shape)
    places = np.setxor1d(best_places, gold_places, assume_unique=True)
    cells = np.stack(np.unravel_index(places, shape), axis=1)
    signs = np.where(np.isin(places, best_places), np.float32(1), np.float32(-1))
    return SparseGradient(cells, signs)


def _arc_loss(arcs: ndarray, heads: ndarray, weight: float) -> tuple[float, ndarray]:
    """Cross-entropy of each word's head among the root and all words (Eq. 11, first
    factor)."""
    gradient = np.zeros_like(arcs)
    loss, gradient[1:] = cross_entropy(arcs[1:], heads, weight=weight)
    return loss, gradient


def _deprel_loss(
    deprels: ndarray, heads: ndarray, gold: ndarray, weight: float
) -> tuple[float, Union[ndarray, SparseGradient]]:
    """Cross-entropy of each word's deprel given its gold head (Eq. 11, second factor),
    if scores depend on it."""
    if not deprels.shape[-1]:
        return 0.0, np.zeros_like(deprels)
    if deprels.ndim == 2:
        return _arc_loss(deprels, gold, weight)
    words = np.flatnonzero((gold != MISSING) & (heads != MISSING))
    cells = np.stack([words + 1, heads[words]], axis=1)
    loss, d_cells = cross_entropy(deprels[tuple(cells.T)], gold[words], weight=weight)
    return loss, SparseGradient(cells, d_cells)


def label_head_loss(
    scores: ndarray, gold: ndarray, weight: float = 1.0
) -> tuple[float, ndarray]:
    """The loss that ties a label head to its label; neither the paper nor the authors'
    code has one. Of the gold tree's spans and their neighbours, it is the cross-entropy
    of the gold label's head, under a softmax over the heads and "no constituent", whose
    score is 0. *Shape:* scores (n + 1, n_heads)."""
    starts, ends = _spans_and_neighbours(gold)
    labels = gold[starts, ends]
    # counted from 1; 0 means no constituent
    heads = np.maximum(labels - (FIRST_LABEL - 1), 0)
    of_spans = np.pad(scores[ends] - scores[starts], [(0, 0), (1, 0)])
    loss, d_spans = cross_entropy(of_spans, heads, weight=weight)
    gradient = np.zeros_like(scores)
    np.add.at(gradient, ends, d_spans[:, 1:])
    np.subtract.at(gradient, starts, d_spans[:, 1:])
    return loss, gradient


def _spans_and_neighbours(gold: ndarray) -> tuple[ndarray, ndarray]:
    """Starts and ends of the constituents of a chart, and of the spans around them,
    where one end is moved by one word."""
    is_span = gold > 0
    framed = np.pad(is_span, 1)
    chosen = is_span | framed[2:, 1:-1] | framed[:-2, 1:-1]
    chosen |= framed[1:-1, 2:] | framed[1:-1, :-2]
    starts, ends = np.nonzero(np.triu(chosen, 1))
    return starts, ends


def cross_entropy(
    logits: ndarray, gold: ndarray, smoothing: float = 0.0, weight: float = 1.0
) -> tuple[float, ndarray]:
    """Cross-entropy summed over labels, and its gradient, both weighted. The target is
    `1 - smoothing` for the gold label, plus `smoothing / n_labels` for every label, the
    gold one included. *Shapes:* logits (..., n_labels), gold (...)."""
    gradient = np.zeros_like(logits)
    known = gold != MISSING
    rows = logits[known]
    if not len(rows):
        return 0.0, gradient
    target = np.full_like(rows, smoothing / rows.shape[1])
    target[np.arange(len(rows)), gold[known]] += 1.0 - smoothing
    shifted = rows - rows.max(axis=1, keepdims=True)
    log_shares = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    gradient[known] = weight * (np.exp(log_shares) - target)
    return -weight * float((target * log_shares).sum(dtype=np.float64)), gradient

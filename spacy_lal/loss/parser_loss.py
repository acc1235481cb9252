"""The training loss and its gradient: margin over trees, cross-entropy over arcs and deprels.

Sources: Zhou & Zhao (2019) and the LAL paper, Eqs. 9, 11, 12; the weights of the authors' code (reference-parser.md
4.1): hinge + 0.5 arcs + 0.5 deprels, summed over words and sentences. Trees are found by plain CKY with the margin,
arcs by local softmax. Training does not use the joint decoder.

Departure: the authors divide the sum by the number of sentences. Adam is scale-invariant. But spaCy's other components
backpropagate sums over tokens: to a shared encoder, the gradient of a mean over sentences would be a hundred times
smaller.
"""

import math
from dataclasses import asdict, dataclass
from typing import Dict, List, Sequence, Tuple, Union

import numpy as np

from ..decode import cky
from ..scores import ParserScores, ScoresGradient, SparseGradient
from .cross_entropy import cross_entropy
from .gold import MISSING, GoldParse
from .label_heads import label_head_loss


@dataclass(frozen=True)
class ParserLoss:
    """The weights of a parser's losses; registered as `spacy-lal.ParserLoss.v1`.

    margin (float): Reward of each node of a candidate tree whose label is not gold (Hamming distance; Eq. 8).
    span_weight, arc_weight, deprel_weight (float): Weights of the losses of trees, heads and deprels.
    label_head_weight (float): Weight of the loss of label heads, where the model's span scorer has `label_heads`.
    RAISES (ValueError): A value is negative or not finite.
    """

    margin: float = 1.0
    span_weight: float = 1.0
    arc_weight: float = 0.5
    deprel_weight: float = 0.5
    label_head_weight: float = 0.1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} of the parser's loss: expected a number of at least 0, got {value!r}")

    def __call__(
        self, scores: Sequence[ParserScores], golds: Sequence[GoldParse]
    ) -> Tuple[Dict[str, float], List[ScoresGradient]]:
        """See `parser_loss`."""
        return parser_loss(scores, golds, **asdict(self))


def parser_loss(
    scores: Sequence[ParserScores],
    golds: Sequence[GoldParse],
    *,
    margin: float = 1.0,
    span_weight: float = 1.0,
    arc_weight: float = 0.5,
    deprel_weight: float = 0.5,
    label_head_weight: float = 0.1,
    n_threads: int = 1,
) -> Tuple[Dict[str, float], List[ScoresGradient]]:
    """The loss of a batch of sentences, and its gradient.

    scores (Sequence[ParserScores]): The network's scores, one for each sentence.
    golds (Sequence[GoldParse]): The gold parses; masked parts add neither loss nor gradient.
    margin (float): Reward of each node of a candidate tree whose label is not gold (Hamming distance; Eq. 8).
    label_head_weight (float): Weight of the loss that ties label heads to labels, where the scores have ties; see
        `label_heads.py`.
    RETURNS (Tuple[Dict[str, float], List[ScoresGradient]]): The weighted losses by name (`spans`, `arcs`, `deprels`,
        `ties`), and for each sentence the gradient of their sum. The gradient of labels has only the cells in which the
        best tree and the gold tree differ. The gradient of deprels given the head has only the cells of gold heads.
    RAISES (ValueError): The numbers of gold parses and sentences differ, or a score or the loss is not finite.
    """
    if len(scores) != len(golds):
        raise ValueError(f"expected one gold parse for each of {len(scores)} sentences, got {len(golds)}")
    span_loss, d_labels = _span_loss(scores, golds, margin, n_threads)
    losses = {"spans": span_weight * span_loss, "arcs": 0.0, "deprels": 0.0, "ties": 0.0}
    gradients = []
    for sentence, gold, d_label in zip(scores, golds, d_labels, strict=True):
        heads, deprels = gold.heads, gold.deprels
        if not sentence.has_deprels:  # the arcs of a network without dependencies are zeros
            heads, deprels = np.full_like(heads, MISSING), np.full_like(deprels, MISSING)
        arc_loss, d_arcs = _arc_loss(sentence.arcs, heads)
        deprel_loss, d_deprels = _deprel_loss(sentence.deprels, heads, deprels)
        losses["arcs"] += arc_weight * arc_loss
        losses["deprels"] += deprel_weight * deprel_loss
        for d_scores, weight in ((d_label, span_weight), (d_arcs, arc_weight), (d_deprels, deprel_weight)):
            values = d_scores.values if isinstance(d_scores, SparseGradient) else d_scores
            values *= weight
        d_ties = None
        if sentence.ties is not None and gold.labels is not None:
            loss, d_ties = label_head_loss(sentence.ties, gold.labels)
            losses["ties"] += label_head_weight * loss
            d_ties *= label_head_weight
        gradients.append(ScoresGradient(d_label, d_arcs, d_deprels, d_ties))
    if not math.isfinite(sum(losses.values())):
        raise ValueError(f"the loss is not finite: {losses}; expected a smaller learning rate or sound vectors")
    return losses, gradients


def _span_loss(
    scores: Sequence[ParserScores], golds: Sequence[GoldParse], margin: float, n_threads: int
) -> Tuple[float, List[SparseGradient]]:
    """Eq. 9: the best tree's score with the margin, minus the gold tree's. It is never negative, since gold is a
    candidate."""
    gradients = [SparseGradient(np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.float32)) for _ in scores]
    scored = [
        (i, sentence.labels, gold.labels)
        for i, (sentence, gold) in enumerate(zip(scores, golds, strict=True))
        if gold.labels is not None and sentence.labels.size
    ]
    charts, gold_charts = [labels for _, labels, _ in scored], [gold for _, _, gold in scored]
    results = cky(charts, gold=gold_charts, margin=margin, n_threads=n_threads) if scored else []
    loss = 0.0
    for (i, labels, gold), (best, spans) in zip(scored, results, strict=True):
        gold_cells = np.nonzero(gold)
        gold_cells = (*gold_cells, gold[gold_cells])
        loss += best - float(labels[gold_cells].sum(dtype=np.float64))
        gradients[i] = _tree_gradient(tuple(spans[spans[:, 2] > 0].T), gold_cells, labels.shape)
    return loss, gradients


def _tree_gradient(
    best: Tuple[np.ndarray, ...], gold: Tuple[np.ndarray, ...], shape: Tuple[int, ...]
) -> SparseGradient:
    """1 for nodes of the best tree alone, -1 for nodes of the gold tree alone. best, gold: start, end, label."""
    best_places, gold_places = np.ravel_multi_index(best, shape), np.ravel_multi_index(gold, shape)
    wrong = np.setdiff1d(best_places, gold_places, assume_unique=True)
    missed = np.setdiff1d(gold_places, best_places, assume_unique=True)
    cells = np.stack(np.unravel_index(np.concatenate([wrong, missed]), shape), axis=1)
    return SparseGradient(cells, np.repeat(np.array([1.0, -1.0], dtype=np.float32), [len(wrong), len(missed)]))


def _arc_loss(arcs: np.ndarray, heads: np.ndarray) -> Tuple[float, np.ndarray]:
    """Cross-entropy of each word's head among the root and all words (Eq. 11, first factor)."""
    gradient = np.zeros_like(arcs)
    words = np.flatnonzero(heads >= 0)
    loss, gradient[words + 1] = cross_entropy(arcs[words + 1], heads[words])
    return loss, gradient


def _deprel_loss(
    deprels: np.ndarray, heads: np.ndarray, gold: np.ndarray
) -> Tuple[float, Union[np.ndarray, SparseGradient]]:
    """Cross-entropy of each word's deprel given its gold head (Eq. 11, second factor), or of the word alone if the
    scores do not depend on the head."""
    if deprels.ndim == 3:
        words = np.flatnonzero((gold >= 0) & (heads >= 0))
        cells = np.stack([words + 1, heads[words]], axis=1)
        loss, d_cells = cross_entropy(deprels[tuple(cells.T)], gold[words])
        return loss, SparseGradient(cells, d_cells)
    gradient = np.zeros_like(deprels)
    words = np.flatnonzero(gold >= 0)
    loss, gradient[words + 1] = cross_entropy(deprels[words + 1], gold[words])
    return loss, gradient

"""The training loss and its gradient: margin over trees, cross-entropy over arcs and deprels.

Zhou & Zhao (2019) and the LAL paper, Eqs. 9, 11, 12; the weights are those of the authors' code (reference-parser.md
4.1): hinge + 0.5 arcs + 0.5 deprels, summed over words and sentences. Trees are found by plain CKY with the margin,
arcs by local softmax: the joint decoder takes no part in training.

Departure: the authors divide the sum by the number of sentences. Adam does not care; but spaCy's other components send
back sums over tokens, and to an encoder that they share, a mean over sentences would be a hundred times fainter.
"""

from typing import Dict, List, Sequence, Tuple

import numpy as np

from ..decode import cky
from ..scores import ParserScores
from .gold import GoldParse


def parser_loss(
    scores: Sequence[ParserScores],
    golds: Sequence[GoldParse],
    *,
    margin: float = 1.0,
    span_weight: float = 1.0,
    arc_weight: float = 0.5,
    deprel_weight: float = 0.5,
    n_threads: int = 1,
) -> Tuple[Dict[str, float], List[ParserScores]]:
    """The loss of a batch of sentences, and its gradient.

    scores (Sequence[ParserScores]): What the network said, one for each sentence.
    golds (Sequence[GoldParse]): What it should have said; masked parts add neither loss nor gradient.
    margin (float): Reward of each node of a candidate tree whose label is not gold (Hamming distance; Eq. 8).
    RETURNS (Tuple[Dict[str, float], List[ParserScores]]): The weighted losses by name (`spans`, `arcs`, `deprels`),
        and for each sentence the gradient of their sum, in the shapes of its scores.
    RAISES (ValueError): Where there is not one gold parse for each sentence, or a score is not finite.
    """
    if len(scores) != len(golds):
        raise ValueError(f"expected one gold parse for each of {len(scores)} sentences, got {len(golds)}")
    span_loss, d_labels = _span_loss(scores, golds, margin, n_threads)
    losses = {"spans": span_weight * span_loss, "arcs": 0.0, "deprels": 0.0}
    gradients = []
    for sentence, gold, d_label in zip(scores, golds, d_labels, strict=True):
        d_label *= span_weight
        arc_loss, d_arcs = _arc_loss(sentence.arcs, gold.heads)
        deprel_loss, d_deprels = _deprel_loss(sentence.deprels, gold.heads, gold.deprels)
        losses["arcs"] += arc_weight * arc_loss
        losses["deprels"] += deprel_weight * deprel_loss
        d_arcs *= arc_weight
        d_deprels *= deprel_weight
        gradients.append(ParserScores(d_label, d_arcs, d_deprels))
    return losses, gradients


def _span_loss(
    scores: Sequence[ParserScores], golds: Sequence[GoldParse], margin: float, n_threads: int
) -> Tuple[float, List[np.ndarray]]:
    """Eq. 9: the best tree with the margin, less the gold tree. It is never negative, since gold is a candidate."""
    gradients = [np.zeros_like(sentence.labels) for sentence in scores]
    scored = [
        (sentence.labels, gold.labels, gradient)
        for sentence, gold, gradient in zip(scores, golds, gradients, strict=True)
        if gold.labels is not None and sentence.labels.size
    ]
    charts, gold_charts = [labels for labels, _, _ in scored], [gold for _, gold, _ in scored]
    results = cky(charts, gold=gold_charts, margin=margin, n_threads=n_threads) if scored else []
    loss = 0.0
    for (labels, gold, gradient), (best, spans) in zip(scored, results, strict=True):
        gold_cells = np.nonzero(gold)
        gold_ids = gold[gold_cells]
        loss += best - float(labels[(*gold_cells, gold_ids)].sum(dtype=np.float64))
        spans = spans[spans[:, 2] > 0]
        gradient[spans[:, 0], spans[:, 1], spans[:, 2]] += 1.0
        gradient[(*gold_cells, gold_ids)] -= 1.0
    return loss, gradients


def _arc_loss(arcs: np.ndarray, heads: np.ndarray) -> Tuple[float, np.ndarray]:
    """Cross-entropy of each word's head among the root and all words (Eq. 11, first factor)."""
    gradient = np.zeros_like(arcs)
    words = np.flatnonzero(heads >= 0)
    loss, gradient[words + 1] = _cross_entropy(arcs[words + 1], heads[words])
    return loss, gradient


def _deprel_loss(deprels: np.ndarray, heads: np.ndarray, gold: np.ndarray) -> Tuple[float, np.ndarray]:
    """Cross-entropy of each word's deprel given its gold head (Eq. 11, second factor); of the word alone where the
    scores do not depend on the head."""
    gradient = np.zeros_like(deprels)
    given_head = deprels.ndim == 3
    words = np.flatnonzero((gold >= 0) & (heads >= 0) if given_head else gold >= 0)
    rows = (words + 1, heads[words]) if given_head else (words + 1,)
    loss, gradient[rows] = _cross_entropy(deprels[rows], gold[words])
    return loss, gradient


def _cross_entropy(logits: np.ndarray, gold: np.ndarray) -> Tuple[float, np.ndarray]:
    """Summed over rows. logits: (n, n_classes); gold: (n,)."""
    if not len(gold):
        return 0.0, logits
    rows = np.arange(len(gold))
    shifted = logits - logits.max(axis=1, keepdims=True)
    exps = np.exp(shifted)
    totals = exps.sum(axis=1, keepdims=True)
    loss = float((np.log(totals[:, 0]) - shifted[rows, gold]).sum(dtype=np.float64))
    gradient = exps / totals
    gradient[rows, gold] -= 1.0
    return loss, gradient

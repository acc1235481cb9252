"""The loss of scores against a teacher's scores, and its gradient.

For each word, the loss is the Kullback-Leibler divergence over heads, and over deprels given the teacher's best head
(Hinton et al. 2015, "Distilling the Knowledge in a Neural Network", at temperature 1). Label scores are trained with a
margin and are no log probabilities, so they are matched directly (Ba & Caruana 2014, "Do Deep Nets Really Need to be
Deep?"). Their loss is the squared error, linear from 1 on, of the cells where either score is above 0, the empty
label's score, minus the margin. Cells on which both agree confidently, nearly all of a chart, are skipped.
"""

from typing import List, Sequence, Tuple, Union

import numpy as np
from numpy import ndarray

from spacy_lal.loss.parser import MARGIN
from spacy_lal.scores import ParserScores, ScoresGradient, SparseGradient


def distillation_loss(
    scores: Sequence[ParserScores],
    targets: Sequence[ParserScores],
    *,
    span_weight: float = 1.0,
    arc_weight: float = 0.5,
    deprel_weight: float = 0.5,
) -> Tuple[float, List[ScoresGradient]]:
    """The loss of a network's scores against a teacher's, and its gradient.

    scores, targets (Sequence[ParserScores]): Scores of the network and of the teacher, one for each sentence, of equal
        shapes.
    RETURNS (Tuple[float, List[ScoresGradient]]): The weighted sum, and the gradient for each sentence.
    RAISES (ValueError): The shapes are not equal.
    """
    total, gradients = 0.0, []
    for ours, theirs in zip(scores, targets, strict=True):
        shapes = [[array.shape for array in (one.labels, one.arcs, one.deprels)] for one in (ours, theirs)]
        if shapes[0] != shapes[1]:
            raise ValueError(f"expected scores of a teacher of shapes {shapes[0]}, got {shapes[1]}")
        span_loss, d_labels = _label_loss(ours.labels, theirs.labels)
        arc_loss, d_words = divergence(ours.arcs[1:], theirs.arcs[1:])
        d_arcs = np.zeros_like(ours.arcs)
        d_arcs[1:] = arc_weight * d_words
        words = np.arange(1, len(ours.arcs))
        cells = (words,) if ours.deprels.ndim == 2 else (words, theirs.arcs[1:].argmax(axis=1))
        deprel_loss, d_deprels = divergence(ours.deprels[cells], theirs.deprels[cells])
        d_labels.values[...] *= span_weight
        d_deprels *= deprel_weight
        gradients.append(ScoresGradient(d_labels, d_arcs, _as_deprels(ours.deprels, cells, d_deprels)))
        total += span_weight * span_loss + arc_weight * arc_loss + deprel_weight * deprel_loss
    return total, gradients


def divergence(ours: ndarray, theirs: ndarray) -> Tuple[float, ndarray]:
    """The divergence of the softmax of `ours` from the softmax of `theirs`, summed over rows, and its gradient with
    respect to `ours`. *Shapes:* (n, n_classes)."""
    if not ours.size:
        return 0.0, np.zeros_like(ours)
    log_ours, log_theirs = log_softmax(ours), log_softmax(theirs)
    wanted = np.exp(log_theirs)
    return float((wanted * (log_theirs - log_ours)).sum(dtype=np.float64)), np.exp(log_ours) - wanted


def log_softmax(scores: ndarray) -> ndarray:
    """Log probabilities of scores, along the last axis. *Shapes:* (..., n)."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _label_loss(ours: ndarray, theirs: ndarray) -> Tuple[float, SparseGradient]:
    counts = np.maximum(ours, theirs) > -MARGIN
    counts[np.tril_indices(len(counts))] = False  # no spans
    counts[..., :1] = False  # the empty label
    errors = ours[counts] - theirs[counts]
    gradient = errors.clip(-1, 1)
    loss = float((gradient * (errors - gradient / 2)).sum(dtype=np.float64))
    return loss, SparseGradient(np.argwhere(counts), gradient)


def _as_deprels(deprels: ndarray, cells: Tuple[ndarray, ...], gradient: ndarray) -> Union[ndarray, SparseGradient]:
    if deprels.ndim == 3:
        return SparseGradient(np.stack(cells, axis=1), gradient)
    dense = np.zeros_like(deprels)
    dense[cells] = gradient
    return dense


def add_gradients(first: ScoresGradient, second: ScoresGradient) -> ScoresGradient:
    """The sum of the gradients of two losses of one sentence, with the ties of the first."""
    labels = _join(first.labels, second.labels)
    deprels: Union[ndarray, SparseGradient]
    if isinstance(first.deprels, ndarray) and isinstance(second.deprels, ndarray):
        deprels = first.deprels + second.deprels
    else:
        deprels = _join(first.deprels, second.deprels)  # type: ignore[arg-type]  # both are sparse, or neither
    return ScoresGradient(labels, first.arcs + second.arcs, deprels, first.ties)


def _join(first: SparseGradient, second: SparseGradient) -> SparseGradient:
    return SparseGradient(np.concatenate([first.cells, second.cells]), np.concatenate([first.values, second.values]))

"""The loss of scores against other scores, those of a teacher, and its gradient.

Of each word the Kullback-Leibler divergence of the distribution over heads, and of that over deprels given the head
which the teacher prefers (Hinton et al. 2015, "Distilling the Knowledge in a Neural Network", at temperature 1). Scores
of labels were taught by a margin and are no logarithms of probabilities, so these are matched as they are (Ba & Caruana
2014, "Do Deep Nets Really Need to be Deep?"): squared errors, linear from 1 on, where either has a label within the
margin of the empty one, whose score is 0. What both are sure of, and that is nearly all of a chart, says nothing.
"""

from typing import List, Sequence, Tuple, Union

import numpy as np
from numpy import ndarray

from ..scores import ParserScores, ScoresGradient, SparseGradient


def distillation_loss(
    scores: Sequence[ParserScores],
    targets: Sequence[ParserScores],
    *,
    margin: float = 1.0,
    span_weight: float = 1.0,
    arc_weight: float = 0.5,
    deprel_weight: float = 0.5,
) -> Tuple[float, List[ScoresGradient]]:
    """How far what a network says of some sentences is from what a teacher says, and the gradient of that.

    scores, targets (Sequence[ParserScores]): Of the network and of the teacher, one for each sentence, of equal shapes.
    margin (float): The labels that count are those which either scores above minus this.
    RETURNS (Tuple[float, List[ScoresGradient]]): The weighted sum; for each sentence the gradient.
    RAISES (ValueError): Where they are not of equal shapes.
    """
    total, gradients = 0.0, []
    for ours, theirs in zip(scores, targets, strict=True):
        shapes = [[array.shape for array in (one.labels, one.arcs, one.deprels)] for one in (ours, theirs)]
        if shapes[0] != shapes[1]:
            raise ValueError(f"expected scores of a teacher of shapes {shapes[0]}, got {shapes[1]}")
        span_loss, d_labels = _label_loss(ours.labels, theirs.labels, margin)
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
    """The divergence of the softmax of some scores from that of others, summed over rows, and its gradient with respect
    to the former. *Shapes:* (n, n_classes)."""
    if not ours.size:
        return 0.0, np.zeros_like(ours)
    log_ours, log_theirs = log_softmax(ours), log_softmax(theirs)
    wanted = np.exp(log_theirs)
    return float((wanted * (log_theirs - log_ours)).sum(dtype=np.float64)), np.exp(log_ours) - wanted


def log_softmax(scores: ndarray) -> ndarray:
    """Logarithms of the probabilities that scores stand for, along the last axis. *Shapes:* (..., n)."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _label_loss(ours: ndarray, theirs: ndarray, margin: float) -> Tuple[float, SparseGradient]:
    counts = np.maximum(ours, theirs) > -margin
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
    """The sum of the gradients of two losses of one sentence; ties are the first's."""
    labels = _join(first.labels, second.labels)
    deprels: Union[ndarray, SparseGradient]
    if isinstance(first.deprels, ndarray) and isinstance(second.deprels, ndarray):
        deprels = first.deprels + second.deprels
    else:
        deprels = _join(first.deprels, second.deprels)  # type: ignore[arg-type]  # both are sparse, or neither
    return ScoresGradient(labels, first.arcs + second.arcs, deprels, first.ties)


def _join(first: SparseGradient, second: SparseGradient) -> SparseGradient:
    return SparseGradient(np.concatenate([first.cells, second.cells]), np.concatenate([first.values, second.values]))

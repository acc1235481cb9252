"""The loss that ties a label head to its label: by its own block, it must tell its label's spans from others.

Neither the paper nor the authors' code has one; see `layers/scorers/label_head_scorer.py` for what is scored. The spans are those of
the gold tree, and of each its neighbours that are no constituents: an end moved by one word. Over the heads and "no
constituent", whose score is 0, stands a softmax, and the cross-entropy of the head of the gold label is the loss.
"""

from typing import Tuple

import numpy as np
from numpy import ndarray

from ..layers.scorers.label_head_scorer import FIRST_LABEL
from .cross_entropy import cross_entropy


def label_head_loss(ties: ndarray, gold: ndarray) -> Tuple[float, ndarray]:
    """The loss of a sentence of n words, summed over spans, and its gradient.

    ties (ndarray): Shape: (n + 1, n_label_heads). What each head says of each fencepost.
    gold (ndarray): Shape: (n + 1, n + 1). The label id of each span, 0 where there is no constituent.
    RETURNS (Tuple[float, ndarray]): The loss, and its gradient with respect to `ties`.
    """
    starts, ends, heads = _spans(gold)
    scores = np.zeros((len(starts), ties.shape[1] + 1), dtype=ties.dtype)
    scores[:, 1:] = ties[ends] - ties[starts]
    loss, d_scores = cross_entropy(scores, heads)
    gradient = np.zeros_like(ties)
    np.add.at(gradient, ends, d_scores[:, 1:])
    np.subtract.at(gradient, starts, d_scores[:, 1:])
    return loss, gradient


def _spans(gold: ndarray) -> Tuple[ndarray, ndarray, ndarray]:
    """Start, end and head of the spans of the loss; heads count from 1, 0 is for no constituent."""
    starts, ends = np.nonzero(gold)
    near = np.zeros(gold.shape, dtype=bool)
    for d_start, d_end in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        i, j = starts + d_start, ends + d_end
        inside = (i >= 0) & (i < j) & (j < len(gold))
        near[i[inside], j[inside]] = True
    starts, ends = np.nonzero(near | (gold > 0))
    return starts, ends, np.maximum(gold[starts, ends] - (FIRST_LABEL - 1), 0)

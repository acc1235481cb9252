"""The loss that ties a label head to its label: its own block must tell its label's spans from other spans.

Neither the paper nor the authors' code has such a loss; `layers/scorers/label_head_scorer.py` makes the scores. The
spans are the gold tree's spans and their neighbours (one end moved by one word) that are no constituents. The loss is
the cross-entropy of the gold label's head, under a softmax over the heads and "no constituent", whose score is 0.
"""

from typing import Tuple

import numpy as np
from numpy import ndarray

from ..layers.configs import FIRST_LABEL
from .cross_entropy import cross_entropy


def label_head_loss(ties: ndarray, gold: ndarray) -> Tuple[float, ndarray]:
    """The loss of a sentence of n words, summed over spans, and its gradient.

    ties (ndarray): Shape: (n + 1, n_label_heads). Each head's score of each fencepost.
    gold (ndarray): Shape: (n + 1, n + 1). The label id of each span, 0 for no constituent.
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
    """Start, end and head of the spans of the loss; heads count from 1, 0 means no constituent."""
    starts, ends = np.nonzero(gold)
    near = np.zeros(gold.shape, dtype=bool)
    for d_start, d_end in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        i, j = starts + d_start, ends + d_end
        inside = (i >= 0) & (i < j) & (j < len(gold))
        near[i[inside], j[inside]] = True
    starts, ends = np.nonzero(near | (gold > 0))
    return starts, ends, np.maximum(gold[starts, ends] - (FIRST_LABEL - 1), 0)

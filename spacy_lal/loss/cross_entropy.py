"""Cross-entropy of scores, and its gradient, in numpy."""

from typing import Tuple

import numpy as np
from numpy import ndarray


def cross_entropy(logits: ndarray, gold: ndarray) -> Tuple[float, ndarray]:
    """Cross-entropy summed over rows, and its gradient. logits: (n, n_classes); gold: (n,)."""
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

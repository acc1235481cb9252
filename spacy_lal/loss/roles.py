"""The loss of semantic roles (reference-srl.md 1.5 to 1.8 and 3). *Not* here: gold annotation (`gold_roles.py`)."""

from dataclasses import dataclass, fields
from typing import Callable, Dict, List, Sequence, Tuple

import numpy as np
from numpy import ndarray

from ..role_scores import MISSING, GoldRoles, RoleScores


def smoothed_cross_entropy(logits: ndarray, gold: ndarray, smoothing: float = 0.0) -> Tuple[float, ndarray]:
    """Cross-entropy summed over rows, and its gradient. The target is `1 - smoothing` for the gold label, plus
    `smoothing / n_labels` for every label, the gold one included.

    logits (ndarray): Shape: (n, n_labels).
    gold (ndarray): Gold labels; rows with -1 have neither loss nor gradient. Shape: (n,).
    smoothing (float): In [0, 1).
    RETURNS (Tuple[float, ndarray]): The loss, and the gradient in the shape of the logits.
    """
    gradient = np.zeros_like(logits)
    known = np.flatnonzero(gold != MISSING)
    if not len(known):
        return 0.0, gradient
    rows = logits[known]
    shifted = rows - rows.max(axis=1, keepdims=True)
    exps = np.exp(shifted)
    totals = exps.sum(axis=1, keepdims=True)
    logs = np.log(totals)
    places = np.arange(len(known))
    found = shifted[places, gold[known]] - logs[:, 0]
    loss = -(1.0 - smoothing) * float(found.sum(dtype=np.float64))
    if smoothing:
        loss -= smoothing * float((shifted - logs).mean(axis=1).sum(dtype=np.float64))
    targets = exps / totals - smoothing / logits.shape[1]
    targets[places, gold[known]] -= 1.0 - smoothing
    gradient[known] = targets
    return loss, gradient


@dataclass(frozen=True)
class RolesLoss:
    """A weighted sum of cross-entropies: of predicates, heads and deprels, averaged over words; of role tags, averaged
    over pairs of predicate and word, or of roles of ranges, summed over the ranges and averaged over predicates; of
    rolesets, averaged over predicates. Masked labels do not count.

    predicate_weight (float): Weight of the predicates.
    arc_weight (float): Weight of the heads.
    deprel_weight (float): Weight of the deprels, given gold heads.
    role_weight (float): Weight of the role tags or of the roles of ranges.
    roleset_weight (float): Weight of the rolesets.
    label_smoothing (float): Smoothing of roles, in [0, 1).
    RAISES (ValueError): A weight is negative, or the smoothing is out of range.
    """

    predicate_weight: float = 1.0
    arc_weight: float = 1.0
    deprel_weight: float = 0.1
    role_weight: float = 1.0
    roleset_weight: float = 0.5
    label_smoothing: float = 0.1

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value < float("inf"):
                raise ValueError(f"{field.name}: expected a finite number of 0 or more, got {value!r}")
        if self.label_smoothing >= 1.0:
            raise ValueError(f"label_smoothing: expected a number in [0, 1), got {self.label_smoothing!r}")

    def __call__(
        self, scores: Sequence[RoleScores], golds: Sequence[GoldRoles]
    ) -> Tuple[Dict[str, float], List[RoleScores]]:
        """The loss of a batch of sentences, and its gradient.

        scores (Sequence[RoleScores]): Scores of each sentence, for its gold predicates.
        golds (Sequence[GoldRoles]): The gold annotation of each sentence.
        RETURNS (Tuple[Dict[str, float], List[RoleScores]]): The weighted loss of each task, and the gradients.
        RAISES (ValueError): The loss is not finite, or scores are of other predicates than the gold ones.
        """
        for one, gold in zip(scores, golds, strict=True):
            if not np.array_equal(one.rows, gold.rows):
                raise ValueError(
                    f"expected scores of the gold predicates {gold.rows.tolist()}, got {one.rows.tolist()}"
                )
        losses: Dict[str, float] = {}
        gradients: Dict[str, List[ndarray]] = {}
        smoothing = self.label_smoothing
        n_predicates = sum(len(gold.rows) for gold in golds)
        tasks: Dict[str, Tuple[float, Callable[[RoleScores, GoldRoles], ndarray], float]] = {
            "predicates": (self.predicate_weight, lambda _, gold: gold.predicates, 0.0),
            "arcs": (self.arc_weight, lambda _, gold: gold.heads, 0.0),
            "deprels": (self.deprel_weight, lambda _, gold: np.where(gold.heads < 0, MISSING, gold.deprels), 0.0),
            "tags": (self.role_weight, lambda _, gold: gold.tags, smoothing),
            # scores of ranges come with the ranges
            "spans": (self.role_weight, lambda one, gold: gold.span_roles(one.ranges), smoothing),  # type: ignore[arg-type]
            "rolesets": (self.roleset_weight, lambda _, gold: gold.rolesets, 0.0),
        }
        for task, (weight, labels, smooth) in tasks.items():
            if all(getattr(one, task) is not None for one in scores):
                found = [labels(*pair) for pair in zip(scores, golds, strict=True)]
                items = [getattr(one, task) for one in scores]
                count = n_predicates if task == "spans" else sum(int((one != MISSING).sum()) for one in found)
                losses[task], gradients[task] = _scaled(items, found, weight / max(1, count), smooth)
        total = sum(losses.values())
        if not np.isfinite(total):
            raise ValueError(f"the loss is not finite: {losses}; expected a smaller learning rate or sound vectors")
        d_scores = [
            one._replace(**{task: grads[i] for task, grads in gradients.items()}) for i, one in enumerate(scores)
        ]
        return losses, d_scores


def _scaled(
    scores: Sequence[ndarray], golds: Sequence[ndarray], scale: float, smoothing: float
) -> Tuple[float, List[ndarray]]:
    """The sum over all labels that are not masked, times `scale`, and its gradients."""
    loss, gradients = 0.0, []
    for one, gold in zip(scores, golds, strict=True):
        part, gradient = smoothed_cross_entropy(one.reshape(-1, one.shape[-1]), gold.reshape(-1), smoothing)
        loss += part * scale
        gradients.append((gradient * np.float32(scale)).reshape(one.shape))
    return loss, gradients

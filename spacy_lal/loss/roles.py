"""The loss of semantic roles (Strubell et al. 2018; docs/explanation/roles.md). Missing
annotation is masked."""

from dataclasses import dataclass
from typing import Callable, Sequence

import numpy as np
from numpy import ndarray

from ..layers.input_configs import Block
from ..scores import MISSING, GoldRoles, RoleScores
from .parser import cross_entropy

DEPREL_WEIGHT = 0.1  # of deprels, given gold heads, beside heads and roles (LISA)


@dataclass(frozen=True)
class RolesLoss(Block):
    """A weighted sum of cross-entropies: of predicates, heads and deprels, averaged
    over words; of role tags, averaged over pairs of predicate and word, or of roles of
    ranges, summed over the ranges and averaged over predicates; of rolesets, averaged
    over predicates. Masked labels do not count.

    predicate_weight (float): Weight of the predicates.
    roleset_weight (float): Weight of the rolesets. Roles and heads have weight 1,
        deprels (given gold heads) 0.1.
    label_smoothing (float): Smoothing of roles, in [0, 1).
    RAISES (ValueError): A weight is negative, or the smoothing is out of range.
    """

    predicate_weight: float = 1.0
    roleset_weight: float = 0.5
    label_smoothing: float = 0.1

    def __call__(
        self, scores: Sequence[RoleScores], golds: Sequence[GoldRoles]
    ) -> tuple[dict[str, float], list[RoleScores]]:
        """The loss of a batch of sentences, and its gradient."""
        losses: dict[str, float] = {}
        gradients: dict[str, list[ndarray]] = {}
        smoothing = self.label_smoothing
        n_predicates = sum(len(gold.rows) for gold in golds)
        tasks: dict[
            str, tuple[float, Callable[[RoleScores, GoldRoles], ndarray], float]
        ] = {
            "predicates": (self.predicate_weight, lambda _, gold: gold.predicates, 0.0),
            "arcs": (1.0, lambda _, gold: gold.heads, 0.0),
            "deprels": (
                DEPREL_WEIGHT,
                lambda _, gold: np.where(gold.heads < 0, MISSING, gold.deprels),
                0.0,
            ),
            "tags": (1.0, lambda _, gold: gold.tags, smoothing),
            "spans": (1.0, _scored_roles, smoothing),
            "rolesets": (self.roleset_weight, lambda _, gold: gold.rolesets, 0.0),
        }
        for task, (weight, labels, smooth) in tasks.items():
            if all(getattr(sentence, task) is not None for sentence in scores):
                labels_of = [labels(*pair) for pair in zip(scores, golds, strict=True)]
                items = [getattr(sentence, task) for sentence in scores]
                count = (
                    n_predicates
                    if task == "spans"
                    else sum(int((sentence != MISSING).sum()) for sentence in labels_of)
                )
                scale = weight / max(1, count)
                parts = [
                    cross_entropy(
                        item.reshape(-1, item.shape[-1]), gold.reshape(-1), smooth
                    )
                    for item, gold in zip(items, labels_of, strict=True)
                ]
                losses[task] = scale * sum(loss for loss, _ in parts)
                gradients[task] = [
                    (gradient * np.float32(scale)).reshape(item.shape)
                    for item, (_, gradient) in zip(items, parts, strict=True)
                ]
        total = sum(losses.values())
        if not np.isfinite(total):
            raise ValueError(
                f"the loss is not finite: {losses}; expected a smaller learning rate "
                "or sound vectors"
            )
        d_scores = [
            sentence._replace(**{task: grads[i] for task, grads in gradients.items()})
            for i, sentence in enumerate(scores)
        ]
        return losses, d_scores


def _scored_roles(scores: RoleScores, gold: GoldRoles) -> ndarray:
    """The gold roles of candidates; a candidate too far from a predicate is masked."""
    roles = gold.span_roles(scores.ranges)  # type: ignore[arg-type]
    is_scored = scores.spans[..., -1] > -np.inf  # type: ignore[index]
    return np.where(is_scored, roles, MISSING)

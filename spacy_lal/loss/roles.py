"""The loss of semantic roles (Strubell et al. 2018; docs/explanation/roles.md). Missing
annotation is masked."""

from dataclasses import dataclass
from typing import Sequence

import numpy as np
from numpy import ndarray

from ..layers.input_configs import Block
from ..scores import MISSING, GoldRoles, RoleScores
from .parser import check_finite, cross_entropy

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
        tasks = {
            "predicates": (self.predicate_weight, lambda _, gold: gold.predicates),
            "arcs": (1.0, lambda _, gold: gold.heads),
            "deprels": (DEPREL_WEIGHT, _labelled_arcs),
            "tags": (1.0, lambda _, gold: gold.tags),
            "spans": (1.0, _scored_roles),
            "rolesets": (self.roleset_weight, lambda _, gold: gold.rolesets),
        }
        for task, (weight, labels_of) in tasks.items():
            items = [getattr(sentence, task) for sentence in scores]
            if any(item is None for item in items):
                continue
            labels = [labels_of(*pair) for pair in zip(scores, golds, strict=True)]
            count = sum(int((ids != MISSING).sum()) for ids in labels)
            if task == "spans":
                count = sum(len(gold.rows) for gold in golds)
            scale = weight / max(1, count)
            smoothing = self.label_smoothing if task in ("tags", "spans") else 0.0
            parts = [
                cross_entropy(item, ids, smoothing, scale)
                for item, ids in zip(items, labels, strict=True)
            ]
            losses[task] = sum(loss for loss, _ in parts)
            gradients[task] = [gradient for _, gradient in parts]
        check_finite(losses)
        d_scores = [
            sentence._replace(**{task: grads[i] for task, grads in gradients.items()})
            for i, sentence in enumerate(scores)
        ]
        return losses, d_scores


def _labelled_arcs(scores: RoleScores, gold: GoldRoles) -> ndarray:
    return np.where(gold.heads < 0, MISSING, gold.deprels)


def _scored_roles(scores: RoleScores, gold: GoldRoles) -> ndarray:
    """The gold roles of candidates; a candidate too far from a predicate is masked."""
    roles = gold.span_roles(scores.ranges)  # type: ignore[arg-type]
    is_scored = scores.spans[..., -1] > -np.inf  # type: ignore[index]
    return np.where(is_scored, roles, MISSING)

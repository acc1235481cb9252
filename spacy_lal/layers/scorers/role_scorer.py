"""Scores of role tags for pairs of predicate and token (Strubell et al. 2018, section 2.4; reference-srl.md 1.8)."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu, pad

from ..dropout import FeatureDropout
from ..roles.configs import RoleScorerConfig

SLOPE = 0.1


class ScoredRoles(NamedTuple):
    """The scores of roles for F predicates.

    predicates (Tensor): The vector of each predicate. *Shape:* (F, predicate_width).
    tags (Tensor): *Shape:* (F, seq_len, n_tags).
    """

    predicates: Tensor
    tags: Tensor


class RoleScorer(nn.Module):
    """A bilinear scorer: `[predicate, 1] @ U_tag @ [token, 1]`.

    config (RoleScorerConfig): The options.
    hidden_width (int): Width of positions.
    n_tags (int): Number of BIO tags.
    """

    n_constants = 1  # the reference has two on each side, one of them redundant

    def __init__(self, config: RoleScorerConfig, hidden_width: int, n_tags: int) -> None:
        super().__init__()
        self.widths = (config.predicate_width, config.role_width)
        self.projection = nn.Linear(hidden_width, sum(self.widths))
        shape = (self.widths[0] + self.n_constants, n_tags, self.widths[1] + self.n_constants)
        self.bilinear = nn.Parameter(torch.zeros(shape))
        self.input_dropout = FeatureDropout(config.dropout)
        self.dropout = FeatureDropout(config.dropout)
        nn.init.orthogonal_(self.projection.weight)
        nn.init.zeros_(self.projection.bias)

    def forward(self, positions: Tensor, rows: Tensor) -> ScoredRoles:
        """Score the tags of every token of a predicate's sentence.

        positions (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        rows (Tensor): Sentence and token of each predicate. *Shape:* (F, 2), int64.
        RETURNS (ScoredRoles): The scores. Tags beyond a sentence's end are meaningless.
        """
        features = leaky_relu(self.projection(self.input_dropout(positions)), SLOPE)
        predicates, tokens = features.split(self.widths, dim=-1)
        predicate = self.dropout(predicates[rows[:, 0], rows[:, 1]].unsqueeze(1))
        ones = (0, self.n_constants)
        token = pad(self.dropout(tokens[rows[:, 0]]), ones, value=1.0)
        width, n_tags, role_width = self.bilinear.shape
        seen = pad(predicate.squeeze(1), ones, value=1.0) @ self.bilinear.reshape(width, -1)
        tags = token @ seen.view(-1, n_tags, role_width).transpose(1, 2)
        return ScoredRoles(predicate.squeeze(1), tags)

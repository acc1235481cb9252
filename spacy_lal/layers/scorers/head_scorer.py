"""Arcs and deprels of the semantic-role network (reference-srl.md 1.6 and 1.7). *Not* here: the parser's scorer of
arcs, whose root is an extra position."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu, pad

from ..dropout import FeatureDropout

SLOPE = 0.1


class HeadScores(NamedTuple):
    """Scores of arcs, and the features of deprels.

    arcs (Tensor): [dependent, head]; a root is its own head. *Shape:* (batch_size, seq_len, seq_len).
    dependents, heads (Tensor): What deprels are scored from. *Shapes:* (batch_size, seq_len, deprel_width).
    """

    arcs: Tensor
    dependents: Tensor
    heads: Tensor


class HeadScorer(nn.Module):
    """Biaffine scorer of heads, and of deprels given a head.

    hidden_width (int): Width of positions.
    arc_width, deprel_width (int): Width of the features of arcs and of deprels.
    n_deprels (int): Deprels.
    dropout (float): Feature dropout on the input and on all features.
    """

    n_constants = 1  # on each side of a deprel; the reference has two

    def __init__(self, hidden_width: int, arc_width: int, deprel_width: int, n_deprels: int, dropout: float) -> None:
        super().__init__()
        self.widths = (arc_width, deprel_width)
        self.projection = nn.Linear(hidden_width, 2 * sum(self.widths))
        self.arc_bilinear = nn.Parameter(torch.zeros(arc_width + 1, arc_width))
        side = deprel_width + self.n_constants
        self.deprel_bilinear = nn.Parameter(torch.zeros(side, n_deprels, side))
        self.dropout = FeatureDropout(dropout)
        nn.init.orthogonal_(self.projection.weight)
        nn.init.zeros_(self.projection.bias)

    def forward(self, positions: Tensor, padding: Tensor) -> HeadScores:
        """Score arcs.

        positions (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        """
        features = leaky_relu(self.projection(self.dropout(positions)), SLOPE)
        arc, deprel = self.widths
        dep_arc, dep_deprel, head_arc, head_deprel = features.split([arc, deprel, arc, deprel], dim=-1)
        seen = pad(self.dropout(dep_arc), (0, 1), value=1.0) @ self.arc_bilinear
        return HeadScores(seen @ self.dropout(head_arc).transpose(1, 2), dep_deprel, head_deprel)

    def score_deprels(self, dependents: Tensor, heads: Tensor, head_of: Tensor) -> Tensor:
        """Score deprels given heads.

        dependents, heads (Tensor): From `HeadScores`. *Shapes:* (batch_size, seq_len, deprel_width).
        head_of (Tensor): The head of each word, from 0; below 0 counts as 0. *Shape:* (batch_size, seq_len), int64.
        RETURNS (Tensor): *Shape:* (batch_size, seq_len, n_deprels).
        """
        ones = (0, self.n_constants)
        dependent = pad(self.dropout(dependents), ones, value=1.0)
        head = pad(self.dropout(heads), ones, value=1.0)
        index = head_of.clamp(min=0).unsqueeze(-1).expand(-1, -1, head.shape[-1])
        return torch.einsum("bti,inj,btj->btn", dependent, self.deprel_bilinear, head.gather(1, index))

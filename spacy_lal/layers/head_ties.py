"""Scores of spans by one label head each: what ties a head to the label whose name it has.

In the paper nothing does: a head is called by a label because there are as many of both. Here head l says of a span, by
its own block of the span's vector alone, whether the span has label l: t_l(i, j) = u_l . (b_l(j) - b_l(i)), with b_l
the block of a fencepost. It is added to the score of label l, and a loss on it alone (`training/head_ties.py`) makes
each block tell its label's spans from others.
"""

import torch
from torch import Tensor, nn

from .fenceposts import block_columns
from .network_config import NetworkConfig

FIRST_LABEL = 2  # label 2 is head 0's: the empty label and that of sub-heads have no heads


class HeadTies(nn.Module):
    """What each label head says of each fencepost, u_l . b_l(k); of a span, the difference of its ends.

    config (NetworkConfig): Of a network that ends in label blocks.
    """

    columns: Tensor

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        n_heads, width = config.n_label_heads, config.label_proj_width
        self.fencepost_width = config.fencepost_width
        self.register_buffer("columns", block_columns(config, range(n_heads)).view(n_heads, width), persistent=False)
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_heads, width)))

    def forward(self, fenceposts: Tensor) -> Tensor:
        """*Shapes:* (..., fencepost_width) to (..., n_label_heads)."""
        return (fenceposts[..., self.columns] * self.weight).sum(-1)

    def matrix(self) -> Tensor:
        """The same as a matrix, most of it zeros. *Shape:* (n_label_heads, fencepost_width)."""
        zeros = self.weight.new_zeros(len(self.weight), self.fencepost_width)
        return zeros.scatter(1, self.columns, self.weight)

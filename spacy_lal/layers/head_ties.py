"""Scores of spans by one label head each: what ties a head to the label whose name it has.

In the paper nothing does: a head is called by a label because there are as many of both. Here head l says of a span, by
its own block of the span's vector alone, whether the span has label l: t_l(i, j) = u_l . (b_l(j) - b_l(i)), with b_l
the block of a fencepost. A loss on these scores (`training/head_ties.py`) makes blocks tell their labels. No label
score and no parse reads them.
"""

import torch
from torch import Tensor, nn

from .network_config import NetworkConfig


class HeadTies(nn.Module):
    """What each label head says of each fencepost, u_l . b_l(k); of a span, the difference of its ends.

    config (NetworkConfig): Of a network that ends in label blocks.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.n_heads, self.first_width = config.n_label_heads, config.label_proj_width // 2
        self.halves_width = config.halves_width
        weight = torch.empty(config.n_label_heads, config.label_proj_width)
        self.weight = nn.Parameter(nn.init.xavier_uniform_(weight))

    def forward(self, fenceposts: Tensor) -> Tensor:
        """*Shapes:* (..., fencepost_width) to (..., n_label_heads)."""
        blocks, first = fenceposts[..., : self.halves_width], self.n_heads * self.first_width
        # all forward halves stand before all backward halves; see `fenceposts.py`
        forward, backward = (
            half.unflatten(-1, (self.n_heads, -1)) for half in (blocks[..., :first], blocks[..., first:])
        )
        of_forward, of_backward = self.weight[:, : self.first_width], self.weight[:, self.first_width :]
        return (forward * of_forward).sum(-1) + (backward * of_backward).sum(-1)

"""Scores of spans by one label head each: what ties a label head to the label whose name it bears.

In the paper nothing does: a head bears a label's name because there are as many heads as labels. Here head l says, from
its own block of a span's vector alone, whether the span has label l: t_l(i, j) = u_l . (b_l(j) - b_l(i)), with b_l the
block of a fencepost. This is added to the score of label l, and a loss on it alone (`spacy_lal.loss.label_heads`) makes
each block tell the spans of its label from others.
"""

import torch
from torch import Tensor, nn

from ..fenceposts import FencepostLayout

FIRST_LABEL = 2  # label 2 is head 0's: the empty label and the sub-head label have no heads


class LabelHeadScorer(nn.Module):
    """What each label head says of each fencepost, u_l . b_l(k); of a span, the difference of its ends.

    layout (FencepostLayout): Of fenceposts that have a block for each label head.
    """

    columns: Tensor

    def __init__(self, layout: FencepostLayout) -> None:
        super().__init__()
        n_heads, width = layout.n_label_heads, layout.block_width
        self.fencepost_width = layout.width
        self.register_buffer("columns", layout.block_columns(range(n_heads)).view(n_heads, width), persistent=False)
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_heads, width)))

    def forward(self, fenceposts: Tensor) -> Tensor:
        """*Shapes:* (..., fencepost_width) to (..., n_label_heads)."""
        return (fenceposts[..., self.columns] * self.weight).sum(-1)

    def matrix(self) -> Tensor:
        """The same as a sparse matrix, stored densely. *Shape:* (n_label_heads, fencepost_width)."""
        zeros = self.weight.new_zeros(len(self.weight), self.fencepost_width)
        return zeros.scatter(1, self.columns, self.weight)

"""Scores of spans by one label head each. They tie a label head to the label that names it.

In the paper this tie is missing: a head bears a label's name because there are as many heads as labels. Here head l
scores label l on a span from its own block of the span's vector alone: t_l(i, j) = u_l . (b_l(j) - b_l(i)), where b_l
is the block of a fencepost. This is added to the score of label l. A separate loss on it
(`spacy_lal.loss.parser`) trains each block to tell the spans of its label from others.
"""

import torch
from torch import Tensor, nn

from ..configs import FencepostLayout


class LabelHeadScorer(nn.Module):
    """The score of each label head on each fencepost, u_l . b_l(k); a span's score is the difference of its ends.

    layout (FencepostLayout): The layout of fenceposts that have a block for each label head.
    """

    columns: Tensor

    def __init__(self, layout: FencepostLayout) -> None:
        super().__init__()
        n_heads, width = layout.n_label_heads, layout.block_width
        self.fencepost_width = layout.width
        self.register_buffer(
            "columns", torch.from_numpy(layout.block_columns(range(n_heads))).view(n_heads, width), persistent=False
        )
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_heads, width)))

    def forward(self, fenceposts: Tensor) -> Tensor:
        """*Shapes:* (..., fencepost_width) to (..., n_label_heads)."""
        return (fenceposts[..., self.columns] * self.weight).sum(-1)

    def matrix(self) -> Tensor:
        """The same weights as a sparse matrix, stored densely. *Shape:* (n_label_heads, fencepost_width)."""
        zeros = self.weight.new_zeros(len(self.weight), self.fencepost_width)
        return zeros.scatter(1, self.columns, self.weight)

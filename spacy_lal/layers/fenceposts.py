"""Features of the gaps between words, from the tokens on either side."""

from typing import Any, Tuple

import torch
from torch import Tensor, nn

from .basics import join_features
from .configs import FencepostLayout


class _JoinHalves(torch.autograd.Function):
    """out[:, k] = [left[:, k] ; right[:, k + 1]] for two strided views of the same tensor.

    Plain slicing and concatenation would fill and copy the network's widest tensor six times in backward.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, blocks: int, first_width: int) -> Tensor:
        batch_size, seq_len, width = inputs.shape
        ctx.sizes = (batch_size, seq_len, blocks, width // blocks)
        ctx.first_width = first_width
        views = inputs.view(ctx.sizes)
        joined = inputs.new_empty(batch_size, seq_len - 1, width)
        left, right = joined.split([blocks * first_width, width - blocks * first_width], dim=-1)
        left.unflatten(-1, (blocks, -1)).copy_(views[:, :-1, :, :first_width])
        right.unflatten(-1, (blocks, -1)).copy_(views[:, 1:, :, first_width:])
        return joined

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tuple[Tensor, None, None]:
        batch_size, seq_len, blocks, block_width = ctx.sizes
        width, first_width = blocks * block_width, ctx.first_width
        d_inputs = grads[0].new_empty(ctx.sizes)
        left, right = grads[0].split([blocks * first_width, width - blocks * first_width], dim=-1)
        d_inputs[:, :-1, :, :first_width] = left.unflatten(-1, (blocks, -1))
        d_inputs[:, 1:, :, first_width:] = right.unflatten(-1, (blocks, -1))
        d_inputs[:, -1, :, :first_width] = 0.0
        d_inputs[:, 0, :, first_width:] = 0.0
        return d_inputs.view(batch_size, seq_len, width), None, None


class Fenceposts(nn.Module):
    """f_k = [forward half of y_k ; backward half of y_k+1 ; x_k ; x_k+1] for k = 0..n, without the parts that the
    layout lacks.

    layout (FencepostLayout): The parts of a fencepost.
    """

    def __init__(self, layout: FencepostLayout) -> None:
        super().__init__()
        self.layout = layout

    def forward(self, encoded: Tensor, tokens: Tensor) -> Tensor:
        """Features of each gap.

        encoded (Tensor): y, after label attention. *Shape:* (batch_size, seq_len, encoded_width).
        tokens (Tensor): x, before label attention. *Shape:* (batch_size, seq_len, hidden_width).
        RETURNS (Tensor): *Shape:* (batch_size, seq_len - 1, layout.width).
        """
        layout, parts = self.layout, []
        if layout.n_blocks:
            joined = _JoinHalves.apply(encoded.contiguous(), layout.n_blocks, layout.forward_width)
            parts.append(joined if layout.scale == 1.0 else joined * layout.scale)
        if layout.token_width:
            parts += [tokens[:, :-1], tokens[:, 1:]]
        return join_features(parts)

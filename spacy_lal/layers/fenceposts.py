"""Features of the gaps between words, from those of the tokens on either side."""

from typing import Any, Sequence, Tuple

import torch
from torch import Tensor, nn

from .factored import join_features
from .network_config import NetworkConfig


class _JoinHalves(torch.autograd.Function):
    """out[:, k] = [left[:, k] ; right[:, k + 1]] for two strided views of the same tensor.

    Plain slicing and concatenation would fill and copy the widest tensor of the network six times in backward.
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
    """Features of the gaps between words: a forward half of the token before, a backward half of the token after.

    f_k = [forward half of y_k ; backward half of y_k+1] for k = 0..n (reference-parser.md 1.10; the paper's Eq. 5 is
    f_end - f_start). What the halves are depends on the encoder:
    - label attention: the halves of each label head's block, all forward halves first;
    - no label attention, factored: even and odd features, so that each half has content and position;
    - otherwise: the first and the second half of the features.
    With `whole_tokens`, the features of both tokens as they entered label attention stand beside the halves (a skip
    connection), or in their place where there is no label attention.

    config (NetworkConfig): Says which.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.encoded_width
        self.halves, self.whole_tokens = config.halves_width > 0, config.whole_tokens
        self.scale = config.fencepost_scale
        if config.has_label_blocks:
            self.blocks, self.first_width = config.n_label_heads, config.label_proj_width // 2
        elif config.factored and not config.label_attention:
            self.blocks, self.first_width = width // 2, 1
        else:
            self.blocks, self.first_width = 1, width // 2

    def forward(self, encoded: Tensor, tokens: Tensor) -> Tensor:
        """Features of each gap.

        encoded (Tensor): The encoder's output. *Shape:* (batch_size, seq_len, encoded_width).
        tokens (Tensor): What entered label attention. *Shape:* (batch_size, seq_len, hidden_width).
        RETURNS (Tensor): *Shape:* (batch_size, seq_len - 1, fencepost_width).
        """
        parts = []
        if self.halves:
            joined = _JoinHalves.apply(encoded.contiguous(), self.blocks, self.first_width)
            parts.append(joined if self.scale == 1.0 else joined * self.scale)
        if self.whole_tokens:
            parts += [tokens[:, :-1], tokens[:, 1:]]
        return join_features(parts)


def block_columns(config: NetworkConfig, heads: Sequence[int]) -> Tensor:
    """Which features of a fencepost are in the blocks of some label heads: all forward halves come before all backward
    halves.

    config (NetworkConfig): Of a network that has label blocks.
    heads (Sequence[int]): Numbers of heads.
    RETURNS (Tensor): Their places, one head after the other, int64. *Shape:* (n_heads * label_proj_width,).
    """
    forward = config.label_proj_width // 2
    backward = config.label_proj_width - forward
    numbers = torch.tensor(list(heads), dtype=torch.long)[:, None]
    first = numbers * forward + torch.arange(forward)
    second = config.n_label_heads * forward + numbers * backward + torch.arange(backward)
    return torch.cat([first, second], dim=1).flatten()

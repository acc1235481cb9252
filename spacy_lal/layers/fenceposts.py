"""Features of the gaps between words, from the tokens on either side."""

from dataclasses import dataclass
from typing import Any, Literal, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from .checks import check_choice, check_even, check_flags
from .factored import join_features


@dataclass(frozen=True)
class FencepostLayout:
    """The order of a fencepost's features: forward halves of all blocks, backward halves of all blocks, then the token
    before and the token after.

    n_blocks (int): Blocks of an encoded position that are halved; 0 for no halves.
    block_width (int): Width of a block; the forward half is rounded down.
    n_label_heads (int): n_blocks where each block belongs to a label head, else 0.
    token_width (int): Width of a whole token beside the halves; 0 for none.
    scale (float): Factor of the halves.
    """

    n_blocks: int
    block_width: int
    n_label_heads: int = 0
    token_width: int = 0
    scale: float = 1.0

    @property
    def forward_width(self) -> int:
        """Width of the forward half of a block."""
        return self.block_width // 2

    @property
    def halves_width(self) -> int:
        """Width of all halves."""
        return self.n_blocks * self.block_width

    @property
    def width(self) -> int:
        """Width of a fencepost."""
        return self.halves_width + 2 * self.token_width

    def block_columns(self, heads: Sequence[int]) -> Tensor:
        """The columns of some label heads' blocks.

        heads (Sequence[int]): Numbers of heads.
        RETURNS (Tensor): Columns, one head after the other, int64. *Shape:* (n_heads * block_width,).
        """
        forward, backward = self.forward_width, self.block_width - self.forward_width
        numbers = np.array(list(heads), dtype=np.int64)[:, None]
        first = numbers * forward + np.arange(forward)
        second = self.n_blocks * forward + numbers * backward + np.arange(backward)
        return torch.from_numpy(np.concatenate([first, second], axis=1).ravel())

    def sum_blocks(self, features: Tensor) -> Tensor:
        """The sum over each label head's features.

        features (Tensor): One number for each feature of a fencepost. *Shape:* (n_rows, width).
        RETURNS (Tensor): *Shape:* (n_rows, n_label_heads).
        """
        if not self.n_label_heads:
            return features.new_zeros(len(features), 0)
        columns = self.block_columns(range(self.n_label_heads))
        return features[:, columns].unflatten(1, (self.n_label_heads, -1)).sum(2)


HALVES = ("label_blocks", "even_odd", "first_second", "none")


@dataclass(frozen=True)
class FencepostsConfig:
    """How fenceposts are made of encoded tokens: a forward half of the token before, a backward half of the token after
    (reference-parser.md 1.10; the paper's Eq. 5 is f_end - f_start).

    halves (Optional[str]): "label_blocks": the halves of each label head's block. "even_odd": even and odd features, so
        that each half has content and position. "first_second": the first and the second half of the features. "none":
        no halves; requires token_skip. None: label_blocks after label attention. Without it, none with token_skip;
        otherwise even_odd where content and position are kept apart, else first_second.
    token_skip (bool): Add all features of both tokens from the encoder's output, past label attention.
    scale_label_blocks (bool): Multiply label blocks by hidden_width / (n_label_heads * proj_width) and the first
        weights of the scorers by the inverse, so that Adam's steps do not grow with the number of label heads. False in
        the paper.
    RAISES (ValueError): `halves` is unknown, or fenceposts have no features.
    """

    halves: Optional[Literal["label_blocks", "even_odd", "first_second", "none"]] = None
    token_skip: bool = False
    scale_label_blocks: bool = True

    def __post_init__(self) -> None:
        check_flags(token_skip=self.token_skip, scale_label_blocks=self.scale_label_blocks)
        check_choice("halves of fenceposts", self.halves, (None, *HALVES))
        if self.halves == "none" and not self.token_skip:
            raise ValueError('halves = "none" leaves no features of fenceposts: expected token_skip = true')

    def layout(self, hidden_width: int, encoded_width: int, n_label_heads: int, factored: bool) -> FencepostLayout:
        """The layout of a network's fenceposts.

        hidden_width (int): Width of the encoder's output.
        encoded_width (int): Width after label attention; hidden_width without it.
        n_label_heads (int): Blocks of label attention; 0 for none.
        factored (bool): Whether content and position are kept apart.
        RAISES (ValueError): `halves` requires label blocks without label attention, or leaves existing ones unread.
        """
        halves: Optional[str] = self.halves
        if halves is None:
            unblocked = "even_odd" if factored else "first_second"
            halves = "label_blocks" if n_label_heads else "none" if self.token_skip else unblocked
        if halves == "label_blocks" and not n_label_heads:
            raise ValueError('halves = "label_blocks" requires label attention, and there is none')
        if halves == "none" and n_label_heads:
            raise ValueError(
                'halves = "none" leaves label attention unread: expected others, or label_attention = null'
            )
        if halves == "even_odd":
            check_even("the width of encoded tokens", encoded_width, 'half of it for each direction with "even_odd"')
        token_width = hidden_width if self.token_skip else 0
        if halves == "label_blocks":
            scale = hidden_width / encoded_width if self.scale_label_blocks else 1.0
            width = encoded_width // n_label_heads
            return FencepostLayout(n_label_heads, width, n_label_heads, token_width, scale)
        n_blocks = {"none": 0, "even_odd": encoded_width // 2, "first_second": 1}[halves]
        return FencepostLayout(n_blocks, encoded_width // n_blocks if n_blocks else 0, 0, token_width)


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

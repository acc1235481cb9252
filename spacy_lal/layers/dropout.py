"""Dropout: of whole features (one mask per sentence, shared by all of its positions), and of single elements."""

from typing import Any, Tuple

import torch
from torch import Tensor, nn


class FeatureDropout(nn.Module):
    """Drops whole features of a sentence: the same ones at every position (reference-parser.md, section 0).

    rate (float): Share of the features to drop, in [0, 1). Kept features are divided by 1 - rate.
    RAISES (ValueError): The rate is outside [0, 1).
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0.0 <= rate < 1.0:
            raise ValueError(f"a dropout rate must be in [0, 1), got {rate}")
        self.rate = rate

    @property
    def active(self) -> bool:
        """Whether a call changes its input."""
        return self.training and self.rate > 0.0

    def sample_mask(self, inputs: Tensor) -> Tensor:
        """One mask per sentence.

        inputs (Tensor): *Shape:* (batch_size, seq_len, width).
        RETURNS (Tensor): 0 or 1 / (1 - rate). *Shape:* (batch_size, 1, width).
        """
        keep = 1.0 - self.rate
        mask = inputs.new_empty(inputs.shape[0], 1, inputs.shape[-1])
        return mask.bernoulli_(keep).div_(keep)

    def forward(self, inputs: Tensor) -> Tensor:
        """Drop features.

        inputs (Tensor): *Shape:* (batch_size, seq_len, width).
        RETURNS (Tensor): *Shape:* as the input.
        """
        return inputs * self.sample_mask(inputs) if self.active else inputs

    def add(self, inputs: Tensor, residual: Tensor) -> Tensor:
        """`residual + dropout(inputs)` in one pass over memory.

        inputs (Tensor): *Shape:* (batch_size, seq_len, width).
        residual (Tensor): *Shape:* as the input.
        RETURNS (Tensor): *Shape:* as the input.
        """
        if not self.active:
            return residual + inputs
        return torch.addcmul(residual, inputs, self.sample_mask(inputs))


class _MaskedScale(torch.autograd.Function):
    """inputs * mask * scale, keeping one byte per element for backward."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, mask: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.scale = scale
        return (inputs * mask).mul_(scale)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tuple[Tensor, None, None]:
        (mask,) = ctx.saved_tensors
        return (grads[0] * mask).mul_(ctx.scale), None, None


class ElementDropout(nn.Module):
    """Elementwise dropout. On a CPU it takes its mask from 16 random bits per element.

    torch draws a double per element there. This network drops many elements (the fenceposts of the biaffine scorer,
    twice), so these draws would take a fifth of a training step. The rate is rounded to a multiple of 2^-16.

    rate (float): Share of the elements to drop, in [0, 1). Kept ones are divided by 1 - rate.
    RAISES (ValueError): The rate is outside [0, 1).
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0.0 <= rate < 1.0:
            raise ValueError(f"a dropout rate must be in [0, 1), got {rate}")
        self.rate = rate

    def forward(self, inputs: Tensor) -> Tensor:
        """Drop elements.

        inputs (Tensor): *Shape:* any.
        RETURNS (Tensor): *Shape:* as the input.
        """
        if not self.training or self.rate == 0.0:
            return inputs
        if inputs.device.type != "cpu":
            return nn.functional.dropout(inputs, self.rate)
        n_dropped = min(round(self.rate * 65536), 65535)  # of the 65,536 values of 16 bits
        bits = torch.empty((inputs.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
        bits = bits.view(torch.int16)[: inputs.numel()].view(inputs.shape)
        kept = (bits >= n_dropped - 32768).view(torch.uint8)
        return _MaskedScale.apply(inputs, kept, 65536 / (65536 - n_dropped))

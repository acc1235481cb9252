"""Feature dropout: one mask per sentence, shared by all of its positions."""

import torch
from torch import Tensor, nn


class FeatureDropout(nn.Module):
    """Drops whole features of a sentence: the same ones at every position (reference-parser.md, section 0).

    rate (float): Share of the features to drop, in [0, 1). Kept features are divided by 1 - rate.
    RAISES (ValueError): if the rate is outside [0, 1).
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

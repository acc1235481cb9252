"""Attention weights from logits."""

import math

import torch
from torch import Tensor, nn

from .dropout import ElementDropout


class MaskedSoftmax(nn.Module):
    """Attention weights from logits: no weight on padding, elementwise dropout on the rest.

    A separate module, so that a forward hook can read the weights of any layer.

    dropout (float): Elementwise dropout on the weights.
    """

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = ElementDropout(dropout)

    def forward(self, logits: Tensor, padding: Tensor) -> Tensor:
        """Softmax over the last axis.

        logits (Tensor): Overwritten at padding. *Shape:* (..., n_keys).
        padding (Tensor): True at keys that are padding; broadcasts against the logits.
        RETURNS (Tensor): *Shape:* as the logits.
        """
        return self.dropout(torch.softmax(logits.masked_fill(padding, -math.inf), dim=-1))

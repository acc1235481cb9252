"""The reference's layer norm: unbiased standard deviation, epsilon beside the root. Not `torch.nn.LayerNorm`."""

import math
from typing import Any, Tuple

import torch
from torch import Tensor, nn

EPSILON = 1e-3  # added to the standard deviation, not to the variance
_TINY = 1e-20  # keeps the reciprocal of a constant row finite; far below any rounding


class _StdNorm(torch.autograd.Function):
    """y = gain * (x - mean) / (std + EPSILON) + bias over the last axis, keeping only the normalised rows for backward.

    Written by hand because this norm runs over every label block of every token, the widest tensor of the network;
    autograd would keep four copies of it.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        width = inputs.shape[-1]
        spread = math.sqrt(width / (width - 1))  # unbiased std / biased std
        normed, _, reciprocal = torch.native_layer_norm(inputs, (width,), None, None, _TINY)
        # reciprocal = 1 / biased std, so std + EPSILON = (spread + EPSILON * reciprocal) / reciprocal
        normed.mul_((EPSILON * reciprocal).add_(spread).reciprocal_())
        ctx.save_for_backward(normed, reciprocal, gain)
        ctx.spread = spread
        return torch.addcmul(bias, normed, gain)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        normed, reciprocal, gain = ctx.saved_tensors
        grad = grads[0]
        rows = tuple(range(grad.dim() - 1))
        product = grad * normed
        d_gain, d_bias = product.sum(rows), grad.sum(rows)
        projection = (product @ gain.unsqueeze(-1)).div_(-grad.shape[-1])  # -mean(gain * grad * normed)
        projection.mul_(reciprocal * ctx.spread)
        scaled = grad * gain
        scale = reciprocal / (EPSILON * reciprocal + ctx.spread)  # 1 / (std + EPSILON)
        d_inputs = scaled.sub_(scaled.mean(-1, keepdim=True)).mul_(scale).addcmul_(normed, projection)
        return d_inputs, d_gain, d_bias


def std_norm(inputs: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    """`gain * (x - mean) / (std + 1e-3) + bias` over the last axis, std with ddof = 1 (reference-parser.md, section 0).

    inputs (Tensor): *Shape:* (..., width). Inputs of width 1 are returned unchanged, as in the reference.
    gain (Tensor): *Shape:* (width,).
    bias (Tensor): *Shape:* (width,).
    RETURNS (Tensor): *Shape:* as the input.
    """
    if inputs.shape[-1] == 1:
        return inputs
    return _StdNorm.apply(inputs.to(gain.dtype), gain, bias)  # norms are in full precision under autocast, too


class StdNorm(nn.Module):
    """Layer norm over the last axis, as in the reference.

    width (int): Size of the last axis.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, inputs: Tensor) -> Tensor:
        """Normalise.

        inputs (Tensor): *Shape:* (..., width).
        RETURNS (Tensor): *Shape:* as the input.
        """
        return std_norm(inputs, self.gain, self.bias)

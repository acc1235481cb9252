"""What layers are made of. Kitaev & Klein 2018, section 4.3: the first half of a
token's features describes the token, the second half its position; only attention
weights and layer norms may mix them."""

import math
from typing import Any, Mapping, Sequence

import torch
from torch import Tensor, nn

from .input_configs import check_even

EPSILON = 1e-3  # of the norm: added to the standard deviation, not to the variance
_TINY = 1e-20  # keeps the reciprocal of a constant row finite; far below any rounding


class FeatureDropout(nn.Module):
    """Drops whole features of a sentence: the same ones at every position
    (docs/explanation/parser.md)."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    @property
    def active(self) -> bool:
        """Whether a call changes its input."""
        return self.training and self.rate > 0.0

    def sample_mask(self, inputs: Tensor) -> Tensor:
        """0 or 1 / (1 - rate). *Shapes:* (batch_size, seq_len, width) to (batch_size,
        1, width)."""
        keep = 1.0 - self.rate
        return (
            inputs.new_empty(inputs.shape[0], 1, inputs.shape[-1])
            .bernoulli_(keep)
            .div_(keep)
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """Drop features. *Shape:* (batch_size, seq_len, width) to the same."""
        return inputs * self.sample_mask(inputs) if self.active else inputs

    def add(self, inputs: Tensor, residual: Tensor) -> Tensor:
        """`residual + dropout(inputs)` in one pass over memory. *Shapes:* (batch_size,
        seq_len, width) to the same."""
        return (
            torch.addcmul(residual, inputs, self.sample_mask(inputs))
            if self.active
            else residual + inputs
        )


class ElementDropout(nn.Module):
    """Elementwise dropout. On a CPU it takes its mask from 16 random bits per element,
    where torch draws a double; the rate is rounded to a multiple of 2^-16."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, inputs: Tensor) -> Tensor:
        """Drop elements. *Shape:* any."""
        if not self.training or self.rate == 0.0:
            return inputs
        if inputs.device.type != "cpu":
            return nn.functional.dropout(inputs, self.rate)
        n_dropped = min(
            round(self.rate * 65536), 65535
        )  # of the 65,536 values of 16 bits
        bits = torch.empty((inputs.numel() + 3) // 4, dtype=torch.int64).random_(
            -(2**63), None
        )
        bits = bits.view(torch.int16)[: inputs.numel()].view(inputs.shape)
        kept = (bits >= n_dropped - 32768).to(inputs.dtype)
        return inputs * kept.mul_(65536 / (65536 - n_dropped))


class _StdNorm(torch.autograd.Function):
    """y = gain * (x - mean) / (std + EPSILON) + bias over the last axis, keeping only
    the normalised rows for backward: it runs over the widest tensor of the network, and
    autograd would keep four copies of it."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        width = inputs.shape[-1]
        spread = math.sqrt(width / (width - 1))  # unbiased std / biased std
        normed, _, reciprocal = torch.native_layer_norm(
            inputs, (width,), None, None, _TINY
        )
        # reciprocal = 1 / biased std, so std + EPSILON = (spread + EPSILON *
        # reciprocal) / reciprocal
        normed.mul_((EPSILON * reciprocal).add_(spread).reciprocal_())
        ctx.save_for_backward(normed, reciprocal, gain)
        ctx.spread = spread
        return torch.addcmul(bias, normed, gain)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        normed, reciprocal, gain = ctx.saved_tensors
        grad = grads[0]
        rows = tuple(range(grad.dim() - 1))
        product = grad * normed
        d_gain = product.sum(rows)
        d_bias = grad.sum(rows)
        projection = (product @ gain.unsqueeze(-1)).div_(
            -grad.shape[-1]
        )  # -mean(gain * grad * normed)
        projection.mul_(reciprocal * ctx.spread)
        scaled = grad * gain
        scale = reciprocal / (EPSILON * reciprocal + ctx.spread)  # 1 / (std + EPSILON)
        d_inputs = (
            scaled.sub_(scaled.mean(-1, keepdim=True))
            .mul_(scale)
            .addcmul_(normed, projection)
        )
        return d_inputs, d_gain, d_bias


def std_norm(inputs: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    """The reference's layer norm, std with ddof = 1 (docs/explanation/parser.md).
    *Shapes:* inputs (..., width), gain, bias (width,); as the input. Inputs of width 1
    are returned unchanged, as in the reference."""
    if inputs.shape[-1] == 1:
        return inputs
    return _StdNorm.apply(
        inputs.to(gain.dtype), gain, bias
    )  # norms are in full precision under autocast, too


class StdNorm(nn.Module):
    """`std_norm` as a layer. width (int): Size of the last axis."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shapes:* (..., width) to the same."""
        return std_norm(inputs, self.gain, self.bias)


class MaskedSoftmax(nn.Module):
    """Attention weights from logits: no weight on padding, elementwise dropout on the
    rest. A separate module, so that a forward hook can read the weights of any
    layer."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = ElementDropout(dropout)

    def forward(self, logits: Tensor, padding: Tensor) -> Tensor:
        """*Shapes:* (..., n_keys) to the same. padding (Tensor): True at keys that get
        no weight; broadcasts."""
        return self.dropout(
            torch.softmax(logits.masked_fill(padding, -math.inf), dim=-1)
        )


def head_weights(shapes: Mapping[str, tuple[int, ...]]) -> nn.ParameterDict:
    """Weights of attention heads by part of the features, drawn by Xavier's rule."""
    return nn.ParameterDict(
        {
            part: nn.Parameter(nn.init.xavier_normal_(torch.empty(shape)))
            for part, shape in shapes.items()
        }
    )


def split_width(width: int, factored: bool) -> dict[str, int]:
    """The sizes of content and position, in order, by name; {"all": width} where they
    are not kept apart."""
    return (
        {"content": width - width // 2, "position": width // 2}
        if factored
        else {"all": width}
    )


def split_features(inputs: Tensor, widths: dict[str, int]) -> tuple[Tensor, ...]:
    """Views of the parts of the last axis, in order. *Shapes:* (..., sum of the widths)
    to (..., width of the part)."""
    return (
        torch.split(inputs, list(widths.values()), dim=-1)
        if len(widths) > 1
        else (inputs,)
    )


def join_features(parts: Sequence[Tensor]) -> Tensor:
    """The parts side by side: the inverse of `split_features`."""
    return torch.cat(list(parts), dim=-1) if len(parts) > 1 else parts[0]


def project_heads(
    inputs: Tensor,
    widths: dict[str, int],
    heads: Sequence[nn.ParameterDict],
    biases: Sequence[nn.ParameterDict] = (),
) -> tuple[Tensor, ...]:
    """Queries, keys or values of all heads in one product, with the weights of
    `head_weights`. *Shapes:* inputs (batch_size, seq_len, sum of the widths) to
    (batch_size, n_heads, seq_len, attn_width) each."""
    projected = []
    for part, features in zip(widths, split_features(inputs, widths), strict=True):
        # (n_kinds * n_heads, part_width, width of the part)
        weight = torch.cat([by_part[part] for by_part in heads]).transpose(1, 2)
        bias = None
        if biases:
            bias = torch.cat([by_part[part] for by_part in biases]).flatten()
        product = nn.functional.linear(features, weight.flatten(0, 1), bias)
        part_width = weight.shape[1]
        projected.append(product.unflatten(-1, (len(heads), -1, part_width)))
    return join_features(projected).permute(2, 0, 3, 1, 4).unbind()


class FeedForward(nn.Module):
    """Reference-parser.md 1.8, by part of the features: y = norm(x + dropout(W2
    dropout(relu(W1 x + b1)) + b2))."""

    def __init__(
        self,
        widths: dict[str, int],
        ff_width: int,
        relu_dropout: float,
        residual_dropout: float,
    ) -> None:
        super().__init__()
        self.widths = dict(widths)
        hidden = ff_width // len(widths)
        self.hidden = nn.ModuleDict(
            {part: nn.Linear(width, hidden) for part, width in widths.items()}
        )
        self.output = nn.ModuleDict(
            {part: nn.Linear(hidden, width) for part, width in widths.items()}
        )
        self.norm = StdNorm(sum(widths.values()))
        self.relu_dropout = FeatureDropout(relu_dropout)
        self.residual_dropout = FeatureDropout(residual_dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """Transform every position independently. *Shapes:* (batch_size, seq_len,
        width) to the same."""
        outputs = []
        for part, features in zip(
            self.widths, split_features(inputs, self.widths), strict=True
        ):
            hidden = self.relu_dropout(self.hidden[part](features).relu())
            outputs.append(self.output[part](hidden))
        return self.norm(self.residual_dropout.add(join_features(outputs), inputs))


class BiLSTM(nn.Module):
    """Bidirectional LSTM over padded sequences; the backward direction begins at each
    sequence's own last token. Packed sequences take three times as long to train on a
    CPU."""

    def __init__(self, width: int, depth: int, dropout: float = 0.0) -> None:
        super().__init__()
        check_even("width of a bidirectional LSTM", width, "half for each direction")
        self.rightward = nn.ModuleList(nn.LSTM(width, width // 2) for _ in range(depth))
        self.leftward = nn.ModuleList(nn.LSTM(width, width // 2) for _ in range(depth))
        self.dropout = nn.Dropout(dropout)

    def forward(self, sequences: Tensor, lengths: Tensor) -> Tensor:
        """*Shapes:* sequences (seq_len, batch_size, width), lengths (batch_size,); as
        the sequences."""
        if not sequences.numel():
            return torch.zeros_like(sequences)
        places = torch.arange(len(sequences), device=sequences.device)[:, None]
        is_token = places < lengths
        mirror = (
            torch.where(is_token, lengths - 1 - places, places)
            .unsqueeze(-1)
            .expand(-1, -1, sequences.shape[2])
        )
        half = mirror[:, :, : sequences.shape[2] // 2]
        for i, (rightward, leftward) in enumerate(
            zip(self.rightward, self.leftward, strict=True)
        ):
            inputs = self.dropout(sequences) if i else sequences
            with torch.autocast("cpu", enabled=False):  # as in CharLSTMEncoder
                from_left, _ = rightward(inputs)
                from_right, _ = leftward(inputs.gather(0, mirror))
            sequences = torch.cat([from_left, from_right.gather(0, half)], dim=-1)
        return sequences * is_token.unsqueeze(-1)


class PickedCells(torch.autograd.Function):
    """Cells of a chart; their gradient makes the chart's gradient a sparse tensor, so
    that a scorer recomputes only these cells. indices: *Shape:* (n_axes, n_cells)."""

    @staticmethod
    def forward(ctx: Any, chart: Tensor, indices: Tensor) -> Tensor:
        """The cells. *Shape:* (n_cells, ...)."""
        ctx.save_for_backward(indices)
        ctx.shape = chart.shape
        return chart[tuple(indices)]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        """The chart's gradient, a sparse tensor."""
        (indices,) = ctx.saved_tensors
        return torch.sparse_coo_tensor(
            indices, grads[0], ctx.shape, check_invariants=False
        ), None

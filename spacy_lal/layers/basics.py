"""What layers are made of. Kitaev & Klein 2018, section 4.3: the first half of a
token's features describes the token, the second half its position; only attention
weights and layer norms may mix them."""

import math
from typing import Any, Mapping, NamedTuple, Sequence

import torch
from torch import Tensor, nn

EPSILON = 1e-3  # of the norm: added to the standard deviation, not to the variance
_TINY = 1e-20  # keeps the reciprocal of a constant row finite; far below any rounding


class ElementDropout(nn.Module):
    """Elementwise dropout. On a CPU, torch's own takes twice as long."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    @property
    def active(self) -> bool:
        """Whether a call changes its input."""
        return self.training and self.rate > 0.0

    def sample_mask(self, inputs: Tensor) -> Tensor:
        """0 or 1 / (1 - rate). *Shape:* as the input."""
        keep = 1.0 - self.rate
        is_kept = torch.rand_like(inputs, dtype=torch.float32) < keep
        return is_kept.to(inputs.dtype) / keep

    def forward(self, inputs: Tensor) -> Tensor:
        """Drop elements. *Shape:* any."""
        return inputs * self.sample_mask(inputs) if self.active else inputs


class FeatureDropout(ElementDropout):
    """Drops whole features of a sentence: the same ones at every position
    (docs/explanation/parser.md)."""

    def sample_mask(self, inputs: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, width) to (batch_size, 1, width)."""
        return super().sample_mask(inputs[:, :1])


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
        mean = (product @ gain.unsqueeze(-1)) / grad.shape[-1]
        scaled = grad * gain
        scaled -= scaled.mean(-1, keepdim=True)
        scaled *= reciprocal / (EPSILON * reciprocal + ctx.spread)
        d_inputs = scaled.addcmul_(normed, mean * reciprocal, value=-ctx.spread)
        return d_inputs, d_gain, d_bias


def std_norm(inputs: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    """The reference's layer norm, std with ddof = 1 (docs/explanation/parser.md).
    *Shapes:* inputs (..., width), gain, bias (width,); as the input. Inputs of width 1
    are returned unchanged, as in the reference."""
    if inputs.shape[-1] == 1:
        return inputs
    # norms are in full precision under autocast, too
    return _StdNorm.apply(inputs.to(gain.dtype), gain, bias)


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
        return self.dropout(logits.masked_fill(padding, -math.inf).softmax(-1))


def head_weights(
    n_heads: int, widths: Mapping[str, int], part_width: int
) -> nn.ParameterDict:
    """Weights of attention heads by part of the features, drawn by Xavier's rule.
    *Shapes:* (n_heads, width of the part, part_width)."""
    shapes = {part: (n_heads, width, part_width) for part, width in widths.items()}
    return nn.ParameterDict(
        {
            part: nn.init.xavier_normal_(torch.empty(shape))
            for part, shape in shapes.items()
        }
    )


def split_width(width: int, factored: bool) -> dict[str, int]:
    """The sizes of content and position, in order, by name; {"all": width} where they
    are not kept apart."""
    if not factored:
        return {"all": width}
    return {"content": width - width // 2, "position": width // 2}


def split_features(inputs: Tensor, widths: dict[str, int]) -> tuple[Tensor, ...]:
    """Views of the parts of the last axis, in order. *Shapes:* (..., sum of the widths)
    to (..., width of the part)."""
    return inputs.split(list(widths.values()), dim=-1)


def output_maps(
    width: int, widths: Mapping[str, int], bias: bool = False
) -> nn.ModuleDict:
    """Linear maps to the parts of the features."""
    return nn.ModuleDict(
        {part: nn.Linear(width, size, bias=bias) for part, size in widths.items()}
    )


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
    return torch.cat(projected, dim=-1).permute(2, 0, 3, 1, 4).unbind()


def combine_heads(context: Tensor, output: nn.ModuleDict) -> Tensor:
    """The contexts of all heads, by part, through the output map of the part. *Shapes:*
    (batch_size, n_heads, seq_len, attn_width) to (batch_size, seq_len,
    hidden_width)."""
    parts = context.transpose(1, 2).chunk(len(output), dim=-1)
    outputs = [
        linear(part.flatten(2))
        for linear, part in zip(output.values(), parts, strict=True)
    ]
    return torch.cat(outputs, dim=-1)


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
        self.widths = widths
        hidden = ff_width // len(widths)
        self.hidden = nn.ModuleDict(
            {part: nn.Linear(width, hidden) for part, width in widths.items()}
        )
        self.output = output_maps(hidden, widths, bias=True)
        self.norm = StdNorm(sum(widths.values()))
        self.relu_dropout = FeatureDropout(relu_dropout)
        self.residual_dropout = FeatureDropout(residual_dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """Transform every position independently. *Shapes:* (batch_size, seq_len,
        width) to the same."""
        outputs = []
        parts = split_features(inputs, self.widths)
        for part, features in zip(self.widths, parts, strict=True):
            hidden = self.relu_dropout(self.hidden[part](features).relu())
            outputs.append(self.output[part](hidden))
        joined = torch.cat(outputs, dim=-1)
        return self.norm(inputs + self.residual_dropout(joined))


class Sequences(NamedTuple):
    """Padded sequences. *Shapes:* (seq_len, batch_size, width), (batch_size,)."""

    sequences: Tensor
    lengths: Tensor


class SequenceVectors(NamedTuple):
    """*Shape:* (seq_len, batch_size, width)."""

    vectors: Tensor


class BiLSTM(nn.Module):
    """Bidirectional LSTM over padded sequences; the backward direction begins at each
    sequence's own last token. Packed sequences take three times as long to train on a
    CPU."""

    input_type = Sequences
    depends_on_batch = False

    def __init__(self, width: int, depth: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.rightward = nn.ModuleList(nn.LSTM(width, width // 2) for _ in range(depth))
        self.leftward = nn.ModuleList(nn.LSTM(width, width // 2) for _ in range(depth))
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: Sequences) -> SequenceVectors:
        """Vectors in context; zeros at padding."""
        outputs, lengths = inputs
        places = torch.arange(outputs.shape[0], device=outputs.device)[:, None]
        is_token = places < lengths
        mirrored = torch.where(is_token, lengths - 1 - places, places).unsqueeze(-1)
        mirrored = mirrored.expand(outputs.shape)
        for i, layers in enumerate(zip(self.rightward, self.leftward, strict=True)):
            rows = self.dropout(outputs) if i else outputs
            with torch.autocast("cpu", enabled=False):  # as in CharLSTMEncoder
                from_left, _ = layers[0](rows)
                from_right, _ = layers[1](rows.gather(0, mirrored))
            from_right = from_right.gather(0, mirrored[..., : from_right.shape[-1]])
            outputs = torch.cat([from_left, from_right], dim=-1)
        return SequenceVectors(outputs * is_token.unsqueeze(-1))

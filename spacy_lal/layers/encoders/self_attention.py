"""Factored multi-head self-attention (Kitaev & Klein 2018, section 4; reference-parser.md 1.7 and 1.8)."""

import math
from dataclasses import dataclass
from typing import Dict, List

import torch
from torch import Tensor, nn

from ..checks import check_count, check_flags, check_rates
from ..dropout import FeatureDropout
from ..factored import FeedForward, join_features, split_features, split_width
from ..folding import FoldedLayer
from ..masked_softmax import MaskedSoftmax
from ..norm import StdNorm
from ..packing import Packing
from ..products import Precision, Product


class SelfAttention(nn.Module):
    """Multi-head self-attention over a sentence, with residual and layer norm.

    Each head projects the content part and the position part of the features separately; a logit is the sum of a
    content product and a position product. Logits are divided by sqrt(hidden width), as in the reference
    (reference-parser.md T5); the paper divides by the square root of the head's width.

    widths (Dict[str, int]): Sizes of the parts, from `split_width`.
    n_heads (int): Number of attention heads.
    attn_width (int): Width of a head's query, key and value, all parts together.
    attention_dropout (float): Elementwise dropout on attention weights.
    residual_dropout (float): Feature dropout before the residual is added.
    """

    def __init__(
        self, widths: Dict[str, int], n_heads: int, attn_width: int, attention_dropout: float, residual_dropout: float
    ) -> None:
        super().__init__()
        self.widths = dict(widths)
        self.n_heads = n_heads
        self.hidden_width = sum(widths.values())
        self.part_width = attn_width // len(widths)
        self.query = self._head_projections()
        self.key = self._head_projections()
        self.value = self._head_projections()
        inner = n_heads * self.part_width
        self.output = nn.ModuleDict({part: nn.Linear(inner, width, bias=False) for part, width in widths.items()})
        self.norm = StdNorm(self.hidden_width)
        self.weights = MaskedSoftmax(attention_dropout)
        self.residual_dropout = FeatureDropout(residual_dropout)

    def _head_projections(self) -> nn.ParameterDict:
        shapes = {part: (self.n_heads, width, self.part_width) for part, width in self.widths.items()}
        return nn.ParameterDict(
            {part: nn.Parameter(nn.init.xavier_normal_(torch.empty(shape))) for part, shape in shapes.items()}
        )

    def _project(self, part: str, features: Tensor) -> Tensor:
        """Queries, keys and values of one part in one product. RETURNS *Shape:* (batch, seq_len, 3, n_heads, width)."""
        heads = torch.cat([self.query[part], self.key[part], self.value[part]])
        projected = nn.functional.linear(features, heads.transpose(1, 2).flatten(0, 1))
        return projected.unflatten(-1, (3, self.n_heads, self.part_width))

    def forward(self, inputs: Tensor, padding: Tensor) -> Tensor:
        """Let every position attend to every position of its sentence.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        RETURNS (Tensor): *Shape:* as the input.
        """
        parts = split_features(inputs, self.widths)
        projected = join_features(
            [self._project(part, features) for part, features in zip(self.widths, parts, strict=True)]
        )
        query, key, value = projected.permute(2, 0, 3, 1, 4).unbind()  # each (batch, n_heads, seq_len, attn_width)
        logits = (query * (1.0 / math.sqrt(self.hidden_width))) @ key.transpose(-1, -2)
        context = self.weights(logits, padding[:, None, None, :]) @ value
        context = context.unflatten(-1, (len(parts), self.part_width)).permute(3, 0, 2, 1, 4).flatten(3)
        outputs = [self.output[part](context[i]) for i, part in enumerate(self.widths)]
        return self.norm(self.residual_dropout.add(join_features(outputs), inputs))

    def fold(self, precision: Precision) -> "FoldedSelfAttention":
        """The layer on packed positions; see `spacy_lal.layers.folding`."""
        return FoldedSelfAttention(self, precision)


class FoldedSelfAttention:
    """`SelfAttention` on packed positions, without dropout.

    layer (SelfAttention): Its weights must not change afterwards.
    precision (Precision): The precision of matrix products.
    """

    def __init__(self, layer: SelfAttention, precision: Precision) -> None:
        self.layer = layer
        heads = [torch.cat([layer.query[part], layer.key[part], layer.value[part]]) for part in layer.widths]
        self.projections = [Product(weight.transpose(1, 2).flatten(0, 1), precision) for weight in heads]
        self.outputs = [Product(layer.output[part].get_parameter("weight"), precision) for part in layer.widths]

    def __call__(self, inputs: Tensor, packing: Packing) -> Tensor:
        """*Shapes:* (n_positions, hidden_width) to the same."""
        layer = self.layer
        parts = split_features(inputs, layer.widths)
        projected = [
            project(part).unflatten(-1, (3, layer.n_heads, layer.part_width))
            for project, part in zip(self.projections, parts, strict=True)
        ]
        query, key, value = packing.unpack(join_features(projected)).permute(2, 0, 3, 1, 4).unbind()
        mask = None if packing.is_full else ~packing.padding[:, None, None, :]
        context = nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, scale=1.0 / math.sqrt(layer.hidden_width)
        )
        packed = packing.pack(context.transpose(1, 2)).unflatten(-1, (len(parts), layer.part_width))
        outputs = [output(packed[..., i, :].flatten(1)) for i, output in enumerate(self.outputs)]
        return layer.norm(join_features(outputs).add_(inputs))


@dataclass(frozen=True)
class SelfAttentionLayerConfig:
    """One or several equal layers: self-attention, then a feed-forward network, each with residual and layer norm.

    repeat (int): How many layers there are; each has weights of its own.
    n_heads (int): Attention heads.
    attn_width (int): Width of a head's query, key and value, all parts together.
    ff_width (int): Hidden units of the feed-forward network.
    factored (bool): Keep the content half and the position half of the features apart (Kitaev & Klein 2018, 4.3).
    attention_dropout (float): Elementwise dropout on attention weights.
    relu_dropout, residual_dropout (float): Feature dropout on hidden units, and before a residual is added.
    RAISES (ValueError): An option is out of range.
    """

    repeat: int = 1
    n_heads: int = 4
    attn_width: int = 64
    ff_width: int = 512
    factored: bool = True
    attention_dropout: float = 0.2
    relu_dropout: float = 0.2
    residual_dropout: float = 0.2

    def __post_init__(self) -> None:
        check_flags(factored=self.factored)
        check_count("repeat", self.repeat)
        check_count("n_heads", self.n_heads)
        for name in ("attn_width", "ff_width"):  # shared out among the parts, rounded down
            check_count(name, getattr(self, name), 2 if self.factored else 1)
        check_rates(
            attention_dropout=self.attention_dropout,
            relu_dropout=self.relu_dropout,
            residual_dropout=self.residual_dropout,
        )

    def build(self, hidden_width: int) -> List["SelfAttentionLayer"]:
        """Build `repeat` layers.

        hidden_width (int): Width of their inputs and outputs.
        """
        return [SelfAttentionLayer(self, hidden_width) for _ in range(self.repeat)]


class SelfAttentionLayer(nn.Module):
    """Self-attention and a feed-forward network.

    config (SelfAttentionLayerConfig): The options.
    hidden_width (int): Width of the input and of the output.
    """

    def __init__(self, config: SelfAttentionLayerConfig, hidden_width: int) -> None:
        super().__init__()
        widths = split_width(hidden_width, config.factored)
        self.attention = SelfAttention(
            widths, config.n_heads, config.attn_width, config.attention_dropout, config.residual_dropout
        )
        self.feed_forward = FeedForward(widths, config.ff_width, config.relu_dropout, config.residual_dropout)

    def forward(self, inputs: Tensor, padding: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, hidden_width) to the same; padding (batch_size, seq_len)."""
        return self.feed_forward(self.attention(inputs, padding))

    def fold(self, precision: Precision) -> FoldedLayer:
        """The layer on packed positions; see `spacy_lal.layers.folding`."""
        attention, feed_forward = self.attention.fold(precision), self.feed_forward.fold(precision)
        return lambda inputs, packing: feed_forward(attention(inputs, packing), packing)

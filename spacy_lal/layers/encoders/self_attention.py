"""Multi-head self-attention: factored or not, with windows, position queries and a selector (Kitaev & Klein 2018;
reference-parser.md 1.7 and 1.8; reference-encoders.md A5-A8 and B7)."""

import math
from typing import Dict, Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from ..dropout import FeatureDropout
from ..factored import FeedForward, join_features, split_features, split_width
from ..folding import FoldedLayer
from ..masked_softmax import MaskedSoftmax
from ..norm import StdNorm
from ..packing import Packing
from ..products import Precision, Product
from .attention_limits import AttentionLimits, limits_of
from .attention_mask import Window, forbidden_pairs
from .attention_records import AttentionRecord, record
from .configs import SelfAttentionLayerConfig
from .selector import SelectiveSoftmax, Selector


class SelfAttention(nn.Module):
    """Multi-head self-attention over a sentence, with residual and layer norm.

    Each head projects the content part and the position part of the features separately; a logit is the sum of a
    content product and a position product. Logits are divided by sqrt(hidden width), as in the reference
    (reference-parser.md T5); the paper divides by the square root of the head's width.

    config (SelfAttentionLayerConfig): The options.
    widths (Dict[str, int]): Sizes of the parts, from `split_width`.
    """

    def __init__(self, config: "SelfAttentionLayerConfig", widths: Dict[str, int]) -> None:
        super().__init__()
        self.widths = dict(widths)
        self.n_heads = config.n_heads
        self.hidden_width = sum(widths.values())
        self.part_width = config.attn_width // len(widths)
        self.reads_positions = config.reads_positions
        self.window = Window(config.window, config.relaxed_window) if config.window else None
        self.query = self._head_projections()
        self.key = self._head_projections()
        self.value = self._head_projections()
        inner = self.n_heads * self.part_width
        self.output = nn.ModuleDict({part: nn.Linear(inner, width, bias=False) for part, width in widths.items()})
        self.norm = StdNorm(self.hidden_width)
        self.residual_dropout = FeatureDropout(config.residual_dropout)
        self.selector: Optional[Selector] = None
        self.weights: nn.Module = MaskedSoftmax(config.attention_dropout)
        if config.selector is not None:
            width = config.selector.width or config.attn_width
            self.selector = Selector(config.selector, widths, self.n_heads, width)
            self.weights = SelectiveSoftmax(config.selector, config.attention_dropout)
        self.penalty: Optional[Tensor] = None  # of the selector, from the last pass in training

    def _head_projections(self) -> nn.ParameterDict:
        shapes = {part: (self.n_heads, width, self.part_width) for part, width in self.widths.items()}
        return nn.ParameterDict(
            {part: nn.Parameter(nn.init.xavier_normal_(torch.empty(shape))) for part, shape in shapes.items()}
        )

    def merged_heads(self, part: str, names: Sequence[str]) -> Tensor:
        """The projections of all heads to queries, keys or values as one matrix.

        part (str): A part of the features.
        names (Sequence[str]): Among "query", "key", "value".
        RETURNS (Tensor): *Shape:* (len(names) * n_heads * part_width, width of the part).
        """
        return torch.cat([getattr(self, name)[part] for name in names]).transpose(1, 2).flatten(0, 1)

    def _project(self, inputs: Tensor, names: Sequence[str]) -> Tuple[Tensor, ...]:
        """Queries, keys or values in one product. *Shape of each:* (batch, n_heads, seq_len, attn_width)."""
        parts = split_features(inputs, self.widths)
        projected = [
            nn.functional.linear(features, self.merged_heads(part, names))
            for part, features in zip(self.widths, parts, strict=True)
        ]
        return self.join_heads(projected).permute(2, 0, 3, 1, 4).unbind()

    def join_heads(self, projected: Sequence[Tensor]) -> Tensor:
        """Products with `merged_heads` of each part, *shape:* (..., n_kinds * n_heads * part_width), side by side: one
        axis for queries, keys and values, one for heads. *Shape:* (..., n_kinds, n_heads, attn_width)."""
        return join_features([part.unflatten(-1, (-1, self.n_heads, self.part_width)) for part in projected])

    def rows_of(self, positions: Optional[Tensor], batch_size: int) -> Tensor:
        """The rows of the position table that queries and keys are made of. *Shape:* (batch_size, seq_len, width).

        RAISES (ValueError): They are missing.
        """
        if positions is None:
            raise ValueError('queries = "positions" reads rows of the position table, and the encoder was given none')
        return positions.expand(batch_size, -1, -1)

    def masked(self, padding: Tensor, limits: Optional[AttentionLimits]) -> Tuple[Tensor, bool]:
        """The pairs that get no attention, from `forbidden_pairs`, and whether there is a window.

        padding (Tensor): *Shape:* (batch_size, seq_len).
        limits (Optional[AttentionLimits]): Limits beside the layer's own window.
        """
        candidates = (self.window, None if limits is None else limits.as_window())
        windows = [window for window in candidates if window is not None]
        return forbidden_pairs(padding, windows), bool(windows)

    def limit(self, query: Tensor, limits: Optional[AttentionLimits]) -> Tensor:
        """Queries without the parts that are switched off. *Shapes:* (..., attn_width) to the same."""
        if limits is None or (limits.content and limits.position):
            return query
        kept = {"content": limits.content, "position": limits.position}
        switches = [query.new_full((self.part_width,), float(kept.get(part, True))) for part in self.widths]
        return query * torch.cat(switches)

    def forward(self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None) -> Tensor:
        """Let every position attend to the positions of its sentence that are allowed.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        positions (Optional[Tensor]): Rows of the position table, for `queries = "positions"`. *Shape:* (1 or
            batch_size, seq_len, hidden_width).
        RETURNS (Tensor): *Shape:* as the input.
        RAISES (ValueError): Rows of the position table are missing, or there are limits in training.
        """
        limits = limits_of(self)
        if self.reads_positions:
            query, key = self._project(self.rows_of(positions, len(inputs)), ("query", "key"))
            (value,) = self._project(inputs, ("value",))
        else:
            query, key, value = self._project(inputs, ("query", "key", "value"))
        query = self.limit(query * (1.0 / math.sqrt(self.hidden_width)), limits)
        weights = self._attend(inputs, query @ key.transpose(-1, -2), padding, limits)
        context = (weights @ value).unflatten(-1, (len(self.widths), self.part_width))
        context = context.permute(3, 0, 2, 1, 4).flatten(3)
        outputs = [self.output[part](context[i]) for i, part in enumerate(self.widths)]
        return self.norm(self.residual_dropout.add(join_features(outputs), inputs))

    def _attend(self, inputs: Tensor, logits: Tensor, padding: Tensor, limits: Optional[AttentionLimits]) -> Tensor:
        """Weights from logits. *Shapes:* (batch, n_heads, seq_len, seq_len) to the same."""
        forbidden, _ = self.masked(padding, limits)
        if self.selector is None:
            weights = self.weights(logits, forbidden)
            record(self, AttentionRecord(weights))
            return weights
        choice = self.selector.choose(self.selector(inputs))
        if self.training and self.selector.config.regularises:
            self.penalty = self.selector.penalty(choice, forbidden, padding)
        weights = self.weights(logits, forbidden, choice)
        record(self, AttentionRecord(weights, choice.scores.sigmoid(), choice.values.masked_fill(forbidden, 0.0)))
        return weights

    def fold(self, precision: Precision) -> "FoldedSelfAttention":
        """The layer on packed positions; see `spacy_lal.layers.folding`."""
        return FoldedSelfAttention(self, precision)


class FoldedSelfAttention:
    """`SelfAttention` on packed positions, without dropout. A selector computes in float32.

    layer (SelfAttention): Its weights must not change afterwards.
    precision (Precision): The precision of matrix products.
    """

    def __init__(self, layer: SelfAttention, precision: Precision) -> None:
        self.layer = layer
        self.names = ("value",) if layer.reads_positions else ("query", "key", "value")
        self.projections = [Product(layer.merged_heads(part, self.names), precision) for part in layer.widths]
        self.from_positions: Optional[Product] = None
        if layer.reads_positions:
            self.from_positions = Product(layer.merged_heads("all", ("query", "key")), precision)
        self.outputs = [Product(layer.output[part].get_parameter("weight"), precision) for part in layer.widths]

    def __call__(self, inputs: Tensor, packing: Packing, positions: Optional[Tensor] = None) -> Tensor:
        """*Shapes:* (n_positions, hidden_width) to the same; positions (1 or batch_size, seq_len, hidden_width)."""
        layer, limits = self.layer, limits_of(self.layer)
        parts = split_features(inputs, layer.widths)
        projected = [project(part) for project, part in zip(self.projections, parts, strict=True)]
        heads = packing.unpack(layer.join_heads(projected))
        if self.from_positions is not None:
            rows = self.from_positions(layer.rows_of(positions, packing.shape[0]))
            heads = torch.cat([layer.join_heads([rows]), heads], dim=2)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind()
        context = self._attend(layer.limit(query, limits), key, value, inputs, packing, limits)
        packed = packing.pack(context.transpose(1, 2)).unflatten(-1, (len(parts), layer.part_width))
        outputs = [output(packed[..., i, :].flatten(1)) for i, output in enumerate(self.outputs)]
        return layer.norm(join_features(outputs).add_(inputs))

    def _attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        inputs: Tensor,
        packing: Packing,
        limits: Optional[AttentionLimits],
    ) -> Tensor:
        """The context of each head. *Shapes:* (batch_size, n_heads, seq_len, attn_width); inputs packed."""
        layer, scale = self.layer, 1.0 / math.sqrt(self.layer.hidden_width)
        forbidden, has_window = layer.masked(packing.padding, limits)
        if layer.selector is not None:
            choice = layer.selector.choose(layer.selector(packing.unpack(inputs)))
            return layer.weights((query * scale) @ key.transpose(-1, -2), forbidden, choice) @ value
        mask = None if packing.is_full and not has_window else ~forbidden
        return nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale)


class SelfAttentionLayer(nn.Module):
    """Self-attention and a feed-forward network.

    config (SelfAttentionLayerConfig): The options.
    hidden_width (int): Width of the input and of the output.
    """

    def __init__(self, config: SelfAttentionLayerConfig, hidden_width: int) -> None:
        super().__init__()
        widths = split_width(hidden_width, config.factored)
        self.reads_positions = config.reads_positions
        self.attention = SelfAttention(config, widths)
        self.feed_forward = FeedForward(widths, config.ff_width, config.relu_dropout, config.residual_dropout)

    def forward(self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None) -> Tensor:
        """*Shapes:* (batch_size, seq_len, hidden_width) to the same; padding (batch_size, seq_len); positions (1 or
        batch_size, seq_len, hidden_width), for `queries = "positions"`."""
        return self.feed_forward(self.attention(inputs, padding, positions))

    def fold(self, precision: Precision) -> FoldedLayer:
        """The layer on packed positions; see `spacy_lal.layers.folding`."""
        attention, feed_forward = self.attention.fold(precision), self.feed_forward.fold(precision)
        return lambda inputs, packing, *rows: feed_forward(attention(inputs, packing, *rows), packing)

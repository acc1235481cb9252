"""The one place where padding and windows become a mask of attention (reference-encoders.md A8).

A selector chooses among the pairs that this mask allows; see `selector.py`.


Multi-head self-attention: factored or not, with windows, position queries and a selector (Kitaev & Klein 2018;
reference-parser.md 1.7 and 1.8; reference-encoders.md A5-A8 and B7).

The encoder: a stack of layers."""

import math
from typing import Dict, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from .basics import FeatureDropout, FeedForward, MaskedSoftmax, StdNorm, join_features, split_features, split_width
from .input_configs import SelfAttentionLayerConfig
from .selector import SelectiveSoftmax, Selector


class Window(NamedTuple):
    """Which pairs of positions may attend to each other.

    width (int): Position p attends to p' if |p - p'| <= width. START is position 0, STOP position n + 1.
    relaxed (bool): START, the first word, the last word and STOP attend to all positions and are attended by all.
    """

    width: int
    relaxed: bool = False


def forbidden_pairs(padding: Tensor, window: Optional[Window] = None) -> Tensor:
    """The pairs of a query and a key that get no attention.

    padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
    window (Optional[Window]): A window does not restrict queries at padding: without any allowed key their softmax
        would be NaN, and so would gradients.
    RETURNS (Tensor): *Shape:* (batch_size, 1, 1, seq_len) without a window, else (batch_size, 1, seq_len, seq_len).
    """
    keys = padding[:, None, None, :]
    if window is None:
        return keys
    places = torch.arange(padding.shape[1], device=padding.device)
    outside = ((places[:, None] - places).abs() > window.width).expand(len(padding), -1, -1)
    if window.relaxed:
        last = (~padding).sum(1)[:, None] - 1  # the position of STOP
        is_global = (places <= 1) | (places >= last - 1)  # (batch_size, seq_len)
        outside = outside & ~(is_global[:, :, None] | is_global[:, None, :])
    return keys | (outside & ~padding[:, :, None]).unsqueeze(1)


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

    def forward(self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None) -> Tensor:
        """Let every position attend to the positions of its sentence that are allowed.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        positions (Optional[Tensor]): Rows of the position table, for `queries = "positions"`. *Shape:* (1 or
            batch_size, seq_len, hidden_width).
        RETURNS (Tensor): *Shape:* as the input.
        RAISES (ValueError): Rows of the position table are missing.
        """
        if self.reads_positions:
            query, key = self._project(self.rows_of(positions, len(inputs)), ("query", "key"))
            (value,) = self._project(inputs, ("value",))
        else:
            query, key, value = self._project(inputs, ("query", "key", "value"))
        logits = (query * (1.0 / math.sqrt(self.hidden_width))) @ key.transpose(-1, -2)
        weights = self.attend(inputs, logits, padding)
        context = (weights @ value).unflatten(-1, (len(self.widths), self.part_width))
        context = context.permute(3, 0, 2, 1, 4).flatten(3)
        outputs = [self.output[part](context[i]) for i, part in enumerate(self.widths)]
        return self.norm(self.residual_dropout.add(join_features(outputs), inputs))

    def attend(self, inputs: Tensor, logits: Tensor, padding: Tensor) -> Tensor:
        """Weights from logits. *Shapes:* (batch, n_heads, seq_len, seq_len) to the same."""
        forbidden = forbidden_pairs(padding, self.window)
        if self.selector is None:
            return self.weights(logits, forbidden)
        return self.weights(logits, forbidden, self.selector.choose(self.selector(inputs)))


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


class Encoder(nn.Module):
    """A stack of layers.

    layers (nn.Module): Each takes inputs, *shape:* (batch_size, seq_len, width), and padding, *shape:* (batch_size,
        seq_len); its output has the shape of its input. A layer whose attribute `reads_positions` is true also takes
        the rows of the position table, *shape:* (1 or batch_size, seq_len, width).
    """

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    @property
    def reads_positions(self) -> bool:
        """Whether a layer reads the rows of the position table."""
        return any(_reads_positions(layer) for layer in self.layers)

    def forward(self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None) -> Tensor:
        """Encode.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        positions (Optional[Tensor]): Rows of the position table, if a layer reads them. *Shape:* (1 or batch_size,
            seq_len, hidden_width).
        RETURNS (Tensor): *Shape:* as the input.
        """
        for layer in self.layers:
            inputs = layer(inputs, padding, positions) if _reads_positions(layer) else layer(inputs, padding)
        return inputs


def _reads_positions(layer: nn.Module) -> bool:
    return bool(getattr(layer, "reads_positions", False))

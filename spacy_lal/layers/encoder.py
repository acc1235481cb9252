"""The encoder: layers of self-attention, factored or not, with windows, position queries and a selector (Kitaev & Klein
2018; reference-parser.md 1.7 and 1.8; reference-encoders.md A5-A8 and B7)."""

import math
from typing import Dict, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from .basics import (
    FeatureDropout,
    FeedForward,
    MaskedSoftmax,
    StdNorm,
    head_weights,
    join_features,
    split_features,
    split_width,
)
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
    """The pairs of a query and a key that get no attention. *Shapes:* padding (batch_size, seq_len) to (batch_size,
    1, 1, seq_len) without a window, else (batch_size, 1, seq_len, seq_len)."""
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
    """

    def __init__(self, config: SelfAttentionLayerConfig, widths: Dict[str, int]) -> None:
        super().__init__()
        self.widths = dict(widths)
        self.n_heads = config.n_heads
        self.hidden_width = sum(widths.values())
        self.part_width = config.attn_width // len(widths)
        self.reads_positions = config.reads_positions
        self.window = Window(config.window, config.relaxed_window) if config.window else None
        shapes = {part: (self.n_heads, width, self.part_width) for part, width in widths.items()}
        self.query, self.key, self.value = head_weights(shapes), head_weights(shapes), head_weights(shapes)
        inner = self.n_heads * self.part_width
        self.output = nn.ModuleDict({part: nn.Linear(inner, width, bias=False) for part, width in widths.items()})
        self.norm = StdNorm(self.hidden_width)
        self.residual_dropout = FeatureDropout(config.residual_dropout)
        self.selector: Optional[Selector] = None
        self.weights: nn.Module = MaskedSoftmax(config.attention_dropout)
        if config.selector is not None:
            width = config.selector.width or config.attn_width
            self.selector = Selector(config.selector, widths, self.n_heads, width)
            self.weights = SelectiveSoftmax(config.selector.on_empty, config.attention_dropout)

    def _project(self, inputs: Tensor, names: Sequence[str]) -> Tuple[Tensor, ...]:
        """Queries, keys or values in one product. *Shape of each:* (batch, n_heads, seq_len, attn_width)."""
        projected = []
        for part, features in zip(self.widths, split_features(inputs, self.widths), strict=True):
            weight = torch.cat([getattr(self, name)[part] for name in names]).transpose(1, 2).flatten(0, 1)
            product = nn.functional.linear(features, weight)
            projected.append(product.unflatten(-1, (len(names), self.n_heads, self.part_width)))
        return join_features(projected).permute(2, 0, 3, 1, 4).unbind()

    def forward(self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None) -> Tensor:
        """Let every position attend to the positions of its sentence that are allowed. *Shapes:* inputs (batch_size,
        seq_len, hidden_width), padding (batch_size, seq_len), positions (1 or batch_size, seq_len, hidden_width); as
        the input."""
        if self.reads_positions and positions is not None:
            query, key = self._project(positions.expand(len(inputs), -1, -1), ("query", "key"))
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
    """Self-attention and a feed-forward network."""

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
    """A stack of layers."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    @property
    def reads_positions(self) -> bool:
        """Whether a layer reads the rows of the position table."""
        return any(getattr(layer, "reads_positions", False) for layer in self.layers)

    def forward(self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None) -> Tensor:
        """Encode. *Shapes:* inputs (batch_size, seq_len, hidden_width), padding (batch_size, seq_len), positions (1
        or batch_size, seq_len, hidden_width); as the input."""
        for layer in self.layers:
            rows = (positions,) if getattr(layer, "reads_positions", False) else ()
            inputs = layer(inputs, padding, *rows)
        return inputs

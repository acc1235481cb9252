"""The encoder: layers of self-attention, factored or not, with windows, position
queries (Kitaev & Klein 2018, sections 2 to 4) and a selector of keys (Geng et al. 2020,
section 2.3); formulas in docs/explanation/encoders.md."""

import math
from functools import singledispatch
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn

from . import basics
from .configs import EncoderConfig, SelectorConfig, SelfAttentionLayerConfig

# The reference's, in the denominator of the weights; only with on_empty = "nothing".
EPSILON = 1e-6
# The exponential of a logit is capped at e^30 times the highest chosen one: the logit
# of an unchosen key may be far above all chosen logits.
_MAX_LOGIT = 30.0


class Choice(NamedTuple):
    """The choices of a selector, before padding and windows. scores: E, the logit of
    choosing a pair. values: a in [0, 1]; the gradient of hard choices is that of the
    probability. *Shapes:* (batch_size, n_heads, seq_len, seq_len)."""

    scores: Tensor
    values: Tensor


class Selector(nn.Module):
    """Scores of pairs of positions: a small attention with biases, without scale."""

    def __init__(
        self, config: SelectorConfig, widths: dict[str, int], n_heads: int, width: int
    ) -> None:
        super().__init__()
        self.config = config
        self.widths = widths
        self.n_heads = n_heads
        self.part_width = width // len(widths)
        self.query = basics.head_weights(n_heads, widths, self.part_width)
        self.key = basics.head_weights(n_heads, widths, self.part_width)
        shape = (n_heads, self.part_width)
        self.query_bias, self.key_bias = (
            nn.ParameterDict({part: torch.zeros(shape) for part in widths})
            for _ in range(2)
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shapes:* inputs (batch_size, seq_len, hidden_width) to (batch_size, n_heads,
        seq_len, seq_len)."""
        weights = (self.query, self.key)
        biases = (self.query_bias, self.key_bias)
        query, key = basics.project_heads(inputs, self.widths, weights, biases)
        return query @ key.transpose(-1, -2)

    def sample_noise(self, scores: Tensor) -> Tensor:
        """Logistic(0, 1) noise, i.e. the difference of two Gumbel draws, for each
        score. *Shape:* as the scores."""
        return torch.rand_like(scores).logit(eps=2.0**-24)

    def choose(self, scores: Tensor) -> Choice:
        """Choose pairs, as `mode` says. *Shapes:* scores (batch_size, n_heads, seq_len,
        seq_len)."""
        if scores.dtype in (torch.float16, torch.bfloat16):
            scores = scores.float()
        if not self.training:
            return Choice(scores, (scores > 0.0).to(scores.dtype))
        logits = scores
        if self.config.mode != "soft":
            logits = (scores + self.sample_noise(scores)) / self.config.temperature
        values = logits.sigmoid()
        if self.config.mode == "hard":
            values = (logits > 0.0) + (values - values.detach())
        return Choice(scores, values)


class SelectiveSoftmax(nn.Module):
    """Attention weights from logits l and choices a: a e^l / (sum of a e^l);
    elementwise dropout on the weights, which are not renormalised."""

    def __init__(self, on_empty: str, dropout: float) -> None:
        super().__init__()
        self.on_empty = on_empty
        self.dropout = basics.ElementDropout(dropout)

    def forward(self, logits: Tensor, forbidden: Tensor, choice: Choice) -> Tensor:
        """Softmax over the allowed keys that are chosen. *Shapes:* logits (batch_size,
        n_heads, n_queries, n_keys); as the logits."""
        logits = logits.to(choice.values.dtype).masked_fill(forbidden, -math.inf)
        values = choice.values.masked_fill(forbidden, 0.0)
        if self.on_empty == "all":  # also of samples at a low temperature
            is_empty = (values < EPSILON).all(-1, keepdim=True)
            values = torch.where(is_empty, 1.0, values)
        highest = (logits + values.log()).detach().amax(-1, keepdim=True)
        highest = highest.masked_fill(highest == -math.inf, 0.0)
        shares = values * (logits - highest).clamp(max=_MAX_LOGIT).exp()
        total = shares.sum(-1, keepdim=True)
        if self.on_empty == "nothing":
            total = total + EPSILON * (-highest).exp()
        return self.dropout(shares / total)


class AttentionWindow(NamedTuple):
    """Position p attends to p' if |p - p'| <= width; START is position 0. relaxed
    (bool): START, the first word, the last word and STOP attend to all positions and
    are attended by all."""

    width: int
    relaxed: bool = False


def forbidden_pairs(
    padding: Tensor, window: Optional[AttentionWindow] = None
) -> Tensor:
    """The pairs of a query and a key that get no attention. *Shapes:* padding
    (batch_size, seq_len) to (batch_size, 1, 1, seq_len) without a window, else
    (batch_size, 1, seq_len, seq_len)."""
    keys = padding[:, None, None, :]
    if window is None:
        return keys
    places = torch.arange(padding.shape[1], device=padding.device)
    outside = (places[:, None] - places).abs() > window.width
    outside = outside & ~padding[:, :, None]
    if window.relaxed:
        stop = (~padding).sum(1)[:, None] - 1
        is_bounded = (places > 1) & (places < stop - 1)  # (batch_size, seq_len)
        outside = outside & is_bounded[:, :, None] & is_bounded[:, None]
    return keys | outside.unsqueeze(1)


class SelfAttention(nn.Module):
    """Multi-head self-attention with residual and layer norm. Logits are divided by
    sqrt(hidden width), as in the authors' program; the paper divides
    by the square root of the head's width."""

    def __init__(
        self, config: SelfAttentionLayerConfig, widths: dict[str, int]
    ) -> None:
        super().__init__()
        n_heads = config.n_heads
        self.widths = widths
        self.hidden_width = sum(widths.values())
        self.reads_positions = config.queries == "positions"
        self.window: Optional[AttentionWindow] = None
        if config.window:
            self.window = AttentionWindow(config.window, config.relaxed_window)
        part_width = config.attn_width // len(widths)
        self.query, self.key, self.value = (
            basics.head_weights(n_heads, widths, part_width) for _ in range(3)
        )
        self.output = basics.output_maps(n_heads * part_width, widths)
        self.norm = basics.StdNorm(self.hidden_width)
        self.residual_dropout = basics.FeatureDropout(config.residual_dropout)
        self.selector: Optional[Selector] = None
        rate = config.attention_dropout
        self.weights: nn.Module = basics.MaskedSoftmax(rate)
        if config.selector is not None:
            width = config.selector.width or config.attn_width
            self.selector = Selector(config.selector, widths, n_heads, width)
            self.weights = SelectiveSoftmax(config.selector.on_empty, rate)

    def forward(
        self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None
    ) -> Tensor:
        """See `SelfAttentionLayer.forward`."""
        queried = inputs
        if self.reads_positions and positions is not None:
            queried = positions.expand_as(inputs)
        query, key = basics.project_heads(queried, self.widths, (self.query, self.key))
        (value,) = basics.project_heads(inputs, self.widths, (self.value,))
        scale = 1.0 / math.sqrt(self.hidden_width)
        logits = (query * scale) @ key.transpose(-1, -2)
        context = self.attend(inputs, logits, padding) @ value
        combined = basics.combine_heads(context, self.output)
        return self.norm(inputs + self.residual_dropout(combined))

    def attend(self, inputs: Tensor, logits: Tensor, padding: Tensor) -> Tensor:
        """Weights from logits. *Shapes:* (batch, n_heads, seq_len, seq_len) to the
        same."""
        forbidden = forbidden_pairs(padding, self.window)
        if self.selector is None:
            return self.weights(logits, forbidden)
        choice = self.selector.choose(self.selector(inputs))
        return self.weights(logits, forbidden, choice)


class SelfAttentionLayer(nn.Module):
    """Self-attention and a feed-forward network."""

    def __init__(self, config: SelfAttentionLayerConfig, hidden_width: int) -> None:
        super().__init__()
        widths = basics.split_width(hidden_width, config.factored)
        self.attention = SelfAttention(config, widths)
        self.feed_forward = basics.FeedForward(
            widths, config.ff_width, config.relu_dropout, config.residual_dropout
        )

    def forward(
        self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None
    ) -> Tensor:
        """*Shapes:* (batch_size, seq_len, hidden_width) to the same; padding
        (batch_size, seq_len); positions (1 or batch_size, seq_len, hidden_width), for
        `queries = "positions"`."""
        return self.feed_forward(self.attention(inputs, padding, positions))


# The layer of a config: of another kind for a config of another class. It is called as
# `SelfAttentionLayer` is.
build_layer = singledispatch(SelfAttentionLayer)


class Encoder(nn.Module):
    """A stack of layers, of a width of `hidden_width`."""

    def __init__(self, config: EncoderConfig, hidden_width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            build_layer(layer, hidden_width)  # type: ignore[arg-type]
            for layer in config.layers
            for _ in range(layer.repeat)
        )

    def forward(
        self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None
    ) -> Tensor:
        """See `SelfAttentionLayer.forward`."""
        for layer in self.layers:
            inputs = layer(inputs, padding, positions)
        return inputs

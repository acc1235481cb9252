"""The encoder: layers of self-attention, factored or not, with windows, position
queries (Kitaev & Klein 2018, sections 2 to 4) and a selector of keys (Geng et al. 2020,
section 2.3); formulas in docs/explanation/encoders.md."""

import math
from functools import singledispatch
from itertools import chain
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from . import basics
from .configs import EncoderConfig, SelectorConfig, SelfAttentionLayerConfig

# The reference's, in the denominator of the weights; only with on_empty = "nothing".
EPSILON = 1e-6
# The gradient of a choice is capped at e^30: the logit of an unchosen key may be far
# above all chosen logits.
_MAX_LOG_GRADIENT = 30.0


class Choice(NamedTuple):
    """The choices of a selector, before padding and windows. scores: E, the logit of
    choosing a pair. *Shape:* (batch_size, n_heads, seq_len, seq_len), as all others.
    log_values: log a, where a is the choice in [0, 1]; without gradient. log_slope: log
    da/dE; None outside of training."""

    scores: Tensor
    log_values: Tensor
    log_slope: Optional[Tensor]

    @property
    def values(self) -> Tensor:
        """a, whose gradient with respect to `scores` is the slope."""
        values = self.log_values.exp()
        if self.log_slope is None:
            return values
        slope = self.log_slope.exp()
        return values + slope * (self.scores - self.scores.detach())


class Selector(nn.Module):
    """Scores of pairs of positions: a small attention with biases, without scale."""

    def __init__(
        self, config: SelectorConfig, widths: dict[str, int], n_heads: int, width: int
    ) -> None:
        super().__init__()
        self.config = config
        self.widths = dict(widths)
        self.n_heads = n_heads
        self.part_width = width // len(widths)
        shapes = {
            part: (n_heads, size, self.part_width) for part, size in widths.items()
        }
        self.query = basics.head_weights(shapes)
        self.key = basics.head_weights(shapes)
        self.query_bias, self.key_bias = (
            nn.ParameterDict(
                {
                    part: nn.Parameter(torch.zeros(n_heads, self.part_width))
                    for part in widths
                }
            )
            for _ in range(2)
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shapes:* inputs (batch_size, seq_len, hidden_width) to (batch_size, n_heads,
        seq_len, seq_len)."""
        biases = self.query_bias, self.key_bias
        query, key = basics.project_heads(
            inputs, self.widths, (self.query, self.key), biases
        )
        return query @ key.transpose(-1, -2)

    def sample_noise(self, scores: Tensor) -> Tensor:
        """Logistic(0, 1) noise, i.e. the difference of two Gumbel draws, for each
        score. *Shape:* as the scores."""
        uniform = torch.empty_like(scores).uniform_(
            torch.finfo(scores.dtype).tiny, 1.0 - 2.0**-24
        )
        return uniform.log() - torch.log1p(-uniform)

    def choose(self, scores: Tensor) -> Choice:
        """Choose pairs, as `mode` says. *Shapes:* scores (batch_size, n_heads, seq_len,
        seq_len)."""
        if scores.dtype in (torch.float16, torch.bfloat16):
            scores = scores.float()
        with torch.no_grad():
            if not self.training:
                return Choice(scores, _log_hard_choice(scores), None)
            logits = self._sampled_logits(scores)
            log_chosen = logsigmoid(logits)
            log_slope = log_chosen + logsigmoid(-logits)
            if self.config.mode != "soft":
                log_slope -= math.log(self.config.temperature)
            is_hard = self.config.mode == "hard"
            log_values = _log_hard_choice(logits) if is_hard else log_chosen
        return Choice(scores, log_values, log_slope)

    def _sampled_logits(self, scores: Tensor) -> Tensor:
        """The logits of Gumbel-sigmoid samples; of probabilities in mode "soft"."""
        if self.config.mode == "soft":
            return scores
        return (scores + self.sample_noise(scores)) / self.config.temperature


def _log_hard_choice(logits: Tensor) -> Tensor:
    """The logarithm of 1 for positive logits, of 0 for others."""
    return torch.zeros_like(logits).masked_fill_(logits <= 0.0, -math.inf)


class _SelectiveSoftmax(torch.autograd.Function):
    """weights = a e^l / (sum of a e^l), in log space, with the gradient of a choice a
    that may be 0: dL/da = e^l / (sum) * (dL/dw - sum of w dL/dw)."""

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, scores: Tensor, choice: Choice, on_empty: str
    ) -> Tensor:
        selected = logits + choice.log_values
        allowed = choice.log_values.masked_fill(logits == -math.inf, -math.inf)
        empty = (allowed < math.log(EPSILON)).all(
            -1, keepdim=True
        )  # also of samples at a low temperature
        if on_empty == "nothing":
            log_sum = torch.logsumexp(selected, -1, keepdim=True)
            log_sum = torch.logaddexp(log_sum, log_sum.new_tensor(math.log(EPSILON)))
            weights = (selected - log_sum).exp()
        else:
            selected = torch.where(empty, logits, selected)
            log_sum = torch.logsumexp(selected, -1, keepdim=True)
            weights = torch.softmax(selected, -1)
        slope: Optional[Tensor] = (
            None  # of each weight's gradient with respect to the score of its own pair
        )
        if choice.log_slope is not None:
            slope = (
                (logits - log_sum + choice.log_slope)
                .clamp_max_(_MAX_LOG_GRADIENT)
                .exp()
            )
            if on_empty != "nothing":
                slope = slope.masked_fill_(empty, 0.0)
        ctx.save_for_backward(weights, slope)
        return weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Optional[Tensor], ...]:
        weights, slope = ctx.saved_tensors
        centred = grads[0] - (weights * grads[0]).sum(-1, keepdim=True)
        return weights * centred, None if slope is None else slope * centred, None, None


class SelectiveSoftmax(nn.Module):
    """Attention weights from logits and choices; elementwise dropout on the weights,
    which are not renormalised."""

    def __init__(self, on_empty: str, dropout: float) -> None:
        super().__init__()
        self.on_empty = on_empty
        self.dropout = basics.ElementDropout(dropout)

    def forward(self, logits: Tensor, forbidden: Tensor, choice: Choice) -> Tensor:
        """Softmax over the allowed keys that are chosen. *Shapes:* logits (batch_size,
        n_heads, n_queries, n_keys); as the logits."""
        logits = logits.to(choice.scores.dtype).masked_fill(forbidden, -math.inf)
        weights = _SelectiveSoftmax.apply(logits, choice.scores, choice, self.on_empty)
        return self.dropout(weights)


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
    distances = (places[:, None] - places).abs()
    outside = (distances > window.width).expand(len(padding), -1, -1)
    if window.relaxed:
        stop = (~padding).sum(1)[:, None] - 1
        sees_all = (places <= 1) | (places >= stop - 1)  # (batch_size, seq_len)
        is_free = sees_all[:, :, None] | sees_all[:, None, :]
        outside = outside & ~is_free
    queries = ~padding[:, :, None]
    of_words = outside & queries
    return keys | of_words.unsqueeze(1)


class SelfAttention(nn.Module):
    """Multi-head self-attention with residual and layer norm. Logits are divided by
    sqrt(hidden width), as in the authors' program; the paper divides
    by the square root of the head's width."""

    def __init__(
        self, config: SelfAttentionLayerConfig, widths: dict[str, int]
    ) -> None:
        super().__init__()
        self.widths = dict(widths)
        self.n_heads = config.n_heads
        self.hidden_width = sum(widths.values())
        self.part_width = config.attn_width // len(widths)
        self.reads_positions = config.queries == "positions"
        self.window = (
            AttentionWindow(config.window, config.relaxed_window)
            if config.window
            else None
        )
        shapes = {
            part: (self.n_heads, width, self.part_width)
            for part, width in widths.items()
        }
        self.query, self.key, self.value = (
            basics.head_weights(shapes) for _ in range(3)
        )
        inner = self.n_heads * self.part_width
        self.output = nn.ModuleDict(
            {
                part: nn.Linear(inner, width, bias=False)
                for part, width in widths.items()
            }
        )
        self.norm = basics.StdNorm(self.hidden_width)
        self.residual_dropout = basics.FeatureDropout(config.residual_dropout)
        self.selector: Optional[Selector] = None
        self.weights: nn.Module = basics.MaskedSoftmax(config.attention_dropout)
        if config.selector is not None:
            width = config.selector.width or config.attn_width
            self.selector = Selector(config.selector, widths, self.n_heads, width)
            self.weights = SelectiveSoftmax(
                config.selector.on_empty, config.attention_dropout
            )

    def forward(
        self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None
    ) -> Tensor:
        """See `SelfAttentionLayer.forward`."""
        if self.reads_positions and positions is not None:
            rows = positions.expand(len(inputs), -1, -1)
            query, key = self._project(rows, self.query, self.key)
            (value,) = self._project(inputs, self.value)
        else:
            query, key, value = self._project(inputs, self.query, self.key, self.value)
        scale = 1.0 / math.sqrt(self.hidden_width)
        logits = (query * scale) @ key.transpose(-1, -2)
        weights = self.attend(inputs, logits, padding)
        context = (weights @ value).unflatten(-1, (len(self.widths), self.part_width))
        by_part = context.permute(3, 0, 2, 1, 4).flatten(3)
        outputs = [self.output[part](by_part[i]) for i, part in enumerate(self.widths)]
        joined = basics.join_features(outputs)
        return self.norm(self.residual_dropout.add(joined, inputs))

    def _project(
        self, inputs: Tensor, *weights: nn.ParameterDict
    ) -> tuple[Tensor, ...]:
        return basics.project_heads(inputs, self.widths, weights)

    def attend(self, inputs: Tensor, logits: Tensor, padding: Tensor) -> Tensor:
        """Weights from logits. *Shapes:* (batch, n_heads, seq_len, seq_len) to the
        same."""
        forbidden = forbidden_pairs(padding, self.window)
        if self.selector is None:
            return self.weights(logits, forbidden)
        return self.weights(
            logits, forbidden, self.selector.choose(self.selector(inputs))
        )


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


class Encoder(nn.Module):
    """A stack of layers."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(
        self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None
    ) -> Tensor:
        """See `SelfAttentionLayer.forward`."""
        for layer in self.layers:
            inputs = layer(inputs, padding, positions)
        return inputs


def build_encoder(config: EncoderConfig, hidden_width: int) -> Encoder:
    """The layers of an encoder, of a width of `hidden_width`."""
    kinds = [build_layers(layer, hidden_width) for layer in config.layers]
    return Encoder(*chain.from_iterable(kinds))


@singledispatch
def build_layers(
    config: SelfAttentionLayerConfig, hidden_width: int
) -> list[nn.Module]:
    """`repeat` layers of a kind, which are called as `SelfAttentionLayer` is."""
    return [SelfAttentionLayer(config, hidden_width) for _ in range(config.repeat)]

"""The encoder of SSAN's released code: a pre-norm Transformer with a selector (Geng et
al. 2020, section 2.3). For parity with it.

*Not* for your own parser: `spacy-lal.SelfAttentionLayer.v1` takes the same selector.
"""

import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn

from spacy_lal.layers.basics import ElementDropout, MaskedSoftmax
from spacy_lal.layers.configs import EncoderLayer, SelectorConfig
from spacy_lal.layers.encoder import (
    SelectiveSoftmax,
    Selector,
    SelfAttention,
    build_layer,
)
from spacy_lal.layers.input_configs import InputLayerConfig, InputSizes
from spacy_lal.layers.inputs import InputLayer, NetworkInputs, build_inputs

NORM_EPSILON = 1e-6  # added to the biased variance
LONGEST_PERIOD = 1e4


def sinusoids(seq_len: int, width: int) -> Tensor:
    """Sinusoidal positions from 0: all sines, then all cosines. width: Even, at least
    4. *Shape:* (seq_len, width)."""
    n_rates = width // 2
    rates = LONGEST_PERIOD ** (
        -torch.arange(n_rates, dtype=torch.float64) / (n_rates - 1)
    )
    angles = torch.arange(seq_len, dtype=torch.float64)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


@dataclass(frozen=True)
class SinusoidalInputsConfig(InputLayerConfig):
    """An input layer with sinusoidal positions, which are added; features are
    multiplied by sqrt(hidden width) and get a bias; no norm. Its `dropout` is
    elementwise; `join` is "sum"."""


class SinusoidalInputs(InputLayer):
    """See `SinusoidalInputsConfig`."""

    def __init__(
        self, config: SinusoidalInputsConfig, hidden_width: int, sizes: InputSizes
    ) -> None:
        super().__init__(config, hidden_width, sizes)
        del self.positions
        self.register_buffer(
            "positions", sinusoids(config.max_positions, hidden_width), persistent=False
        )
        self.norm = nn.Identity()  # type: ignore[assignment]
        self.bias = nn.Parameter(torch.zeros(hidden_width))
        self.element_dropout = ElementDropout(config.dropout)
        self.scale = math.sqrt(hidden_width)
        with torch.no_grad():
            for module in self.features.modules():
                if isinstance(module, nn.Embedding):
                    module.weight.div_(self.scale)

    def forward(self, inputs: NetworkInputs, positions: Tensor) -> Tensor:
        """See `InputLayer`."""
        content = self.content(inputs) * self.scale
        places = torch.arange(content.shape[1], device=content.device)
        padding = places >= inputs.lengths[:, None] + 2
        content = content.masked_fill(padding.unsqueeze(-1), 0.0)
        return self.element_dropout(content + self.bias + positions)


@dataclass(frozen=True)
class PreNormLayerConfig(EncoderLayer):
    """One or several equal pre-norm layers: x + attention(norm(x)), then x +
    feed_forward(norm(x)), with biases and standard norms. Logits are divided by
    sqrt(the width of a head). All dropout is elementwise.

    repeat (int): How many layers there are; each has weights of its own.
    n_heads (int): Attention heads; they share the hidden width.
    ff_width (int): Hidden units of the feed-forward network.
    attention_dropout, relu_dropout, residual_dropout (float): Dropout on attention
        weights, on hidden units, and before a residual is added.
    selector (Optional[SelectorConfig]): See `SelfAttentionLayerConfig`; the reference's
        on_empty is "nothing".
    RAISES (ValueError): An option is out of range.
    """

    repeat: int = 1
    n_heads: int = 8
    ff_width: int = 2048
    attention_dropout: float = 0.1
    relu_dropout: float = 0.1
    residual_dropout: float = 0.1
    selector: Optional[SelectorConfig] = None


class PreNormAttention(SelfAttention):
    """Multi-head attention with biases, without residual and norm.

    config (PreNormLayerConfig): The options.
    hidden_width (int): Width of inputs and outputs.
    """

    def __init__(self, config: PreNormLayerConfig, hidden_width: int) -> None:
        nn.Module.__init__(self)
        self.widths, self.hidden_width = {"all": hidden_width}, hidden_width
        self.n_heads, self.part_width = config.n_heads, hidden_width // config.n_heads
        self.reads_positions, self.window = False, None
        self.projection = nn.Linear(
            hidden_width, 3 * hidden_width
        )  # queries, keys, values
        self.combination = nn.Linear(hidden_width, hidden_width)
        self.selector = None
        self.weights = MaskedSoftmax(config.attention_dropout)
        if config.selector is not None:
            width = config.selector.width or self.part_width
            self.selector = Selector(config.selector, self.widths, self.n_heads, width)
            self.weights = SelectiveSoftmax(
                config.selector.on_empty, config.attention_dropout
            )

    def forward(
        self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None
    ) -> Tensor:
        """*Shapes:* (batch_size, seq_len, hidden_width) to the same; padding
        (batch_size, seq_len)."""
        query, key, value = (
            self.projection(inputs)
            .unflatten(-1, (3, self.n_heads, -1))
            .permute(2, 0, 3, 1, 4)
            .unbind()
        )
        logits = (query * (1.0 / math.sqrt(self.part_width))) @ key.transpose(-1, -2)
        context = self.attend(inputs, logits, padding) @ value
        return self.combination(context.transpose(1, 2).flatten(2))


class PreNormLayer(nn.Module):
    """See `PreNormLayerConfig`."""

    def __init__(self, config: PreNormLayerConfig, hidden_width: int) -> None:
        super().__init__()
        self.attention_norm, self.feed_forward_norm = (
            nn.LayerNorm(hidden_width, NORM_EPSILON) for _ in range(2)
        )
        self.attention = PreNormAttention(config, hidden_width)
        self.hidden = nn.Linear(hidden_width, config.ff_width)
        self.output = nn.Linear(config.ff_width, hidden_width)
        self.relu_dropout = ElementDropout(config.relu_dropout)
        self.attention_dropout, self.output_dropout = (
            ElementDropout(config.residual_dropout) for _ in range(2)
        )

    def forward(
        self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None
    ) -> Tensor:
        """*Shapes:* (batch_size, seq_len, hidden_width) to the same; padding
        (batch_size, seq_len)."""
        inputs = inputs + self.attention_dropout(
            self.attention(self.attention_norm(inputs), padding)
        )
        hidden = self.relu_dropout(self.hidden(self.feed_forward_norm(inputs)).relu())
        return inputs + self.output_dropout(self.output(hidden))


@dataclass(frozen=True)
class FinalNormConfig(EncoderLayer):
    """The norm after the last pre-norm layer.

    repeat (int): 1: it is applied once.
    """

    repeat: int = 1


class FinalNorm(nn.LayerNorm):
    """A standard layer norm as an encoder layer."""

    def forward(
        self,
        inputs: Tensor,
        padding: Optional[Tensor] = None,
        positions: Optional[Tensor] = None,
    ) -> Tensor:
        """*Shape:* (batch_size, seq_len, hidden_width) to the same."""
        return super().forward(inputs)


@build_inputs.register
def _(
    config: SinusoidalInputsConfig, hidden_width: int, sizes: InputSizes
) -> InputLayer:
    return SinusoidalInputs(config, hidden_width, sizes)


@build_layer.register
def _(config: PreNormLayerConfig, hidden_width: int) -> nn.Module:
    """RAISES (ValueError): The heads cannot share the width."""
    if hidden_width % config.n_heads:
        raise ValueError(
            "n_heads of pre-norm layers: expected a divisor of hidden_width = "
            f"{hidden_width}, got {config.n_heads}"
        )
    return PreNormLayer(config, hidden_width)


@build_layer.register
def _(config: FinalNormConfig, hidden_width: int) -> nn.Module:
    return FinalNorm(hidden_width, NORM_EPSILON)

"""Self-attention in which a head may be the parse (Strubell et al. 2018, section 2.2; reference-srl.md 1.3 and 1.4).

The timing signal: fixed positions as sines and cosines (Vaswani et al. 2017; reference-srl.md 1.1).

The encoder of the semantic-role network: transformer layers as LISA has them (reference-srl.md 1.1 to 1.3)."""

import math
from typing import Optional, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from .basics import ElementDropout
from .roles_configs import RolesEncoderConfig

# The logit of a head that is given, and its negative: float32 makes the softmax exactly 1 and 0.
CLAMP = 1e9


def clamped_heads(heads: Tensor, unknown: Optional[Tensor] = None) -> Tensor:
    """Attention logits that put all weight on known heads.

    heads (Tensor): The head of each word, from 0; a root is its own head, -1 is unknown. *Shape:* (batch_size,
        seq_len).
    unknown (Optional[Tensor]): Logits of words without a known head; None: all zero. *Shape:* (batch_size, seq_len,
        seq_len).
    RETURNS (Tensor): [dependent, head]. *Shape:* (batch_size, seq_len, seq_len).
    """
    seq_len = heads.shape[1]
    is_head = heads.unsqueeze(-1) == torch.arange(seq_len, device=heads.device)
    logits = torch.where(is_head, CLAMP, -CLAMP)
    others = torch.zeros((), device=heads.device) if unknown is None else unknown.detach().float()
    return torch.where((heads >= 0).unsqueeze(-1), logits, others)


class AttentionWeights(nn.Module):
    """Softmax over keys without padding, then elementwise dropout. A separate module, so that a forward hook can read
    logits and weights.

    dropout (float): Elementwise dropout on the weights.
    """

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = ElementDropout(dropout)

    def forward(self, logits: Tensor, padding: Tensor) -> Tensor:
        """*Shapes:* logits (batch_size, n_heads, seq_len, seq_len), padding (batch_size, seq_len); to the logits'."""
        return self.dropout(torch.softmax(logits - CLAMP * padding[:, None, None, :].float(), dim=-1))


class SyntaxAttention(nn.Module):
    """Multi-head self-attention in which the last heads may be given: their logits come in, for instance from a parse.

    Given logits are neither scaled nor learned here, so these heads have no queries and keys. The syntax head reads the
    last value head. Given values take the place of the first value heads.

    n_heads (int): Attention heads, given ones among them.
    head_width (int): Width of a head's query, key and value.
    n_given (int): Heads whose logits come in.
    n_given_values (int): Heads whose values come in; only the reference has them.
    dropout (float): Elementwise dropout on attention weights, of given heads too.
    """

    def __init__(
        self, n_heads: int, head_width: int, *, n_given: int = 0, n_given_values: int = 0, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.head_width = head_width
        self.n_scored, self.n_values = n_heads - n_given, n_heads - n_given_values
        width = n_heads * head_width
        self.qkv = nn.Linear(width, (2 * self.n_scored + self.n_values) * head_width, bias=False)
        self.weights = AttentionWeights(dropout)
        self.output = nn.Linear(width, width, bias=False)
        for layer in (self.qkv, self.output):
            nn.init.xavier_uniform_(layer.weight)

    def forward(
        self, inputs: Tensor, padding: Tensor, given: Sequence[Tensor] = (), given_values: Sequence[Tensor] = ()
    ) -> Tensor:
        """Let every position attend to the positions of its sentence.

        inputs (Tensor): *Shape:* (batch_size, seq_len, n_heads * head_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        given (Sequence[Tensor]): Logits of the last heads, [dependent, head]. *Shapes:* (batch_size, seq_len, seq_len).
        given_values (Sequence[Tensor]): Values of the first heads. *Shapes:* (batch_size, seq_len, head_width).
        RETURNS (Tensor): *Shape:* as the input.
        """
        heads = self.qkv(inputs).unflatten(-1, (-1, self.head_width)).transpose(1, 2)
        query, key, value = heads.split([self.n_scored, self.n_scored, self.n_values], dim=1)
        logits = (query * self.head_width**-0.5) @ key.transpose(-1, -2)
        if given:
            logits = torch.cat([logits.float(), *(one.unsqueeze(1) for one in given)], dim=1)
        if given_values:
            value = torch.cat([*(one.unsqueeze(1) for one in given_values), value], dim=1)
        context = self.weights(logits, padding).to(value.dtype) @ value
        return self.output(context.transpose(1, 2).flatten(2))


LONGEST_PERIOD = 10_000.0


def timing_signal(seq_len: int, width: int) -> Tensor:
    """The signal of positions 0, 1, ...: all sines, then all cosines, then a zero column where the width is odd.

    seq_len (int): Number of positions.
    width (int): Width of a position, at least 4.
    RETURNS (Tensor): *Shape:* (seq_len, width), float32.
    RAISES (ValueError): The width is below 4: the periods are undefined.
    """
    if width < 4:
        raise ValueError(f"width: the timing signal needs at least 4 columns, got {width}")
    n = width // 2
    rates = torch.exp(torch.arange(n, dtype=torch.float64) * (-math.log(LONGEST_PERIOD) / (n - 1)))
    angles = torch.arange(seq_len, dtype=torch.float64)[:, None] * rates
    signal = torch.cat([angles.sin(), angles.cos(), angles.new_zeros(seq_len, width % 2)], dim=1)
    return signal.float()


SLOPE = 0.1  # of the leaky ReLU below zero
NORM_EPSILON = 1e-6


def layer_norm(width: int) -> nn.LayerNorm:
    """The layer norm of this network. width (int): Size of the last axis."""
    return nn.LayerNorm(width, eps=NORM_EPSILON)


class RolesInput(nn.Module):
    """Maps vectors to the width of the layers: dropout, an affine map, leaky ReLU, and the timing signal.

    config (RolesEncoderConfig): The options.
    vector_width (int): Width of the vectors.
    """

    def __init__(self, config: RolesEncoderConfig, vector_width: int) -> None:
        super().__init__()
        self.dropout = ElementDropout(config.input_dropout)
        self.projection = nn.Linear(vector_width, config.hidden_width)
        self.timing = config.timing
        nn.init.xavier_uniform_(self.projection.weight)
        nn.init.zeros_(self.projection.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, vector_width) to (batch_size, seq_len, hidden_width)."""
        projected = leaky_relu(self.projection(self.dropout(vectors)), SLOPE)
        return projected + timing_signal(*projected.shape[1:]).to(projected.device) if self.timing else projected


class RolesFeedForward(nn.Module):
    """Three maps without bias; leaky ReLU and dropout follow the first two.

    width, hidden_width (int): Width of the input and output, and of the hidden units.
    dropout (float): Elementwise dropout on hidden units.
    """

    def __init__(self, width: int, hidden_width: int, dropout: float) -> None:
        super().__init__()
        widths = [width, hidden_width, hidden_width, width]
        maps = [nn.Linear(a, b, bias=False) for a, b in zip(widths, widths[1:], strict=False)]
        self.maps = nn.ModuleList(maps)
        self.dropout = ElementDropout(dropout)
        for one in maps:
            nn.init.xavier_uniform_(one.weight)

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shapes:* (..., width) to the same."""
        hidden = inputs
        for one in self.maps[:-1]:
            hidden = self.dropout(leaky_relu(one(hidden), SLOPE))
        return self.maps[-1](hidden)


class RolesLayer(nn.Module):
    """Attention and a feed-forward network. Each adds its output to its **normalised** input (reference-srl.md 1.3).

    config (RolesEncoderConfig): The options.
    n_given, n_given_values (int): See `SyntaxAttention`.
    """

    def __init__(self, config: RolesEncoderConfig, n_given: int = 0, n_given_values: int = 0) -> None:
        super().__init__()
        width = config.hidden_width
        self.attention_norm, self.ff_norm = layer_norm(width), layer_norm(width)
        self.attention = SyntaxAttention(
            config.n_heads,
            config.head_width,
            n_given=n_given,
            n_given_values=n_given_values,
            dropout=config.attention_dropout,
        )
        self.feed_forward = RolesFeedForward(width, config.ff_width, config.ff_dropout)
        self.dropout = ElementDropout(config.residual_dropout)

    def forward(
        self, inputs: Tensor, padding: Tensor, given: Sequence[Tensor] = (), given_values: Sequence[Tensor] = ()
    ) -> Tensor:
        """*Shapes:* inputs (batch_size, seq_len, hidden_width), padding (batch_size, seq_len); to the inputs'. given,
        given_values (Sequence[Tensor]): See `SyntaxAttention.forward`."""
        normed = self.attention_norm(inputs)
        attended = normed + self.dropout(self.attention(normed, padding, given, given_values))
        normed = self.ff_norm(attended)
        return normed + self.dropout(self.feed_forward(normed))

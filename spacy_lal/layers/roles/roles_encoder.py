"""The encoder of the semantic-role network: transformer layers as LISA has them (reference-srl.md 1.1 to 1.3)."""

from typing import Sequence

from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from ..dropout import ElementDropout
from .configs import RolesEncoderConfig
from .syntax_attention import SyntaxAttention
from .timing import timing_signal

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

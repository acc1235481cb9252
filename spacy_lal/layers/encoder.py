"""The stack: self-attention layers, then one label attention layer and its feed-forward layer."""

from typing import Optional, Tuple

from torch import Tensor, nn

from .factored import FeedForward, split_width
from .label_attention import LabelAttention
from .network_config import NetworkConfig
from .norm import StdNorm
from .self_attention import SelfAttention


class LabelFeedForward(nn.Module):
    """One small feed-forward network, applied to the block of every label head by itself.

    Not in the reference, whose feed-forward layer mixes the heads, after which a block no longer speaks of one label
    (reference-parser.md T6). With this one the contributions of label heads stay readable.

    block_width (int): Width of a label head's block.
    ff_width (int): Hidden units.
    """

    def __init__(self, block_width: int, ff_width: int) -> None:
        super().__init__()
        self.block_width = block_width
        self.hidden = nn.Linear(block_width, ff_width)
        self.output = nn.Linear(ff_width, block_width)
        self.norm = StdNorm(block_width)

    def forward(self, inputs: Tensor) -> Tensor:
        """Transform every block.

        inputs (Tensor): *Shape:* (..., n_label_heads * block_width).
        RETURNS (Tensor): *Shape:* as the input.
        """
        blocks = inputs.unflatten(-1, (-1, self.block_width))
        return self.norm(blocks + self.output(self.hidden(blocks).relu())).flatten(-2)


class Encoder(nn.Module):
    """Self-attention and feed-forward layers, then label attention and, if wanted, its feed-forward layer.

    config (NetworkConfig): Sizes and switches.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        widths = split_width(config.hidden_width, config.factored)
        attn_dropout, residual_dropout = config.attention_dropout, config.residual_dropout
        self.attention = nn.ModuleList(
            SelfAttention(widths, config.n_attn_heads, config.attn_width, attn_dropout, residual_dropout)
            for _ in range(config.n_layers)
        )
        self.feed_forward = nn.ModuleList(
            FeedForward(widths, config.ff_width, config.relu_dropout, residual_dropout) for _ in range(config.n_layers)
        )
        self.label_attention: Optional[LabelAttention] = None
        self.label_feed_forward: Optional[nn.Module] = None
        if config.label_attention:
            self.label_attention = LabelAttention(
                split_width(config.hidden_width, config.label_factored and config.factored),
                config.n_label_heads,
                config.label_attn_width,
                config.label_proj_width,
                query_per_token=config.label_query_per_token,
                combine_as_self=config.label_combine_as_self,
                own_projection=config.label_own_projection,
                scrambled_queries=config.scrambled_queries,
                attention_dropout=attn_dropout,
                residual_dropout=residual_dropout if config.label_residual_dropout else 0.0,
            )
            self.label_feed_forward = self._build_label_feed_forward(config)

    @staticmethod
    def _build_label_feed_forward(config: NetworkConfig) -> Optional[nn.Module]:
        if config.label_feed_forward == "none":
            return None
        if config.label_feed_forward == "per_label":
            return LabelFeedForward(config.label_proj_width, config.label_ff_width or 2 * config.label_proj_width)
        # "split" is what the reference does with a factored label attention: its "position half" is simply the last
        # hidden_width / 2 features, that is, the blocks of the last few label heads (reference-parser.md T6).
        split = config.label_feed_forward == "split"
        widths = split_width(config.encoded_width, split, config.hidden_width // 2)
        return FeedForward(widths, config.ff_width, config.relu_dropout, config.residual_dropout)

    def forward(self, inputs: Tensor, padding: Tensor) -> Tuple[Tensor, Optional[Tensor], Tensor]:
        """Encode.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        RETURNS (Tuple[Tensor, Optional[Tensor], Tensor]): Encoded positions, *shape:* (batch_size, seq_len,
            encoded_width); the weights of `LabelAttention`, or None without it; the positions that entered label
            attention, *shape:* (batch_size, seq_len, hidden_width).
        """
        hidden, weights = inputs, None
        for attention, feed_forward in zip(self.attention, self.feed_forward, strict=True):
            hidden = feed_forward(attention(hidden, padding))
        tokens = hidden
        if self.label_attention is not None:
            hidden, weights = self.label_attention(hidden, padding)
            if self.label_feed_forward is not None:
                hidden = self.label_feed_forward(hidden)
        return hidden, weights, tokens

"""The parser's network: inputs -> encoder -> label attention -> fenceposts -> scorers.
A checkpoint maps onto it."""

from typing import Any, Optional

import torch
from torch import Tensor, nn

from ..scores import ParserScores
from .configs import FencepostLayout, ParserNetworkConfig, ParserSizes
from .encoder import Encoder
from .inputs import NetworkInputs, build_inputs
from .label_attention import LabelAttentionLayer, build_label_attention
from .parser_scorers import BiaffineScorer, SpanScorer, build_biaffine_scorer


class Fenceposts(nn.Module):
    """f_k = [forward half of y_k ; backward half of y_k+1 ; x_k ; x_k+1] for k = 0..n,
    without the parts that the layout lacks."""

    def __init__(self, layout: FencepostLayout) -> None:
        super().__init__()
        self.layout = layout

    def forward(self, encoded: Tensor, tokens: Tensor) -> Tensor:
        """Features of each gap. *Shapes:* encoded (batch_size, seq_len, encoded_width),
        tokens (batch_size, seq_len, hidden_width) to (batch_size, seq_len - 1,
        layout.width)."""
        layout = self.layout
        parts = []
        if layout.n_blocks:
            blocks = encoded.unflatten(-1, (layout.n_blocks, -1)) * layout.scale
            half = layout.forward_width
            parts.append(blocks[:, :-1, :, :half].flatten(2))
            parts.append(blocks[:, 1:, :, half:].flatten(2))
        if layout.token_width:
            parts += [tokens[:, :-1], tokens[:, 1:]]
        return torch.cat(parts, dim=-1)


class ParserNetwork(nn.Module):
    """The Label Attention Layer parser's network (Mrini et al. 2020). A sentence gets
    the same scores in any batch."""

    input_type = NetworkInputs

    def __init__(self, config: ParserNetworkConfig, sizes: ParserSizes) -> None:
        super().__init__()
        self.config = config
        self.sizes = sizes
        # Whether the scores of a sentence depend on the sentences beside it.
        attention = config.label_attention
        self.depends_on_batch = getattr(attention, "scrambled_queries", False)
        width = config.hidden_width
        self.inputs = build_inputs(config.inputs, width, sizes)
        self.encoder = Encoder(config.encoder, width)
        n_heads = config.n_label_heads(sizes)
        layout = config.layout(n_heads)
        self.fenceposts = Fenceposts(layout)
        self.label_attention: Optional[LabelAttentionLayer] = None
        self.span_scorer: Optional[SpanScorer] = None
        self.biaffine_scorer: Optional[BiaffineScorer] = None
        if attention is not None:
            self.label_attention = build_label_attention(attention, width, n_heads)
        if config.span_scorer is not None and sizes.n_labels:
            self.span_scorer = SpanScorer(config.span_scorer, layout, sizes.n_labels)
        if config.biaffine_scorer is not None and sizes.n_deprels:
            self.biaffine_scorer = build_biaffine_scorer(
                config.biaffine_scorer, layout, sizes.n_deprels
            )

    def encode(self, inputs: NetworkInputs) -> tuple[Tensor, Optional[Tensor]]:
        """Fenceposts, *shape:* (batch_size, n + 1, width), and the weights of label
        attention, *shape:* (batch_size, n_label_heads, n + 2)."""
        lengths = inputs.lengths
        seq_len = next(read.shape[1] for read in inputs[1:] if read is not None)
        padding = torch.arange(seq_len, device=lengths.device) >= lengths[:, None] + 2
        positions = self.inputs.place(lengths.shape[0], seq_len)
        tokens = self.encoder(self.inputs(inputs, positions), padding, positions)
        encoded = tokens
        weights = None
        if self.label_attention is not None:
            encoded, weights = self.label_attention(tokens, padding)
        return self.fenceposts(encoded, tokens), weights

    def forward(self, inputs: NetworkInputs) -> ParserScores:
        """Score a batch of sentences.

        RETURNS (ParserScores): Of tensors, padded, with an axis for the batch before
            all others; n is the longest sentence's. Without scores of deprels, their
            last axis has size 0."""
        fenceposts, _ = self.encode(inputs)
        batch_size, n_fenceposts, _ = fenceposts.shape
        labels: Any = fenceposts.new_zeros(batch_size, 0, 0, 0)
        arcs: Any = fenceposts.new_zeros(batch_size, n_fenceposts, n_fenceposts)
        deprels: Any = fenceposts.new_zeros(batch_size, n_fenceposts, 0)
        label_heads = None
        if self.span_scorer is not None:
            labels, label_heads = self.span_scorer(fenceposts, inputs.lengths)
        if self.biaffine_scorer is not None:
            arcs, deprels = self.biaffine_scorer(fenceposts)
        return ParserScores(labels, arcs, deprels, label_heads)

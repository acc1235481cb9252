"""Layers of the reference that depart from ours (docs/explanation/parser.md has them).
*Not* for training: each departure is a fault of the reference, or an option that its
authors dropped."""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from ..layers.basics import (
    FeedForward,
    StdNorm,
    combine_heads,
    head_weights,
    output_maps,
    project_heads,
)
from ..layers.configs import BiaffineScorerConfig, LabelAttentionConfig
from ..layers.label_attention import LabelAttentionLayer, build_label_attention
from ..layers.parser_scorers import BiaffineScorer, build_biaffine_scorer


@dataclass(frozen=True)
class ReferenceLabelAttentionConfig(LabelAttentionConfig):
    """Label attention with the reference's options: `lal_q_as_matrix` (a query per
    token), `lal_combine_as_self`, and:

    scrambled_queries (bool): Reproduce a fault: in a batch of B sentences, head l meets
        sentence b with the query of head (l * B + b) mod n_label_heads.
    shared_feed_forward (str): "none"; "joint": one feed-forward network over all
        blocks; "split": the reference's halves, whose "position half" is simply the
        last hidden_width / 2 features.
    shared_ff_width (int), relu_dropout, ff_residual_dropout (float): Hidden units of
    that network; its feature dropout."""

    query_per_token: bool = False
    combine_as_self: bool = False
    scrambled_queries: bool = False
    shared_feed_forward: Literal["none", "joint", "split"] = "none"
    shared_ff_width: int = 0
    relu_dropout: float = 0.0
    ff_residual_dropout: float = 0.0
    least = {**LabelAttentionConfig.least, "shared_ff_width": 0}

    def blocks(self, hidden_width: int, n_heads: int) -> tuple[int, int]:
        """See `LabelAttentionConfig`."""
        if self.combine_as_self:
            return hidden_width, 0
        return super().blocks(hidden_width, n_heads)


class ReferenceLabelAttention(LabelAttentionLayer):
    """Label attention with the reference's options; see
    `ReferenceLabelAttentionConfig`."""

    config: ReferenceLabelAttentionConfig

    def __init__(
        self, config: ReferenceLabelAttentionConfig, hidden_width: int, n_heads: int
    ) -> None:
        super().__init__(config, hidden_width, n_heads)
        if config.query_per_token:
            self.query = head_weights(n_heads, self.widths, self.part_width)
        if config.combine_as_self:
            self.output = output_maps(self.part_width * n_heads, self.widths)
            self.norm = StdNorm(hidden_width)
            del self.reduce
        self.feed_forward: nn.Module = nn.Identity()
        if config.shared_feed_forward != "none":
            width, _ = config.blocks(hidden_width, n_heads)
            widths = {"all": width}
            if config.shared_feed_forward == "split":
                half = hidden_width // 2
                widths = {"content": width - half, "position": half}
            rates = (config.relu_dropout, config.ff_residual_dropout)
            self.feed_forward = FeedForward(widths, config.shared_ff_width, *rates)

    def forward(self, inputs: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """See `LabelAttentionLayer`."""
        output, weights = super().forward(inputs, padding)
        return self.feed_forward(output), weights

    def queries(self, part: str, batch_size: int) -> Tensor:
        """See `LabelAttentionLayer`."""
        if not self.config.scrambled_queries:
            return super().queries(part, batch_size)
        query = self.query[part]
        places = torch.arange(self.n_label_heads * batch_size, device=query.device)
        return query[places % self.n_label_heads].unflatten(0, (-1, batch_size))

    def attend(self, inputs: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """See `LabelAttentionLayer`. With a query per token, a context per position,
        *shape:* (batch, n_heads, seq_len, attn_width); the weights are the mean over
        the queries."""
        if not self.config.query_per_token:
            return super().attend(inputs, padding)
        query, key, value = project_heads(
            inputs, self.widths, (self.query, self.key, self.value)
        )
        logits = (query * (1.0 / math.sqrt(self.hidden_width))) @ key.transpose(-1, -2)
        weights = self.weights(logits, padding[:, None, None, :])
        is_query = (~padding).to(weights.dtype)
        shares = is_query / is_query.sum(1, keepdim=True)
        return weights @ value, torch.einsum("bhqk,bq->bhk", weights, shares)

    def combine(self, inputs: Tensor, context: Tensor) -> Tensor:
        """See `LabelAttentionLayer`."""
        if not self.config.combine_as_self:
            return super().combine(inputs, context)
        combined = combine_heads(context, self.output)
        return self.norm(inputs + self.residual_dropout(combined))


build_label_attention.register(ReferenceLabelAttentionConfig, ReferenceLabelAttention)


@dataclass(frozen=True)
class ReferenceBiaffineScorerConfig(BiaffineScorerConfig):
    """A biaffine scorer that labels a word independently of its head: p is taken from
    the dependent's own row."""


class ReferenceBiaffineScorer(BiaffineScorer):
    """See `ReferenceBiaffineScorerConfig`. Scores of deprels have the *shape*
    (batch_size, n_fenceposts, n_deprels)."""

    def score_deprels(self, head: Tensor, dependent: Tensor) -> Tensor:
        """See `BiaffineScorer`; head and dependent are features of the same
        fenceposts."""
        seen, constant = self.seen_by_heads(head)
        return constant + (seen @ dependent.unsqueeze(-1)).squeeze(-1)


build_biaffine_scorer.register(ReferenceBiaffineScorerConfig, ReferenceBiaffineScorer)

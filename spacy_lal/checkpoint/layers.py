"""Layers of the reference that depart from ours (docs/explanation/parser.md has them).
*Not* for training: each departure is a fault of the reference, or an option that its
authors dropped."""

import math
from dataclasses import dataclass
from typing import Literal, Optional

import torch
from torch import Tensor, nn

from ..layers.basics import FeedForward, StdNorm, join_features, project_heads
from ..layers.configs import BiaffineScorerConfig, FencepostLayout, LabelAttentionConfig
from ..layers.label_attention import LabelAttention, build_label_attention
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
        return (
            (hidden_width, 0)
            if self.combine_as_self
            else (n_heads * self.proj_width, n_heads)
        )


class ReferenceLabelAttention(LabelAttention):
    """Label attention with the reference's options; see
    `ReferenceLabelAttentionConfig`."""

    def __init__(
        self, config: ReferenceLabelAttentionConfig, hidden_width: int, n_heads: int
    ) -> None:
        nn.Module.__init__(self)
        self.options = config  # parts built by the base class depend on it
        self.depends_on_batch = config.scrambled_queries
        super().__init__(config, hidden_width, n_heads)

    def build_query(self) -> nn.ParameterDict:
        """See `LabelAttention`."""
        return (
            self.build_projection()
            if self.options.query_per_token
            else super().build_query()
        )

    def build_output(self, config: LabelAttentionConfig) -> None:
        """See `LabelAttention`."""
        if not self.options.combine_as_self:
            super().build_output(config)
            return
        inner = self.part_width * self.n_label_heads
        self.output = nn.ModuleDict(
            {
                part: nn.Linear(inner, width, bias=False)
                for part, width in self.widths.items()
            }
        )
        self.norm = StdNorm(self.hidden_width)

    def build_feed_forward(self, config: LabelAttentionConfig) -> Optional[nn.Module]:
        """See `LabelAttention`."""
        options = self.options
        if options.shared_feed_forward == "none":
            return super().build_feed_forward(config)
        split = options.shared_feed_forward == "split"
        half = self.hidden_width // 2
        width = self.output_width
        widths = (
            {"content": width - half, "position": half} if split else {"all": width}
        )
        return FeedForward(
            widths,
            options.shared_ff_width,
            options.relu_dropout,
            options.ff_residual_dropout,
        )

    @property
    def output_width(self) -> int:
        """See `LabelAttention`."""
        return (
            self.hidden_width if self.options.combine_as_self else super().output_width
        )

    def queries(self, part: str, batch_size: int) -> Tensor:
        """See `LabelAttention`."""
        if not self.options.scrambled_queries:
            return super().queries(part, batch_size)
        query = self.query[part]
        heads = (
            torch.arange(self.n_label_heads, device=query.device)[:, None] * batch_size
        )
        return query[
            (heads + torch.arange(batch_size, device=query.device)) % self.n_label_heads
        ]

    def attend(self, inputs: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """See `LabelAttention`. With a query per token, a context per position,
        *shape:* (batch, n_heads, seq_len, attn_width); the weights are the mean over
        the queries."""
        if not self.options.query_per_token:
            return super().attend(inputs, padding)
        query, key, value = project_heads(
            inputs, self.widths, (self.query, self.key, self.value)
        )
        logits = (query * (1.0 / math.sqrt(self.hidden_width))) @ key.transpose(-1, -2)
        weights = self.weights(logits, padding[:, None, None, :])
        is_query = (~padding).to(weights.dtype)
        mean = (
            torch.einsum("bhqk,bq->bhk", weights, is_query)
            / is_query.sum(1)[:, None, None]
        )
        return weights @ value, mean

    def combine(self, inputs: Tensor, context: Tensor) -> Tensor:
        """See `LabelAttention`."""
        if not self.options.combine_as_self:
            return super().combine(inputs, context)
        context = (
            context.unflatten(-1, (len(self.widths), self.part_width))
            .permute(3, 0, 2, 1, 4)
            .flatten(3)
        )
        outputs = [self.output[part](context[i]) for i, part in enumerate(self.widths)]
        return self.norm(
            self.residual_dropout.add(join_features(outputs).expand_as(inputs), inputs)
        )


@build_label_attention.register
def _(
    config: ReferenceLabelAttentionConfig, hidden_width: int, n_heads: int
) -> LabelAttention:
    return ReferenceLabelAttention(config, hidden_width, n_heads)


@dataclass(frozen=True)
class ReferenceBiaffineScorerConfig(BiaffineScorerConfig):
    """A biaffine scorer that labels a word independently of its head: p is taken from
    the dependent's own row."""


class ReferenceBiaffineScorer(BiaffineScorer):
    """See `ReferenceBiaffineScorerConfig`. Scores of deprels have the *shape*
    (batch_size, n_fenceposts, n_deprels)."""

    given_head = False

    def score_deprels(self, head: Tensor, dependent: Tensor) -> Tensor:
        """See `BiaffineScorer`; head and dependent are features of the same
        fenceposts."""
        seen, constant = self.seen_by_heads(head)
        return constant + (seen @ dependent.unsqueeze(-1)).squeeze(-1)


@build_biaffine_scorer.register
def _(
    config: ReferenceBiaffineScorerConfig, layout: FencepostLayout, n_deprels: int
) -> BiaffineScorer:
    build = build_biaffine_scorer.dispatch(BiaffineScorerConfig)
    return build(config, layout, n_deprels, ReferenceBiaffineScorer)

"""The label attention layer (Mrini et al. 2020, section 2, Eq. 1-4),
without the reference's tensors of n_tokens x n_label_heads x hidden_width: the key
projection folds into the query, values are projected after pooling, and R (x_t + u_l) =
R x_t + R u_l."""

import math
from functools import singledispatch
from typing import Optional, Sequence

import torch
from torch import Tensor, nn

from .basics import (
    FeatureDropout,
    MaskedSoftmax,
    StdNorm,
    head_weights,
    join_features,
    split_features,
    split_width,
)
from .configs import LabelAttentionConfig


class LabelAttention(nn.Module):
    """Attention with one learned query per label head."""

    # Whether the output of a sentence depends on the sentences beside it.
    depends_on_batch = False

    def __init__(
        self, config: LabelAttentionConfig, hidden_width: int, n_heads: int
    ) -> None:
        super().__init__()
        self.widths = split_width(hidden_width, config.factored)
        self.n_label_heads = n_heads
        self.hidden_width = hidden_width
        self.part_width = config.attn_width // len(self.widths)
        self.weights = MaskedSoftmax(config.attention_dropout)
        self.residual_dropout = FeatureDropout(config.residual_dropout)
        self.query = self.build_query()
        self.key = self.build_projection()
        self.value = self.build_projection()
        self.build_output(config)
        self.feed_forward = self.build_feed_forward(config)

    def build_query(self) -> nn.ParameterDict:
        """The learned query of each head, by part. *Shape:* (n_heads, part_width)."""
        shape = (self.n_label_heads, self.part_width)
        return head_weights(dict.fromkeys(self.widths, shape))

    def build_projection(self) -> nn.ParameterDict:
        """A projection of each head, by part. *Shape:* (n_heads, width of the part,
        part_width)."""
        shapes = {
            part: (self.n_label_heads, width, self.part_width)
            for part, width in self.widths.items()
        }
        return head_weights(shapes)

    def build_output(self, config: LabelAttentionConfig) -> None:
        """Make the weights from a context to the output: P by part, R, and the norm of
        a block."""
        self.output = nn.ModuleDict(
            {
                part: nn.Linear(self.part_width, width, bias=False)
                for part, width in self.widths.items()
            }
        )
        n_projections = self.n_label_heads if config.per_head_projection else 1
        self.reduce = nn.Linear(
            self.hidden_width, n_projections * config.proj_width, bias=False
        )
        self.norm = StdNorm(config.proj_width)

    def build_feed_forward(self, config: LabelAttentionConfig) -> Optional[nn.Module]:
        """The feed-forward network on the output: none but in the reference's form."""
        return None

    @property
    def output_width(self) -> int:
        """Width of the output."""
        return self.n_label_heads * self.norm.gain.shape[0]

    def forward(self, inputs: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """Let each label head attend to the sentence. *Shapes:* inputs (batch_size,
        seq_len, hidden_width), padding (batch_size, seq_len)."""
        context, weights = self.attend(inputs, padding)
        output = self.combine(inputs, context)
        if self.feed_forward is not None:
            output = self.feed_forward(output)
        return output, weights

    def queries(self, part: str, batch_size: int) -> Tensor:
        """The queries of one part. *Shape:* (n_heads, 1 or batch_size, part_width)."""
        return self.query[part].unsqueeze(1)

    def attend(self, inputs: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """One context per sentence and head. *Shapes:* (batch, n_heads, 1, attn_width),
        (batch, n_heads, seq_len)."""
        scale = 1.0 / math.sqrt(self.hidden_width)
        keys = self._folded_keys(len(inputs)) * scale
        logits = keys @ inputs.transpose(1, 2)  # (batch, n_heads, seq_len)
        weights = self.weights(logits, padding[:, None, :])
        by_head = (weights @ inputs).transpose(0, 1)  # (n_heads, batch, hidden_width)
        pooled = split_features(by_head, self.widths)
        values = [
            features @ self.value[part]
            for part, features in zip(self.widths, pooled, strict=True)
        ]
        context = join_features(values).transpose(0, 1)
        return context.unsqueeze(2), weights

    def _folded_keys(self, batch_size: int) -> Tensor:
        """Each head's query, multiplied by its key projection. *Shape:* (1 or
        batch_size, n_heads, hidden_width)."""
        folded = [
            self.queries(part, batch_size) @ self.key[part].transpose(1, 2)
            for part in self.widths
        ]
        return join_features(folded).transpose(0, 1)

    def combine(self, inputs: Tensor, context: Tensor) -> Tensor:
        """One block per head: norm(R x_t + R dropout(P c_l)). *Shape:* (batch_size,
        seq_len, output_width)."""
        # each (width of the part, part_width)
        projection = [self.output[part].get_parameter("weight") for part in self.widths]
        if self.residual_dropout.active:
            reduced = self._reduce_dropped(context, projection)
        else:
            reduced = context @ self._folded_outputs(projection).transpose(-1, -2)
        # (batch, seq_len, n_heads or 1, proj_width)
        tokens = self.reduce(inputs).unflatten(-1, (len(self.reduce_weights), -1))
        return self.norm(tokens + reduced.transpose(1, 2)).flatten(2)

    def _folded_outputs(self, projection: Sequence[Tensor]) -> Tensor:
        """R P in one small matrix. *Shape:* (1 or n_label_heads, proj_width,
        attn_width)."""
        reduce = split_features(self.reduce_weights, self.widths)
        folded = [r @ p for r, p in zip(reduce, projection, strict=True)]
        return torch.cat(folded, dim=-1)

    @property
    def reduce_weights(self) -> Tensor:
        """R, shared or of each head. *Shape:* (1 or n_label_heads, proj_width,
        hidden_width)."""
        return self.reduce.weight.unflatten(0, (-1, self.norm.gain.shape[0]))

    def _reduce_dropped(self, context: Tensor, projection: Sequence[Tensor]) -> Tensor:
        """R dropout(P c): the mask is one per sentence, head and hidden feature, so it
        folds into a matrix as well."""
        batch_size = context.shape[0]
        whole = torch.block_diag(*projection)  # (hidden_width, attn_width)
        copies = whole.expand(batch_size * self.n_label_heads, -1, -1)
        mask = self.residual_dropout.sample_mask(copies.transpose(1, 2))
        mask = mask.view(batch_size, self.n_label_heads, 1, self.hidden_width)
        reduce = self.reduce_weights
        if context.shape[2] == 1:
            dropped = (context @ whole.t()) * mask
            return dropped @ reduce.transpose(-1, -2)
        folded = (reduce * mask) @ whole
        return context @ folded.transpose(-1, -2)


@singledispatch
def build_label_attention(
    config: LabelAttentionConfig, hidden_width: int, n_heads: int
) -> LabelAttention:
    """The layer, with an input of `hidden_width` and `n_heads` label heads."""
    return LabelAttention(config, hidden_width, n_heads)

"""The label attention layer (Mrini et al. 2020, section 2, Eq. 1-4),
without the reference's tensors of n_tokens x n_label_heads x hidden_width: the key
projection folds into the query, values are projected after pooling, and R (x_t + u_l) =
R x_t + R u_l."""

import math
from functools import singledispatch

import torch
from torch import Tensor, nn

from .basics import (
    FeatureDropout,
    MaskedSoftmax,
    StdNorm,
    head_weights,
    output_maps,
    split_features,
    split_width,
)
from .configs import LabelAttentionConfig


class LabelAttentionLayer(nn.Module):
    """Attention with one learned query per label head."""

    def __init__(
        self, config: LabelAttentionConfig, hidden_width: int, n_heads: int
    ) -> None:
        super().__init__()
        self.config = config
        self.widths = split_width(hidden_width, config.factored)
        self.n_label_heads = n_heads
        self.hidden_width = hidden_width
        self.part_width = config.attn_width // len(self.widths)
        self.weights = MaskedSoftmax(config.attention_dropout)
        self.residual_dropout = FeatureDropout(config.residual_dropout)
        shape = (n_heads, self.part_width)
        self.query = nn.ParameterDict(
            {part: nn.init.xavier_normal_(torch.empty(shape)) for part in self.widths}
        )
        self.key, self.value = (
            head_weights(n_heads, self.widths, self.part_width) for _ in range(2)
        )
        # from a context to the output: P by part, R, and the norm of a block
        width = config.proj_width
        n_projections = n_heads if config.per_head_projection else 1
        self.output = output_maps(self.part_width, self.widths)
        self.reduce = nn.Linear(hidden_width, n_projections * width, bias=False)
        self.norm = StdNorm(width)

    def forward(self, inputs: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """Let each label head attend to the sentence. *Shapes:* inputs (batch_size,
        seq_len, hidden_width), padding (batch_size, seq_len)."""
        context, weights = self.attend(inputs, padding)
        return self.combine(inputs, context), weights

    def queries(self, part: str, batch_size: int) -> Tensor:
        """The queries of one part. *Shape:* (n_heads, 1 or batch_size, part_width)."""
        return self.query[part].unsqueeze(1)

    def attend(self, inputs: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """One context per sentence and head. *Shapes:* (batch, n_heads, 1, attn_width),
        (batch, n_heads, seq_len)."""
        scale = 1.0 / math.sqrt(self.hidden_width)
        keys = self._folded_keys(inputs.shape[0]) * scale
        logits = keys @ inputs.transpose(1, 2)  # (batch, n_heads, seq_len)
        weights = self.weights(logits, padding[:, None, :])
        by_head = (weights @ inputs).transpose(0, 1)  # (n_heads, batch, hidden_width)
        pooled = split_features(by_head, self.widths)
        parts = zip(pooled, self.value.values(), strict=True)
        values = [features @ weight for features, weight in parts]
        context = torch.cat(values, dim=-1).transpose(0, 1)
        return context.unsqueeze(2), weights

    def _folded_keys(self, batch_size: int) -> Tensor:
        """Each head's query, multiplied by its key projection. *Shape:* (1 or
        batch_size, n_heads, hidden_width)."""
        folded = [
            self.queries(part, batch_size) @ self.key[part].transpose(1, 2)
            for part in self.widths
        ]
        return torch.cat(folded, dim=-1).transpose(0, 1)

    def combine(self, inputs: Tensor, context: Tensor) -> Tensor:
        """One block per head: norm(R x_t + R dropout(P c_l)). *Shape:* (batch_size,
        seq_len, output_width)."""
        # R, shared or of each head: (1 or n_heads, proj_width, hidden_width)
        reduce = self.reduce.weight.unflatten(0, (-1, self.norm.gain.shape[0]))
        weights = [layer.get_parameter("weight") for layer in self.output.values()]
        projection = torch.block_diag(*weights)  # P: (hidden_width, attn_width)
        if self.residual_dropout.active:  # one mask per sentence and head
            update = context @ projection.t()
            dropped = self.residual_dropout(update.flatten(0, 1))
            reduced = dropped.view_as(update) @ reduce.transpose(-1, -2)
        else:
            folded = reduce @ projection
            reduced = context @ folded.transpose(-1, -2)
        # (batch, seq_len, n_heads or 1, proj_width)
        tokens = self.reduce(inputs)
        tokens = tokens.unflatten(-1, (-1, reduced.shape[-1]))
        output = self.norm(tokens + reduced.transpose(1, 2))
        return output.flatten(2)


# The layer of a config: of another kind for a config of another class.
build_label_attention = singledispatch(LabelAttentionLayer)

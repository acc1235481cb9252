"""The label attention layer in its factorised form (Mrini et al. 2020, section 2; reference-parser.md 1.9).

The reference builds tensors of n_tokens x n_label_heads x hidden_width. None is needed: a learned query meets the keys
of its own head only, so the key projection folds into the query and the value projection applies after pooling; and
R (x_t + u_l) = R x_t + R u_l. What remains per token and label head is the output itself.
"""

import math
from typing import Dict, Sequence, Tuple

import torch
from torch import Tensor, nn

from .dropout import FeatureDropout
from .factored import join_features, split_features
from .norm import StdNorm
from .self_attention import MaskedSoftmax


class LabelAttention(nn.Module):
    """Attention with one head per constituent label.

    widths (Dict[str, int]): Sizes of the parts of the features, from `split_width`.
    n_label_heads (int): Number of label heads.
    attn_width (int): Width of a head's query, key and value, all parts together.
    proj_width (int): Width of each head's block of the output. Unused with `combine_as_self`.
    query_per_token (bool): Compute the queries from the tokens; otherwise one learned query per head (the paper).
    combine_as_self (bool): Project all heads together to the hidden width, as self-attention does.
    own_projection (bool): Each head has a matrix R of its own; otherwise all share one (the paper). Unused with
        `combine_as_self`.
    scrambled_queries (bool): Reproduce a fault of the reference: in a batch of B sentences, head l meets sentence b
        with the query of head (l * B + b) mod n_label_heads (reference-parser.md T2). Only for published scores.
    attention_dropout (float): Elementwise dropout on attention weights.
    residual_dropout (float): Feature dropout on each head's output before the residual is added.
    """

    def __init__(
        self,
        widths: Dict[str, int],
        n_label_heads: int,
        attn_width: int,
        proj_width: int,
        *,
        query_per_token: bool = False,
        combine_as_self: bool = False,
        own_projection: bool = False,
        scrambled_queries: bool = False,
        attention_dropout: float = 0.0,
        residual_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.widths = dict(widths)
        self.n_label_heads = n_label_heads
        self.hidden_width = sum(widths.values())
        self.part_width = attn_width // len(widths)
        self.query_per_token = query_per_token
        self.combine_as_self = combine_as_self
        self.own_projection = own_projection
        self.scrambled_queries = scrambled_queries
        self.query = self._head_parameters(per_token=query_per_token)
        self.key = self._head_parameters()
        self.value = self._head_parameters()
        inner = self.part_width * (n_label_heads if combine_as_self else 1)
        self.output = nn.ModuleDict({part: nn.Linear(inner, width, bias=False) for part, width in widths.items()})
        if not combine_as_self:
            n_projections = n_label_heads if own_projection else 1
            self.reduce = nn.Linear(self.hidden_width, n_projections * proj_width, bias=False)
        self.norm = StdNorm(self.hidden_width if combine_as_self else proj_width)
        self.weights = MaskedSoftmax(attention_dropout)
        self.residual_dropout = FeatureDropout(residual_dropout)

    def _head_parameters(self, per_token: bool = True) -> nn.ParameterDict:
        parameters = {}
        for part, width in self.widths.items():
            inner = (width, self.part_width) if per_token else (self.part_width,)
            tensor = nn.init.xavier_normal_(torch.empty(self.n_label_heads, *inner))
            parameters[part] = nn.Parameter(tensor)
        return nn.ParameterDict(parameters)

    @property
    def output_width(self) -> int:
        """Width of the output."""
        return self.hidden_width if self.combine_as_self else self.n_label_heads * self.norm.gain.shape[0]

    def forward(self, inputs: Tensor, padding: Tensor) -> Tuple[Tensor, Tensor]:
        """Let every label head look at the sentence.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        RETURNS (Tuple[Tensor, Tensor]): The output, *shape:* (batch_size, seq_len, output_width), one block of
            proj_width features per label head; and the attention weights, *shape:* (batch_size, n_label_heads, 1,
            seq_len), or (batch_size, n_label_heads, seq_len, seq_len) where queries are computed per token.
        """
        attend = self._attend_per_token if self.query_per_token else self._attend
        context, weights = attend(inputs, padding)
        combine = self._combine_as_self if self.combine_as_self else self._combine_by_label
        return combine(inputs, context), weights

    def _attend(self, inputs: Tensor, padding: Tensor) -> Tuple[Tensor, Tensor]:
        """One context per sentence and head. *Shapes:* (batch, n_heads, 1, attn_width), (batch, n_heads, 1, seq)."""
        batch_size = inputs.shape[0]
        folded = []  # the query of each head seen through its key projection: (n_heads, queries, width of the part)
        for part in self.widths:
            query = self.query[part]
            if self.scrambled_queries:
                heads = torch.arange(self.n_label_heads, device=query.device)[:, None] * batch_size
                query = query[(heads + torch.arange(batch_size, device=query.device)) % self.n_label_heads]
            else:
                query = query.unsqueeze(1)
            folded.append(query @ self.key[part].transpose(1, 2))
        keys = join_features(folded).transpose(0, 1) * (1.0 / math.sqrt(self.hidden_width))
        logits = keys @ inputs.transpose(1, 2)  # (batch, n_heads, seq_len)
        weights = self.weights(logits, padding[:, None, :])
        pooled = split_features((weights @ inputs).transpose(0, 1), self.widths)  # (n_heads, batch, width)
        values = [features @ self.value[part] for part, features in zip(self.widths, pooled, strict=True)]
        return join_features(values).transpose(0, 1).unsqueeze(2), weights.unsqueeze(2)

    def _attend_per_token(self, inputs: Tensor, padding: Tensor) -> Tuple[Tensor, Tensor]:
        """One context per position and head. *Shapes:* (batch, n_heads, seq, attn_width), (.., seq, seq)."""
        parts = split_features(inputs, self.widths)
        projected = []
        for part, features in zip(self.widths, parts, strict=True):
            heads = torch.cat([self.query[part], self.key[part], self.value[part]])
            product = nn.functional.linear(features, heads.transpose(1, 2).flatten(0, 1))
            projected.append(product.unflatten(-1, (3, self.n_label_heads, self.part_width)))
        query, key, value = join_features(projected).permute(2, 0, 3, 1, 4).unbind()
        logits = (query * (1.0 / math.sqrt(self.hidden_width))) @ key.transpose(-1, -2)
        weights = self.weights(logits, padding[:, None, None, :])
        return weights @ value, weights

    def _combine_as_self(self, inputs: Tensor, context: Tensor) -> Tensor:
        """All heads projected together (the reference's `lal_combine_as_self`)."""
        context = context.unflatten(-1, (len(self.widths), self.part_width)).permute(3, 0, 2, 1, 4).flatten(3)
        outputs = [self.output[part](context[i]) for i, part in enumerate(self.widths)]
        return self.norm(self.residual_dropout.add(join_features(outputs).expand_as(inputs), inputs))

    def _combine_by_label(self, inputs: Tensor, context: Tensor) -> Tensor:
        """One block per head: norm(R x_t + R dropout(P c_l))."""
        projection = [
            self.output[part].get_parameter("weight") for part in self.widths
        ]  # each (width of the part, part_width)
        if self.residual_dropout.active:
            reduced = self._reduce_dropped(context, projection)
        else:  # R P folds into one small matrix: (proj_width, attn_width)
            reduce = split_features(self.reduce_weights, self.widths)
            folded = torch.cat([r @ p for r, p in zip(reduce, projection, strict=True)], dim=-1)
            reduced = context @ folded.transpose(-1, -2)
        # (batch, seq_len, n_heads, proj_width), or without own projections (batch, seq_len, 1, proj_width)
        tokens = self.reduce(inputs).unflatten(-1, (len(self.reduce_weights), -1))
        return self.norm(tokens + reduced.transpose(1, 2)).flatten(2)

    @property
    def reduce_weights(self) -> Tensor:
        """R, of each head if it has one of its own. *Shape:* (1 or n_label_heads, proj_width, hidden_width)."""
        return self.reduce.weight.unflatten(0, (-1, self.norm.gain.shape[0]))

    def _reduce_dropped(self, context: Tensor, projection: Sequence[Tensor]) -> Tensor:
        """R dropout(P c): the mask is one per sentence, head and hidden feature, so it folds into a matrix as well."""
        batch_size = context.shape[0]
        whole = torch.block_diag(*projection)  # (hidden_width, attn_width)
        mask = self.residual_dropout.sample_mask(whole.expand(batch_size * self.n_label_heads, -1, -1).transpose(1, 2))
        mask = mask.view(batch_size, self.n_label_heads, 1, self.hidden_width)
        if context.shape[2] == 1:
            return ((context @ whole.t()) * mask) @ self.reduce_weights.transpose(-1, -2)
        return context @ ((self.reduce_weights * mask) @ whole).transpose(-1, -2)

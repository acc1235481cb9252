"""Factored multi-head self-attention (Kitaev & Klein 2018, section 4; reference-parser.md 1.7)."""

import math
from typing import Dict

import torch
from torch import Tensor, nn

from .dropout import ElementDropout, FeatureDropout
from .factored import join_features, split_features
from .norm import StdNorm


class MaskedSoftmax(nn.Module):
    """Attention weights from logits: no weight on padding, elementwise dropout on the rest.

    A module of its own so that a forward hook can read the weights of any layer.

    dropout (float): Elementwise dropout on the weights.
    """

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = ElementDropout(dropout)

    def forward(self, logits: Tensor, padding: Tensor) -> Tensor:
        """Softmax over the last axis.

        logits (Tensor): Overwritten where they meet padding. *Shape:* (..., n_keys).
        padding (Tensor): True at keys that are padding; broadcasts against the logits.
        RETURNS (Tensor): *Shape:* as the logits.
        """
        return self.dropout(torch.softmax(logits.masked_fill(padding, -math.inf), dim=-1))


class SelfAttention(nn.Module):
    """Multi-head self-attention over a sentence, with residual and layer norm.

    Each head sees the content part and the position part of the features through projections of their own; a logit is
    the sum of a content and a position product. Logits are divided by sqrt(hidden width), not by the square root of the
    head's width as in the paper: checkpoints of the reference need it (reference-parser.md T5).

    widths (Dict[str, int]): Sizes of the parts, from `split_width`.
    n_heads (int): Number of attention heads.
    attn_width (int): Width of a head's query, key and value, all parts together.
    attention_dropout (float): Elementwise dropout on attention weights.
    residual_dropout (float): Feature dropout before the residual is added.
    """

    def __init__(
        self, widths: Dict[str, int], n_heads: int, attn_width: int, attention_dropout: float, residual_dropout: float
    ) -> None:
        super().__init__()
        self.widths = dict(widths)
        self.n_heads = n_heads
        self.hidden_width = sum(widths.values())
        self.part_width = attn_width // len(widths)
        self.query = self._head_projections()
        self.key = self._head_projections()
        self.value = self._head_projections()
        inner = n_heads * self.part_width
        self.output = nn.ModuleDict({part: nn.Linear(inner, width, bias=False) for part, width in widths.items()})
        self.norm = StdNorm(self.hidden_width)
        self.weights = MaskedSoftmax(attention_dropout)
        self.residual_dropout = FeatureDropout(residual_dropout)

    def _head_projections(self) -> nn.ParameterDict:
        shapes = {part: (self.n_heads, width, self.part_width) for part, width in self.widths.items()}
        return nn.ParameterDict(
            {part: nn.Parameter(nn.init.xavier_normal_(torch.empty(shape))) for part, shape in shapes.items()}
        )

    def _project(self, part: str, features: Tensor) -> Tensor:
        """Queries, keys and values of one part in one product. RETURNS *Shape:* (batch, seq_len, 3, n_heads, width)."""
        heads = torch.cat([self.query[part], self.key[part], self.value[part]])
        projected = nn.functional.linear(features, heads.transpose(1, 2).flatten(0, 1))
        return projected.unflatten(-1, (3, self.n_heads, self.part_width))

    def forward(self, inputs: Tensor, padding: Tensor) -> Tensor:
        """Let every position look at every other of its sentence.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        RETURNS (Tensor): *Shape:* as the input.
        """
        parts = split_features(inputs, self.widths)
        projected = join_features(
            [self._project(part, features) for part, features in zip(self.widths, parts, strict=True)]
        )
        query, key, value = projected.permute(2, 0, 3, 1, 4).unbind()  # each (batch, n_heads, seq_len, attn_width)
        logits = (query * (1.0 / math.sqrt(self.hidden_width))) @ key.transpose(-1, -2)
        context = self.weights(logits, padding[:, None, None, :]) @ value
        context = context.unflatten(-1, (len(parts), self.part_width)).permute(3, 0, 2, 1, 4).flatten(3)
        outputs = [self.output[part](context[i]) for i, part in enumerate(self.widths)]
        return self.norm(self.residual_dropout.add(join_features(outputs), inputs))

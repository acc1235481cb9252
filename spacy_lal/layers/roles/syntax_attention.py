"""Self-attention in which a head may be the parse (Strubell et al. 2018, section 2.2; reference-srl.md 1.3 and 1.4)."""

from typing import Optional, Sequence

import torch
from torch import Tensor, nn

from ..dropout import ElementDropout

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

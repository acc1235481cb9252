"""A BERT in few lines, for a pipeline that is loaded to parse and nothing else.

It has the weights of the `transformers` library's `BertModel`, by the same names, and gives the same numbers. The
library's own takes more time to import than a pipeline takes to load. *Not* here: ONNX Runtime (`runtimes.py`).
"""

from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Dict, Iterator, Optional, Tuple

import torch
from torch import Tensor, nn
from transformers.modeling_outputs import BaseModelOutputWithPooling

# Values that a BERT's config must have: the library knows more forms than this file and the ONNX graph.
PLAIN_BERT: Dict[str, Tuple[Any, ...]] = {
    "model_type": ("bert",),
    "hidden_act": ("gelu",),
    "position_embedding_type": ("absolute", None),
    "is_decoder": (False, None),
    "add_cross_attention": (False, None),
}
_KNOWN = {
    **PLAIN_BERT,
    "output_hidden_states": (False, None),
    "output_attentions": (False, None),
    "_attn_implementation_internal": ("sdpa", None),
}
_PARSING_ONLY: ContextVar[bool] = ContextVar("_PARSING_ONLY", default=False)


@contextmanager
def parsing_only() -> Iterator[None]:
    """In a block, transformers are loaded without what training and explanations need, where this file knows them."""
    token = _PARSING_ONLY.set(True)
    try:
        yield
    finally:
        _PARSING_ONLY.reset(token)


def light_bert(config: Any) -> Optional["LightBert"]:
    """A BERT for a config of the `transformers` library, in a block of `parsing_only`. Its weights must be loaded.

    RETURNS (Optional[LightBert]): None outside of the block, or for another transformer.
    """
    wanted = _PARSING_ONLY.get() and not hasattr(config, "auto_map")
    known = wanted and all(getattr(config, name, None) in values for name, values in _KNOWN.items())
    return LightBert(config).eval() if known else None


class LightBert(nn.Module):
    """See the file. It is never trained and has no dropout.

    config (BertConfig): Of the library.
    """

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config)
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList([_Layer(config) for _ in range(config.num_hidden_layers)])
        self.pooler = nn.Module()
        self.pooler.dense = nn.Linear(config.hidden_size, config.hidden_size)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.pooler.dense.weight.device  # type: ignore[union-attr, return-value]

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Optional[Tensor] = None
    ) -> BaseModelOutputWithPooling:
        """The last hidden states, and the pooled vector of each row.

        input_ids, attention_mask, token_type_ids (Tensor): *Shape:* (n_rows, n_pieces).
        RETURNS (BaseModelOutputWithPooling): `last_hidden_state`: (n_rows, n_pieces, width); `pooler_output`:
            (n_rows, width).
        """
        states = self.embeddings(input_ids, token_type_ids)
        least = torch.finfo(states.dtype).min
        mask = None if bool(attention_mask.all()) else (1.0 - attention_mask[:, None, None, :].to(states.dtype)) * least
        for layer in self.encoder.layer:  # type: ignore[union-attr]
            states = layer(states, mask)
        pooled = torch.tanh(self.pooler.dense(states[:, 0]))  # type: ignore[operator]
        return BaseModelOutputWithPooling(last_hidden_state=states, pooler_output=pooled)  # type: ignore[arg-type]


class _Embeddings(nn.Module):
    """The sum of word, position and segment vectors, normalised."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        width = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, width, padding_idx=config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, width)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, width)
        self.LayerNorm = nn.LayerNorm(width, eps=config.layer_norm_eps)

    def forward(self, pieces: Tensor, segments: Optional[Tensor]) -> Tensor:
        """*Shapes:* (n_rows, n_pieces); (n_rows, n_pieces, width)."""
        segments = torch.zeros_like(pieces) if segments is None else segments
        positions = self.position_embeddings.weight[: pieces.shape[1]]
        return self.LayerNorm(self.word_embeddings(pieces) + self.token_type_embeddings(segments) + positions)


class _Layer(nn.Module):
    """Attention and a feed-forward network, each followed by a residual connection and a norm."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        width, hidden = config.hidden_size, config.intermediate_size
        self.n_heads = config.num_attention_heads
        self.attention = nn.Module()
        self.attention.self = nn.ModuleDict({part: nn.Linear(width, width) for part in ("query", "key", "value")})
        self.attention.output = _Output(width, width, config.layer_norm_eps)
        self.intermediate = nn.Module()
        self.intermediate.dense = nn.Linear(width, hidden)
        self.output = _Output(hidden, width, config.layer_norm_eps)

    def forward(self, states: Tensor, mask: Optional[Tensor]) -> Tensor:
        """*Shapes:* states: (n_rows, n_pieces, width); mask, added to the scores: (n_rows, 1, 1, n_pieces)."""
        parts = self.attention.self  # type: ignore[union-attr]
        queries, keys, values = (
            parts[name](states).unflatten(2, (self.n_heads, -1)).transpose(1, 2)  # type: ignore[index, operator]
            for name in ("query", "key", "value")
        )
        attended = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        states = self.attention.output(attended.transpose(1, 2).flatten(2), states)  # type: ignore[operator]
        return self.output(nn.functional.gelu(self.intermediate.dense(states)), states)  # type: ignore[operator]


class _Output(nn.Module):
    """A linear map, a residual connection and a norm."""

    def __init__(self, n_inputs: int, n_outputs: int, epsilon: float) -> None:
        super().__init__()
        self.dense = nn.Linear(n_inputs, n_outputs)
        self.LayerNorm = nn.LayerNorm(n_outputs, eps=epsilon)

    def forward(self, inputs: Tensor, residual: Tensor) -> Tensor:
        """*Shapes:* (n_rows, n_pieces, n_inputs); (n_rows, n_pieces, n_outputs), twice."""
        return self.LayerNorm(self.dense(inputs) + residual)

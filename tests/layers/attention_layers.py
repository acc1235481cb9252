"""Encoders with random weights, and batches for them: what the tests of self-attention start from."""

from typing import Any, Dict, List, Optional

import torch
from torch import Tensor

from spacy_lal.layers.configs import EncoderConfig, SelectorConfig, SelfAttentionLayerConfig
from spacy_lal.layers.encoder import Encoder

WIDTH = 12
N_WORDS = [4, 1, 7, 2, 3]
NO_DROPOUT = {"attention_dropout": 0.0, "relu_dropout": 0.0, "residual_dropout": 0.0}
OPTIONS: Dict[str, Dict[str, Any]] = {
    "factored": {},
    "unfactored": {"factored": False},
    "window": {"window": 2},
    "relaxed": {"window": 1, "relaxed_window": True, "factored": False},
    "positions": {"queries": "positions", "factored": False},
    "positions_window": {"queries": "positions", "factored": False, "window": 1},
    "selector": {"selector": SelectorConfig()},
    "selector_nothing": {"selector": SelectorConfig(on_empty="nothing"), "window": 2},
    "soft": {"selector": SelectorConfig(mode="soft", width=2)},
    "sample": {"selector": SelectorConfig(mode="sample"), "window": 1, "relaxed_window": True},
    "positions_selector": {"queries": "positions", "factored": False, "selector": SelectorConfig()},
}


def make_encoder(
    *, seed: int = 0, repeat: int = 2, scale: float = 2.0, dtype: torch.dtype = torch.float32, **options: Any
) -> Encoder:
    """An encoder in evaluation mode. scale: Factor of the weights of selectors, so that choices differ."""
    torch.manual_seed(seed)
    config = SelfAttentionLayerConfig(repeat=repeat, n_heads=3, attn_width=4, ff_width=8, **{**NO_DROPOUT, **options})
    encoder = EncoderConfig((config,)).build(WIDTH).to(dtype).eval()
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if "selector" in name:
                parameter.copy_(torch.randn_like(parameter) * (0.3 if "bias" in name else 1.0) * scale)
            elif parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return encoder


def make_padding(n_words: List[int]) -> Tensor:
    """True at padding. *Shape:* (batch_size, longest + 2)."""
    lengths = torch.tensor(n_words) + 2
    return torch.arange(int(lengths.max()) if n_words else 2) >= lengths[:, None]


def make_inputs(n_words: List[int], seed: int = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random inputs, noise at padding too. *Shape:* (batch_size, longest + 2, WIDTH)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(len(n_words), max(n_words, default=0) + 2, WIDTH, generator=generator, dtype=dtype)


def make_positions(seq_len: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Rows of a position table. *Shape:* (1, seq_len, WIDTH)."""
    return torch.randn(60, WIDTH, generator=torch.Generator().manual_seed(2), dtype=dtype)[None, :seq_len]


def encode(encoder: Encoder, inputs: Tensor, n_words: List[int]) -> Tensor:
    """Encode a batch. *Shapes:* (batch_size, longest + 2, WIDTH) to the same."""
    return encoder(inputs, make_padding(n_words), make_positions(inputs.shape[1], inputs.dtype))


def attention_weights(encoder: Encoder, inputs: Tensor, n_words: List[int]) -> List[Tensor]:
    """The weights of each layer's self-attention."""
    found: List[Tensor] = []
    softmaxes = [layer.attention.weights for layer in encoder.layers]
    hooks = [one.register_forward_hook(lambda module, inputs, output: found.append(output)) for one in softmaxes]
    encode(encoder, inputs, n_words)
    for hook in hooks:
        hook.remove()
    return found


def fix_noise(encoder: Encoder, noise: Optional[List[Tensor]] = None) -> None:
    """Let the selectors take given noise for each sentence of the batch, by layer; None for no noise."""
    for number, layer in enumerate(encoder.layers):
        selector = layer.attention.selector
        if selector is not None:
            if noise is None:
                selector.sample_noise = torch.zeros_like
            else:
                given = noise[number]
                selector.sample_noise = lambda scores, given=given: given[
                    : scores.shape[0], :, : scores.shape[2], : scores.shape[3]
                ]

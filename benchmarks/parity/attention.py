"""Self-attention from outside: recorded weights, and limits at test time
(Kitaev & Klein 2018, sections 4.1 and 4.2)."""

from contextlib import contextmanager
from typing import Any, Dict, Iterable, Iterator, Optional

import torch
from torch import Tensor, nn

from spacy_lal.layers.encoder import AttentionWindow


@contextmanager
def recording(attentions: Iterable[Any]) -> Iterator[Dict[nn.Module, Tensor]]:
    """In this block, the last weights of each self-attention. *Shape:* (batch_size,
    n_heads, seq_len, seq_len)."""
    found: Dict[nn.Module, Tensor] = {}

    def keep(attention: nn.Module) -> Any:
        return lambda module, inputs, output: found.__setitem__(
            attention, output.detach()
        )

    handles = [
        attention.weights.register_forward_hook(keep(attention))
        for attention in attentions
    ]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def limited(
    attentions: Iterable[Any],
    *,
    content: bool = True,
    position: bool = True,
    window: Optional[int] = None,
    relaxed_window: bool = False,
) -> Iterator[None]:
    """In this block, some self-attentions are limited.

    content, position (bool): Whether that part's product counts in the logits of
        factored layers. Without both, attention is uniform.
    window (Optional[int]): Only pairs at most so far apart attend to each other; 0
        leaves each position itself.
    relaxed_window (bool): Exempt START, the first word, the last word and STOP from the
    window."""
    chosen = list(attentions)
    before = [
        (one.window, {part: query.data for part, query in one.query.items()})
        for one in chosen
    ]
    for one in chosen:
        one.window = (
            one.window if window is None else AttentionWindow(window, relaxed_window)
        )
        for part, kept in (("content", content), ("position", position)):
            if not kept:
                one.query[part].data = torch.zeros_like(one.query[part])
    try:
        yield
    finally:
        for one, (own, queries) in zip(chosen, before, strict=True):
            one.window = own
            for part, query in queries.items():
                one.query[part].data = query

"""Self-attention recorded for interpretation: weights, and the choice of a selector."""

from contextlib import contextmanager
from contextvars import ContextVar
from typing import Dict, Iterator, NamedTuple, Optional

from torch import Tensor, nn


class AttentionRecord(NamedTuple):
    """One self-attention's work on a batch; without gradient.

    weights (Tensor): *Shape:* (batch_size, n_heads, seq_len, seq_len), [query, key].
    prob (Optional[Tensor]): The probability of each pair to be chosen; None without a selector. *Shape:* as weights.
    choice (Optional[Tensor]): Whether a pair is chosen, as the selector decides; None without a selector. *Shape:* as
        weights.
    """

    weights: Tensor
    prob: Optional[Tensor] = None
    choice: Optional[Tensor] = None


# Belongs to the thread, not to the network: other threads parse with the same network.
_RECORDS: ContextVar[Optional[Dict[nn.Module, AttentionRecord]]] = ContextVar("_RECORDS", default=None)


def record(attention: nn.Module, record: AttentionRecord) -> None:
    """Keep a record, if this context keeps records."""
    records = _RECORDS.get()
    if records is not None:
        weights, prob, choice = record
        chosen = None if choice is None else choice.detach()
        records[attention] = AttentionRecord(weights.detach(), None if prob is None else prob.detach(), chosen)


@contextmanager
def recording() -> Iterator[Dict[nn.Module, AttentionRecord]]:
    """In this block, and only in its thread, keep the last record of each self-attention that runs unfolded."""
    records: Dict[nn.Module, AttentionRecord] = {}
    token = _RECORDS.set(records)
    try:
        yield records
    finally:
        _RECORDS.reset(token)

"""Limits of self-attention for the time of a block, outside the weights (reference-encoders.md A7, A8).

They belong to a run, not to a model: nothing of them is saved, and other threads are not affected.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Iterator, Mapping, Optional

from torch import nn

from ..checks import check_count, check_flags
from .attention_mask import Window


@dataclass(frozen=True)
class AttentionLimits:
    """Limits of one layer.

    content, position (bool): Whether that part's product counts in the logits; only in factored layers. Without both,
        attention is uniform.
    window (Optional[int]): Only pairs at most so far apart attend to each other; 0 leaves each position itself. None
        for no window.
    relaxed_window (bool): Exempt START, the first word, the last word and STOP from the window.
    RAISES (ValueError): An option is out of range, or a window is relaxed that there is not.
    """

    content: bool = True
    position: bool = True
    window: Optional[int] = None
    relaxed_window: bool = False

    def __post_init__(self) -> None:
        check_flags(content=self.content, position=self.position, relaxed_window=self.relaxed_window)
        if self.window is not None:
            check_count("window", self.window, 0)
        elif self.relaxed_window:
            raise ValueError("relaxed_window = True requires a window: expected an integer, got window = None")

    def as_window(self) -> Optional[Window]:
        """The window, if any."""
        return None if self.window is None else Window(self.window, self.relaxed_window)


# Belongs to the thread, not to the network: other threads parse with the same network.
_LIMITS: ContextVar[Mapping[nn.Module, AttentionLimits]] = ContextVar("_LIMITS", default={})  # noqa: B039


def limits_of(attention: nn.Module) -> Optional[AttentionLimits]:
    """The limits of a self-attention in this context; None for no limits.

    RAISES (ValueError): There are some, and the module is in training mode.
    """
    limits = _LIMITS.get().get(attention)
    if limits is not None and attention.training:
        raise ValueError("attention limits are for parsing: expected no training in their block; train with a window")
    return limits


def check_unlimited(network: nn.Module) -> None:
    """Refuse what would lose the limits of this context, such as a copy of the network.

    RAISES (ValueError): A self-attention of the network has limits.
    """
    limits = _LIMITS.get()
    if limits and any(module in limits for module in network.modules()):
        raise ValueError(
            "a copy of a network, or a worker process that is not forked, would not know its attention limits: "
            "expected none within their block; parse with n_process = 1, or copy before the block"
        )


@contextmanager
def limited(limits: Mapping[nn.Module, AttentionLimits]) -> Iterator[None]:
    """In this block, and only in its thread, self-attentions have limits. Of nested blocks, the inner one replaces the
    limits of the modules that it names.

    limits (Mapping[nn.Module, AttentionLimits]): Limits of each self-attention.
    """
    token = _LIMITS.set({**_LIMITS.get(), **limits})
    try:
        yield
    finally:
        _LIMITS.reset(token)

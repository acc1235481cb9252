"""Training and evaluation mode of modules that threads share: a module is in evaluation mode outside of updates."""

from contextlib import contextmanager
from typing import Iterator, TypeVar

from torch import nn

ModuleT = TypeVar("ModuleT", bound=nn.Module)


def evaluating(module: ModuleT) -> ModuleT:
    """The module itself, in evaluation mode.

    Threads may call it at the same time. Each sees every part in evaluation mode, or sets them all.
    """
    if any(part.training for part in module.modules()):
        module.eval()
    return module


@contextmanager
def training(module: nn.Module) -> Iterator[None]:
    """Have a module in training mode for the time of a block, and in evaluation mode afterwards. Not for a module that
    another thread uses at the same time."""
    module.train()
    try:
        yield
    finally:
        module.eval()

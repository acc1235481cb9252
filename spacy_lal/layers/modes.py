"""Training and evaluation mode of modules that threads share: a module is in evaluation mode outside of updates."""

from contextlib import contextmanager
from typing import Iterator, TypeVar

from torch import nn

ModuleT = TypeVar("ModuleT", bound=nn.Module)


def evaluating(module: ModuleT) -> ModuleT:
    """The module itself, in evaluation mode.

    Threads may call it at the same time. Each finds every part in evaluation mode, or sets them all.
    """
    if any(part.training for part in module.modules()):
        module.eval()
    return module


@contextmanager
def training(module: nn.Module) -> Iterator[None]:
    """Put a module into training mode for a block, and into evaluation mode afterwards. No other thread may use the
    module at the same time."""
    module.train()
    try:
        yield
    finally:
        module.eval()

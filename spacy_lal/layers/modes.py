"""Training and evaluation mode of modules that threads share: a module is in evaluation mode outside of updates."""

from contextlib import contextmanager
from typing import Iterator, TypeVar

from torch import nn

ModuleT = TypeVar("ModuleT", bound=nn.Module)


def parts(module: nn.Module) -> Iterator[nn.Module]:
    """A module and all modules inside of it, in no particular order; shared modules come repeatedly. It takes
    half of the time of `module.modules()`, which names them: every call of a parser looks at its modules."""
    remaining = [module]
    while remaining:
        part = remaining.pop()
        yield part
        remaining.extend([one for one in part._modules.values() if one is not None])


def evaluating(module: ModuleT) -> ModuleT:
    """The module itself, in evaluation mode.

    Threads may call it at the same time. Each finds every part in evaluation mode, or sets them all.
    """
    if any(part.training for part in parts(module)):
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

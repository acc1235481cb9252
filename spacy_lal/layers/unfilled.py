"""Networks whose fresh weights are not drawn: they are loaded, or only measured."""

from typing import Any, Callable, Mapping, Optional, Sequence

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

_FILLS = (torch.Tensor.normal_, torch.Tensor.uniform_, nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_)


class Unfilled(TorchFunctionMode):
    """In a block, `normal_` and `uniform_` leave a tensor as it is, and `torch.randn` returns uninitialised memory. It
    draws no random numbers. Tensors that are set to a constant keep it.

    Every weight must be loaded afterwards.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Optional[Mapping[str, Any]] = None,
    ) -> Any:
        """See `torch.overrides`."""
        if func in _FILLS:
            return args[0] if args else (kwargs or {})["tensor"]
        return (torch.empty if func is torch.randn else func)(*args, **(kwargs or {}))

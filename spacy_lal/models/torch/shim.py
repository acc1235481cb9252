"""Torch modules as shims of thinc, for several threads. An update must not run beside
another update or a prediction. *Not* here: networks of ours (`network.py`)."""

from contextlib import contextmanager
from typing import Any, Iterator

from thinc.api import torch2xp, xp2torch
from thinc.optimizers import Optimizer
from thinc.shims import Shim

from ..weights.threads import Owner


@contextmanager
def training(module: Any) -> Iterator[None]:
    """A module in training mode for a block, and in evaluation mode afterwards; for one
    thread at a time."""
    module.train()
    try:
        yield
    finally:
        module.eval()


class ThreadsShim(Owner, Shim):
    """Updates, averages and copies of a torch module that several threads use."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the module, by name; none where there is no module."""
        return {} if self._model is None else dict(self._model.named_parameters())

    def copy(self) -> Any:
        """A copy with an id of its own: the optimizer keeps moments and averages by the
        id of a shim."""
        copied = super().copy()
        with Shim.global_id_lock:
            Shim.global_id += 1
            copied.id = Shim.global_id
        return copied

    def finish_update(self, optimizer: Optimizer, *, skip: bool = False) -> None:
        """Apply the gradients of the module's parameters and set them to zero.

        thinc gives each parameter a new tensor over a view of the old one, a chain that
        grows with every step. Optimizers work in place: here the tensor stays.

        skip (bool): Set the gradients to zero alone."""
        self.made = None
        for name, parameter in self.parameters.items():
            if parameter.grad is None:
                continue
            if not skip:
                self._update(optimizer, name, parameter)
            parameter.grad.zero_()

    def _update(self, optimizer: Optimizer, name: str, parameter: Any) -> None:
        data: Any = torch2xp(parameter.data)
        gradient: Any = torch2xp(parameter.grad)
        weights, _ = optimizer((self.id, name), data, gradient)
        updated = xp2torch(weights, device=parameter.device)
        if updated.data_ptr() != parameter.data_ptr():
            parameter.data.copy_(updated.reshape(parameter.shape))

    @contextmanager
    def use_params(self, params: dict[tuple[int, str], Any]) -> Iterator[None]:
        """Run with other parameters, by the keys of the optimizer, in a block. thinc
        8.3 looks for string keys."""
        named = self.parameters
        backup = {}
        for name, parameter in named.items():
            average = params.get((self.id, name))
            if average is None:
                continue
            backup[name] = parameter.data
            data = xp2torch(average, device=parameter.device)
            parameter.data = data.reshape(parameter.shape).clone()
        self.made = None
        try:
            yield
        finally:
            for name, data in backup.items():
                named[name].data = data
            self.made = None

"""Torch modules as shims of thinc, for several threads. An update must not run beside
another update or a prediction. *Not* here: networks of ours (`network.py`)."""

from contextlib import contextmanager
from typing import Any, Callable, Iterator

from thinc.api import PyTorchShim, torch2xp, xp2torch
from thinc.optimizers import Optimizer
from thinc.shims import Shim
from thinc.types import ArgsKwargs

from ..weights.threads import Owner


def evaluating(module: Any) -> Any:
    """The module itself, in evaluation mode: each thread finds every part so, or sets
    them all."""
    if any(part.training for part in module.modules()):
        module.eval()
    return module


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


class SharedShim(ThreadsShim, PyTorchShim):
    """thinc's wrapper of torch modules. thinc's `predict` ends in training mode; here
    prediction writes nothing."""

    def predict(self, inputs: ArgsKwargs) -> Any:
        """The module's output, without gradient."""
        return self.infer(evaluating(self._model), inputs)

    def infer(self, module: Callable[..., Any], inputs: ArgsKwargs) -> Any:
        """The output of the shim's module, or of a replacement, without gradient."""
        import torch

        with torch.no_grad(), torch.autocast("cuda", enabled=self._mixed_precision):
            return module(*inputs.args, **inputs.kwargs)

    def begin_update(
        self, inputs: ArgsKwargs
    ) -> tuple[Any, Callable[[ArgsKwargs], Any]]:
        """Output and backward pass, which is in training mode, too: checkpointing runs
        parts of the module again."""
        module: Any = self._model
        with training(module):
            output, backprop = super().begin_update(inputs)

        def backprop_in_training(grads: ArgsKwargs) -> Any:
            # In half precision, thinc scales down all gradients after a pass, earlier
            # passes' too.
            gradients = [parameter.grad for parameter in module.parameters()]
            earlier = [gradient for gradient in gradients if gradient is not None]
            self._grad_scaler.scale(earlier, inplace=True)
            with training(module):
                return backprop(grads)

        return output, backprop_in_training

    def finish_update(self, optimizer: Optimizer, *, skip: bool = False) -> None:
        """See `ThreadsShim`. Gradients that overflowed in half precision are
        skipped."""
        super().finish_update(optimizer, skip=skip or self._grad_scaler.found_inf)
        if self._model is not None:
            self._grad_scaler.update()

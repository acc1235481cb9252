"""thinc's wrapper of torch modules that several threads use at the same time.

thinc's `PyTorchShim.predict` ends by putting the module into training mode, so another thread's forward pass runs with
dropout. Here prediction writes nothing: a module is in evaluation mode outside of updates. An update must not run
beside another update or a prediction of the same module. torch is imported when a module runs.
"""

from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, Tuple

from thinc.api import PyTorchShim, torch2xp, xp2torch
from thinc.optimizers import Optimizer
from thinc.shims import Shim
from thinc.types import ArgsKwargs


def evaluating(module: Any) -> Any:
    """The module itself, in evaluation mode: each thread finds every part so, or sets them all."""
    if any(part.training for part in module.modules()):
        module.eval()
    return module


@contextmanager
def training(module: Any) -> Iterator[None]:
    """A module in training mode for a block, and in evaluation mode afterwards; for one thread at a time."""
    module.train()
    try:
        yield
    finally:
        module.eval()


class SharedShim(PyTorchShim):
    """A `PyTorchShim` whose module is in training mode only during the two passes of an update.

    It also departs from thinc's in updates and averages: see `apply_gradients` and `using`.
    """

    is_shared = True  # threads may predict with it at the same time

    def predict(self, inputs: ArgsKwargs) -> Any:
        """The module's output, without gradient."""
        return self.infer(evaluating(self._model), inputs)

    def infer(self, module: Callable[..., Any], inputs: ArgsKwargs) -> Any:
        """The output of the shim's module, or of a replacement, without gradient."""
        import torch

        with torch.no_grad(), torch.autocast("cuda", enabled=self._mixed_precision):
            return module(*inputs.args, **inputs.kwargs)

    def copy(self) -> "SharedShim":
        """A copy with an id of its own: the optimizer keeps moments and averages by the id of a shim."""
        return with_new_id(super().copy())

    def begin_update(self, inputs: ArgsKwargs) -> Tuple[Any, Callable[[ArgsKwargs], Any]]:
        """The module's output, with dropout, and its backward pass. The backward pass is in training mode, too: with
        gradient checkpointing it runs parts of the module a second time. Gradients of several passes add up."""
        module: Any = self._model
        with training(module):
            output, backprop = super().begin_update(inputs)

        def backprop_in_training(grads: ArgsKwargs) -> Any:
            # In half precision, thinc scales down all gradients after a pass, earlier passes' too.
            earlier = [parameter.grad for parameter in module.parameters() if parameter.grad is not None]
            self._grad_scaler.scale(earlier, inplace=True)
            with training(module):
                return backprop(grads)

        return output, backprop_in_training

    def finish_update(self, optimizer: Optimizer) -> None:
        """Apply the gradients, if there is a module."""
        apply_gradients(self.id, self._model, optimizer, skip=self._grad_scaler.found_inf)  # a gradient overflowed
        if self._model is not None:
            self._grad_scaler.update()

    @contextmanager
    def use_params(self, params: Dict[Tuple[int, str], Any]) -> Iterator[None]:
        """Run with other parameters (averages) in a block; the original ones are restored at its end."""
        with using(self.id, self._model, params):
            yield


def with_new_id(shim: Any) -> Any:
    """A shim that was copied, with an id that no other shim has."""
    with Shim.global_id_lock:
        Shim.global_id += 1
        shim.id = Shim.global_id
    return shim


def apply_gradients(shim_id: int, module: Any, optimizer: Optimizer, *, skip: bool = False) -> None:
    """Apply the gradients of a module's parameters and set them to zero.

    thinc gives each parameter a new tensor over the optimizer's array, which is a view of the old one: a chain that
    grows with every step. Optimizers work in place, so this function keeps the tensor.

    module (Optional[nn.Module]): None for no module.
    skip (bool): Only set the gradients to zero.
    """
    for name, parameter in () if module is None else module.named_parameters():
        if parameter.grad is None:
            continue
        if not skip:
            data: Any = torch2xp(parameter.data)
            weights, _ = optimizer((shim_id, name), data, torch2xp(parameter.grad))  # type: ignore[arg-type]
            updated = xp2torch(weights, device=parameter.device)
            if updated.data_ptr() != parameter.data_ptr():
                parameter.data.copy_(updated.reshape(parameter.shape))
        parameter.grad.zero_()


@contextmanager
def using(shim_id: int, module: Any, params: Dict[Tuple[int, str], Any]) -> Iterator[None]:
    """Run a module with other parameters in a block; the original ones are restored at its end.

    params (Dict[Tuple[int, str], Any]): By the keys of `apply_gradients`. thinc 8.3 looks for string keys, which its
        optimizer does not have.
    """
    backup = {}
    named = {} if module is None else dict(module.named_parameters())
    for name, parameter in named.items():
        if (shim_id, name) in params:
            backup[name] = parameter.data
            average = xp2torch(params[(shim_id, name)], device=parameter.device)
            parameter.data = average.reshape(parameter.shape).clone()
    try:
        yield
    finally:
        for name, data in backup.items():
            named[name].data = data

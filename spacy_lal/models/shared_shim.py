"""thinc's wrapper of torch modules that several threads use at the same time.

thinc's `PyTorchShim.predict` ends by putting the module into training mode, so another thread's forward pass runs with
dropout. Here prediction writes nothing: a module is in evaluation mode outside of updates. An update must not run
beside another update or a prediction of the same module.
"""

from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, cast

import torch
from thinc.api import PyTorchShim, torch2xp, xp2torch
from thinc.optimizers import Optimizer
from thinc.shims import Shim
from thinc.types import ArgsKwargs, FloatsXd
from torch import nn

from ..layers.modes import evaluating, parts, training
from ..locks import MAKING

Places = List[Tuple[int, int]]  # of weights in memory, with torch's count of changes


class SharedShim(PyTorchShim):
    """A `PyTorchShim` whose module is in training mode only during the two passes of an update.

    It also departs from thinc's in updates and averages: see `finish_update` and `use_params`.
    """

    is_shared = True  # for `pipeline/threads.py`, which knows no torch
    _folded: Optional[Tuple[Any, Places]] = None  # another form of the module, and the weights that it was made from

    def predict(self, inputs: ArgsKwargs) -> Any:
        """The module's output, without gradient."""
        return self.infer(evaluating(self._model), inputs)

    def infer(self, module: Callable[..., Any], inputs: ArgsKwargs) -> Any:
        """The output of the shim's module, or of a replacement, without gradient."""
        with torch.no_grad(), torch.autocast("cuda", enabled=self._mixed_precision):
            return module(*inputs.args, **inputs.kwargs)

    def fold(self, make: Callable[[], Any]) -> Any:
        """Another form of the module, which parses: made on first use, and again after any change of the weights.

        make (Callable[[], Any]): Makes it.
        """
        # torch counts its changes of a weight; `unfold` reports changes by thinc's optimizer in numpy
        places = [
            (weight.data_ptr(), weight._version)
            for part in parts(self._model)
            for weight in part._parameters.values()
            if weight is not None
        ]
        folded = self._folded
        if folded is None or places != folded[1]:
            with MAKING:  # only one, for any number of threads
                folded = self._folded
                if folded is None or places != folded[1]:
                    folded = self._folded = make(), places
        return folded[0]

    def unfold(self) -> None:
        """Drop the other form: the weights are about to change."""
        self._folded = None

    def __getstate__(self) -> Dict[str, Any]:
        """For pickles and copies: the other form is left out and made again on use."""
        return {**self.__dict__, "_folded": None}

    def copy(self) -> "SharedShim":
        """A copy with an id of its own: the optimizer keeps moments and averages by the id of a shim."""
        copied = super().copy()
        copied.draw_id()
        return copied

    def draw_id(self) -> None:
        """Take an id that no other shim has, for a shim that was copied otherwise."""
        with Shim.global_id_lock:
            Shim.global_id += 1
            self.id = Shim.global_id

    def begin_update(self, inputs: ArgsKwargs) -> Tuple[Any, Callable[[ArgsKwargs], Any]]:
        """The module's output, with dropout, and its backward pass. The backward pass is in training mode, too: with
        gradient checkpointing it runs parts of the module a second time. Gradients of several passes add up."""
        module: nn.Module = self._model
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
        """Apply the gradients, if there is a module.

        thinc gives each parameter a new tensor over the optimizer's array, which is a view of the old one: a chain that
        grows with every step. Optimizers work in place, so this method keeps the tensor.
        """
        self.unfold()
        for name, parameter in () if self._model is None else self._model.named_parameters():
            if parameter.grad is None:
                continue
            if not self._grad_scaler.found_inf:  # otherwise a gradient overflowed, and the step is skipped
                data, grad = cast(FloatsXd, torch2xp(parameter.data)), cast(FloatsXd, torch2xp(parameter.grad))
                weights, _ = optimizer((self.id, name), data, grad)
                updated = xp2torch(weights, device=parameter.device)
                if updated.data_ptr() != parameter.data_ptr():
                    parameter.data.copy_(updated.reshape(parameter.shape))
            parameter.grad.zero_()
        if self._model is not None:
            self._grad_scaler.update()

    @contextmanager
    def use_params(self, params: Dict[Tuple[int, str], Any]) -> Iterator[None]:
        """Run with other parameters (averages) in a block; the original ones are restored at its end.

        params (Dict[Tuple[int, str], Any]): By the keys of `finish_update`. thinc 8.3 looks for string keys, which its
            optimizer does not have.
        """
        backup = {}
        named = {} if self._model is None else dict(self._model.named_parameters())
        for name, parameter in named.items():
            if (self.id, name) in params:
                backup[name] = parameter.data
                average = xp2torch(params[(self.id, name)], device=parameter.device)
                parameter.data = average.reshape(parameter.shape).clone()
        self.unfold()
        try:
            yield
        finally:
            self.unfold()
            for name, data in backup.items():
                named[name].data = data

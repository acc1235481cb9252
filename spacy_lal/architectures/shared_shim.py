"""thinc's wrapper of torch modules that several threads use at the same time.

thinc's `PyTorchShim.predict` ends by putting the module into training mode, so another thread's forward pass runs with
dropout. Here prediction writes nothing: a module is in evaluation mode outside of updates. An update must not run
beside another update or a prediction of the same module.
"""

from typing import Any, Callable, Tuple

import torch
from thinc.api import PyTorchShim
from thinc.types import ArgsKwargs
from torch import nn

from ..layers.modes import evaluating, training


class SharedShim(PyTorchShim):
    """A `PyTorchShim` whose module is in training mode only during the two passes of an update."""

    is_shared = True  # for `pipeline/threads.py`, which knows no torch

    def predict(self, inputs: ArgsKwargs) -> Any:
        """The module's output, without gradient."""
        return self.infer(evaluating(self._model), inputs)

    def infer(self, module: Callable[..., Any], inputs: ArgsKwargs) -> Any:
        """The output of the shim's module, or of a replacement, without gradient."""
        with torch.no_grad(), torch.autocast("cuda", enabled=self._mixed_precision):
            return module(*inputs.args, **inputs.kwargs)

    def begin_update(self, inputs: ArgsKwargs) -> Tuple[Any, Callable[[ArgsKwargs], Any]]:
        """The module's output, with dropout, and its backward pass. The backward pass is in training mode, too: with
        gradient checkpointing it runs parts of the module a second time."""
        module: nn.Module = self._model
        with training(module):
            output, backprop = super().begin_update(inputs)

        def backprop_in_training(grads: ArgsKwargs) -> Any:
            with training(module):
                return backprop(grads)

        return output, backprop_in_training

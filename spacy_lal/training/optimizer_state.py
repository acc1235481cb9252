"""The state of thinc's optimizer by the places of parameters, for checkpoints."""

from typing import Any, Iterable, Iterator, Optional

import torch
from spacy.language import Language
from thinc.api import Model, Optimizer, get_current_ops, to_numpy

from ..models.torch.network import NetworkShim

State = dict[str, Any]
COUNT = "nr_update"  # of updates
MOMENTS = ("mom1", "mom2", "averages")


def get_optimizer_state(nlp: Language, optimizer: Optimizer) -> State:
    """Moments, averages and counts by the number of their parameter, since thinc's keys
    differ between processes."""
    keys = {number: key for number, (key, _) in enumerate(parameters(nlp))}
    counts = optimizer.nr_update
    state: State = {COUNT: {i: int(counts[k]) for i, k in keys.items() if k in counts}}
    for moment in MOMENTS:
        arrays = getattr(optimizer, moment) or {}
        state[moment] = {
            number: torch.tensor(to_numpy(arrays[key]))
            for number, key in keys.items()
            if key in arrays
        }
    return state


def set_optimizer_state(nlp: Language, optimizer: Optimizer, state: State) -> None:
    """Set the state of a fresh optimizer of the same config."""
    keys = [key for key, _ in parameters(nlp)]
    ops = get_current_ops()
    for number, count in state[COUNT].items():
        optimizer.nr_update[keys[number]] = count
    for moment in MOMENTS:
        for number, tensor in state[moment].items():
            values: Any = ops.asarray_f(tensor.numpy().copy())
            getattr(optimizer, moment)[keys[number]] = values


def parameters(nlp: Language) -> Iterator[tuple[tuple[int, str], Any]]:
    """The parameters of a pipeline, in order: thinc's keys, and their values, arrays or
    tensors."""
    for _, pipe in nlp.components:
        for node in nodes(pipe):
            for name in node.param_names:
                if node.has_param(name):
                    yield (node.id, name), node.get_param(name)
            for shim in node.shims:
                module = torch_module(shim)
                if module is not None:
                    for name, parameter in module.named_parameters():
                        yield (shim.id, name), parameter.data


def nodes(pipe: Any) -> Iterable[Model]:
    """The layers of a component's model, if it has one."""
    model = getattr(pipe, "model", None)
    return model.walk() if isinstance(model, Model) else ()


def torch_module(shim: Any) -> Optional[torch.nn.Module]:
    """The torch module of a shim, made of its weights if they are arrays; None for
    other shims."""
    is_ours = isinstance(shim, NetworkShim)
    module = shim.network if is_ours else getattr(shim, "_model", None)
    return module if isinstance(module, torch.nn.Module) else None

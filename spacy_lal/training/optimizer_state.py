"""The state of thinc's optimizer by the places of parameters, for checkpoints."""

from typing import Any, Iterator, Optional

import torch
from spacy.language import Language
from thinc.api import Model, Optimizer, get_current_ops, to_numpy

from ..models.torch.network import NetworkShim

State = dict[str, Any]
MOMENTS = ("mom1", "mom2", "averages")


def get_optimizer_state(nlp: Language, optimizer: Optimizer) -> State:
    """Moments, averages and counts by the place of their parameter, since thinc's keys
    differ between processes."""
    names = {key: name for name, key, _ in parameters(nlp)}
    state: State = {
        "nr_update": {
            names[key]: int(n) for key, n in optimizer.nr_update.items() if key in names
        }
    }
    for moment in MOMENTS:
        arrays = getattr(optimizer, moment) or {}
        state[moment] = {
            names[key]: torch.tensor(to_numpy(array))
            for key, array in arrays.items()
            if key in names
        }
    return state


def set_optimizer_state(nlp: Language, optimizer: Optimizer, state: State) -> None:
    """Set the state of a fresh optimizer of the same config."""
    keys = {name: key for name, key, _ in parameters(nlp)}
    ops = get_current_ops()
    optimizer.nr_update.update(
        {keys[name]: n for name, n in state["nr_update"].items()}
    )
    for moment in MOMENTS:
        for name, tensor in state[moment].items():
            getattr(optimizer, moment)[keys[name]] = ops.asarray_f(
                tensor.numpy().copy()
            )  # type: ignore[arg-type]


def parameters(nlp: Language) -> Iterator[tuple[str, tuple[int, str], Any]]:
    """The parameters of a pipeline: a name by their place, thinc's key, and their
    values, an array or a tensor."""
    for pipe_name, pipe in nlp.components:
        for i, node in enumerate(nodes(pipe)):
            arrays = {
                name: node.get_param(name)
                for name in node.param_names
                if node.has_param(name)
            }
            owners = [(node.id, arrays)]
            for shim in node.shims:
                module = torch_module(shim)
                if module is not None:
                    named = module.named_parameters()
                    owners.append((shim.id, {name: p.data for name, p in named}))
            for j, (owner, values) in enumerate(owners):
                for key, value in values.items():
                    yield f"{pipe_name}/{i}/{j}/{key}", (owner, key), value


def nodes(pipe: Any) -> Iterator[Model]:
    """The layers of a component's model, if it has one."""
    model = getattr(pipe, "model", None)
    return model.walk() if isinstance(model, Model) else iter(())


def torch_module(shim: Any) -> Optional[torch.nn.Module]:
    """The torch module of a shim, made of its weights if they are arrays; None for
    other shims."""
    is_ours = isinstance(shim, NetworkShim)
    module = shim.network if is_ours else getattr(shim, "_model", None)
    return module if isinstance(module, torch.nn.Module) else None

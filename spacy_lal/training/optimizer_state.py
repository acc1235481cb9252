"""The state of thinc's optimizer by the places of parameters, for checkpoints."""

from typing import Any, Optional

import torch
from spacy.language import Language
from thinc.api import Model, Optimizer, get_current_ops, to_numpy

from ..models.torch.network import NetworkShim

State = dict[str, Any]
MOMENTS = ("mom1", "mom2", "averages")


def get_optimizer_state(nlp: Language, optimizer: Optimizer) -> State:
    """Moments, averages and counts by the place of their parameter, since thinc's keys
    differ between processes."""
    names = _parameter_names(nlp)
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
    keys = {name: key for key, name in _parameter_names(nlp).items()}
    ops = get_current_ops()
    optimizer.nr_update.update(
        {keys[name]: n for name, n in state["nr_update"].items()}
    )
    for moment in MOMENTS:
        for name, tensor in state[moment].items():
            getattr(optimizer, moment)[keys[name]] = ops.asarray_f(
                tensor.numpy().copy()
            )  # type: ignore[arg-type]


def _parameter_names(nlp: Language) -> dict[tuple[int, str], str]:
    names: dict[tuple[int, str], str] = {}
    for pipe_name, pipe in nlp.components:
        model = getattr(pipe, "model", None)
        for i, node in enumerate(model.walk() if isinstance(model, Model) else ()):
            holders = [(node.id, node.param_names)]
            modules = [(shim.id, torch_module(shim)) for shim in node.shims]
            holders += [
                (key, tuple(dict(m.named_parameters())))
                for key, m in modules
                if m is not None
            ]
            for j, (owner, keys) in enumerate(holders):
                for key in keys:
                    names.setdefault((owner, key), f"{pipe_name}/{i}/{j}/{key}")
    return names


def torch_module(shim: Any) -> Optional[torch.nn.Module]:
    """The torch module of a shim, made of its weights if they are arrays; None for
    other shims."""
    module = (
        shim.network if isinstance(shim, NetworkShim) else getattr(shim, "_model", None)
    )
    return module if isinstance(module, torch.nn.Module) else None

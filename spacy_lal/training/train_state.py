"""The state of a training between two steps, beside the pipeline: optimizer, gradients, random numbers.

thinc keys the optimizer's arrays by (id of a layer or shim, name of a parameter), and ids differ between processes. So
arrays are stored under a parameter's location: component, place in the walk over its model, name. All values are
tensors and plain containers, written with `torch.save` and read with `weights_only=True`.

Not here: files (`train_checkpoint.py`) and the order of the data (`train_batches.py`).
"""

import random
from typing import Any, Dict, Iterator, NamedTuple, Tuple, Union, cast

import numpy
import torch
from numpy import ndarray
from spacy.language import Language
from thinc.api import Model, Optimizer, get_current_ops, to_numpy
from thinc.shims import PyTorchShim, Shim
from thinc.util import has_cupy_gpu

State = Dict[str, Any]
Key = Tuple[int, str]
ARRAYS = ("mom1", "mom2", "averages")


class Owner(NamedTuple):
    """A layer or a shim that may hold parameters, and its name, which is the same in every process."""

    place: str
    holder: Union[Model, Shim]


def owners(nlp: Language) -> Iterator[Owner]:
    """Every layer and shim of the pipeline, disabled components included. The order depends on the config alone."""
    for pipe_name, pipe in nlp.components:
        model = getattr(pipe, "model", None)
        if not isinstance(model, Model):
            continue
        for i, node in enumerate(model.walk()):
            yield Owner(f"{pipe_name}/{i}", node)
            for j, shim in enumerate(node.shims):
                yield Owner(f"{pipe_name}/{i}/shim{j}", shim)


def parameter_keys(nlp: Language) -> Dict[Key, str]:
    """The optimizer's keys in this process, and their stored names."""
    keys: Dict[Key, str] = {}
    for place, holder in owners(nlp):
        for name in _parameter_names(holder):
            keys.setdefault((holder.id, name), f"{place}/{name}")
    return keys


def get_optimizer_state(nlp: Language, optimizer: Optimizer) -> State:
    """Moments, averages and counts. Schedules are left out: they are run again (`resumable.py`).

    RAISES (ValueError): The optimizer has a parameter that is in no component's `model`.
    """
    names = parameter_keys(nlp)
    unknown = sorted(str(key) for key in optimizer.nr_update if key not in names)
    if unknown:
        raise ValueError(
            f"the optimizer has {len(unknown)} parameters that no component's model holds, such as {unknown[0]}: a "
            "training with them can't be continued later; train it with `spacy train`"
        )
    state: State = {"nr_update": {names[key]: int(count) for key, count in optimizer.nr_update.items()}}
    for field in ARRAYS:
        arrays = getattr(optimizer, field)
        state[field] = None if arrays is None else {names[key]: _to_tensor(array) for key, array in arrays.items()}
    state["radam_buffer"] = [
        [None if value is None else float(value) for value in row] for row in optimizer._radam_buffer
    ]
    return state


def set_optimizer_state(nlp: Language, optimizer: Optimizer, state: State) -> None:
    """Set the state of a fresh optimizer of the same config.

    RAISES (ValueError): The pipeline lacks a parameter of the state.
    """
    keys = {name: key for key, name in parameter_keys(nlp).items()}
    lacking = sorted(set(state["nr_update"]) - set(keys))
    if lacking:
        raise ValueError(f"the pipeline lacks {len(lacking)} parameters that the optimizer has, such as {lacking[0]}")
    optimizer.nr_update.update({keys[name]: count for name, count in state["nr_update"].items()})
    for field in ARRAYS:
        if state[field] is not None:
            getattr(optimizer, field).update({keys[name]: _to_array(t) for name, t in state[field].items()})
    optimizer._radam_buffer = [list(row) for row in state["radam_buffer"]]


def get_gradient_state(nlp: Language) -> State:
    """The parameters that have a gradient, and the scales of half precision.

    After a step all gradients are zero. But with a zero gradient, Adam's momentum still moves the weights; without a
    gradient, it does not.
    """
    state: State = {"present": [], "scalers": {}}
    for place, holder in owners(nlp):
        if isinstance(holder, Model):
            state["present"].extend(f"{place}/{name}" for name in holder.param_names if holder.has_grad(name))
        elif isinstance(holder, PyTorchShim):
            state["present"].extend(
                f"{place}/{name}" for name, parameter in _torch_parameters(holder) if parameter.grad is not None
            )
            scaler = holder._grad_scaler
            state["scalers"][place] = (scaler._scale.cpu().clone(), scaler._growth_tracker.cpu().clone())
    return state


def set_gradient_state(nlp: Language, state: State) -> None:
    """Give zero gradients to the parameters that had a gradient, and their scales to the scalers."""
    present = set(state["present"])
    for place, holder in owners(nlp):
        if isinstance(holder, Model):
            for name in holder.param_names:
                if f"{place}/{name}" in present:
                    holder.set_grad(name, holder.ops.alloc(holder.get_param(name).shape))
        elif isinstance(holder, PyTorchShim):
            for name, parameter in _torch_parameters(holder):
                if f"{place}/{name}" in present:
                    parameter.grad = torch.zeros_like(parameter)
            if place in state["scalers"]:
                scaler = holder._grad_scaler
                device = scaler._scale.device
                scaler._scale, scaler._growth_tracker = (value.to(device) for value in state["scalers"][place])


def get_data_random_state() -> State:
    """The state of the generators that corpora and batchers draw from: `random` and `numpy.random`."""
    version, numbers, gauss = random.getstate()
    kind, keys, position, has_gauss, cached = cast(Tuple[str, ndarray, int, int, float], numpy.random.get_state())
    return {
        "python": (version, torch.tensor(numbers, dtype=torch.int64), gauss),
        "numpy": (str(kind), torch.from_numpy(keys.astype("int64")), int(position), int(has_gauss), float(cached)),
    }


def set_data_random_state(state: State) -> None:
    """Set the generators of `random` and `numpy.random`."""
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers.tolist()), gauss))
    kind, keys, position, has_gauss, cached = state["numpy"]
    numpy.random.set_state((kind, keys.numpy().astype("uint32"), position, has_gauss, cached))


def get_random_state() -> State:
    """All generators that a step draws from, except cupy's, which can't be read; see `set_random_state`."""
    state = get_data_random_state()
    state["torch"] = torch.get_rng_state()
    state["cuda"] = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return state


def set_random_state(state: State, *, cupy_seed: int = 0) -> None:
    """Set all generators.

    cupy_seed (int): For cupy's generator, whose state can't be stored: on a GPU, thinc's own dropout masks differ after
        a restart.
    """
    set_data_random_state(state)
    torch.set_rng_state(state["torch"])
    if torch.cuda.is_available() and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(state["cuda"])
    if has_cupy_gpu:
        import cupy

        cupy.random.seed(cupy_seed)


def _parameter_names(holder: Union[Model, Shim]) -> Iterator[str]:
    if isinstance(holder, Model):
        yield from holder.param_names
    else:
        yield from (name for name, _ in _torch_parameters(holder))


def _torch_parameters(shim: Shim) -> Iterator[Tuple[str, torch.nn.Parameter]]:
    if isinstance(shim._model, torch.nn.Module):
        yield from shim._model.named_parameters()


def _to_tensor(array: Any) -> torch.Tensor:
    return torch.from_numpy(numpy.ascontiguousarray(to_numpy(array)))


def _to_array(tensor: torch.Tensor) -> Any:
    """An array in thinc's memory, on thinc's device, like the optimizer's own."""
    ops = get_current_ops()
    array = ops.alloc(tuple(tensor.shape), dtype="float32")
    array[...] = ops.asarray(tensor.numpy())  # type: ignore[arg-type]
    return array

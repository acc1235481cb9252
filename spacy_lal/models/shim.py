"""Torch modules and our networks as thinc layers, for several threads. A loaded network
parses in NumPy from arrays. A torch module is made of them when it first learns, where
thinc's device is a GPU, and for a network without a NumPy form. An update must not run
beside another update or a prediction."""

import ctypes
import os
import sys
from contextlib import contextmanager
from threading import RLock
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy
import safetensors.numpy
import srsly
from numpy import ndarray
from thinc.api import (
    Model,
    NumpyOps,
    PyTorchShim,
    get_current_ops,
    get_torch_default_device,
    torch2xp,
    xp2torch,
)
from thinc.optimizers import Optimizer
from thinc.shims import Shim
from thinc.types import ArgsKwargs, Floats2d

from .batches import NetworkBatch, RolesBatch, sub_batches
from .onnx_encoder import SCALE

# For objects that threads share and create at first use. A process that forks waits for
# it: no child inherits a lock.
MAKING = RLock()
_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I8": "i1",
}  # of weights in safetensors


def return_memory() -> None:
    """Return to the system what making such an object has freed: glibc keeps it."""
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)


def _one_thread() -> None:
    """torch's threads do not survive a fork, and a child that waits for them hangs."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=MAKING.acquire,
        after_in_parent=MAKING.release,
        after_in_child=MAKING.release,
    )
    os.register_at_fork(after_in_child=_one_thread)


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


class ThreadsShim(Shim):
    """Updates, averages and copies of a torch module that several threads use."""

    _inference: Any = (
        None  # another form of the weights, if any; made again when they change
    )

    def copy(self) -> Any:
        """A copy with an id of its own: the optimizer keeps moments and averages by the
        id of a shim."""
        copied = super().copy()
        with Shim.global_id_lock:
            Shim.global_id += 1
            copied.id = Shim.global_id
        return copied

    def finish_update(self, optimizer: Optimizer, *, skip: bool = False) -> None:
        """Apply the gradients of the module's parameters, if there is one, and set them
        to zero; skip (bool): set them to zero alone. thinc gives each parameter a new
        tensor over a view of the old one, a chain that grows with every step.
        Optimizers work in place: here the tensor stays."""
        self._inference = None
        for name, parameter in (
            () if self._model is None else self._model.named_parameters()
        ):
            if parameter.grad is None:
                continue
            if not skip:
                data: Any = torch2xp(parameter.data)
                weights, _ = optimizer((self.id, name), data, torch2xp(parameter.grad))  # type: ignore[arg-type]
                updated = xp2torch(weights, device=parameter.device)
                if updated.data_ptr() != parameter.data_ptr():
                    parameter.data.copy_(updated.reshape(parameter.shape))
            parameter.grad.zero_()

    @contextmanager
    def use_params(self, params: Dict[Tuple[int, str], Any]) -> Iterator[None]:
        """Run with other parameters, by the keys of the optimizer, in a block. thinc
        8.3 looks for string keys."""
        named = {} if self._model is None else dict(self._model.named_parameters())
        given = {
            name: params[self.id, name] for name in named if (self.id, name) in params
        }
        backup = {name: named[name].data for name in given}
        for name, average in given.items():
            parameter = named[name]
            parameter.data = (
                xp2torch(average, device=parameter.device)
                .reshape(parameter.shape)
                .clone()
            )
        self._inference = None
        try:
            yield
        finally:
            for name, data in backup.items():
                named[name].data = data
            self._inference = None


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
    ) -> Tuple[Any, Callable[[ArgsKwargs], Any]]:
        """Output and backward pass, which is in training mode, too: checkpointing runs
        parts of the module again."""
        module: Any = self._model
        with training(module):
            output, backprop = super().begin_update(inputs)

        def backprop_in_training(grads: ArgsKwargs) -> Any:
            # In half precision, thinc scales down all gradients after a pass, earlier
            # passes' too.
            earlier = [
                parameter.grad
                for parameter in module.parameters()
                if parameter.grad is not None
            ]
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


AnyBatch = Union[NetworkBatch, RolesBatch]


class NetworkShim(ThreadsShim):
    """A network that is made when the sizes that come from data are known. config
    (Any): everything but these."""

    # A network adds these.
    sizes_type: Callable[..., Any]  # the record of sizes
    build_module: Callable[..., Any]  # the torch module, with fresh weights
    build_inference: Callable[
        ..., Any
    ]  # from weights to the NumPy form, with `scores(batch, indices)`, or to None
    pad: Callable[
        ..., Any
    ]  # from a batch, numbers of sentences, and padded vectors or None, to the module's input
    unpad: Callable[
        ..., List[Any]
    ]  # from the module's output and lengths to the scores of sentences
    gradients: Callable[
        ..., Tuple[List[Any], List[Any]]
    ]  # tensors of an output, and their gradients
    nothing: Callable[..., Any]  # the scores of a sentence without words

    has_ends = False  # whether a sentence of the module's input begins with START and ends with STOP

    def __init__(self, config: Any) -> None:
        super().__init__(None)
        self.config = config
        self._stored = b""  # the weights as safetensors, where there is no module

    @property
    def network(self) -> Any:
        """The torch module.
        RAISES (ValueError): There are no weights yet, or they do
        not fit, or torch is not installed."""
        if self._model is None:
            with MAKING:
                if self._model is None:
                    if not self._stored:
                        raise ValueError(
                            "the network has no weights yet: call nlp.initialize(), or load it from disk"
                        )
                    torch, module = _torch(), self.build_module()
                    try:
                        module.load_state_dict(
                            {
                                name: torch.from_numpy(one)
                                for name, one in self.weights.items()
                            }
                        )
                    except RuntimeError as error:
                        raise self._misfit(error) from error
                    self._model = module.to(self.device).eval()
                    self._stored, self._inference = b"", None
        return self._model

    @property
    def sizes(self) -> Any:
        """What the data decide, as the network's config has it."""
        return self.sizes_type(**self.cfg)

    def _misfit(self, error: Exception) -> ValueError:
        return ValueError(
            "The saved weights do not fit the network of the config; expected the [model] block that they were "
            f"trained with. {error}"
        )

    @property
    def inference(self) -> Any:
        """The NumPy form of the present weights; None where the module runs.
        RAISES
        (ValueError): As `network`."""
        if not isinstance(get_current_ops(), NumpyOps):
            return None
        version = (
            0
            if self._model is None
            else sum(weight._version for weight in self._model.parameters())
        )
        found = self._inference
        if found is None or found[1] != version:
            with MAKING:  # only one, for any number of threads
                found = self._inference
                if found is None or found[1] != version:
                    weights = self.weights
                    try:
                        found = self._inference = self.build_inference(weights), version
                    except (KeyError, ValueError) as error:
                        raise self._misfit(error) from error
                    del weights
                    return_memory()
        return found[0]

    @property
    def weights(self) -> Mapping[str, ndarray]:
        """The weights by their names in the torch module.
        RAISES (ValueError): There
        are none yet."""
        stored = self._stored
        if self._model is None and stored:
            return _Single(stored_arrays(stored)[0])
        return {
            name: tensor.detach().cpu().numpy()
            for name, tensor in self.network.state_dict().items()
        }

    @property
    def device(self) -> Any:
        """The torch device of the module, made or yet to be made."""
        return (
            get_torch_default_device()
            if self._model is None
            else next(self._model.parameters()).device
        )

    def set_sizes(self, sizes: Dict[str, int]) -> None:
        """Set sizes that come from data, by name. Weights of other sizes are
        dropped."""
        if any(self.cfg.get(name) != size for name, size in sizes.items()):
            self._model, self._stored, self._inference = None, b"", None
        self.cfg.update(sizes)

    def build(self) -> None:
        """Make a module of the current sizes, with fresh weights, on thinc's device."""
        _torch()
        self._model, self._stored, self._inference = (
            None,
            b"",
            None,
        )  # the device is thinc's
        self._model = self.build_module().to(self.device).eval()

    # Copies

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_inference": None}

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the module, if there is one."""
        if self._model is not None:
            self._model.to(device_type if device_type != "gpu" else f"cuda:{device_id}")

    def to_bytes(self) -> bytes:
        """Sizes, and weights as safetensors, in msgpack."""
        state = self._stored
        if self._model is not None:
            weights = self.weights
            state = safetensors.numpy.save(
                {
                    name: numpy.ascontiguousarray(weights[name])
                    for name in sorted(weights)
                }
            )
        return srsly.msgpack_dumps({"config": self.cfg, "state": state})

    def from_bytes(self, bytes_data: bytes) -> "NetworkShim":
        """Take the saved sizes and weights; other settings come from the config."""
        msg = srsly.msgpack_loads(bytes_data)
        self.cfg = dict(msg["config"])
        self._model, self._stored, self._inference = None, msg["state"], None
        return self


def is_safetensors(data: bytes) -> bool:
    """Tell whether bytes are a safetensors file: the length of its header, then
    JSON."""
    return data[8:9] == b"{"


def stored_arrays(data: bytes) -> Tuple[Dict[str, ndarray], Dict[str, str]]:
    """The arrays of a safetensors file, read in place: its library copies them. And its
    metadata.
    RAISES (ValueError, KeyError): The file is damaged, or has other types
    than weights have."""
    start = 8 + int.from_bytes(data[:8], "little")
    header, found = srsly.json_loads(data[8:start]), {}
    metadata = header.pop("__metadata__", {})
    for name, one in header.items():
        dtype, (first, last) = numpy.dtype(_DTYPES[one["dtype"]]), one["data_offsets"]
        values = numpy.frombuffer(
            data, dtype, (last - first) // dtype.itemsize, start + first
        )
        found[name] = values.reshape(one["shape"])
    return found, metadata


class _Single(Mapping[str, ndarray]):
    """Stored arrays in single precision, made when asked for."""

    def __init__(self, arrays: Dict[str, ndarray]) -> None:
        self.arrays = arrays

    def __getitem__(self, name: str) -> ndarray:
        array = self.arrays[name].astype("f4")
        return (
            array * self.arrays[name + SCALE][..., None]
            if name + SCALE in self.arrays
            else array
        )

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.arrays if not name.endswith(SCALE))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ValueError(
            "this network needs torch, which is missing: pip install 'spacy-lal[train]'"
        ) from error
    return torch


# The layer


def network_layer(name: str, shim: NetworkShim) -> Model[Any, List[Any]]:
    """A network as a thinc layer, from a batch to the scores of its sentences. It runs
    in sub-batches."""
    return Model(name, forward, shims=[shim])


def forward(
    model: Model, batch: AnyBatch, is_train: bool
) -> Tuple[List[Any], Callable]:
    """Score all sentences, in order. The backward pass takes the gradient of every
    sentence's scores and returns the gradient of `batch.vectors.data`, or None without
    vectors."""
    if not is_train:
        return in_order(iter_scores(model, batch)), lambda d_scores: None
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    scores: List[Any] = [
        None if length else shim.nothing(batch) for length in batch.lengths
    ]
    data = (
        None
        if batch.vectors is None
        else xp2torch(batch.vectors.data, requires_grad=True, device=shim.device)
    )
    runs = []
    for indices in _sub_batches(shim, batch):
        with training(shim.network):
            output = shim.network(_padded(shim, batch, indices, data))
        runs.append((indices, output))
        for i, one in zip(
            indices,
            shim.unpad(output, [batch.lengths[i] for i in indices]),
            strict=True,
        ):
            scores[i] = one

    def backprop(d_scores: Sequence[Any]) -> Optional[Floats2d]:
        import torch

        while runs:
            indices, output = runs.pop()
            tensors, grads = shim.gradients(output, [d_scores[i] for i in indices])
            if tensors:
                torch.autograd.backward(tensors, grads)
        if data is None:
            return None
        return (
            model.ops.alloc2f(*data.shape)
            if data.grad is None
            else torch2xp(data.grad, ops=model.ops)
        )  # type: ignore

    return scores, backprop


def iter_scores(model: Model, batch: AnyBatch) -> Iterator[Tuple[List[int], List[Any]]]:
    """Numbers of sentences and their scores, one sub-batch after the other. Sentences
    without words come first."""
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    empty = [i for i, length in enumerate(batch.lengths) if length == 0]
    if empty:
        yield empty, [shim.nothing(batch)] * len(empty)
    inference = shim.inference
    if inference is not None:
        for indices in sub_batches(batch.lengths):
            yield indices, inference.scores(batch, indices)
        return
    for indices in _sub_batches(shim, batch):
        yield (
            indices,
            shim.unpad(
                run_module(shim, batch, indices), [batch.lengths[i] for i in indices]
            ),
        )


def in_order(parts: Iterator[Tuple[List[int], List[Any]]]) -> List[Any]:
    """The scores of `iter_scores`, in the order of the sentences."""
    found = {
        i: one
        for indices, scores in parts
        for i, one in zip(indices, scores, strict=True)
    }
    return [found[i] for i in range(len(found))]


def run_module(
    shim: NetworkShim, batch: AnyBatch, indices: Sequence[int], method: str = "__call__"
) -> Any:
    """The output of the torch module for some sentences, without gradient."""
    import torch

    module = shim.network
    data = (
        None
        if batch.vectors is None
        else xp2torch(batch.vectors.data, device=shim.device)
    )
    with torch.no_grad():
        return getattr(module, method)(_padded(shim, batch, indices, data))


def _sub_batches(shim: NetworkShim, batch: AnyBatch) -> List[List[int]]:
    if getattr(shim.network, "depends_on_batch", False):  # the authors' batch effect
        return [[i for i, length in enumerate(batch.lengths) if length]]
    return sub_batches(batch.lengths)


def _padded(
    shim: NetworkShim, batch: AnyBatch, indices: Sequence[int], data: Any
) -> Any:
    """Some sentences as the module's input; vectors are zeros at padding, and at START
    and STOP without rows."""
    if batch.vectors is None:
        return shim.pad(batch, indices, None)
    import torch

    rows = [batch.vectors.rows[i] for i in indices]
    first = int(shim.has_ends and not batch.vectors.has_boundaries)
    places = numpy.full((len(rows), max(map(len, rows)) + 2 * first), len(data))
    for place, one in zip(places, rows, strict=True):
        place[first : first + len(one)] = one
    index = torch.from_numpy(places).to(data.device)
    with_zeros = torch.cat([data, data.new_zeros(1, data.shape[1])])
    return shim.pad(
        batch,
        indices,
        with_zeros.index_select(0, index.flatten()).unflatten(0, index.shape),
    )


def to_numpy(tensor: Any) -> Any:
    """A tensor of any device as an array on the host; None stays None."""
    return None if tensor is None else tensor.detach().cpu().numpy()

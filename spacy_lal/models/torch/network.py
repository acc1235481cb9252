"""Our networks as thinc layers, for several threads. A loaded network parses in NumPy
from arrays. A torch module is made of them when it first learns, where thinc's device
is a GPU, and for a network without a NumPy form, unless it was exported."""

from typing import (
    Any,
    Callable,
    Iterator,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Union,
)

import numpy
import safetensors.numpy
import srsly
from numpy import ndarray
from thinc.api import (
    Model,
    NumpyOps,
    get_current_ops,
    get_torch_default_device,
    torch2xp,
    xp2torch,
)
from thinc.types import Floats2d

from ..batches import NetworkBatch, RolesBatch, pad_arrays, sub_batches
from ..inference.graph import session
from ..weights.storage import SCALE, single_weights, stored_arrays
from ..weights.threads import MAKING, made_once, return_memory
from . import require_torch
from .shim import ThreadsShim, training

AnyBatch = Union[NetworkBatch, RolesBatch]


class Task(Protocol):
    """What a parser and a network of semantic roles add to `NetworkShim`: how the
    network is built, and what goes into it and comes out of it."""

    config: Any  # everything but the sizes that come from data
    has_ends: bool  # whether START and STOP stand around a sentence of the input
    scores: Any  # the class of the module's output

    def sizes(self, cfg: Mapping[str, int]) -> Any:
        """The sizes that come from data, as the config has them.

        RAISES (ValueError): They do not fit the config."""

    def build_module(self, sizes: Any) -> Any:
        """The torch module, with fresh weights."""

    def build_inference(
        self, sizes: Any, weights: Mapping[str, ndarray], int8: bool
    ) -> Any:
        """The NumPy form, with `scores(batch, indices)`; None where there is none.
        int8: Whether the weights are stored in 8 bits."""

    def pad(self, batch: Any, indices: Sequence[int]) -> dict[str, Any]:
        """The input of the module for some sentences of a batch but vectors, by name:
        padded arrays, and what is no array."""

    def unpad(self, output: Any, lengths: Sequence[int]) -> list[Any]:
        """The scores of sentences from the module's output, of tensors or arrays."""

    def gradients(
        self, output: Any, d_scores: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Tensors of the module's output, and their gradients."""

    def nothing(self, sizes: Any) -> Any:
        """The scores of a sentence without words."""


class NetworkShim(ThreadsShim):
    """A network that is made when the sizes that come from data are known."""

    def __init__(self, task: Task) -> None:
        super().__init__(None)
        self.task = task
        self._stored = b""  # the weights as safetensors, where there is no module
        self.graph = b""  # the module as an ONNX graph without weights, if any

    @property
    def config(self) -> Any:
        """Everything but the sizes that come from data."""
        return self.task.config

    @property
    def sizes(self) -> Any:
        """What the data decide, as the network's config has it."""
        return self.task.sizes(self.cfg)

    @property
    def network(self) -> Any:
        """The torch module.

        RAISES (ValueError): There are no weights yet, or they do not fit, or torch is
            not installed."""
        if self._model is None:
            with MAKING:  # only one, for any number of threads
                if self._model is None:
                    self._replace(self._loaded_module())
        return self._model

    def _loaded_module(self) -> Any:
        if not self._stored:
            raise ValueError(
                "the network has no weights yet: call nlp.initialize(), or load it "
                "from disk"
            )
        torch = require_torch()
        module = self.task.build_module(self.sizes)
        weights = self.weights.items()
        tensors = {name: torch.from_numpy(array) for name, array in weights}
        try:
            module.load_state_dict(tensors)
        except RuntimeError as error:
            raise _misfit(error) from error
        return module.to(self.device).eval()

    def _replace(self, module: Any, stored: bytes = b"") -> None:
        """Take another module, or stored weights."""
        self._model = module
        self._stored = stored
        self.made = None

    @property
    def inference(self) -> Any:
        """What parses with the present weights; None where the module runs.

        RAISES (ValueError): As `network`."""
        if not isinstance(get_current_ops(), NumpyOps):
            return None
        version = 0
        if self._model is not None:
            version = sum(weight._version for weight in self.parameters.values())
        return made_once(self, version, self._make_inference)

    def _make_inference(self) -> Any:
        stored = stored_arrays(self._stored)[0] if self._stored else {}
        int8 = any(name.endswith(SCALE) for name in stored)
        weights = self.weights
        try:
            inference = self.task.build_inference(self.sizes, weights, int8)
            if inference is None and self.graph:
                return ExportedNetwork(self.task, self.graph, weights)
            return inference
        except (KeyError, ValueError) as error:
            raise _misfit(error) from error
        finally:
            return_memory()

    @property
    def weights(self) -> Mapping[str, ndarray]:
        """The weights by their names in the torch module.

        RAISES (ValueError): There are none yet."""
        if self._model is None and self._stored:
            return single_weights(stored_arrays(self._stored)[0])
        tensors = self.network.state_dict()
        return {name: to_numpy(tensor) for name, tensor in tensors.items()}

    @property
    def device(self) -> Any:
        """The torch device of the module, made or yet to be made."""
        if self._model is None:
            return get_torch_default_device()
        return next(self._model.parameters()).device

    def set_sizes(self, sizes: dict[str, int]) -> None:
        """Set sizes that come from data, by name. Weights of other sizes are
        dropped."""
        if any(self.cfg.get(name) != size for name, size in sizes.items()):
            self._replace(None)
            self.graph = b""
        self.cfg.update(sizes)

    def build(self) -> None:
        """Make a module of the current sizes, with fresh weights, on thinc's device."""
        require_torch()
        self._replace(None)  # the device is thinc's
        module = self.task.build_module(self.sizes)
        self._model = module.to(self.device).eval()

    # Copies

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the module, if there is one."""
        if self._model is not None:
            self._model.to(device_type if device_type != "gpu" else f"cuda:{device_id}")

    def to_bytes(self) -> bytes:
        """Sizes, and weights as safetensors, in msgpack."""
        state = self._stored
        if self._model is not None:
            weights = sorted(self.weights.items())
            state = safetensors.numpy.save(
                {name: numpy.ascontiguousarray(array) for name, array in weights}
            )
        content = {"config": self.cfg, "state": state, "graph": self.graph}
        return srsly.msgpack_dumps(content)

    def from_bytes(self, bytes_data: bytes) -> "NetworkShim":
        """Take the saved sizes and weights; other settings come from the config.

        RAISES (ValueError): The sizes do not fit the config."""
        msg = srsly.msgpack_loads(bytes_data)
        self.cfg = dict(msg["config"])
        self._replace(None, msg["state"])
        self.graph = msg.get("graph", b"")
        if self.cfg:
            self.task.sizes(self.cfg)
        return self


def _misfit(error: Exception) -> ValueError:
    return ValueError(
        "The saved weights do not fit the network of the config; expected the [model] "
        f"block that they were trained with. {error}"
    )


# The layer


def network_layer(name: str, task: Task) -> Model[Any, list[Any]]:
    """A network as a thinc layer, from a batch to the scores of its sentences. It runs
    in sub-batches."""
    return Model(name, forward, shims=[NetworkShim(task)])


def forward(
    model: Model, batch: AnyBatch, is_train: bool
) -> tuple[list[Any], Callable]:
    """Score all sentences, in order. The backward pass takes the gradient of every
    sentence's scores and returns the gradient of `batch.vectors.data`, or None without
    vectors."""
    if not is_train:
        return in_order(iter_scores(model, batch)), lambda d_scores: None
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    data = _vectors(shim, batch, requires_grad=True)
    parts = [_empty_sentences(shim, batch)]
    runs = []
    for indices in _sub_batches(shim, batch):
        with training(shim.network):
            output = shim.network(_padded(shim, batch, indices, data))
        runs.append((indices, output))
        parts.append((indices, _unpad(shim.task, batch, indices, output)))

    def backprop(d_scores: Sequence[Any]) -> Optional[Floats2d]:
        import torch

        while runs:
            indices, output = runs.pop()
            d_output = [d_scores[i] for i in indices]
            tensors, grads = shim.task.gradients(output, d_output)
            if tensors:
                torch.autograd.backward(tensors, grads)
        if data is None:
            return None
        gradient: Any = torch.zeros_like(data) if data.grad is None else data.grad
        return torch2xp(gradient, ops=model.ops)  # type: ignore[return-value]

    return in_order(iter(parts)), backprop


def iter_scores(model: Model, batch: AnyBatch) -> Iterator[tuple[list[int], list[Any]]]:
    """Numbers of sentences and their scores, one sub-batch after the other. Sentences
    without words come first."""
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    empty = _empty_sentences(shim, batch)
    if empty[0]:
        yield empty
    inference = shim.inference
    if inference is not None:
        for indices in sub_batches(batch.lengths):
            yield indices, inference.scores(batch, indices)
    else:
        for indices in _sub_batches(shim, batch):
            output = run_module(shim, batch, indices)
            yield indices, _unpad(shim.task, batch, indices, output)


def in_order(parts: Iterator[tuple[list[int], list[Any]]]) -> list[Any]:
    """The scores of `iter_scores`, in the order of the sentences."""
    by_number: dict[int, Any] = {}
    for indices, scores in parts:
        by_number.update(zip(indices, scores, strict=True))
    return [by_number[i] for i in range(len(by_number))]


def run_module(
    shim: NetworkShim, batch: AnyBatch, indices: Sequence[int], method: str = "__call__"
) -> Any:
    """The output of the torch module for some sentences, without gradient."""
    import torch

    module = shim.network
    data = _vectors(shim, batch)
    with torch.no_grad():
        return getattr(module, method)(_padded(shim, batch, indices, data))


def _empty_sentences(shim: NetworkShim, batch: AnyBatch) -> tuple[list[int], list[Any]]:
    """The numbers of sentences without words, and their scores."""
    empty = [i for i, length in enumerate(batch.lengths) if length == 0]
    return empty, [shim.task.nothing(shim.sizes) for _ in empty]


def _unpad(
    task: Task, batch: AnyBatch, indices: Sequence[int], output: Any
) -> list[Any]:
    return task.unpad(output, [batch.lengths[i] for i in indices])


def _sub_batches(shim: NetworkShim, batch: AnyBatch) -> list[list[int]]:
    if shim.network.depends_on_batch:  # the authors' batch effect
        return [[i for i, length in enumerate(batch.lengths) if length]]
    return sub_batches(batch.lengths)


def _vectors(shim: NetworkShim, batch: AnyBatch, *, requires_grad: bool = False) -> Any:
    """The vectors of a batch as a tensor; None without vectors."""
    if batch.vectors is None:
        return None
    data = batch.vectors.data[:]  # of `JoinedRows` an array
    return xp2torch(data, requires_grad=requires_grad, device=shim.device)


def _padded(
    shim: NetworkShim, batch: AnyBatch, indices: Sequence[int], data: Any
) -> Any:
    """Some sentences as the module's input."""
    import torch

    inputs = _inputs(shim.task, batch, indices, data)
    for name, value in inputs.items():
        if isinstance(value, ndarray):
            inputs[name] = torch.from_numpy(value).to(shim.device)
    return shim.network.input_type(**inputs)


def _inputs(
    task: Task, batch: AnyBatch, indices: Sequence[int], data: Any
) -> dict[str, Any]:
    """Some sentences as a module's input, by name: arrays, and vectors as `data` has
    them, with zeros at padding, and at START and STOP without rows."""
    padded = task.pad(batch, indices)
    if batch.vectors is not None:
        n_ends = int(task.has_ends and not batch.vectors.has_boundaries)
        rows = [
            numpy.pad(batch.vectors.rows[i], n_ends, constant_values=-1)
            for i in indices
        ]
        shape = (len(rows), max(map(len, rows)))
        index = pad_arrays(rows, shape, "int64", -1)
        padded["vectors"] = data[index]
        padded["vectors"][index < 0] = 0.0
    return padded


def to_numpy(tensor: Any) -> Any:
    """A tensor of any device as an array on the host; None and arrays stay."""
    if tensor is None or isinstance(tensor, ndarray):
        return tensor
    return tensor.detach().cpu().numpy()


class ExportedNetwork:
    """A network whose module was exported, without torch. weights: By their names in
    torch, float32."""

    def __init__(
        self, task: Task, graph: bytes, weights: Mapping[str, ndarray]
    ) -> None:
        self.task = task
        named = {name: weights[name] for name in weights if name.encode() in graph}
        self.session = session(graph, named)
        self.names = [
            port.name.removeprefix("output ") for port in self.session.get_outputs()
        ]

    def scores(self, batch: AnyBatch, indices: Sequence[int]) -> list[Any]:
        """The scores of some sentences of the batch, none without words."""
        data = batch.vectors and batch.vectors.data
        inputs = _inputs(self.task, batch, indices, data)
        outputs = zip(self.names, self.session.run(None, inputs), strict=True)
        return _unpad(self.task, batch, indices, self.task.scores(**dict(outputs)))

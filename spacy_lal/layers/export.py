"""Networks as ONNX graphs. A graph has no weights: it names the module's."""

from typing import Any

import torch
from torch import Tensor
from torch.export import Dim
from torch.utils._pytree import tree_map_only


def exported(network: torch.nn.Module, inputs: Any, outputs: Any) -> bytes:
    """The graph of a network, for batches of any size.

    inputs, outputs (Any): Of one call, with no size that is another's or 1."""
    from onnx_ir import ExternalTensor, serde

    # or torch would take what it kept of the last LSTM
    torch.ops.aten.lstm.input._dispatch_cache.clear()
    program: Any = torch.onnx.export(
        network,
        inputs,
        dynamic_shapes=tree_map_only(Tensor, _sizes, inputs),
        input_names=_names(inputs[0]),
        output_names=[f"output {name}" for name in _names(outputs)],
        optimize=False,  # or products of weights would be in the graph
        dynamo=True,
        verbose=False,
    )
    graph = program.model.graph
    for part in (graph, *graph.all_nodes()):
        part.metadata_props.clear()  # lines of code, names of unused weights
    for name in graph.initializers.keys() & network.state_dict().keys():
        weight = graph.initializers[name]
        place = ("memory", 0, weight.const_value.nbytes, weight.dtype)
        weight.const_value = ExternalTensor(*place, shape=weight.shape, name=name)
    return serde.serialize_model(program.model).SerializeToString()


def _sizes(tensor: Tensor) -> dict[int, Any]:
    """All sizes may differ but the last one of vectors."""
    return dict.fromkeys(range(tensor.ndim - tensor.is_floating_point()), Dim.DYNAMIC)


def _names(record: Any) -> list[str]:
    return [name for name, value in record._asdict().items() if value is not None]

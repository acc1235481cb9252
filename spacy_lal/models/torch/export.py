"""Networks without a NumPy form as ONNX graphs, for packages that parse without torch.
A graph has no weights: it names the module's, which lie beside it."""

import logging
import warnings
from typing import Any

import torch
from spacy.language import Language
from torch import Tensor
from torch.export import Dim
from torch.utils._pytree import tree_map_only

from .network import NetworkShim

_TEXTS = ["The old cat sleeps.", "She saw it."]  # with no size that is another's or 1


def export_network(nlp: Language, shim: NetworkShim) -> str:
    """Export the network of a component.

    RETURNS (str): What became of it."""
    calls: list[Any] = []
    handle = shim.network.register_forward_hook(lambda *call: calls.append(call[1:]))
    logging.disable()
    try:
        list(nlp.pipe(_TEXTS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch about itself
            shim.graph = _exported(shim.network, *calls[0])
    except ImportError as error:
        return f"stays in torch: {error}; pip install 'spacy-lal[train]'"
    except (ValueError, torch.onnx.OnnxExporterError) as error:
        return f"stays in torch: {error}"
    finally:
        handle.remove()
        logging.disable(logging.NOTSET)
    return "has its network as a graph"


def _exported(network: torch.nn.Module, inputs: Any, outputs: Any) -> bytes:
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

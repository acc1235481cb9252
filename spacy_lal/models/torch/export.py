"""Networks without a NumPy form as ONNX graphs, for packages that parse without torch;
the weights lie beside the graph."""

import logging
import warnings
from typing import Any

from spacy.language import Language

from .network import NetworkShim

_TEXTS = ["The old cat sleeps.", "She saw it."]  # with no size that is another's or 1


def export_network(nlp: Language, shim: NetworkShim) -> str:
    """Export the network of a component.

    RETURNS (str): What became of it."""
    if shim.network.depends_on_batch:
        return "stays in torch: scores of its sentences depend on the batch"
    calls: list[Any] = []
    handle = shim.network.register_forward_hook(lambda *call: calls.append(call[1:]))
    level = logging.root.manager.disable
    logging.disable()
    try:
        from ...layers.export import exported

        list(nlp.pipe(_TEXTS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch about itself
            shim.graph = exported(shim.network, *calls[0])
    except ImportError as error:
        return f"stays in torch: {error}; pip install 'spacy-lal[train]'"
    except (ValueError, RuntimeError) as error:
        return f"stays in torch: {error}"
    finally:
        handle.remove()
        logging.disable(level)
    return "has its network as a graph"

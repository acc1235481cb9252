"""`nlp.replace_listeners` for listeners to a `spacy-lal.TransformerModel.v1`.

*Not* here: the architecture that stands in their place (`transformer.py`).
"""

from copy import deepcopy
from typing import Any, Dict, Iterator, List, cast

from spacy_transformers.layers import split_trf_batch
from thinc.api import Model, chain

from .shared_shim import SharedShim

TOK2VEC_TRANSFORMER = "spacy-lal.Tok2VecTransformer.v1"
_LISTENER = "TransformerListener"  # a part of the name of spacy-transformers' architecture


def replaced_listener(transformer: Dict[str, Any], tok2vec: Dict[str, Any]) -> Dict[str, Any]:
    """The block of a transformer that belongs to one component.

    transformer (Dict[str, Any]): The model's block of the shared transformer.
    tok2vec (Dict[str, Any]): The component's block `model.tok2vec`: a listener, or a block with listeners anywhere in
        it. spaCy does not say which one is replaced.
    RAISES (ValueError): Several listeners pool in different ways.
    """
    settings = ("pooling", "grad_factor")
    found: List[Dict[str, Any]] = [{key: one[key] for key in settings if key in one} for one in _listeners(tok2vec)]
    if any(one != found[0] for one in found):
        raise ValueError(
            "nlp.replace_listeners cannot tell which listener of [model.tok2vec] is replaced: expected the same "
            f"pooling and grad_factor in all of them, got {found}"
        )
    if not found:
        return dict(transformer)
    return {**transformer, "@architectures": TOK2VEC_TRANSFORMER, **deepcopy(found[0])}


def replace_listener(copied: Model, listener: Model, transformer: Any) -> Model:
    """The layers in the place of a listener, as spacy-transformers' own.

    copied (Model): A copy of the transformer's model. spacy-transformers makes copies with the forward pass and the
        attributes of its own architecture, and with the shim's id; they become the component's, and the id a new one.
    listener (Model): The listener.
    transformer (Any): The component; its list of listeners is replaced. spaCy removes them from the list that it walks
        through, and would skip every second one.
    """
    copied._func = transformer.model._func
    copied.attrs.update(transformer.model.attrs)
    for shim in copied.layers[0].shims:
        cast(SharedShim, shim).draw_id()
    for name, listeners in transformer.listener_map.items():
        if any(one is listener for one in listeners):
            transformer.listener_map[name] = list(listeners)
    return chain(copied, split_trf_batch())


def _listeners(block: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    if _LISTENER in str(block.get("@architectures")):
        yield block
    else:
        for value in block.values():
            if isinstance(value, dict):
                yield from _listeners(value)

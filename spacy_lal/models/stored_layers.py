"""Weights of thinc's layers, which packages store in 8 bits by rows, and what parses
with them. thinc itself computes with floats."""

from itertools import accumulate
from typing import Any, Callable

from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import NumpyOps
from thinc.layers.chain import forward as forward_in_layers
from thinc.types import Floats2d

from .weights.storage import quantise
from .weights.threads import Owner, made_once

# Layers, and the names of their weights.
Weights = list[tuple[Any, str]]
# The vectors of all words of some Docs, one after the other.
Parse = Callable[[Any, list[Doc]], ndarray]

_LARGE = ("E", "W")  # names of weights that are stored in 8 bits
_SCALE = "scale"  # an attribute of a layer: the scale of each row


def is_stored(layer: Any, name: str) -> bool:
    """Whether weights are integers."""
    return layer.get_param(name).dtype.kind == "i"


def store(layer: Any, name: str) -> None:
    """Round a layer's weights to integers."""
    integers, scales = quantise(floats(layer, name))
    layer.set_param(name, integers)
    layer.attrs[_SCALE] = scales


def floats(layer: Any, name: str) -> ndarray:
    """Weights in single precision."""
    weight = layer.get_param(name)
    if not is_stored(layer, name):
        return weight
    scales = layer.ops.asarray(layer.attrs[_SCALE])
    return weight.astype("float32") * scales[..., None]


def restore(layer: Any, name: str) -> None:
    """Make floats of a layer's weights if they are stored in integers."""
    layer.set_param(name, floats(layer, name))


class StoredForward(Owner):
    """The `forward` of a chain of thinc's layers. It parses with what is made once of
    their weights. A model on a GPU computes in layers; so does one that has learnt,
    since optimizers change weights in place. Copies of a model share it."""

    has_learnt = False

    def __init__(
        self, weights: Callable[[Any], Weights], prepare: Callable[[Any], Parse]
    ) -> None:
        """weights: All weights of a model. prepare: Makes what parses of a model; its
        Docs have words."""
        self.weights = weights
        self.prepare = prepare

    def __call__(
        self, model: Any, docs: list[Doc], is_train: bool
    ) -> tuple[list[Floats2d], Callable]:
        """See `thinc.layers.chain`."""
        self.has_learnt |= is_train
        is_empty = not any(len(doc) for doc in docs)
        weights = self.weights(model)
        if self.has_learnt or is_empty or not isinstance(model.ops, NumpyOps):
            for layer, name in weights:
                restore(layer, name)
            return forward_in_layers(model, docs, is_train)  # type: ignore[return-value]
        arrays = [layer.get_param(name) for layer, name in weights]
        version = tuple(map(id, arrays))
        parse, _ = made_once(self, version, lambda: (self.prepare(model), arrays))
        rows = parse(model, docs)
        ends = accumulate(map(len, docs))
        of_docs = [
            rows[end - len(doc) : end] for doc, end in zip(docs, ends, strict=True)
        ]
        return of_docs, lambda d_found: docs

    def store(self, model: Any) -> None:
        """Round a model's large weights to integers."""
        for layer, name in self.weights(model):
            if name in _LARGE:
                store(layer, name)

"""Weights of thinc's layers, which packages store in 8 bits by rows, and what parses
with them. thinc itself computes with floats."""

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import NumpyOps
from thinc.layers.chain import forward as forward_in_layers
from thinc.types import Floats2d

from .inference.graph import Bits, Product
from .vectors import predict_rows
from .weights.storage import quantise
from .weights.threads import Owner, made_once

# Layers, and the names of their weights.
Weights = list[tuple[Any, str]]
# The vectors of all words of some Docs, one after the other.
WordVectors = Callable[[Any, list[Doc]], ndarray]

_EPSILON = 1e-8  # of thinc's layer norm
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


class StoredForward(Owner):
    """The `forward` of a chain of thinc's layers. It parses with what is made once of
    their weights. A model on a GPU computes in layers; so does one that has learnt,
    since optimizers change weights in place. Copies of a model share it."""

    has_learnt = False

    def __init__(
        self, weights: Callable[[Any], Weights], prepare: Callable[[Any], WordVectors]
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
                layer.set_param(name, floats(layer, name))
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


# What parses


def product_weights(model: Any) -> Weights:
    """Of a tagger's output layer."""
    output = model.get_ref("output_layer")
    return [(output, "W"), (output, "b")]


def make_product(model: Any) -> WordVectors:
    """Scores of the labels; with inputs in 8 bits where weights have 8 bits."""
    output = model.get_ref("output_layer")
    bits: Bits = 8 if is_stored(output, "W") else 32
    product = Product(floats(output, "W"), output.get_param("b"), bits)

    def scores(model: Any, docs: list[Doc]) -> ndarray:
        products = product(predict_rows(model.layers[0], docs))
        if not output.attrs["softmax_normalize"]:
            return products
        temperature = output.attrs["softmax_temperature"]
        return model.ops.softmax(products, temperature=temperature)

    return scores


def table_weights(model: Any) -> Weights:
    """Of the tables, the maxout layer and the norm. By position: looking for them takes
    longer than a product."""
    joined = model.layers[2].layers[0]
    is_single = len(model.layers[0].attrs["columns"]) == 1
    parts = [joined] if is_single else joined.layers
    maxout, norm = model.layers[3].layers[0].layers[0].layers
    tables = [(part.layers[1], "E") for part in parts]
    return [*tables, (maxout, "W"), (maxout, "b"), (norm, "G"), (norm, "b")]


class FoldedTables:
    """One table for all attributes, with the maxout layer's units in its rows, and the
    norm."""

    def __init__(self, model: Any) -> None:
        *tables, maxout, _, norm, _ = [layer for layer, _ in table_weights(model)]
        self.columns = model.layers[0].attrs["columns"]
        self.seeds = [table.attrs["seed"] for table in tables]
        self.sizes = [table.get_dim("nV") for table in tables]
        self.firsts = [0, *accumulate(self.sizes[:-1])]
        # the units of a piece side by side: so their largest is found quicker
        weight = floats(maxout, "W").swapaxes(0, 1)
        self.shape = weight.shape[:2]
        parts = numpy.split(weight.reshape(-1, weight.shape[2]), len(tables), axis=1)
        folded = [
            floats(table, "E") @ part.T
            for table, part in zip(tables, parts, strict=True)
        ]
        self.table = numpy.concatenate(folded)
        self.bias = maxout.get_param("b").T
        self.gain = norm.get_param("G")
        self.shift = norm.get_param("b")

    def __call__(self, model: Any, docs: list[Doc]) -> ndarray:
        """*Shape:* (n_words, width)."""
        shape = (-1, len(self.columns))
        keys = [doc.to_array(self.columns).reshape(shape) for doc in docs]
        of_columns = numpy.ascontiguousarray(numpy.concatenate(keys).T)
        tables = zip(of_columns, self.seeds, self.sizes, self.firsts, strict=True)
        rows = [
            model.ops.hash(of_column, seed) % size + first
            for of_column, seed, size, first in tables
        ]
        sums = model.ops.gather_add(self.table, numpy.concatenate(rows, axis=1))
        units = sums.reshape(-1, *self.shape)
        units += self.bias
        largest = units.max(axis=1)
        largest -= largest.mean(axis=1, keepdims=True)
        variance = numpy.square(largest).mean(axis=1, keepdims=True) + _EPSILON
        return largest * variance**-0.5 * self.gain + self.shift

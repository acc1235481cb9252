"""`spacy-lal.WordFeatures.v1`: vectors of words from their shapes, affixes and forms,
as `spacy.MultiHashEmbed.v2` has them, with its layers and weights. To parse, the tables
are multiplied by the layer after them once, so that a word's rows are only added."""

from itertools import accumulate
from typing import Any

import numpy
from numpy import ndarray
from spacy.ml.models import MultiHashEmbed
from spacy.tokens import Doc

from .stored_layers import StoredForward, Weights, floats
from .vectors import Tok2Vec

_EPSILON = 1e-8  # of thinc's layer norm


def build_word_features(width: int, attrs: list[str], rows: list[int]) -> Tok2Vec:
    """Build the model.

    width (int): Width of a word's vector.
    attrs (List[str]): Attributes of words, such as "SHAPE", "SUFFIX", "LOWER".
    rows (List[int]): Rows of the table of each attribute.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape
        (n_tokens, width).
    RAISES (ValueError): There are not as many numbers of rows as attributes.
    """
    model = MultiHashEmbed(width, attrs, rows, include_static_vectors=False)
    model._func = StoredForward(_weights, _Folded)  # type: ignore[assignment]
    return model


def _weights(model: Any) -> Weights:
    """Of the tables, the maxout layer and the norm. By position: looking for them takes
    longer than a product."""
    joined = model.layers[2].layers[0]
    is_single = len(model.layers[0].attrs["columns"]) == 1
    parts = [joined] if is_single else joined.layers
    maxout, norm = model.layers[3].layers[0].layers[0].layers
    tables = [(part.layers[1], "E") for part in parts]
    return [*tables, (maxout, "W"), (maxout, "b"), (norm, "G"), (norm, "b")]


class _Folded:
    """One table for all attributes, with the maxout layer's units in its rows, and the
    norm."""

    def __init__(self, model: Any) -> None:
        *tables, maxout, _, norm, _ = [layer for layer, _ in _weights(model)]
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
        units = sums.reshape(-1, *self.shape) + self.bias
        largest = units.max(axis=1)
        largest -= largest.mean(axis=1, keepdims=True)
        variance = numpy.square(largest).mean(axis=1, keepdims=True) + _EPSILON
        return largest * variance**-0.5 * self.gain + self.shift

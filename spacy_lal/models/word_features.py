"""`spacy-lal.WordFeatures.v1`: vectors of words from their shapes, affixes and forms,
as `spacy.MultiHashEmbed.v2` has them, with its layers and weights. To parse, one
function computes what ten layers compute."""

from functools import reduce
from itertools import accumulate
from typing import Any, Callable, List, Tuple

import numpy
from numpy import ndarray
from spacy.ml.models import MultiHashEmbed
from spacy.tokens import Doc
from thinc.api import NumpyOps
from thinc.layers.chain import forward as forward_in_layers
from thinc.types import Floats2d

from .stored_layers import restore
from .vectors import Tok2Vec

_EPSILON = 1e-8  # of thinc's layer norm


def build_word_features(width: int, attrs: List[str], rows: List[int]) -> Tok2Vec:
    """Build the model.

    width (int): Width of a word's vector.
    attrs (List[str]): Attributes of words, such as "SHAPE", "SUFFIX", "LOWER".
    rows (List[int]): Rows of the table of each attribute.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape
        (n_tokens, width).
    RAISES (ValueError): There are not as many numbers of rows as attributes.
    """
    model = MultiHashEmbed(width, attrs, rows, include_static_vectors=False)
    model._func = forward
    return model


def forward(
    model: Tok2Vec, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    """Learn in layers, as on a GPU; parse at once."""
    for layer, name in large_weights(model):
        restore(layer, name)
    is_empty = not any(len(doc) for doc in docs)
    if is_train or is_empty or not isinstance(model.ops, NumpyOps):
        return forward_in_layers(model, docs, is_train)  # type: ignore[arg-type]
    columns = model.layers[0].attrs["columns"]
    keys = [doc.to_array(columns).reshape(len(doc), len(columns)) for doc in docs]
    joined = numpy.concatenate(keys)
    tables, maxout, norm = _with_weights(model)
    vectors = [
        _look_up(table, numpy.ascontiguousarray(joined[:, k]))
        for k, table in enumerate(tables)
    ]
    mixed = _norm(norm, _maxout(maxout, numpy.concatenate(vectors, axis=1)))
    ends = accumulate(map(len, docs))
    found = [mixed[end - len(doc) : end] for doc, end in zip(docs, ends, strict=True)]
    return found, lambda d_vectors: docs  # type: ignore[return-value]


def large_weights(model: Any) -> List[Tuple[Any, str]]:
    """The layers whose weights packages store in 8 bits, and the weights' names."""
    tables, maxout, _ = _with_weights(model)
    return [*((table, "E") for table in tables), (maxout, "W")]


def _with_weights(model: Any) -> Tuple[List[Any], Any, Any]:
    """The tables, the maxout layer and the norm. By position: looking for them takes
    longer than a product."""
    joined = model.layers[2].layers[0]
    is_single = len(model.layers[0].attrs["columns"]) == 1
    parts = [joined] if is_single else joined.layers
    maxout, norm = model.layers[3].layers[0].layers[0].layers
    return [part.layers[1] for part in parts], maxout, norm


def _look_up(table: Any, keys: ndarray) -> ndarray:
    """The sum of four rows for each key. *Shapes:* (n_words,) to (n_words, width)."""
    rows = table.ops.hash(keys, table.attrs["seed"]) % table.get_dim("nV")
    return table.ops.gather_add(table.get_param("E"), rows)


def _maxout(layer: Any, inputs: ndarray) -> ndarray:
    """The largest of each group of units. *Shapes:* (n_words, n_in) to (n_words,
    n_out)."""
    weights = layer.get_param("W")
    n_out, n_pieces, n_in = weights.shape
    units = layer.ops.gemm(inputs, weights.reshape(-1, n_in), trans2=True)
    units += layer.get_param("b").reshape(-1)
    # quicker than the largest along an axis of three
    return reduce(numpy.maximum, units.reshape(-1, n_out, n_pieces).transpose(2, 0, 1))


def _norm(layer: Any, inputs: ndarray) -> ndarray:
    """Layer norm. *Shapes:* (n_words, width) to the same."""
    centred = inputs - inputs.mean(axis=1, keepdims=True)
    variance = numpy.square(centred).mean(axis=1, keepdims=True) + _EPSILON
    return centred * variance**-0.5 * layer.get_param("G") + layer.get_param("b")

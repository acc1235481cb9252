"""spaCy's `MultiHashEmbed` in prediction: the same numbers as its own, to the bit, without thinc's combinators, which
take two thirds of its time on a sentence. *Not* here: training, and embeddings with static vectors."""

from typing import Any, List, Optional, cast

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps
from thinc.types import Floats2d

_CHAIN = ("extract_features", "list2ragged", "with_array", "with_array", "ragged2list")
_COLUMN = ("ints-getitem", "hashembed")
_MIX = ("maxout>>layernorm", "dropout")
_NORM_EPSILON = 1e-08  # thinc's


def predict_embedding(model: Model, docs: List[Doc]) -> Optional[List[Floats2d]]:
    """The vectors of a `MultiHashEmbed` on a CPU; None for another layer or an empty batch."""
    if not isinstance(model.ops, NumpyOps) or _names(model) != _CHAIN or not any(map(len, docs)):
        return None
    extract, _, embed, mix, _ = model.layers
    columns = embed.layers[0].layers
    if any(_names(one) != _COLUMN for one in columns) or _names(mix.layers[0]) != _MIX:
        return None
    features: List[Any] = extract.predict(docs)
    data = features[0] if len(features) == 1 else numpy.concatenate(features)
    parts = [_rows(one.layers[1], data[:, one.attrs["column"]]) for one in columns]
    maxout, norm = mix.layers[0].layers[0].layers
    vectors: Any = _normed(norm, maxout.predict(numpy.concatenate(parts, axis=1)))
    if len(features) == 1:
        return [vectors]
    ends: Any = numpy.cumsum([len(one) for one in features])[:-1]
    return cast(List[Floats2d], numpy.split(vectors, ends))


def _names(model: Model) -> Any:
    """The kinds of a model's layers: "with_array" for "with_array(...)"."""
    return tuple(layer.name.partition("(")[0] for layer in model.layers)


def _rows(embedding: Model, ids: ndarray) -> ndarray:
    """Sums of the rows of a hash embedding's table. *Shapes:* (n,); (n, width)."""
    table: Any = embedding.get_param("E")
    ops: Any = embedding.ops
    return ops.gather_add(table, ops.hash(numpy.ascontiguousarray(ids), embedding.attrs["seed"]) % len(table))


def _normed(norm: Model, values: Any) -> Any:
    """A layer norm, in the steps of `numpy.mean` and `numpy.var`. *Shapes:* (n, width)."""
    width = values.shape[1]
    centred = values - numpy.add.reduce(values, axis=1, keepdims=True) / width
    variance = numpy.add.reduce(centred * centred, axis=1, keepdims=True) / width + _NORM_EPSILON
    return centred * variance ** (-1.0 / 2.0) * norm.get_param("G") + norm.get_param("b")

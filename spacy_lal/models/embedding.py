"""Vectors of sentences: the tok2vec of a network's model, and the rows of each sentence. It knows no network."""

from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import Sentences
from .features import SentenceFeatures, read_sentences
from .network_shim import NetworkShim

Tok2Vec = Model[List[Doc], List[Floats2d]]


class VectorRows(NamedTuple):
    """Vectors of a whole batch, and the rows of each sentence.

    data (Floats2d): Shape: (n_rows, width). On thinc's device.
    rows (List[ndarray]): Row numbers, an array for each sentence. *Shape:* (n,), or (n + 2,) with START and STOP.
    has_boundaries (bool): Whether the rows include START and STOP.
    """

    data: Floats2d
    rows: List[ndarray]
    has_boundaries: bool


class NetworkBatch(NamedTuple):
    """The input of the network layer: the features of every sentence, and their vectors, if any."""

    features: List[SentenceFeatures]
    vectors: Optional[VectorRows]
    return_attention: bool = False


def embed(
    model: Model, docs: List[Doc], is_train: bool, sentences: Optional[Sequence[Sentences]] = None
) -> Tuple[NetworkBatch, Callable]:
    """Features and vectors of the Docs' sentences, and the backward pass of the vectors. It takes the gradient of
    `VectorRows.data`.

    model (Model): Its layers are a tok2vec (or none), `sentence_features`, and a network with a `NetworkShim`.
    sentences (Optional[Sequence[Sentences]]): For each Doc, the words of its sentences or of parts of them. None: the
        Doc's own sentences.
    """
    reader = model.layers[-2]
    features = reader(docs, is_train)[0] if sentences is None else read_sentences(reader, docs, sentences, is_train)
    tok2vec = get_tok2vec(model)
    # Docs without tokens have no sentences; spaCy's tok2vecs fail on a batch without tokens.
    if tok2vec is None or not any(len(doc) for doc in docs):
        return NetworkBatch(features, None), _no_backprop
    if sentences is not None and "read_sentences" in tok2vec.attrs:
        arrays, backprop_arrays = tok2vec.attrs["read_sentences"](tok2vec, docs, sentences, is_train)
    else:
        arrays, backprop_arrays = tok2vec(docs, is_train)
    vectors = _vector_rows(model, features, docs, arrays, bool(tok2vec.attrs.get("sentence_rows")))
    ends = numpy.cumsum([len(array) for array in arrays]).tolist()

    def backprop(d_data: Floats2d) -> List[Doc]:
        # Arrays without rows may have any width: spacy-transformers gives an empty Doc a width of 0.
        d_arrays = [
            d_data[end - len(array) : end] if len(array) else model.ops.alloc2f(*array.shape)
            for array, end in zip(arrays, ends, strict=True)
        ]
        return backprop_arrays(d_arrays)

    return NetworkBatch(features, vectors), backprop


def _vector_rows(
    model: Model, features: List[SentenceFeatures], docs: List[Doc], arrays: List[Floats2d], sentence_rows: bool
) -> VectorRows:
    expected = [one.length + 2 for one in features] if sentence_rows else [len(doc) for doc in docs]
    if [len(array) for array in arrays] != expected:
        kind = "one more for START and STOP of each sentence" if sentence_rows else "one for each token of each Doc"
        raise ValueError(f"The tok2vec gave {[len(array) for array in arrays]} rows; expected {expected}: {kind}")
    data = [model.ops.asarray2f(array) for array in arrays if len(array)]
    width = get_shim(model).cfg["vector_width"]
    flat = model.ops.xp.concatenate(data) if data else model.ops.alloc2f(0, width)
    if flat.shape[1] != width:
        raise ValueError(f"The tok2vec gave vectors of width {flat.shape[1]}; the network was made for {width}")
    rows = [one.rows for one in features]
    if sentence_rows:
        firsts = numpy.cumsum([0, *expected])
        rows = [numpy.arange(first, first + n_rows) for first, n_rows in zip(firsts[:-1], expected, strict=True)]
    return VectorRows(flat, rows, sentence_rows)


def vector_width(tok2vec: Tok2Vec, docs: Optional[List[Doc]]) -> int:
    """The width of a tok2vec's output: its declared width, or the width of its output for a Doc."""
    width = tok2vec.maybe_get_dim("nO")
    if width is None and docs:
        width = max((array.shape[1] for array in tok2vec.predict(docs) if len(array)), default=None)
    if not width:
        raise ValueError(
            f"Cannot tell the width of the tok2vec '{tok2vec.name}': it does not say, and there is no example of its "
            "output; expected at least one Doc with tokens"
        )
    return width


def get_tok2vec(model: Model) -> Optional[Tok2Vec]:
    """The tok2vec of a network's model, if any."""
    # By position, not by reference: thinc's `Model.copy` loses references.
    return model.layers[0] if len(model.layers) == 3 else None


def get_shim(model: Model) -> NetworkShim:
    """The shim of a network's model."""
    return model.layers[-1].shims[0]  # type: ignore[return-value]


def _no_backprop(d_data: Floats2d) -> List[Doc]:
    return []

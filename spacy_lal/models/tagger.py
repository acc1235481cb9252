"""`spacy-lal.Tagger.v1`: `spacy.Tagger.v2`, whose output layer packages store in 8
bits. To parse, it is a product of ONNX Runtime."""

from typing import Any, Optional

import numpy
from numpy import ndarray
from spacy.ml.models import build_tagger_model
from spacy.tokens import Doc

from .inference.graph import Bits, Product
from .stored_layers import Parse, StoredForward, Weights, floats, is_stored
from .vectors import Tok2Vec


def build_tagger(
    tok2vec: Tok2Vec, nO: Optional[int] = None, normalize: bool = False
) -> Tok2Vec:
    """Build the model.

    tok2vec (Model[List[Doc], List[Floats2d]]): What gives the vectors of tokens.
    nO (Optional[int]): How many labels there are. None: as many as the data have.
    normalize (bool): Whether to give probabilities, not only the order of labels.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape
        (n_tokens, nO).
    """
    return with_products(build_tagger_model(tok2vec, nO, normalize))


def with_products(model: Any) -> Tok2Vec:
    """spaCy's model, whose output layer is a product of ONNX Runtime to parse."""
    model._func = StoredForward(_weights, _prepare)
    return model


def _weights(model: Any) -> Weights:
    output = model.get_ref("output_layer")
    return [(output, "W"), (output, "b")]


def _prepare(model: Any) -> Parse:
    """Scores of the labels; with inputs in 8 bits where weights have 8 bits."""
    output = model.get_ref("output_layer")
    bits: Bits = 8 if is_stored(output, "W") else 32
    product = Product(floats(output, "W"), output.get_param("b"), bits)

    def scores(model: Any, docs: list[Doc]) -> ndarray:
        vectors = model.layers[0].predict(docs)
        # those of an empty Doc may have another width
        found = product(numpy.concatenate([one for one in vectors if len(one)]))
        if not output.attrs["softmax_normalize"]:
            return found
        temperature = output.attrs["softmax_temperature"]
        return model.ops.softmax(found, temperature=temperature)

    return scores

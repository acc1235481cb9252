"""`spacy-lal.Tagger.v1`: `spacy.Tagger.v2`, whose output layer packages store in 8
bits. To parse, it is a product of ONNX Runtime."""

from typing import Any, Optional

from spacy.ml.models import build_tagger_model

from .stored_layers import StoredForward, make_product, product_weights
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
    model._func = StoredForward(product_weights, make_product)
    return model

"""`spacy-lal.Tagger.v1`: `spacy.Tagger.v2`, whose output layer packages store in 8
bits."""

from typing import Any, Callable, List, Optional, Tuple

from spacy.ml.models import build_tagger_model
from spacy.tokens import Doc
from thinc.layers.chain import forward as forward_in_layers
from thinc.types import Floats2d

from .stored_layers import restore
from .vectors import Tok2Vec

LARGE = "W"  # the output layer's weights


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
    model = build_tagger_model(tok2vec, nO, normalize)
    model._func = forward
    return model


def forward(
    model: Any, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    """The layers' own, with weights in floats."""
    restore(model.get_ref("output_layer"), LARGE)
    return forward_in_layers(model, docs, is_train)  # type: ignore[return-value]

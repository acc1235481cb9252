"""Vectors in ELMo's place: the layers of a pipeline's transformer side by side,
computed once and never trained."""

from functools import lru_cache
from typing import Any, Callable, Dict, List, Tuple

import numpy
import spacy
import torch
from numpy import ndarray
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

BATCH = 32  # sentences


@registry.architectures("benchmarks.FrozenTransformer.v1")
def frozen_transformer(
    pipeline: str, n_layers: int
) -> Model[List[Doc], List[Floats2d]]:
    """A tok2vec that reads each Doc as one sequence: the mean of each token's pieces,
    in the last layers.

    pipeline (str): Name or folder of a pipeline with a `transformer`. It is loaded when
        vectors are first asked for.
    n_layers (int): How many layers, from the last one downwards; the embeddings count
        as one.
    RETURNS (Model): For each Doc an array, *shape:* (n_tokens, n_layers * width), lower
    layers first."""
    attrs = {"pipeline": pipeline, "n_layers": n_layers}
    return Model("frozen_transformer", _forward, attrs=attrs, dims={"nO": None})


def _forward(
    model: Model, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    layers = _layers_of(model.attrs["pipeline"])
    return layers(docs, model.attrs["n_layers"]), lambda d_arrays: docs


class FrozenLayers:
    """The layers of a transformer, kept in half precision for each sentence that was
    asked for.

    pipeline (str): See `frozen_transformer`.
    """

    def __init__(self, pipeline: str) -> None:
        # type: ignore[attr-defined]
        model: Any = spacy.load(pipeline).get_pipe("transformer").model
        self.tokenizer, self.transformer = model.tokenizer, model.transformer.eval()
        self.kept: Dict[Tuple[str, ...], ndarray] = {}

    def __call__(self, docs: List[Doc], n_layers: int) -> List[Any]:
        """*Shape of each:* (n_tokens, n_layers * width), float32.

        RAISES (ValueError): The transformer has less than `n_layers` layers.
        """
        sentences = [tuple(token.text for token in doc) for doc in docs]
        missing = sorted(
            {words for words in sentences if words and words not in self.kept},
            key=lambda one: len(one),
        )
        for i in range(0, len(missing), BATCH):
            self._compute(missing[i : i + BATCH])
        return [self._last(words, n_layers) for words in sentences]

    def _last(self, words: Tuple[str, ...], n_layers: int) -> ndarray:
        if not words:
            return numpy.zeros((0, 0), dtype="float32")
        layers = self.kept[words]
        most = layers.shape[1]
        if n_layers > most:
            raise ValueError(
                f"n_layers: expected at most {most}, the embeddings counted, got "
                f"{n_layers}"
            )
        return layers[:, most - n_layers :].astype("float32").reshape(len(words), -1)

    def _compute(self, sentences: List[Tuple[str, ...]]) -> None:
        pieces = self.tokenizer(
            [list(words) for words in sentences],
            is_split_into_words=True,
            padding=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            states = self.transformer(**pieces, output_hidden_states=True).hidden_states
        layers = torch.stack(states, dim=2).numpy()  # (batch, pieces, layers, width)
        for k, words in enumerate(sentences):
            vectors = numpy.zeros((len(words), *layers.shape[2:]), dtype="float32")
            counts = numpy.zeros(len(words), dtype="float32")
            for place, word in enumerate(pieces.word_ids(k)):
                if word is not None:
                    vectors[word] += layers[k, place]
                    counts[word] += 1.0
            means = (
                vectors / numpy.maximum(counts, 1.0)[:, None, None]
            )  # a word without pieces: zeros
            self.kept[words] = means.astype("float16")


_layers_of = lru_cache(maxsize=1)(FrozenLayers)

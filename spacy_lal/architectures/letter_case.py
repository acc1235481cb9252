"""Upper case for transformers that do not see it: token types that say how each piece is written.

An uncased BERT reads `Bush` and `bush` alike. It has a vector for the type of each piece, though (its first or second
text), of which a parser uses only one; here the types are lower case, some upper case, and upper case throughout, with
vectors that begin alike, so that the transformer starts as it was. *Not* here: what runs the transformer
(`transformer`).
"""

from dataclasses import replace
from typing import Any, Callable, List, Sequence, Tuple, cast

import numpy
import torch
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy_transformers.align import get_alignment_via_offset_mapping
from spacy_transformers.data_classes import FullTransformerBatch, HFObjects, WordpieceBatch
from spacy_transformers.layers.transformer_model import TransformerModel, huggingface_tokenize, set_pytorch_transformer
from spacy_transformers.truncate import truncate_oversize_splits
from thinc.api import Model
from thinc.types import Ints2d

LOWER, SOME_UPPER, ALL_UPPER = range(3)
N_CASE_TYPES = 3


def case_types(texts: Sequence[str], offsets: NDArray[Any]) -> Ints2d:
    """How pieces are written: `LOWER` (or no letters), `SOME_UPPER`, or `ALL_UPPER` (two letters or more).

    texts (Sequence[str]): What was cut into pieces.
    offsets (ndarray): Shape: (n_texts, n_pieces, 2). First character of each piece and the one after its last; equal
        where a piece has no characters.
    RETURNS (Ints2d): Shape: (n_texts, n_pieces).
    """
    types = numpy.full(offsets.shape[:2], LOWER, dtype="int64")
    for text, bounds, row in zip(texts, offsets, types, strict=True):
        if text.islower():
            continue
        letters, upper = numpy.zeros((2, len(text) + 1), dtype="int32")
        letters[1:] = numpy.cumsum([char.isalpha() for char in text])
        upper[1:] = numpy.cumsum([char.isupper() for char in text])
        first, end = bounds.T
        n_letters, n_upper = letters[end] - letters[first], upper[end] - upper[first]
        row[n_upper > 0] = SOME_UPPER
        row[(n_upper > 1) & (n_upper == n_letters)] = ALL_UPPER
    return cast(Ints2d, types)


def add_case_types(transformer: Any) -> None:
    """Give a transformer the vectors of the three types, if it has them not yet.

    transformer (Any): A model of the `transformers` library, changed in place. The new vectors are those of type 0.
    RAISES (ValueError): If it has no vectors for types.
    """
    types = getattr(getattr(transformer, "embeddings", None), "token_type_embeddings", None)
    if not isinstance(types, torch.nn.Embedding):
        raise ValueError(
            f"case_types: expected a transformer with embeddings of token types, as BERT has, got "
            f"{type(transformer).__name__}"
        )
    if types.num_embeddings < N_CASE_TYPES:
        types.weight = torch.nn.Parameter(types.weight.detach()[:1].repeat(N_CASE_TYPES, 1))
        types.num_embeddings = transformer.config.type_vocab_size = N_CASE_TYPES


class CasedTransformerModel(TransformerModel):
    """spacy-transformers' model, which tells the transformer the case of each piece.

    settings: As for `TransformerModel`.
    """

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self._func = _forward
        self.attrs["set_transformer"] = _set_transformer

    def copy(self) -> "CasedTransformerModel":
        """See `TransformerModel`."""
        copied = super().copy()
        copied._func = self._func
        copied.attrs["set_transformer"] = _set_transformer
        return copied


def _set_transformer(model: Model, parts: HFObjects) -> None:
    """Place a transformer that was just read.

    RAISES (ValueError): If it has no embeddings of token types, or its tokenizer says not where pieces stand.
    """
    if not parts.tokenizer.is_fast:
        raise ValueError(f"case_types: expected a fast tokenizer, got {type(parts.tokenizer).__name__}")
    add_case_types(parts.transformer)
    set_pytorch_transformer(model, parts)


def _forward(model: Any, docs: List[Doc], is_train: bool) -> Tuple[FullTransformerBatch, Callable]:
    """spacy-transformers' forward pass, with types of pieces."""
    nested_spans = model.attrs["get_spans"](docs)
    spans = [span for doc_spans in nested_spans for span in doc_spans]
    texts = [span.text for span in spans]
    encoding = huggingface_tokenize(model.tokenizer, texts)
    pieces = WordpieceBatch.from_batch_encoding(encoding)
    pieces = replace(pieces, token_type_ids=case_types(texts, encoding["offset_mapping"]))
    alignment = get_alignment_via_offset_mapping(spans, encoding["offset_mapping"])
    pieces, alignment = truncate_oversize_splits(pieces, alignment, model.tokenizer.model_max_length)
    output, backprop = model.layers[0](pieces, is_train)

    def backprop_transformer(d_output: FullTransformerBatch) -> List[Doc]:
        backprop(d_output.model_output)
        return docs

    return FullTransformerBatch(nested_spans, pieces, output, alignment), backprop_transformer

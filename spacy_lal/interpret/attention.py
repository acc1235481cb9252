"""Label attention: the words that each label head attends to. *Not* here: drawing."""

from dataclasses import dataclass
from typing import Union, overload

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc, Span

from ..annotations import Item
from ..models.batches import get_shim
from ..pipeline.lal_parser import LALParser
from ..pipeline.scoring import (
    PipelineOrParser,
    encode,
    find_parser,
    sentences_of,
)

START = "<START>"
STOP = "<STOP>"


@dataclass(frozen=True)
class LabelAttention:
    """The attention of each label head over one sentence of n words.
    weights (ndarray): Shape: (n_label_heads, n + 2), float32. Each row sums to 1, or is
        0 in a sentence without words, which the network does not read.
    heads (Tuple[str, ...]): Names of the rows: labels, or "head 7" where the numbers of
        heads and labels differ. See `head_names` for the meaning of such a name.
    tokens (Tuple[str, ...]): Names of the columns: "<START>", the words, "<STOP>"."""

    weights: ndarray
    heads: tuple[str, ...]
    tokens: tuple[str, ...]


def head_names(parser: LALParser) -> tuple[str, ...]:
    """A name for each label head: the labels, in order, if there are as many of them;
    otherwise "head 0", "head 1", ...

    The name is a convention, as in the paper: training ties no head to the label of its
    number, unless the model's span scorer has `label_heads`.

    RAISES (ValueError): The model has no label attention."""
    shim = get_shim(parser.model)
    n_heads = shim.config.n_label_heads(shim.sizes)
    if not n_heads:
        raise ValueError(
            f"'{parser.name}' is a model without label attention: it has no label heads"
        )
    labels = parser.label_data["constituents"]
    return (
        tuple(labels)
        if len(labels) == n_heads
        else tuple(f"head {i}" for i in range(n_heads))
    )


@overload
def label_attention(nlp: PipelineOrParser, doc_or_span: Doc) -> list[LabelAttention]:
    """For a Doc, the attention of each sentence."""


@overload
def label_attention(nlp: PipelineOrParser, doc_or_span: Span) -> LabelAttention:
    """For a Span, the attention of its sentence."""


def label_attention(
    nlp: PipelineOrParser, doc_or_span: Item
) -> Union[list[LabelAttention], LabelAttention]:
    """The label attention in the sentences of a Doc, or in a Span's sentence. It runs
    the network again.
    doc_or_span (Union[Doc, Span]): It needs no parse.
    RETURNS (Union[List[LabelAttention], LabelAttention]): One for each sentence of a
        Doc; one for a Span.
    RAISES (ValueError): The model has no label attention."""
    parser = find_parser(nlp)
    sentences = sentences_of(doc_or_span)
    heads = head_names(parser)
    read = [sentence for sentence in sentences if sentence.words]
    weights = {
        sentence.number: encoded.attention
        for sentence, encoded in zip(read, encode(parser, read), strict=True)
    }
    nothing = np.zeros((len(heads), 2), dtype="f4")
    attention = [
        LabelAttention(
            weights.get(sentence.number, nothing),  # type: ignore[arg-type]
            heads,
            (START, *sentence.words, STOP),
        )
        for sentence in sentences
    ]
    return attention[0] if isinstance(doc_or_span, Span) else attention

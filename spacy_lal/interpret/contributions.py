"""Exact contributions: a label's score on a span, split over label heads so that the
parts add up to the score, in float64. For a given span the score is affine:
docs/explanation/interpret.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional

import numpy as np
from numpy import ndarray
from spacy.tokens import Span

from ..annotations import Item
from ..models.batches import get_shim
from ..pipeline.lal_parser import LALParser
from ..pipeline.scoring import (
    PipelineOrParser,
    constituents_of,
    encode,
    find_parser,
    label_strings,
    locate,
    sentences_of,
    span_name,
)
from ..trees import EMPTY, SUB_HEAD, Parse
from .attention import head_names

NORM_EPSILON = 1e-3  # of the span scorer's norm, added to the standard deviation


@dataclass(frozen=True)
class Contributions:
    """The score of a label on a span, and its parts: bias + tokens + heads.sum() equals
    the score.
    start, end (int): The span, half-open, in tokens of the Doc.
    label (str): The label, a whole unary chain: "S::VP".
    score (float): The score of the label, which the decoder reads in lower precision.
    bias (float): The part that does not depend on the span's features.
    tokens (float): The part of the token skip; 0 where the network has none.
    names (Tuple[str, ...]): Names of the label heads, as in `LabelAttention`.
    heads (ndarray): Shape: (n_label_heads,), float64. The part of each head."""

    start: int
    end: int
    label: str
    score: float
    bias: float
    tokens: float
    names: tuple[str, ...]
    heads: ndarray

    def top(self, k: int = 5) -> list[tuple[str, float]]:
        """The k heads with the largest parts, for or against the label, largest
        first."""
        order = np.argsort(-np.abs(self.heads), kind="stable")[:k]
        return [(self.names[i], float(self.heads[i])) for i in order]


def contributions(
    nlp: PipelineOrParser, span: Span, label: Optional[str] = None
) -> Contributions:
    """The contribution of each label head to the score of a label on a span.
    span (Span): Any span of words of one sentence, if a label is given; otherwise a
        constituent of the Doc's parse.
    label (Optional[str]): One of the parser's labels ("NP", "S::VP", or "<H>"), or None
        for the constituent's label.
    RAISES (ValueError): The label is unknown or empty (its score is always 0); without
        a label, the Doc has no parse, or the span is no constituent; the model has no
        label attention, or joins its heads."""
    parser = find_parser(nlp)
    sentence, start, end = locate(span)
    if label is None:
        (constituents,) = constituents_of(parser, [sentence])
        cells = [cell for cell in constituents if cell[:2] == (start, end)]
        if not cells:
            raise ValueError(
                f"{span_name(span)} is no constituent of the Doc's parse: expected "
                "one, "
                "or a label"
            )
        return _split(parser, sentence, cells)[0]
    strings = label_strings(parser)
    if label not in strings[SUB_HEAD:]:
        reason = "which is none of the parser's labels"
        if label == strings[EMPTY]:
            reason = "whose score is always 0"
        raise ValueError(
            f"expected a label like {strings[-1]}, got {label!r}, {reason}"
        )
    return _split(parser, sentence, [(start, end, strings.index(label))])[0]


def label_contributions(nlp: PipelineOrParser, span: Span) -> list[Contributions]:
    """The `contributions` to every label of the parser except the empty one, on one
    span, in the order of the labels.

    RAISES (ValueError): As `contributions`; the span need not be a constituent."""
    parser = find_parser(nlp)
    sentence, start, end = locate(span)
    labels = range(SUB_HEAD, len(label_strings(parser)))
    return _split(parser, sentence, [(start, end, label) for label in labels])


def constituent_contributions(
    nlp: PipelineOrParser, doc_or_span: Item
) -> list[Contributions]:
    """The `contributions` to every constituent of a Doc's parse, or of a Span's
    sentence, in pre-order. A unary chain is one constituent.

    RAISES (ValueError): As `contributions`: the Doc needs a parse."""
    parser = find_parser(nlp)
    SpanScores(parser)  # raises if its heads have no parts
    sentences = sentences_of(doc_or_span)
    split: list[Contributions] = []
    cells = constituents_of(parser, sentences)
    for sentence, constituents in zip(sentences, cells, strict=True):
        split += _split(parser, sentence, constituents)
    return split


def _split(
    parser: LALParser, sentence: Parse, cells: Sequence[tuple[int, int, int]]
) -> list[Contributions]:
    """The parts of the scores of labelled spans: start, end, label id, in words."""
    if not cells:
        return []
    scorer = SpanScores(parser)
    strings = label_strings(parser)
    (encoded,) = encode(parser, [sentence])
    spans = np.array(cells)
    parts = scorer.parts(encoded.fenceposts, spans[:, :2], spans[:, 2])
    return [
        Contributions(
            *sentence.token_range(start, end),
            label=strings[label],
            score=float(parts.total[i]),
            bias=float(parts.bias[i]),
            tokens=float(parts.tokens[i]),
            names=scorer.names,
            heads=parts.heads[i],
        )
        for i, (start, end, label) in enumerate(cells)
    ]


class Parts(NamedTuple):
    """The addends of some label scores.
    bias (ndarray): Shape: (n_scores,), float64.
    heads (ndarray): Shape: (n_scores, n_label_heads), float64.
    tokens (ndarray): Shape: (n_scores,), float64."""

    bias: ndarray
    heads: ndarray
    tokens: ndarray

    @property
    def total(self) -> ndarray:
        """The scores. Shape: (n_scores,), float64."""
        return self.bias + self.tokens + self.heads.sum(1)


class SpanScores:
    """The label scores of a parser's spans, and their parts: docs/explanation/
    interpret.md.

    RAISES (ValueError): The model has no label attention, joins its heads, or scores no
        constituents."""

    def __init__(self, parser: LALParser) -> None:
        label_strings(parser)  # raises without constituents
        self.names = head_names(parser)
        shim = get_shim(parser.model)
        config = shim.config
        self._layout = config.layout(config.n_label_heads(shim.sizes))
        n_heads = self._layout.n_label_heads
        if not n_heads:
            raise ValueError(
                f"'{parser.name}' has no block of features for each label head: scores "
                "have no parts"
            )
        prefix = "span_scorer."
        self._weights = {
            name.removeprefix(prefix): weights.astype("f8")
            for name, weights in shim.weights.items()
            if name.startswith(prefix)
        }
        if config.span_scorer is not None and config.span_scorer.from_tokens:
            self._pad_hidden_weight()
        # The columns of each head's block.
        columns = self._layout.block_columns(range(n_heads))
        self.columns = columns.reshape(n_heads, -1)

    def _pad_hidden_weight(self) -> None:
        """Give the features that a scorer of tokens does not read the weight 0."""
        weight = self._weights["hidden.weight"]
        n_units = len(weight)
        ends = weight.reshape(n_units, -1, 2 * self._layout.token_width)
        ends = np.pad(ends, ((0, 0), (0, 0), (self._layout.halves_width, 0)))
        self._weights["hidden.weight"] = ends.reshape(n_units, -1)

    def parts(self, fenceposts: ndarray, spans: ndarray, labels: ndarray) -> Parts:
        """The addends of one label score for each span.
        fenceposts (ndarray): Of the sentence. Shape: (n + 1, fencepost_width).
        spans (ndarray): Starts and ends, in words. Shape: (n_spans, 2).
        labels (ndarray): Label ids, from 1: the empty label's score is 0 and has no
            parts. Shape: (n_spans,)."""
        weights = self._weights
        starts, ends = np.moveaxis(fenceposts[spans].astype("f8"), 1, 0)
        vectors = ends - starts
        if weights["hidden.weight"].shape[1] != self._layout.width:
            vectors = np.concatenate([ends, -starts], axis=1)
        units = vectors @ weights["hidden.weight"].T + weights["hidden.bias"]
        deviations = units.std(1, ddof=1, keepdims=True) + NORM_EPSILON
        gain = weights["norm.gain"] / deviations
        centred = units - units.mean(1, keepdims=True)
        # A unit below zero adds nothing; of the others, the score is a linear function.
        is_on = gain * centred + weights["norm.bias"] > 0
        output = weights["output.weight"][labels - 1] * is_on
        slopes = output * gain
        # The norm subtracts a mean, and so does its transpose.
        slopes -= slopes.mean(1, keepdims=True)
        bias = (
            weights["output.bias"][labels - 1]
            + output @ weights["norm.bias"]
            + slopes @ weights["hidden.bias"]
        )
        addends = (slopes @ weights["hidden.weight"]) * vectors
        # The ends of a span may have weights of their own: one block for each end.
        addends = addends.reshape(len(spans), -1, self._layout.width).sum(1)
        tokens = addends[:, self._layout.halves_width :].sum(1)
        heads = addends[:, self.columns].sum(2)
        if "ties.weight" in weights:  # the addend of each label's own head
            own = ((ends - starts)[:, self.columns] * weights["ties.weight"]).sum(2)
            own_heads = labels - SUB_HEAD - 1
            tied = np.flatnonzero((own_heads >= 0) & (own_heads < own.shape[1]))
            heads[tied, own_heads[tied]] += own[tied, own_heads[tied]]
        return Parts(bias, heads, tokens)

"""Exact contributions: a label's score on a span, split over label heads so that the
parts add up to the score, in float64. For a given span the score is affine:
docs/explanation/interpret.md."""

from dataclasses import dataclass
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc, Span

from ..pipeline.lal_parser import LALParser
from ..pipeline.sentences import (
    Parser,
    Sentence,
    constituents_of,
    encode,
    find_parser,
    label_strings,
    locate,
    model_of,
    sentences_of,
    span_name,
)
from ..trees import EMPTY, SUB_HEAD
from .attention import head_names

NORM_EPSILON = 1e-3  # of the span scorer's norm, added to the standard deviation


@dataclass(frozen=True)
class Contributions:
    """The score of a label on a span, and its parts: bias + tokens + heads.sum() equals
    the score, within 1e-4.
    start, end (int): The span, half-open, in tokens of the Doc.
    label (str): The label, a whole unary chain: "S::VP".
    score (float): The score of the label, which the decoder reads.
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
    names: Tuple[str, ...]
    heads: ndarray

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return self.bias + self.tokens + float(self.heads.sum())

    def top(self, k: int = 5) -> List[Tuple[str, float]]:
        """The k heads with the largest parts, for or against the label, largest
        first."""
        order = np.argsort(-np.abs(self.heads), kind="stable")[:k]
        return [(self.names[i], float(self.heads[i])) for i in order]


def contributions(
    nlp: Parser, span: Span, label: Optional[str] = None
) -> Contributions:
    """The contribution of each label head to the score of a label on a span.
    span (Span): Any span of words of one sentence, if a label is given; otherwise a
        constituent of the Doc's parse.
    label (Optional[str]): One of the parser's labels ("NP", "S::VP", or "<H>"), or None
        for the constituent's label.
    RAISES (ValueError): The label is unknown or empty (its score is always 0); without
        a label, the Doc has no parse, or the span is no constituent; the model has no
        label attention, or joins its heads."""
    sentence, start, end = locate(nlp, span)
    strings = label_strings(sentence.parser)
    if label is None:
        here = [
            one for one in constituents_of([sentence])[0] if one[:2] == (start, end)
        ]
        if not here:
            raise ValueError(
                f"{span_name(span)} is no constituent of the Doc's parse: expected one, or a label"
            )
        return _split(sentence, here)[0]
    if label not in strings[SUB_HEAD:]:
        why = (
            "whose score is always 0"
            if label == strings[EMPTY]
            else "which is none of the parser's labels"
        )
        raise ValueError(
            f"expected a label like {', '.join(strings[2:6])}, got {label!r}, {why}"
        )
    return _split(sentence, [(start, end, strings.index(label))])[0]


def label_contributions(nlp: Parser, span: Span) -> List[Contributions]:
    """The `contributions` to every label of the parser except the empty one, on one
    span, in the order of the labels.
    RAISES (ValueError): As `contributions`; the span need not be a constituent."""
    sentence, start, end = locate(nlp, span)
    return _split(
        sentence,
        [(start, end, i) for i in range(SUB_HEAD, len(label_strings(sentence.parser)))],
    )


def constituent_contributions(
    nlp: Parser, doc_or_span: Union[Doc, Span]
) -> List[Contributions]:
    """The `contributions` to every constituent of a Doc's parse, or of a Span's
    sentence, in pre-order. A unary chain is one constituent.
    RAISES (ValueError): As `contributions`: the Doc needs a parse."""
    SpanScores(find_parser(nlp))  # raises if its heads have no parts
    sentences = sentences_of(nlp, doc_or_span)
    found: List[Contributions] = []
    for sentence, constituents in zip(
        sentences, constituents_of(sentences), strict=True
    ):
        found += _split(sentence, constituents)
    return found


def _split(
    sentence: Sentence, cells: Sequence[Tuple[int, int, int]]
) -> List[Contributions]:
    """The parts of the scores of labelled spans: start, end, label id, in words."""
    if not cells:
        return []
    scorer, strings = SpanScores(sentence.parser), label_strings(sentence.parser)
    (encoded,) = encode([sentence])
    spans, labels = np.array(cells)[:, :2], np.array(cells)[:, 2]
    scores = scorer.scores(encoded.fenceposts, spans)[np.arange(len(cells)), labels]
    parts = scorer.parts(encoded.fenceposts, spans, labels)
    return [
        Contributions(
            *sentence.tokens(start, end),
            label=strings[label],
            score=float(scores[i]),
            bias=float(parts.bias[i]),
            tokens=float(parts.tokens[i]),
            names=scorer.names,
            heads=parts.heads[i],
        )
        for i, (start, end, label) in enumerate(cells)
    ]


class Parts(NamedTuple):
    """The addends of some label scores: bias + heads.sum(1) + tokens is the score.
    bias, tokens (ndarray): Shape: (n_scores,), float64. heads (ndarray): Shape:
    (n_scores, n_label_heads), float64."""

    bias: ndarray
    heads: ndarray
    tokens: ndarray


class SpanScores:
    """The label scores of a parser's spans, and their parts.
    RAISES (ValueError): The model has no label attention, joins its heads, or scores no
        constituents."""

    def __init__(self, parser: LALParser) -> None:
        label_strings(parser)
        self.names = head_names(parser)
        model = model_of(parser)
        shim = model.attrs["get_shim"](model)
        config, weights, prefix = shim.config, shim.weights, "span_scorer."
        self._layout = layout = config.layout(config.n_label_heads(shim.sizes))
        if not layout.n_label_heads:
            raise ValueError(
                f"'{parser.name}' has no block of features for each label head: scores have no parts"
            )
        self._weights = {
            name[len(prefix) :]: weights[name].astype("f8")
            for name in weights
            if name.startswith(prefix)
        }
        if (
            config.span_scorer is not None and config.span_scorer.from_tokens
        ):  # other features weigh nothing
            hidden = self._weights["hidden.weight"]
            hidden = hidden.reshape(len(hidden), -1, 2 * layout.token_width)
            hidden = np.pad(hidden, ((0, 0), (0, 0), (layout.halves_width, 0))).reshape(
                len(hidden), -1
            )
            self._weights["hidden.weight"] = hidden
        heads = range(layout.n_label_heads)
        self.columns = layout.block_columns(heads).reshape(
            len(heads), -1
        )  # of each head's block

    def scores(self, fenceposts: ndarray, spans: ndarray) -> ndarray:
        """The scores of all labels on some spans.
        fenceposts (ndarray): Of the sentence. Shape: (n + 1, fencepost_width).
        spans (ndarray): Starts and ends, in words. Shape: (n_spans, 2).
        RETURNS (ndarray): Shape: (n_spans, n_labels), float64; 0 for the empty
            label."""
        weights, (_, centred, scale) = self._weights, self._hidden(fenceposts, spans)
        units = np.maximum(
            weights["norm.gain"] * scale * centred + weights["norm.bias"], 0.0
        )
        scores = units @ weights["output.weight"].T + weights["output.bias"]
        own = self._own(fenceposts, spans).sum(2)[:, : scores.shape[1] - SUB_HEAD]
        scores[:, SUB_HEAD : SUB_HEAD + own.shape[1]] += own
        return np.pad(scores, ((0, 0), (1, 0)))

    def parts(self, fenceposts: ndarray, spans: ndarray, labels: ndarray) -> Parts:
        """The addends of one label score for each span.
        labels (ndarray): Label ids, from 1: the empty label's score is 0 and has no
            parts. Shape: (n_spans,)."""
        weights, (vectors, centred, scale) = (
            self._weights,
            self._hidden(fenceposts, spans),
        )
        outgoing = weights["output.weight"][labels - 1]
        kept = outgoing * (
            weights["norm.gain"] * scale * centred + weights["norm.bias"] > 0
        )
        slopes = kept * weights["norm.gain"] * scale
        slopes -= slopes.mean(
            1, keepdims=True
        )  # the norm subtracts a mean, and so does its transpose
        bias = (
            weights["output.bias"][labels - 1]
            + kept @ weights["norm.bias"]
            + slopes @ weights["hidden.bias"]
        )
        addends = (
            ((slopes @ weights["hidden.weight"]) * vectors)
            .reshape(len(spans), -1, self._layout.width)
            .sum(1)
        )
        heads = addends[:, self.columns].sum(2)
        own = self._own(fenceposts, spans).sum(2)
        tied = np.flatnonzero((labels > SUB_HEAD) & (labels <= SUB_HEAD + own.shape[1]))
        heads[tied, labels[tied] - SUB_HEAD - 1] += own[
            tied, labels[tied] - SUB_HEAD - 1
        ]
        return Parts(bias, heads, addends[:, self._layout.halves_width :].sum(1))

    def _hidden(
        self, fenceposts: ndarray, spans: ndarray
    ) -> Tuple[ndarray, ndarray, ndarray]:
        """Span vectors, their hidden units without the mean, and the norm's factor."""
        ends, starts = (
            fenceposts[spans[:, 1]].astype("f8"),
            fenceposts[spans[:, 0]].astype("f8"),
        )
        weight = self._weights["hidden.weight"]
        is_difference = weight.shape[1] == self._layout.width
        vectors = (
            ends - starts if is_difference else np.concatenate([ends, -starts], axis=1)
        )
        hidden = vectors @ weight.T + self._weights["hidden.bias"]
        scale = 1.0 / (hidden.std(1, ddof=1, keepdims=True) + NORM_EPSILON)
        return vectors, hidden - hidden.mean(1, keepdims=True), scale

    def _own(self, fenceposts: ndarray, spans: ndarray) -> ndarray:
        """The addends of each label's own head. Shape: (n_spans, n_label_heads,
        block_width), or no heads."""
        if "ties.weight" not in self._weights:
            return np.zeros((len(spans), 0, 1))
        difference = fenceposts[spans[:, 1]].astype("f8") - fenceposts[spans[:, 0]]
        return difference[:, self.columns] * self._weights["ties.weight"]

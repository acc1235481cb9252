"""Confidence: how probably a part of a parse is right, from the parser's own scores and
fitted numbers, the logistic function of `slope * logit + intercept`.

A logit is taken of a probability. A head has its share in the softmax over all heads of
its word, at a temperature. A constituent has its marginal probability
(`decode/marginals.py`), at a temperature. A relation or a whole sentence has the
product of the head confidences of its words.

`benchmarks/calibration.py` fits the numbers, `nlp.meta["calibration"]` (Platt 1999; Guo
et al. 2017). All functions raise a ValueError where the pipeline was not calibrated,
and for a sentence of more than `MAX_LENGTH` words."""

from collections.abc import Sequence
from typing import NamedTuple, Optional, Union

import numpy as np
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from ..annotations import Relation
from ..decode.marginals import inside_outside
from ..trees import Parse
from .scoring import (
    PipelineOrParser,
    constituents_of,
    find_parser,
    locate,
    score,
    sentences_of,
)

META_KEY = "calibration"
MAX_LOGIT = 20.0
MIN_MARGINAL = 1e-9  # marginals are kept from 0 and 1, whose logits are infinite


class Calibration(NamedTuple):
    """What turns a score into a confidence."""

    temperature: float
    slope: float
    intercept: float

    def __call__(self, logits: Union[ndarray, float]) -> ndarray:
        """Confidences. *Shape:* as `logits`."""
        values = self.slope * np.asarray(logits, dtype="f8") + self.intercept
        return np.exp(-np.logaddexp(0.0, -values))


def calibration(nlp: PipelineOrParser, kind: str) -> Calibration:
    """The fitted numbers of "heads", "labels", "relations" or "parses"."""
    pipeline = nlp if isinstance(nlp, Language) else nlp.nlp
    numbers = pipeline.meta.get(META_KEY) or {}
    if kind not in numbers:
        raise ValueError(
            f"the pipeline has no nlp.meta[{META_KEY!r}] for {kind}: see "
            "benchmarks/calibration.py"
        )
    return Calibration(*numbers[kind])


def head_confidences(
    nlp: PipelineOrParser, doc_or_span: Union[Doc, Span]
) -> list[Optional[float]]:
    """For each token of a Doc or of a Span's sentence, the probability that its head is
    right; None for white space."""
    fitted = calibration(nlp, "heads")
    parser = find_parser(nlp)
    values: dict[int, float] = {}
    for sentence in sentences_of(doc_or_span):
        if sentence.words:
            arcs = score(parser, sentence).arcs
            logits = head_logits(sentence, arcs, fitted.temperature)
            values.update(zip(sentence.tokens, fitted(logits).tolist(), strict=True))
    tokens = doc_or_span if isinstance(doc_or_span, Doc) else doc_or_span.sent
    return [values.get(token.i) for token in tokens]


def label_confidence(nlp: PipelineOrParser, span: Span) -> Optional[float]:
    """The probability that a constituent is one, with its labels; None for a Span that
    is none.
    RAISES (ValueError): The parser scores no constituents."""
    fitted = calibration(nlp, "labels")
    parser = find_parser(nlp)
    sentence, start, end = locate(span)
    (constituents,) = constituents_of(parser, [sentence])
    chosen = [cell for cell in constituents if cell[:2] == (start, end)]
    if not chosen:
        return None
    labels = score(parser, sentence).labels
    logits = label_logits(labels, chosen, fitted.temperature)
    return float(fitted(logits)[0])


def parse_confidence(nlp: PipelineOrParser, span: Span) -> Optional[float]:
    """The probability that all heads of a Span's sentence are right; None without
    words."""
    fitted = calibration(nlp, "parses")
    values = [value for value in head_confidences(nlp, span) if value is not None]
    return float(fitted(product_logit(values))) if values else None


def relation_confidence(nlp: PipelineOrParser, relation: Relation) -> float:
    """The probability that a relation is right: its predicate and the heads of its
    subject and object."""
    return tokens_confidence(nlp, relation.tokens)


def tokens_confidence(nlp: PipelineOrParser, tokens: Sequence[Token]) -> float:
    """The probability that the heads of some words of a sentence are all right, and
    their predicate."""
    sentence = tokens[0].sent
    values = head_confidences(nlp, sentence)
    logit = product_logit([values[token.i - sentence.start] for token in tokens])
    return float(calibration(nlp, "relations")(logit))


def product_logit(confidences: Sequence[Optional[float]]) -> float:
    """The logit of the product of confidences."""
    product = float(np.prod([value for value in confidences if value is not None]))
    return float(np.clip(np.log(product) - np.log1p(-product), -MAX_LOGIT, MAX_LOGIT))


def head_logits(sentence: Parse, arcs: ndarray, temperature: float) -> ndarray:
    """The logit of the share of each word's head.
    arcs (ndarray): Arc scores. Shape: (n_words + 1, n_words + 1), [dependent, head].
    RETURNS (ndarray): Shape: (n_words,), float64."""
    words = np.arange(1, len(sentence.words) + 1)
    heads = np.array([head or 0 for head in sentence.heads or words * 0])
    scores = arcs.astype("f8") / temperature
    of_heads = scores[words, heads]
    others = scores.copy()
    others[words, words] = -np.inf
    others[words, heads] = -np.inf
    of_others = np.logaddexp.reduce(others[1:], axis=-1)
    return np.clip(of_heads - of_others, -MAX_LOGIT, MAX_LOGIT)


def label_logits(
    labels: ndarray, constituents: Sequence[tuple[int, int, int]], temperature: float
) -> ndarray:
    """The logits of the marginals of constituents.
    labels (ndarray): Label scores. Shape: (n + 1, n + 1, n_labels).
    RETURNS (ndarray): Shape: (n_constituents,), float64."""
    marginals, _ = inside_outside(labels / np.float32(temperature))
    starts, ends, ids = np.array(constituents, dtype=int).reshape(-1, 3).T
    chosen = np.clip(marginals[starts, ends, ids], MIN_MARGINAL, 1 - MIN_MARGINAL)
    return np.log(chosen) - np.log1p(-chosen)

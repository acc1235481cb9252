"""How sure a parser is of heads, constituents, sentences and relations: calibrated
probabilities, computed when asked.

A confidence is the logistic of slope * x + intercept. Of a head, x is the logit of its
share in the softmax of the word's arc scores, divided by a temperature; of a
constituent, the logit of its marginal probability (`span_marginals`) at a temperature;
of a relation, the logit of the product of its words' head confidences.
`benchmarks/calibration.py` fits the numbers, `nlp.meta["calibration"]` (Platt 1999; Guo
et al. 2017). All functions raise a ValueError where the pipeline was not calibrated,
and for a sentence of more than `MAX_LENGTH` words."""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..annotations import Relation
from ..pipeline.lal_parser import PARSERS
from .alternatives import inside_outside
from .sentences import (
    Parser,
    Sentence,
    constituents_of,
    find_parser,
    locate,
    score,
    sentences_of,
)

META_KEY = "calibration"
MAX_LOGIT = 20.0


class Calibration(NamedTuple):
    """What turns a score into a confidence."""

    temperature: float
    slope: float
    intercept: float

    def __call__(self, logits: Union[ndarray, float]) -> ndarray:
        """Confidences. *Shape:* as `logits`."""
        return np.exp(
            -np.logaddexp(
                0.0, -(self.slope * np.asarray(logits, dtype="f8") + self.intercept)
            )
        )


def parser_of(doc: Doc) -> Parser:
    """The parser that was made last for a Doc's vocab.
    RAISES (ValueError): There is
    none in this process."""
    if id(doc.vocab) not in PARSERS:
        raise ValueError(
            "no lal_parser of this Doc's vocab is loaded, and confidence comes from its scores: make the Doc with a "
            "loaded pipeline, or pass the pipeline to the functions of spacy_lal.interpret"
        )
    return PARSERS[id(doc.vocab)]


def calibration(nlp: Parser, kind: str) -> Calibration:
    """The fitted numbers of "heads", "labels" or "relations"."""
    owner = nlp if isinstance(nlp, Language) else find_parser(nlp).nlp
    found = (owner.meta.get(META_KEY) if owner is not None else None) or {}
    if kind not in found:
        raise ValueError(
            f"the pipeline has no nlp.meta[{META_KEY!r}] for {kind}: see benchmarks/calibration.py"
        )
    return Calibration(*found[kind])


def head_confidences(
    nlp: Parser, doc_or_span: Union[Doc, Span]
) -> List[Optional[float]]:
    """For each token of a Doc or of a Span's sentence, the probability that its head is
    right; None for white space."""
    fitted = calibration(nlp, "heads")
    values: Dict[int, float] = {}
    for sentence in sentences_of(nlp, doc_or_span):
        if sentence.words:
            logits = head_logits(sentence, score(sentence).arcs, fitted.temperature)
            values.update(zip(sentence.words, fitted(logits).tolist(), strict=True))
    return [
        values.get(token.i)
        for token in (doc_or_span if isinstance(doc_or_span, Doc) else doc_or_span.sent)
    ]


def label_confidence(nlp: Parser, span: Span) -> Optional[float]:
    """The probability that a constituent is one, with its labels; None for a Span that
    is none.
    RAISES (ValueError): The parser scores no constituents."""
    fitted, (sentence, *place) = calibration(nlp, "labels"), locate(nlp, span)
    chosen = [one for one in constituents_of([sentence])[0] if [*one[:2]] == place]
    return (
        float(
            fitted(label_logits(score(sentence).labels, chosen, fitted.temperature))[0]
        )
        if chosen
        else None
    )


def parse_confidence(nlp: Parser, span: Span) -> Optional[float]:
    """The mean confidence of the heads of a Span's sentence; None without words."""
    values = [value for value in head_confidences(nlp, span) if value is not None]
    return sum(values) / len(values) if values else None


def relation_confidence(nlp: Parser, relation: Relation) -> float:
    """The probability that a relation is right: its predicate and the heads of its
    subject and object."""
    values, start = head_confidences(nlp, relation.sent), relation.sent.start
    logit = product_logit([values[token.i - start] for token in relation.tokens])
    return float(calibration(nlp, "relations")(logit))


def product_logit(confidences: Sequence[Optional[float]]) -> float:
    """The logit of the product of confidences."""
    product = float(np.prod([value for value in confidences if value is not None]))
    return float(np.clip(np.log(product) - np.log1p(-product), -MAX_LOGIT, MAX_LOGIT))


def head_logits(sentence: Sentence, arcs: ndarray, temperature: float) -> ndarray:
    """The logit of the share of each word's head. *Shape:* (n_words,)."""
    places = {word: i for i, word in enumerate(sentence.words, start=1)}
    words = np.arange(len(places))
    heads = np.array([places.get(sentence.doc[i].head.i, 0) for i in sentence.words])
    heads[heads == words + 1] = 0  # the root
    arcs = arcs[1:].astype("f8") / temperature
    chosen = arcs[words, heads]
    arcs[words, heads] = arcs[words, words + 1] = -np.inf
    return np.clip(chosen - np.logaddexp.reduce(arcs, axis=-1), -MAX_LOGIT, MAX_LOGIT)


def label_logits(
    labels: ndarray, constituents: Sequence[Tuple[int, int, int]], temperature: float
) -> ndarray:
    """The logits of the marginals of constituents. *Shape:* (n_constituents,)."""
    cells = tuple(np.array(constituents, dtype=int).reshape(-1, 3).T)
    found = np.clip(
        inside_outside(labels / np.float32(temperature))[0][cells], 1e-9, 1 - 1e-9
    )
    return np.log(found) - np.log1p(-found)

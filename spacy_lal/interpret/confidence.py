"""How sure a parser is of heads, constituents, sentences and relations: calibrated probabilities, computed when asked.

A confidence is the logistic of slope * x + intercept. Of a head, x is the logit of its share in the softmax of the
word's arc scores, divided by a temperature; of a constituent, the logit of its marginal probability (`span_marginals`)
at a temperature; of a relation, the logit of the product of the confidences of its words' heads. `calibrate` fits the
numbers on gold Docs (Platt 1999; Guo et al. 2017) and keeps them in `nlp.meta["calibration"]`, which is saved with the
pipeline.
"""

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..annotations import SPANS_KEY, Relation, get_constituents, get_relations, has_propositions, set_sentence_starts
from ..pipeline.lal_parser import PARSERS
from .alternatives import inside_outside
from .sentences import Parser, Sentence, constituents_of, find_parser, label_strings, locate, score, sentences_of

META_KEY = "calibration"
TEMPERATURES = {
    "heads": (1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0),
    "labels": (0.5, 0.75, 1.0, 1.5, 2.0),
    "relations": (1.0,),
}
MAX_LOGIT = 20.0
MAX_FITTED = 50  # words of a sentence whose constituents are fitted: marginals cost O(n^3)


class Calibration(NamedTuple):
    """What turns a score into a confidence."""

    temperature: float
    slope: float
    intercept: float

    def __call__(self, logits: Union[ndarray, float]) -> ndarray:
        """Confidences. *Shape:* as `logits`."""
        return np.exp(-np.logaddexp(0.0, -(self.slope * np.asarray(logits, dtype="f8") + self.intercept)))


def parser_of(doc: Doc) -> Parser:
    """The parser that was made last for a Doc's vocab.

    RAISES (ValueError): There is none in this process.
    """
    parser = PARSERS.get(id(doc.vocab))
    if parser is None:
        raise ValueError(
            "no lal_parser of this Doc's vocab is loaded, and confidence comes from its scores: make the Doc with a "
            "loaded pipeline, or pass the pipeline to the functions of spacy_lal.interpret"
        )
    return parser


def calibration(nlp: Parser, kind: str) -> Calibration:
    """The fitted numbers of "heads", "labels" or "relations".

    RAISES (ValueError): The pipeline was not calibrated.
    """
    owner = nlp if isinstance(nlp, Language) else find_parser(nlp).nlp
    found = (owner.meta.get(META_KEY) if owner is not None else None) or {}
    if kind not in found:
        raise ValueError(
            f"the pipeline has no nlp.meta[{META_KEY!r}] for {kind}: fit it with "
            "spacy_lal.interpret.calibrate(nlp, gold_docs), and save the pipeline"
        )
    return Calibration(*found[kind])


def head_confidences(nlp: Parser, doc_or_span: Union[Doc, Span]) -> List[Optional[float]]:
    """For each token of a parsed Doc, or of a Span's sentence, the probability that its head is right; None for white
    space.

    RAISES (ValueError): As `calibration`, `sentences_of`; a sentence has more than `MAX_LENGTH` words.
    """
    fitted = calibration(nlp, "heads")
    values: Dict[int, float] = {}
    for sentence in sentences_of(nlp, doc_or_span):
        if sentence.words:
            logits = _head_logits(sentence, [fitted.temperature])[0]
            values.update(zip(sentence.words, fitted(logits).tolist(), strict=True))
    around = doc_or_span if isinstance(doc_or_span, Doc) else doc_or_span.sent
    return [values.get(token.i) for token in around]


def label_confidence(nlp: Parser, span: Span) -> Optional[float]:
    """The probability that a constituent is one, with its labels; None for a Span that is none.

    RAISES (ValueError): As `head_confidences`; the parser scores no constituents.
    """
    fitted = calibration(nlp, "labels")
    sentence, start, end = locate(nlp, span)
    chosen = [one for one in constituents_of([sentence])[0] if one[:2] == (start, end)]
    return float(fitted(_label_logits(sentence, chosen, [fitted.temperature])[0, 0])) if chosen else None


def parse_confidence(nlp: Parser, span: Span) -> Optional[float]:
    """The share of the heads of a Span's sentence that should be right: the mean of their confidences; None without
    words. Errors as `head_confidences`."""
    values = [value for value in head_confidences(nlp, span) if value is not None]
    return sum(values) / len(values) if values else None


def relation_confidence(nlp: Parser, relation: Relation) -> float:
    """The probability that a relation is right: its predicate and the heads of its subject and object. Errors as
    `head_confidences`."""
    start = relation.sent.start
    values = head_confidences(nlp, relation.sent)
    return float(calibration(nlp, "relations")(_product_logit([values[token.i - start] for token in relation.tokens])))


def _product_logit(confidences: Sequence[Optional[float]]) -> float:
    product = float(np.prod([value for value in confidences if value is not None]))
    return float(np.clip(np.log(product) - np.log1p(-product), -MAX_LOGIT, MAX_LOGIT))


def _head_logits(sentence: Sentence, temperatures: Sequence[float]) -> ndarray:
    """The logit of the share of each word's head. *Shape:* (n_temperatures, n_words)."""
    places = {word: i for i, word in enumerate(sentence.words, start=1)}
    heads = np.array([places.get(sentence.doc[i].head.i, 0) for i in sentence.words])
    words = np.arange(1, len(heads) + 1)
    heads = np.where(heads == words, 0, heads)
    arcs = score(sentence).arcs[None, 1:].astype("f8") / np.array(temperatures)[:, None, None]
    chosen = arcs[:, words - 1, heads]
    arcs[:, words - 1, heads] = arcs[:, words - 1, words] = -np.inf
    return np.clip(chosen - np.logaddexp.reduce(arcs, axis=-1), -MAX_LOGIT, MAX_LOGIT)


def _label_logits(
    sentence: Sentence, constituents: Sequence[Tuple[int, int, int]], temperatures: Sequence[float]
) -> ndarray:
    """The logits of the marginals of constituents. *Shape:* (n_temperatures, n_constituents)."""
    labels, cells = score(sentence).labels, tuple(np.array(constituents, dtype=int).reshape(-1, 3).T)
    found = [inside_outside(labels / np.float32(temperature))[0][cells] for temperature in temperatures]
    values = np.clip(found, 1e-9, 1 - 1e-9)
    return np.log(values) - np.log1p(-values)


# Fitting


def calibrate(nlp: Language, golds: Iterable[Doc]) -> Dict[str, List[float]]:
    """Fit temperature, slope and intercept of all confidences on gold Docs that the parser was not trained on, and set
    `nlp.meta["calibration"]`.

    golds (Iterable[Doc]): Docs with sentence boundaries and heads; constituents are fitted on those that have some,
        relations on those with roles if the pipeline sets some. A thousand sentences suffice.
    RETURNS (Dict[str, List[float]]): For "heads", "labels" and "relations": temperature, slope, intercept.
    """
    golds, found = list(golds), {}
    docs = predicted(nlp, golds)
    for kind, temperatures in TEMPERATURES.items():
        logits, right = observations(nlp, docs, golds, kind, temperatures)
        if len(right):
            fits = [(*_logistic(row, right), value) for value, row in zip(temperatures, logits, strict=True)]
            _, slope, intercept, temperature = min(fits)
            found[kind] = [temperature, round(slope, 4), round(intercept, 4)]
            nlp.meta[META_KEY] = {**(nlp.meta.get(META_KEY) or {}), **found}
    return found


def predicted(nlp: Language, golds: Sequence[Doc]) -> List[Doc]:
    """The Docs of a pipeline for the tokens and sentences of gold Docs."""
    docs = []
    for gold in golds:
        doc = Doc(nlp.vocab, [token.text for token in gold], [bool(token.whitespace_) for token in gold])
        set_sentence_starts(doc, [sent.start for sent in gold.sents])
        docs.append(doc)
    return list(nlp.pipe(docs))


def observations(
    nlp: Parser, docs: Sequence[Doc], golds: Sequence[Doc], kind: str, temperatures: Sequence[float]
) -> Tuple[ndarray, ndarray]:
    """The logits of all heads, constituents or relations at each temperature, and whether each is right. *Shapes:*
    (n_temperatures, n), float64; (n,), bool."""
    logits: List[ndarray] = [np.zeros((len(temperatures), 0))]
    right: List[bool] = []
    strings = label_strings(find_parser(nlp)) if kind == "labels" else []
    for doc, gold in zip(docs, golds, strict=True):
        if kind == "relations" and has_propositions(doc) != has_propositions(gold):
            continue
        if kind == "relations":
            values = head_confidences(nlp, doc)
            relations, known = get_relations(doc), set(map(_triple, get_relations(gold)))
            products = [_product_logit([values[token.i] for token in one.tokens]) for one in relations]
            logits.append(np.array([products] * len(temperatures)))
            right += [_triple(one) in known for one in relations]
            continue
        for sentence in sentences_of(nlp, doc):
            if kind == "heads" and sentence.words:
                logits.append(_head_logits(sentence, temperatures))
                right += [doc[i].head.i == gold[i].head.i for i in sentence.words]
            elif kind == "labels" and SPANS_KEY in gold.spans and 0 < len(sentence.words) <= MAX_FITTED:
                truth, chosen = set(get_constituents(gold)[sentence.number]), constituents_of([sentence])[0]
                logits.append(_label_logits(sentence, chosen, temperatures))
                right += [(start, end, strings[label]) in truth for start, end, label in chosen]
    return np.concatenate(logits, axis=1), np.array(right, dtype=bool)


def _triple(relation: Relation) -> Tuple[Optional[int], ...]:
    spans = (relation.subject, relation.predicate, relation.object)
    return tuple(None if span is None else span.root.i for span in spans)


def _logistic(logits: ndarray, right: ndarray) -> Tuple[float, float, float]:
    """Mean loss, slope and intercept of a logistic regression, by Newton's method with shorter steps where needed."""
    X, signs = np.stack([logits, np.ones_like(logits)], axis=1), np.where(right, -1.0, 1.0)

    def loss_of(weights: ndarray) -> float:
        return float(np.logaddexp(0.0, signs * (X @ weights)).mean())

    weights = np.array([1.0, 0.0])
    for _ in range(30):
        p = np.exp(-np.logaddexp(0.0, -X @ weights))
        hessian = (X * (p * (1 - p))[:, None]).T @ X + 1e-3 * np.eye(2)
        step = np.linalg.solve(hessian, X.T @ (p - right))
        while loss_of(weights - step) > loss_of(weights) and abs(step).max() > 1e-6:
            step /= 2
        weights = weights - step
    return loss_of(weights), float(weights[0]), float(weights[1])

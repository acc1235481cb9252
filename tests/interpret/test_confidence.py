"""Confidence: probabilities of the parser's own scores with given numbers."""

import numpy as np
import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc

from spacy_lal.annotations import get_relations
from spacy_lal.interpret import head_confidences, span_marginals


@pytest.fixture(scope="module")
def calibrated():
    nlp = tiny_nlp()
    nlp.meta["calibration"] = {
        "heads": [2.0, 1.0, 0.0],
        "labels": [1.0, 1.0, 0.0],
        "relations": [1.0, 1.0, 0.0],
    }
    return nlp


def test_heads_are_shares_of_their_softmax(calibrated):
    doc = calibrated(tiny_doc(calibrated, space_after=3))
    (scores, _) = calibrated.get_pipe("lal_parser").model.predict([doc])
    words = [token for token in doc.sents.__next__() if not token.is_space]
    for place, token in enumerate(words, start=1):
        row = scores.arcs[place].astype("f8") / 2.0
        row[place] = -np.inf
        head = 0 if token.head == token else words.index(token.head) + 1
        expected = np.exp(row[head]) / np.exp(row).sum()
        assert token._.head_confidence == pytest.approx(expected, abs=1e-4)
    values = head_confidences(calibrated, doc)
    assert values[4] is None and doc[4]._.head_confidence is None  # white space
    sentence = next(doc.sents)
    known = [value for value in values[: sentence.end] if value is not None]
    assert sentence._.parse_confidence == pytest.approx(np.mean(known))


def test_labels_are_marginals(calibrated):
    doc = calibrated(tiny_doc(calibrated, [0]))
    marginals = span_marginals(calibrated, doc[:])
    span = next(span for span in doc._.constituents if 1 < len(span) < len(doc))
    chain = marginals.labels.index("::".join(span._.labels))
    assert span._.label_confidence == pytest.approx(
        marginals.probabilities[span.start, span.end, chain], abs=1e-6
    )
    other = next(
        doc[i : i + 2] for i in range(len(doc) - 1) if not doc[i : i + 2]._.labels
    )
    assert other._.label_confidence is None


def test_relations_rest_on_the_heads_of_their_words(calibrated):
    doc = calibrated(tiny_doc(calibrated, [0]))
    doc[0].dep_, doc[1].pos_, doc[1].dep_ = "nsubj", "VERB", "ROOT"
    for i, token in enumerate(doc):
        token.head = doc[1]
        token.dep_ = "nsubj" if i == 0 else token.dep_
    relation = get_relations(doc)[0]
    values = head_confidences(calibrated, doc)
    assert relation.confidence == pytest.approx(
        np.prod([values[token.i] for token in relation.tokens]), abs=1e-6
    )


def test_without_numbers_or_parser(nlp, doc):
    with pytest.raises(
        ValueError, match=r"no nlp.meta\['calibration'\] for heads: see benchmarks"
    ):
        head_confidences(nlp, doc)
    other = Doc(spacy.blank("en").vocab, words=["a"], heads=[0], deps=["ROOT"])
    with pytest.raises(ValueError, match="no lal_parser of this Doc's vocab is loaded"):
        _ = other[0]._.head_confidence

"""Confidence: probabilities of the parser's own scores with given numbers."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc, DocBin

from spacy_lal.annotations import as_doc, get_relations, install_extensions
from spacy_lal.interpret import (
    head_confidences,
    k_best,
    label_confidence,
    span_marginals,
)

CALIBRATION = {
    "heads": [2.0, 1.0, 0.0],
    "labels": [1.0, 1.0, 0.0],
    "relations": [1.0, 1.0, 0.0],
    "parses": [1.0, 0.5, 1.0],
}


def calibrated_nlp():
    nlp = tiny_nlp()
    nlp.meta["calibration"] = CALIBRATION
    return nlp


@pytest.fixture(scope="module")
def calibrated():
    return calibrated_nlp()


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
    product = float(np.prod(known))
    logit = 0.5 * np.log(product / (1 - product)) + 1.0
    assert sentence._.parse_confidence == pytest.approx(1 / (1 + np.exp(-logit)))


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


def test_without_numbers():
    nlp = tiny_nlp(steps=0)
    with pytest.raises(
        ValueError, match=r"no nlp.meta\['calibration'\] for heads: see benchmarks"
    ):
        head_confidences(nlp, tiny_doc(nlp))


# The getters ask the parser that set the heads of that very Doc.


def expected(nlp, name="lal_parser"):
    """The confidences of a new Doc, asked of a pipeline's parser itself."""
    parser = nlp.get_pipe(name)
    doc = parser(tiny_doc(nlp))
    return head_confidences(parser, doc)


def given(doc):
    return [token._.head_confidence for token in doc]


def second_pipeline(nlp, steps):
    """Another parser in the same vocab, as `spacy.load(name, vocab=nlp.vocab)`."""
    other = tiny_nlp(steps=steps, vocab=nlp.vocab)
    other.meta["calibration"] = nlp.meta["calibration"]
    return other


def test_two_parsers_in_one_vocab(calibrated):
    other = second_pipeline(calibrated, steps=3)
    assert other.vocab is calibrated.vocab
    assert expected(calibrated) != pytest.approx(expected(other), abs=1e-3)
    ours = calibrated(tiny_doc(calibrated))
    theirs = other(tiny_doc(other))
    assert given(ours) == expected(calibrated)
    assert given(theirs) == expected(other)


def test_a_second_parser_added_and_removed():
    nlp = calibrated_nlp()
    known = expected(nlp)
    before = nlp(tiny_doc(nlp))
    other = second_pipeline(nlp, steps=3)
    nlp.add_pipe("lal_parser", name="second", source=other)
    after = nlp(tiny_doc(nlp))
    assert given(after) == expected(nlp, "second")
    assert given(before) == known
    nlp.remove_pipe("second")
    del other
    gc.collect()
    assert given(before) == known
    with pytest.raises(
        ValueError, match="'second', which set the heads of this Doc, is not at hand"
    ):
        given(after)
    assert given(nlp(tiny_doc(nlp))) == known


def test_a_parser_keeps_the_pipeline_it_was_made_for():
    parser = calibrated_nlp().get_pipe("lal_parser")
    gc.collect()
    doc = parser(tiny_doc(tiny_nlp(steps=0, vocab=parser.vocab)))
    assert given(doc) == head_confidences(parser, doc)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda nlp: pickle.loads(pickle.dumps(nlp))]
)
def test_a_copied_pipeline(copied):
    nlp = calibrated_nlp()
    known = expected(nlp)
    other = copied(nlp)
    other.meta["calibration"] = {**CALIBRATION, "heads": [1.0, 0.0, 1.0]}
    doc = other(tiny_doc(other))
    del nlp
    gc.collect()
    sigmoid_of_one = 1 / (1 + np.exp(-1.0))
    assert given(doc) == pytest.approx([sigmoid_of_one] * len(doc))
    other.meta["calibration"] = CALIBRATION
    assert given(doc) == known


def test_heads_and_constituents_of_two_parsers():
    nlp = calibrated_nlp()
    other = second_pipeline(nlp, steps=3)
    doc = nlp(tiny_doc(nlp, [0]))
    other.get_pipe("lal_parser").dependencies = False
    doc = other(doc)
    span = next(span for span in doc._.constituents if 1 < len(span) < len(doc))
    assert given(doc) == head_confidences(nlp, doc)
    assert span._.label_confidence == label_confidence(other, span)
    assert span._.label_confidence != pytest.approx(label_confidence(nlp, span))


def test_a_parser_that_keeps_heads_does_not_sign_them():
    nlp = calibrated_nlp()
    other = second_pipeline(nlp, steps=3)
    other.get_pipe("lal_parser").overwrite = False
    doc = other(nlp(tiny_doc(nlp)))
    assert given(doc) == expected(nlp)


def test_docs_are_copied_stored_and_sent(calibrated):
    doc = calibrated(tiny_doc(calibrated))
    assert given(doc.copy()) == given(doc)
    sentence = next(doc.sents)
    assert given(as_doc(sentence)) == given(doc)[: len(sentence)]
    assert given(k_best(calibrated, sentence, 1)[0].to_doc()) == given(doc)
    stored = [
        Doc(doc.vocab).from_bytes(doc.to_bytes()),
        pickle.loads(pickle.dumps(doc)),
        *DocBin(docs=[doc], store_user_data=True).get_docs(doc.vocab),
        *calibrated.pipe([tiny_doc(calibrated)], n_process=2),
    ]
    assert len(stored) == 4
    for one in stored:
        with pytest.raises(ValueError, match="'lal_parser', which set the heads of th"):
            given(one)
        assert head_confidences(calibrated, one) == given(doc)


def test_docs_do_not_hold_their_parser(calibrated):
    nlp = calibrated_nlp()
    doc = nlp(tiny_doc(nlp))
    parser = weakref.ref(nlp.get_pipe("lal_parser"))
    del nlp
    gc.collect()
    assert parser() is None
    with pytest.raises(ValueError, match="or the pipeline is gone. Confidence comes"):
        given(doc)


def test_heads_of_nobody():
    doc = Doc(spacy.blank("en").vocab, words=["a"], heads=[0], deps=["ROOT"])
    install_extensions()
    with pytest.raises(ValueError, match="no lal_parser set the heads of this Doc"):
        _ = doc[0]._.head_confidence

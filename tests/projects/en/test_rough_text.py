"""Training text made rough: what changes, and what does not."""

import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from spacy_lal.annotations import SPANS_KEY, get_constituents, sentence_bounds
from spacy_lal.treebanks.docs import copy_text

NONE = {"lower_case": 0.0, "upper_case": 0.0, "no_final_punct": 0.0, "no_punct": 0.0}


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


@pytest.fixture
def rough(nlp, script):
    """Makes of a Doc what the augmenter makes of it, its one Example."""

    def make(doc, **levels):
        (eg,) = script("rough_text").make_rough_text(**{**NONE, **levels})(
            nlp, Example(copy_text(doc, with_sentences=True), doc)
        )
        return eg

    return make


@pytest.fixture
def doc(nlp):
    """Two sentences; "e-mail" is three tokens without spaces."""
    words = ["“", "Send", "an", "e", "-", "mail", ",", "Ann", ".", "”", "Fine", "!"]
    heads = [1, 1, 5, 5, 5, 1, 1, 1, 1, 1, 10, 10]
    deprels = (
        "punct ROOT det compound punct obj punct vocative punct punct ROOT punct"
    ).split()
    spaces = [
        False,
        True,
        True,
        False,
        False,
        False,
        True,
        False,
        False,
        True,
        False,
        False,
    ]
    tags = ["``", "VB", "DT", "NN", "HYPH", "NN", ",", "NNP", ".", "''", "JJ", "."]
    starts = [i in (0, 10) for i in range(12)]
    doc = Doc(
        nlp.vocab,
        words=words,
        spaces=spaces,
        heads=heads,
        deps=deprels,
        tags=tags,
        sent_starts=starts,
    )
    spans = [
        (0, 10, "S"),
        (1, 8, "VP"),
        (2, 6, "NP"),
        (7, 8, "NP"),
        (10, 12, "FRAG"),
        (10, 11, "ADJP"),
    ]
    doc.spans[SPANS_KEY] = SpanGroup(
        doc,
        name=SPANS_KEY,
        spans=[Span(doc, s, e, label=label) for s, e, label in spans],
    )
    return doc


def test_case(rough, doc):
    lower, upper = rough(doc, lower_case=1.0), rough(doc, upper_case=1.0)
    assert lower.reference.text == "“send an e-mail, ann.” fine!"
    assert upper.reference.text == "“SEND AN E-MAIL, ANN.” FINE!"
    for eg in (lower, upper):
        assert eg.predicted.text == eg.reference.text
        assert get_constituents(eg.reference) == get_constituents(doc)
        for ours, theirs in zip(eg.reference, doc, strict=True):
            assert (ours.head.i, ours.dep_, ours.tag_) == (
                theirs.head.i,
                theirs.dep_,
                theirs.tag_,
            )


def test_punctuation(rough, doc, nlp):
    eg = rough(doc, no_final_punct=1.0)
    assert eg.reference.text == eg.predicted.text == "“Send an e-mail, Ann Fine"
    assert (
        sentence_bounds(eg.reference)
        == sentence_bounds(eg.predicted)
        == [(0, 8), (8, 9)]
    )
    assert [token.head.i for token in eg.reference] == [1, 1, 5, 5, 5, 1, 1, 1, 8]
    eg = rough(doc, no_punct=1.0, lower_case=1.0)
    assert eg.reference.text == "send an e-mail ann fine"
    assert get_constituents(eg.reference)[0] == [
        (0, 6, "S::VP"),
        (1, 5, "NP"),
        (5, 6, "NP"),
    ]
    # a head, and a sentence of punctuation alone, stay
    words, heads = ["Oh", ":", "look", "!", "..."], [1, 1, 1, 1, 4]
    other = Doc(
        nlp.vocab,
        words=words,
        heads=heads,
        deps=["dep", "ROOT", "dep", "punct", "ROOT"],
    )
    assert [t.text for t in rough(other, no_punct=1.0).reference] == [
        "Oh",
        ":",
        "look",
        "...",
    ]

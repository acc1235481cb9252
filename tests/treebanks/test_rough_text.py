"""Training text made rough: words and punctuation change, the trees and arcs of what is left do not."""

import random
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.util import registry

from spacy_lal.annotations import SPANS_KEY, get_constituents, sentence_bounds
from spacy_lal.treebanks.copies import copy_text, copy_tokens
from spacy_lal.treebanks.corpus import TreebankCorpus
from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.treebanks.reader import read_treebank
from spacy_lal.treebanks.rough_text import make_rough_text

TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"
NONE = {"lower_case": 0.0, "upper_case": 0.0, "no_final_punct": 0.0, "no_punct": 0.0}


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


@pytest.fixture(scope="module")
def path(nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "train.spacy"
    write_docs(make_docs(read_treebank(TOY / "train.ptb", TOY / "train.conllu"), nlp.vocab, n_sents=4), path)
    return path


@pytest.fixture
def doc(nlp):
    """Two sentences; "e-mail" is three tokens without spaces."""
    words = ["“", "Send", "an", "e", "-", "mail", ",", "Ann", ".", "”", "Fine", "!"]
    heads = [1, 1, 5, 5, 5, 1, 1, 1, 1, 1, 10, 10]
    deprels = "punct ROOT det compound punct obj punct vocative punct punct ROOT punct".split()
    spaces = [False, True, True, False, False, False, True, False, False, True, False, False]
    tags = ["``", "VB", "DT", "NN", "HYPH", "NN", ",", "NNP", ".", "''", "JJ", "."]
    starts = [i in (0, 10) for i in range(12)]
    doc = Doc(nlp.vocab, words=words, spaces=spaces, heads=heads, deps=deprels, tags=tags, sent_starts=starts)
    spans = [(0, 10, "S"), (1, 8, "VP"), (2, 6, "NP"), (7, 8, "NP"), (10, 12, "FRAG"), (10, 11, "ADJP")]
    doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=[Span(doc, s, e, label=label) for s, e, label in spans])
    return doc


def rough(nlp, doc, **levels):
    """What the augmenter makes of a Doc, its one Example."""
    (eg,) = make_rough_text(**{**NONE, **levels})(nlp, Example(copy_text(doc, with_sentences=True), doc))
    return eg


def words(doc):
    return [token.text for token in doc]


def test_case(nlp, doc):
    lower, upper = rough(nlp, doc, lower_case=1.0), rough(nlp, doc, upper_case=1.0)
    assert lower.reference.text == "“send an e-mail, ann.” fine!"
    assert upper.reference.text == "“SEND AN E-MAIL, ANN.” FINE!"
    for eg in (lower, upper):
        assert eg.predicted.text == eg.reference.text
        assert get_constituents(eg.reference) == get_constituents(doc)
        for ours, theirs in zip(eg.reference, doc, strict=True):
            assert (ours.head.i, ours.dep_, ours.tag_) == (theirs.head.i, theirs.dep_, theirs.tag_)
    assert doc.text == "“Send an e-mail, Ann.” Fine!"


def test_no_final_punctuation(nlp, doc):
    eg = rough(nlp, doc, no_final_punct=1.0)
    assert eg.reference.text == eg.predicted.text == "“Send an e-mail, Ann Fine"
    assert sentence_bounds(eg.reference) == sentence_bounds(eg.predicted) == [(0, 8), (8, 9)]
    assert not eg.predicted.has_annotation("DEP") and SPANS_KEY not in eg.predicted.spans
    assert get_constituents(eg.reference) == [
        [(0, 8, "S"), (1, 8, "VP"), (2, 6, "NP"), (7, 8, "NP")],
        [(0, 1, "FRAG::ADJP")],
    ]
    assert [token.head.i for token in eg.reference] == [1, 1, 5, 5, 5, 1, 1, 1, 8]
    assert eg.reference[7].dep_ == "vocative" and eg.reference[7].tag_ == "NNP"


def test_no_punctuation_but_that_within_words(nlp, doc):
    eg = rough(nlp, doc, no_punct=1.0, lower_case=1.0)
    assert eg.reference.text == "send an e-mail ann fine"
    assert get_constituents(eg.reference)[0] == [(0, 6, "S::VP"), (1, 5, "NP"), (5, 6, "NP")]
    assert [token.head.i for token in eg.reference] == [0, 4, 4, 4, 0, 0, 6]


def test_what_others_depend_on_stays_and_so_do_sentences_of_nothing_else(nlp):
    words_, heads = ["Oh", ":", "look", "!", "..."], [1, 1, 1, 1, 4]
    doc = Doc(nlp.vocab, words=words_, heads=heads, deps=["dep", "ROOT", "dep", "punct", "ROOT"])
    assert words(rough(nlp, doc, no_punct=1.0).reference) == ["Oh", ":", "look", "..."]


def test_a_constituent_that_comes_to_lie_over_its_like_is_one(nlp):
    doc = Doc(nlp.vocab, words=["(", "Ann", ")", "Ann"], sent_starts=[True, False, False, True])
    # the second sentence has a unary chain of the treebank's own
    spans = [(0, 3, "NP"), (1, 2, "NP"), (3, 4, "NP"), (3, 4, "NP")]
    doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=[Span(doc, s, e, label=label) for s, e, label in spans])
    assert get_constituents(rough(nlp, doc, no_punct=1.0).reference) == [[(0, 1, "NP")], [(0, 1, "NP::NP")]]


def test_probabilities(nlp, path):
    random.seed(0)
    levels = {"lower_case": 0.3, "upper_case": 0.2, "no_final_punct": 0.25, "no_punct": 0.25}
    corpus = TreebankCorpus(path, augmenter=make_rough_text(**levels))
    n_docs = n_lower = n_upper = n_less = 0
    for _ in range(20):
        for plain, eg in zip(TreebankCorpus(path)(nlp), corpus(nlp), strict=True):
            n_docs += 1
            n_lower += eg.reference.text.islower()
            n_upper += eg.reference.text.isupper()
            n_less += len(eg.reference) < len(plain.reference)
            assert words(eg.predicted) == words(eg.reference)
            assert len(list(eg.predicted.sents)) == len(list(plain.reference.sents))
    assert 0.23 < n_lower / n_docs < 0.37 and 0.13 < n_upper / n_docs < 0.27 and 0.43 < n_less / n_docs < 0.57


def test_nothing_to_do(nlp, doc):
    eg = Example(copy_text(doc, with_sentences=True), doc)
    assert list(make_rough_text(**NONE)(nlp, eg)) == [eg]
    other_tokens = Example(Doc(nlp.vocab, words=doc.text.split()), doc)
    assert list(make_rough_text(lower_case=1.0, upper_case=0.0)(nlp, other_tokens)) == [other_tokens]
    without_breaks = Doc(nlp.vocab, words=["Ann", "."])
    assert words(rough(nlp, without_breaks, no_final_punct=1.0).reference) == ["Ann"]
    assert not rough(nlp, Doc(nlp.vocab, words=["A", "b", "."]), no_punct=1.0).predicted.has_annotation("SENT_START")


@pytest.mark.parametrize(
    "levels",
    [{"lower_case": -0.1}, {"lower_case": 0.6, "upper_case": 0.5}, {"no_punct": 1.01}, {"no_punct": float("nan")}],
)
def test_bad_probabilities(levels):
    with pytest.raises(ValueError, match="probabilities of (case|punctuation) from 0 to 1 in sum, got"):
        make_rough_text(**{**NONE, **levels})


def test_registered(nlp, path):
    config = {"corpus": {"@readers": "spacy-lal.TreebankCorpus.v1", "path": str(path)}}
    config["corpus"]["augmenter"] = {"@augmenters": "spacy-lal.rough_text.v1", "lower_case": 1.0, "upper_case": 0.0}
    corpus = registry.resolve(config)["corpus"]
    assert all(eg.reference.text.islower() for eg in corpus(nlp))


def test_a_head_must_come_along(doc):
    with pytest.raises(ValueError, match=r"without its head 'Send' \(token 1\)"):
        copy_tokens(doc, [0, 2])
    assert words(copy_tokens(doc, [0, 2], with_arcs=False)) == ["“", "an"]
    assert len(copy_tokens(doc, [])) == 0

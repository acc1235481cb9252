"""Attachment by the authors' rule, by hand, and without marks against spaCy."""

import random

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.evaluation.scorers import is_reference_punctuation, score_parses
from spacy_lal.lang import conventions

VOCAB = spacy.blank("en").vocab
WORDS = ["The", "cat", ",", "sleeps", "."]
TAGS = ["DT", "NN", ",", "VBZ", "."]
GOLD = ([1, 3, 3, 3, 3], ["det", "nsubj", "punct", "ROOT", "punct"])
TEST = ([1, 3, 1, 3, 3], ["det", "dobj", "dep", "ROOT", "punct"])


def doc(arcs, words=WORDS, tags=TAGS):
    heads, deps = arcs
    return Doc(VOCAB, words=words, tags=tags, heads=heads, deps=deps)


def scores(predicted, gold):
    found = score_parses([Example(predicted, gold)])
    return found["dep_uas_reference"], found["dep_las_reference"]


def test_marks_do_not_count():
    assert scores(doc(TEST), doc(GOLD)) == (1.0, 2 / 3)
    tags = ["X"] * 5
    assert scores(doc(TEST, tags=tags), doc(GOLD, tags=tags)) == (4 / 5, 3 / 5)


def test_other_tokens_count_where_one_stands_for_one():
    words = ["The", "cat", ",", "slee", "ps", "."]
    split = ([1, 3, 3, 3, 3, 3], ["det", "nsubj", "punct", "ROOT", "dep", "punct"])
    gold = Doc(VOCAB, words=WORDS, tags=TAGS, heads=GOLD[0], deps=GOLD[1])
    predicted = Doc(
        VOCAB,
        words=words,
        spaces=[True, True, True, False, True, False],
        heads=split[0],
        deps=split[1],
    )
    assert scores(predicted, gold) == (2 / 3, 2 / 3)  # no "sleeps"


def test_reference_punctuation():
    marks = conventions("en").punctuation_tags
    for tag in (".", ",", ":", "``", "''", "PU", "`", "'':"):
        assert is_reference_punctuation(tag, marks)
    for tag in ("", "-LRB-", "$", "#", "NN", "HYPH"):
        assert not is_reference_punctuation(tag, marks)


def test_missing_gold_is_left_out():
    gold = doc(([1, 1], ["", "ROOT"]), ["a", "b"], ["X", "X"])
    assert scores(doc(([0, 1], ["x", "ROOT"]), ["a", "b"], ["X", "X"]), gold) == (1, 1)
    bare = Doc(VOCAB, words=["a", "b"], sent_starts=[True, False])
    assert scores(bare, gold) == scores(gold, bare) == (None, None)


def test_without_marks_it_is_spacys():
    rng = random.Random(0)
    examples = []
    for n in range(1, 30):
        sides = []
        for _ in range(2):
            heads = [rng.randrange(i) if i else 0 for i in range(n)]
            deps = [rng.choice(["a", "b"]) if i else "ROOT" for i in range(n)]
            sides.append(doc((heads, deps), ["w"] * n, ["X"] * n))
        examples.append(Example(*sides))
    found = score_parses(examples)
    assert found["dep_uas_reference"] == pytest.approx(found["dep_uas"])
    assert found["dep_las_reference"] == pytest.approx(found["dep_las"])

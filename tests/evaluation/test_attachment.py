"""Attachment scores by hand, and spaCy's rule against spaCy."""

import random

import pytest
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_lal.evaluation.attachment import (
    AttachmentCounts,
    is_reference_punctuation,
    score_attachments,
)

TAGS = ["DT", "NN", ",", "VBZ", "."]
GOLD = ([2, 4, 4, 0, 4], ["det", "nsubj", "punct", "ROOT", "punct"])
TEST = ([2, 4, 2, 0, 4], ["det", "dobj", "dep", "ROOT", "punct"])


@pytest.mark.parametrize(
    ("rule", "words", "correct"),
    [
        ("none", (5, 5), (4, 3)),
        ("reference", (3, 3), (3, 2)),
        ("spacy", (3, 4), (3, 2)),
    ],
)
def test_rules(rule, words, correct):
    counts = score_attachments(*GOLD, *TEST, punctuation=rule, tags=TAGS)
    assert (counts.gold_words, counts.predicted_words) == words
    assert (counts.correct_heads, counts.correct_arcs) == correct
    assert counts.complete_heads == int(rule == "reference")
    assert counts.complete_arcs == 0


def test_counts_add_up():
    one = score_attachments(*GOLD, *TEST, punctuation="none")
    other = score_attachments(*GOLD, *GOLD, punctuation="none")
    both = one + other
    assert both.scores() == {
        "dep_uas": 0.9,
        "dep_las": 0.8,
        "dep_ucm": 0.5,
        "dep_lcm": 0.5,
    }
    assert AttachmentCounts().scores() == {
        "dep_uas": 0.0,
        "dep_las": 0.0,
        "dep_ucm": 0.0,
        "dep_lcm": 0.0,
    }


def test_reference_punctuation():
    assert all(
        map(is_reference_punctuation, [".", ",", ":", "``", "''", "PU", "`", "'':"])
    )
    assert not any(map(is_reference_punctuation, ["", "-LRB-", "$", "#", "NN", "HYPH"]))


def test_missing_gold_is_left_out():
    counts = score_attachments(
        [-1, 0], ["", "ROOT"], [2, 0], ["x", "ROOT"], punctuation="none"
    )
    assert (counts.gold_words, counts.correct_arcs, counts.complete_arcs) == (1, 1, 1)


def test_spacys_rule_is_spacys():
    vocab = Vocab()
    rng = random.Random(0)
    examples, counts = [], AttachmentCounts()
    for n in range(1, 30):
        sides = []
        for _ in range(2):
            heads = [rng.randrange(i) if i else 0 for i in range(n)]
            deps = [
                "ROOT" if i == 0 else rng.choice(["a", "b", "punct", "p"])
                for i in range(n)
            ]
            sides.append((heads, deps))
        docs = [
            Doc(vocab, words=["w"] * n, heads=heads, deps=deps) for heads, deps in sides
        ]
        examples.append(Example(docs[1], docs[0]))
        counts += score_attachments(*sides[0], *sides[1], punctuation="spacy")
    expected = Scorer.score_deps(
        examples, "dep", getter=lambda t, a: t.dep_, ignore_labels=("p", "punct")
    )
    assert counts.scores()["dep_uas"] == pytest.approx(expected["dep_uas"])
    assert counts.scores()["dep_las"] == pytest.approx(expected["dep_las"])

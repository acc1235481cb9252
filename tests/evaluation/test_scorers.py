"""`spacy-lal.parser_scorer.v1`: constituents, where tokens, white space or sentence
breaks are not the gold ones."""

import random
from dataclasses import replace

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_lal.evaluation.evalb_params import COLLINS
from spacy_lal.evaluation.scorers import CONST_KEYS, score_parses

VOCAB = spacy.blank("en").vocab
WORDS = ["Old", "dogs", "do", "n't", "old", "cats", "ca", "n't"]
SPANS = [
    (0, 4, "S"),
    (0, 2, "NP"),
    (2, 4, "VP"),
    (4, 8, "S"),
    (4, 6, "NP"),
    (6, 8, "VP"),
]


def doc(spans=SPANS, words=WORDS, starts=(0, 4), spaces=None, tags=None):
    sent_starts = [i in starts for i in range(len(words))]
    made = Doc(
        VOCAB,
        words=words,
        spaces=spaces or [True] * len(words),
        tags=tags,
        sent_starts=sent_starts,
    )
    made.spans["constituents"] = [
        Span(made, start, end, label) for start, end, label in spans
    ]
    return made


def scores(predicted, gold, params=COLLINS):
    found = score_parses([Example(predicted, gold)], params)
    return {key: found[key] for key in CONST_KEYS}


def perfect():
    return {key: float(key != "const_cb") for key in CONST_KEYS}


def test_right():
    assert scores(doc(), doc()) == perfect()


@pytest.mark.parametrize("words", [WORDS, [*WORDS[:6], "can't"]])
def test_the_white_space_of_the_texts_may_differ(words):
    spans = [
        (start, min(end, len(words)), label)
        for start, end, label in SPANS
        if start < len(words)
    ]
    joined = doc(
        spans, words, spaces=[word != "do" and i < 6 for i, word in enumerate(words)]
    )
    assert joined.text == "Old dogs don't old cats can't"
    assert (
        scores(
            doc(starts=(0,), spaces=[word not in ("do", "ca") for word in WORDS]), doc()
        )
        == perfect()
    )
    assert scores(joined, doc())["const_p"] == 1.0


def test_crossing_brackets_with_other_sentence_breaks():
    gold = doc(
        [(0, 3, "S"), (0, 2, "NP"), (3, 6, "S"), (4, 6, "VP")], list("abcdef"), (0, 3)
    )
    one = doc(
        [(0, 6, "S"), (1, 3, "NP"), (2, 5, "VP"), (3, 5, "X")], list("abcdef"), (0,)
    )
    found = scores(one, gold)
    # NP crosses the gold NP, VP crosses it and the second S, X crosses the gold VP; the
    # first S crosses none.
    assert (found["const_cb"], found["const_0cb"], found["const_2cb"]) == (
        3 / 2,
        0.0,
        1.0,
    )
    assert (found["const_f"], found["const_cm"]) == (0.0, 0.0)


def test_gold_that_crosses_is_an_error():
    crossing = r"two that cross: \(0, 3, 'S'\) and \(2, 4, 'VP'\), in .Old"
    with pytest.raises(ValueError, match=rf"a gold Doc: .*{crossing}"):
        scores(doc(), doc([(0, 3, "S"), (2, 4, "VP")]))


def test_complete_matches_are_of_gold_sentences():
    split = doc([*SPANS[:3], *SPANS[4:]], starts=(0, 4, 6))
    found = scores(split, doc())
    assert (found["const_cm"], found["const_p"], found["const_r"]) == (0.5, 1.0, 5 / 6)


def tree(rng, start, end, spans):
    """Random nested spans over a range of words."""
    if rng.random() < 0.8:
        spans.append((start, end, rng.choice(["S", "NP", "ADVP", "PRT", "TOP"])))
    if end - start > 1:
        middle = rng.randrange(start + 1, end)
        tree(rng, start, middle, spans)
        tree(rng, middle, end, spans)


@pytest.mark.parametrize(
    "params", [COLLINS, replace(COLLINS, labeled=False)], ids=["labelled", "unlabelled"]
)
def test_the_same_figures_as_sentence_by_sentence(params):
    """A white space token more makes other tokens of the Doc, but no other trees."""
    rng = random.Random(1)
    for _ in range(50):
        words = [rng.choice(["a", "bc", "def", ","]) for _ in range(14)]
        tags = ["," if word == "," else "X" for word in words]
        gold_spans, spans = [], []
        for one in (gold_spans, spans):
            tree(rng, 0, 5, one)
            tree(rng, 5, 14, one)
        gold, same = (doc(one, words, (0, 5), tags=tags) for one in (gold_spans, spans))
        other = doc(spans, [*words, " "], (0, 5), tags=[*tags, "_SP"])
        assert scores(other, gold, params) == pytest.approx(scores(same, gold, params))


def test_a_gold_sentence_without_constituents_may_lack_annotation():
    gold, spurious = SPANS[:3], [*SPANS, (5, 8, "X")]
    assert (
        scores(doc(spurious), doc(gold))
        == scores(doc(spurious, starts=(0, 4, 6)), doc(gold))
        == perfect()
    )
    assert set(scores(doc(), doc([])).values()) == {None}

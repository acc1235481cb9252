"""Scores of raw text in `scripts/test_scores.py`: F1 over characters, by hand."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab


def make(words, heads, deps, starts, **more):
    spaces = [word != "do" for word in words]
    return Doc(
        Vocab(),
        words,
        spaces,
        heads=heads,
        deps=deps,
        sent_starts=starts,
        pos=["X"] * len(words),
        **more,
    )


def test_words_that_differ(script):
    module = script("test_scores")
    lemmas = {"lemmas": ["I", "do", "not", "go", "_"]}
    gold = make(
        ["I", "do", "n't", "go", "."],
        [3, 3, 3, 3, 3],
        ["nsubj", "aux", "advmod:x", "root", "punct"],
        [1, 0, 0, 0, 0],
        **lemmas,
    )
    found = make(
        ["I", "don't", "go", "."],
        [2, 2, 2, 3],
        ["nsubj", "aux", "root", "root"],
        [1, 0, 0, 1],
        lemmas=["I", "do", "go", "x"],
    )
    # 5 and 4 words, of which 3 are the same; two sentences for one
    assert module.score([gold], [gold]) == dict.fromkeys(
        ("words", "sentences", "UPOS", "lemmas", "UAS", "LAS"), 100.0
    )
    scores = module.score([gold], [found])
    assert scores == pytest.approx(
        {
            "words": 200 / 3,
            "sentences": 0,
            "UPOS": 200 / 3,
            "lemmas": 200 / 3,
            "UAS": 400 / 9,
            "LAS": 400 / 9,
        }
    )

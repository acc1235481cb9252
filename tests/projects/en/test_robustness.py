"""Noise of the table of robustness."""

import random

import pytest


@pytest.mark.parametrize("word", ["I", "the", "3,000", "U.S."])
def test_short_words_and_numbers_stay(script, word):
    assert script("robustness").with_error(word, random.Random(0)) == word


def test_an_error_changes_a_word_but_its_first_letter(script):
    with_error = script("robustness").with_error
    words = {with_error("letter", random.Random(seed)) for seed in range(50)}
    assert len(words) > 5
    assert all(word[0] == "l" and abs(len(word) - 6) < 2 for word in words)


def test_a_share_of_the_words(script):
    change = script("robustness").typos(0.15)
    rng = random.Random(0)
    n_changed = sum(change("word", rng) != "word" for _ in range(1000))
    assert 100 < n_changed < 200

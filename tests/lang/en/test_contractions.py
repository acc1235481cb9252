"""English words that UD divides are multiword tokens."""

import pytest

from spacy_lal.lang.en.contractions import contractions

PAIRS = "i m|Do nt|you re|That s|we ll|a lot|lot ta|'T is|d' you|get 'em".split("|")
OTHERS = "x s|the y|5 min|i s".split("|")


def test_contractions_of_a_sentence():
    words = "I do n't think John 's dogs ' toys can not be 've gon na ' x '".split()
    glued = {"do", "John", "dogs", "can", "gon", "be", "x"}
    spaces = [word not in glued for word in words]
    possessives = (words.index("'"), words.index("'s"))
    tags = ["POS" if i in possessives else "" for i in range(len(words))]
    ranges = contractions(words, tags, spaces)
    assert [" ".join(words[a - 1 : b]) for a, b in ranges] == [
        "do n't",
        "John 's",
        "dogs '",
        "can not",
        "be 've",
        "gon na",
    ]


def test_a_word_of_three():
    words = ["should", "n't", "'ve"]
    assert contractions(words, [""] * 3, [False, False, True]) == [(1, 3)]


@pytest.mark.parametrize("pair", [*PAIRS, *OTHERS])
def test_pairs(pair: str):
    expected = [(1, 2)] if pair in PAIRS else []
    assert contractions(pair.split(), ["", ""], [False, True]) == expected
    assert contractions(pair.split(), ["", ""], [True, True]) == []

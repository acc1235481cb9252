"""Attention by the role of the attended word, and by distance."""

import numpy as np
import pytest

from spacy_lal.interpret.attention_roles import CONTENT_ROLES, attention_shares

TAGS = ["DET", "NOUN", "VERB", "ADP", "PROPN", "ADJ", "PUNCT", "AUX"]
ROLES = ["determiner", "noun", "verb", "preposition", "noun", "adjective", "punctuation", "others"]


def test_shares_are_sums_over_heads_and_queries():
    rng = np.random.default_rng(0)
    sentences = [(rng.random((3, n + 2, n + 2)), TAGS[:n]) for n in (2, 8, 5)]
    found = attention_shares(sentences)
    roles, distances = dict.fromkeys(ROLES, 0.0), {}
    for weights, _ in sentences:
        for head in weights:
            for query, row in enumerate(head):
                for key, weight in enumerate(row[1:-1], start=1):
                    roles[ROLES[key - 1]] += weight
                    distances[abs(query - key)] = distances.get(abs(query - key), 0.0) + weight
    total = sum(roles.values())
    assert found.n_sentences == 3 and set(found.roles) == set(roles)
    for role, weight in roles.items():
        assert found.roles[role] == pytest.approx(weight / total)
    assert found.distances == pytest.approx({d: weight / total for d, weight in distances.items()})
    assert sum(found.roles.values()) == pytest.approx(1.0) and sum(found.distances.values()) == pytest.approx(1.0)
    assert found.content == pytest.approx(sum(found.roles[role] for role in CONTENT_ROLES))
    assert found.content + found.content_free == pytest.approx(1.0)


def test_start_and_stop_are_queries_but_no_keys():
    weights = np.zeros((1, 4, 4))
    weights[0, :, 0] = weights[0, :, 3] = 5.0
    weights[0, 0, 2] = weights[0, 3, 1] = 1.0
    found = attention_shares([(weights, ["NOUN", "PUNCT"])])
    assert found.roles["noun"] == found.roles["punctuation"] == 0.5
    assert found.distances == {0: 0.0, 1: 0.0, 2: 1.0}


def test_increase():
    one = attention_shares([(np.ones((1, 4, 4)), ["NOUN", "PUNCT"])])
    other = attention_shares([(np.ones((1, 6, 6)), ["NOUN", "PUNCT", "DET", "X"])])
    assert one.increase(other)["noun"] == pytest.approx(1.0)
    assert one.increase(other)["verb"] == 0.0 and one.increase(other)["others"] == -1.0
    assert other.increase(one)["others"] == float("inf")


def test_what_does_not_match_is_refused():
    with pytest.raises(
        ValueError, match=r"attention to 2 words: expected \(n_heads, n \+ 2, n \+ 2\), got \(1, 3, 3\)"
    ):
        attention_shares([(np.ones((1, 3, 3)), ["NOUN", "VERB"])])
    with pytest.raises(ValueError, match="no attention to any word: .* got 1 sentences without"):
        attention_shares([(np.zeros((1, 3, 3)), ["NOUN"])])

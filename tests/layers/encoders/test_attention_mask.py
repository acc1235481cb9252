"""Padding and windows as one mask, against the definition of reference-encoders.md A8."""

import pytest
import torch

from spacy_lal.layers.encoders.attention_mask import Window, forbidden_pairs

N_WORDS = [0, 1, 2, 3, 7]


def make_padding(n_words):
    lengths = torch.tensor(n_words) + 2
    return torch.arange(int(lengths.max())) >= lengths[:, None]


def is_allowed(query, key, n, window):
    """Whether a pair of positions of a sentence of n words is allowed, word for word after A8."""
    if abs(query - key) <= window.width:
        return True
    return window.relaxed and bool({query, key} & {0, 1, n, n + 1})


def test_padding_alone():
    padding = make_padding(N_WORDS)
    assert torch.equal(forbidden_pairs(padding), padding[:, None, None, :])


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("width", [0, 1, 3, 8, 99])
def test_a_window_by_its_definition(width, relaxed):
    padding, window = make_padding(N_WORDS), Window(width, relaxed)
    forbidden = forbidden_pairs(padding, [window])
    assert forbidden.shape == (len(N_WORDS), 1, 9, 9)
    for row, n in zip(forbidden[:, 0], N_WORDS, strict=True):
        for query in range(n + 2):
            for key in range(9):
                assert bool(row[query, key]) is not (key <= n + 1 and is_allowed(query, key, n, window))


@pytest.mark.parametrize("window", [Window(0), Window(1, True), Window(2)])
def test_a_query_at_padding_has_every_key_of_its_sentence(window):
    padding = make_padding(N_WORDS)
    forbidden = forbidden_pairs(padding, [window])
    for row, n in zip(forbidden[:, 0], N_WORDS, strict=True):
        assert not row[n + 2 :, : n + 2].any() and row[:, n + 2 :].all()


def test_a_wide_window_is_none_and_relaxed_is_all_pairs_of_two_words():
    padding = make_padding(N_WORDS)
    none = forbidden_pairs(padding).expand(-1, -1, 9, -1)
    assert torch.equal(forbidden_pairs(padding, [Window(max(N_WORDS) + 1)]), none)
    relaxed = forbidden_pairs(padding, [Window(0, True)])
    assert torch.equal(relaxed[:3], none[:3]) and not torch.equal(relaxed[3:], none[3:])


def test_several_windows_must_all_allow():
    padding = make_padding(N_WORDS)
    narrow, wide, relaxed = Window(1), Window(3), Window(0, True)
    assert torch.equal(forbidden_pairs(padding, [narrow, wide]), forbidden_pairs(padding, [narrow]))
    both = forbidden_pairs(padding, [wide, relaxed])
    assert torch.equal(both, forbidden_pairs(padding, [wide]) | forbidden_pairs(padding, [relaxed]))

"""The loss that ties label heads to labels."""

import numpy as np
import pytest

from spacy_lal.loss.gold import GoldParse
from spacy_lal.loss.label_heads import label_head_loss
from spacy_lal.loss.parser_loss import parser_loss
from spacy_lal.scores import ParserScores

GOLD = np.zeros((5, 5), dtype=np.int32)
for start, end, label in [(0, 4, 2), (1, 4, 4), (2, 4, 1)]:
    GOLD[start, end] = label


def test_spans_and_their_heads_by_hand():
    """Gold are head 0's (0, 4) and head 2's (1, 4), no head's (2, 4); beside them (0, 3), (1, 3), (2, 3), (3, 4)."""
    ties = np.random.default_rng(0).normal(size=(5, 3)).astype("f4")
    expected = 0.0
    for start, end, head in [(0, 4, 1), (1, 4, 3), (2, 4, 0), (0, 3, 0), (1, 3, 0), (2, 3, 0), (3, 4, 0)]:
        scores = np.concatenate([[0.0], ties[end] - ties[start]])
        expected += np.log(np.exp(scores).sum()) - scores[head]
    assert label_head_loss(ties, GOLD)[0] == pytest.approx(expected, rel=1e-5)


def test_gradient_by_finite_differences():
    ties = np.random.default_rng(1).normal(size=(5, 4))
    _, gradient = label_head_loss(ties, GOLD)
    for cell in np.ndindex(ties.shape):
        step = np.zeros_like(ties)
        step[cell] = 1e-4
        up, down = label_head_loss(ties + step, GOLD)[0], label_head_loss(ties - step, GOLD)[0]
        assert (up - down) / 2e-4 == pytest.approx(gradient[cell], abs=1e-5)


def test_it_is_a_part_of_the_loss_where_there_are_ties_and_a_tree():
    rng = np.random.default_rng(2)
    scores = ParserScores(np.zeros((5, 5, 5), "f4"), np.zeros((5, 5), "f4"), np.zeros((5, 5, 2), "f4"))
    tied = scores._replace(ties=rng.normal(size=(5, 3)).astype("f4"))
    gold = GoldParse(GOLD, np.array([2, 0, 2, 3], dtype=np.int32), np.zeros(4, dtype=np.int32))
    losses, gradients = parser_loss(
        [tied, scores, tied], [gold, gold, gold._replace(labels=None)], label_head_weight=0.5
    )
    loss, gradient = label_head_loss(tied.ties, GOLD)
    assert losses["ties"] == pytest.approx(0.5 * loss)
    assert np.allclose(gradients[0].ties, 0.5 * gradient) and gradients[0].ties.dtype == np.float32
    assert gradients[1].ties is None and gradients[2].ties is None


def test_nothing_to_tie():
    loss, gradient = label_head_loss(np.zeros((1, 3), "f4"), np.zeros((1, 1), dtype=np.int32))
    assert loss == 0.0 and gradient.shape == (1, 3) and not gradient.any()

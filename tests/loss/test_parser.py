"""The loss: its gradient by finite differences, its parts by hand, its masks."""

import numpy as np
import pytest
from dense import to_dense

from spacy_lal.loss.gold import GoldParse
from spacy_lal.loss.parser import ParserLoss, label_head_loss
from spacy_lal.scores import ParserScores


def make_scores(n, n_labels=4, n_deprels=3, given_head=True, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.normal(size=(n + 1, n + 1, n_labels)).astype("f4")
    labels[:, :, 0] = 0.0
    shape = (n + 1, n + 1, n_deprels) if given_head else (n + 1, n_deprels)
    return ParserScores(
        labels,
        rng.normal(size=(n + 1, n + 1)).astype("f4"),
        rng.normal(size=shape).astype("f4"),
    )


def make_gold(n, spans, heads, deprels):
    labels = None
    if spans is not None:
        labels = np.zeros((n + 1, n + 1), dtype=np.int32)
        for start, end, label in spans:
            labels[start, end] = label
    return GoldParse(
        labels, np.array(heads, dtype=np.int32), np.array(deprels, dtype=np.int32)
    )


GOLD = make_gold(3, [(0, 3, 2), (1, 3, 3)], [2, 0, 2], [1, 0, 2])


def dense(gradient, scores):
    """The gradient as arrays of the shapes of the scores."""
    return [
        to_dense(one, array.shape)
        for one, array in zip(gradient[:3], scores[:3], strict=True)
    ]


def total(scores, golds):
    return sum(ParserLoss()(scores, golds)[0].values())


@pytest.mark.parametrize("given_head", [True, False])
@pytest.mark.parametrize("gold", [GOLD, make_gold(3, None, [-1, 0, 2], [1, -1, 2])])
def test_gradient_by_finite_differences(given_head, gold):
    scores, golds = (
        [make_scores(3, given_head=given_head, seed=s) for s in (1, 2)],
        [gold, GOLD],
    )
    _, gradients = ParserLoss()(scores, golds)
    step = 1e-2
    for sentence, gradient in zip(scores, gradients, strict=True):
        for array, d_array in zip(sentence[:3], dense(gradient, sentence), strict=True):
            assert array.shape == d_array.shape and d_array.dtype == np.float32
            for cell in np.ndindex(array.shape):
                if array is sentence.labels and (cell[2] == 0 or cell[0] >= cell[1]):
                    continue
                kept = array[cell]
                array[cell] = kept + step
                up = total(scores, golds)
                array[cell] = kept - step
                down = total(scores, golds)
                array[cell] = kept
                assert (up - down) / (2 * step) == pytest.approx(
                    d_array[cell], abs=2e-3
                )


def test_hinge_counts_the_margin_of_each_wrong_node():
    n = 3
    scores = ParserScores(
        np.zeros((4, 4, 4), "f4"), np.zeros((4, 4), "f4"), np.zeros((4, 4, 3), "f4")
    )
    losses, gradients = ParserLoss()([scores], [GOLD])
    # the worst of all candidates is wrong at each of its 2n - 1 nodes
    assert losses["spans"] == pytest.approx(2 * n - 1)
    assert losses["arcs"] == pytest.approx(0.5 * 3 * np.log(4))
    assert losses["deprels"] == pytest.approx(0.5 * 3 * np.log(3))
    d_labels = to_dense(gradients[0].labels, (4, 4, 4))
    assert d_labels[0, 3, 2] == -1.0 and d_labels[1, 3, 3] == -1.0


def test_a_gradient_has_the_cells_in_which_the_trees_differ():
    """(0, 3, 2) is in both trees; (1, 3, 3) is missed, with (0, 2, 1) in its place, and
    (2, 3, 3) is wrong."""
    labels = np.full((4, 4, 4), -9.0, "f4")
    labels[:, :, 0] = 0.0
    for cell in [(0, 3, 2), (0, 2, 1), (2, 3, 3)]:
        labels[cell] = 9.0
    _, (gradient,) = ParserLoss()([make_scores(3)._replace(labels=labels)], [GOLD])
    cells = [
        (*cell, value)
        for cell, value in zip(*map(np.ndarray.tolist, gradient.labels), strict=True)
    ]
    assert sorted(cells) == [(0, 2, 1, 1.0), (1, 3, 3, -1.0), (2, 3, 3, 1.0)]
    assert gradient.labels.values.dtype == np.float32
    assert gradient.deprels.cells.tolist() == [
        [1, 2],
        [2, 0],
        [3, 2],
    ] and gradient.deprels.values.shape == (3, 3)


def test_what_is_masked_adds_nothing():
    scores = make_scores(3)
    losses, gradients = ParserLoss()([scores], [make_gold(3, None, [-1] * 3, [-1] * 3)])
    assert losses == {"spans": 0.0, "arcs": 0.0, "deprels": 0.0, "label_heads": 0.0}
    assert (
        not len(gradients[0].labels.cells)
        and not gradients[0].arcs.any()
        and not len(gradients[0].deprels.cells)
    )


def test_empty_sentences_and_networks_without_spans_or_arcs():
    nothing = ParserScores(
        np.zeros((1, 1, 4), "f4"), np.zeros((1, 1), "f4"), np.zeros((1, 1, 3), "f4")
    )
    no_spans = make_scores(3)._replace(labels=np.zeros((0, 0, 0), "f4"))
    no_arcs = make_scores(3)._replace(deprels=np.zeros((4, 0), "f4"))
    golds = [
        make_gold(0, None, [], []),
        GOLD,
        make_gold(3, [(0, 3, 2)], [-1] * 3, [-1] * 3),
    ]
    losses, gradients = ParserLoss()([nothing, no_spans, no_arcs], golds)
    assert all(value > 0 for name, value in losses.items() if name != "label_heads")
    assert gradients[1].labels.cells.shape == (0, 3) and gradients[2].deprels.shape == (
        4,
        0,
    )
    assert ParserLoss()([], []) == (
        {"spans": 0.0, "arcs": 0.0, "deprels": 0.0, "label_heads": 0.0},
        [],
    )


def test_heads_add_nothing_where_no_dependencies_are_scored():
    scores, bare = (
        make_scores(3),
        make_gold(3, [(0, 3, 2), (1, 3, 3)], [-1] * 3, [-1] * 3),
    )
    constituents = scores._replace(
        arcs=np.zeros_like(scores.arcs), deprels=np.zeros((4, 0), "f4")
    )
    losses, gradients = ParserLoss()([constituents], [GOLD])
    assert losses == ParserLoss()([constituents], [bare])[0] and losses["spans"] > 0
    assert not gradients[0].arcs.any()
    assert ParserLoss()([scores], [GOLD])[0]["arcs"] > 0


@pytest.mark.parametrize("part", ["labels", "arcs", "deprels"])
def test_a_loss_that_is_not_finite(part):
    scores, heads = make_scores(3), make_gold(3, None, [2, 0, 2], [1, 0, 2])
    getattr(scores, part)[2] = np.nan
    with pytest.raises(ValueError, match="finite"):
        ParserLoss()([scores], [GOLD if part == "labels" else heads])


# Ties of label heads to labels

TREE = make_gold(4, [(0, 4, 2), (1, 4, 4), (2, 4, 1)], [], []).labels


def test_spans_and_their_heads_by_hand():
    """Gold are head 0's (0, 4) and head 2's (1, 4), no head's (2, 4); beside them (0,
    3), (1, 3), (2, 3), (3, 4)."""
    ties = np.random.default_rng(0).normal(size=(5, 3)).astype("f4")
    expected = 0.0
    for start, end, head in [
        (0, 4, 1),
        (1, 4, 3),
        (2, 4, 0),
        (0, 3, 0),
        (1, 3, 0),
        (2, 3, 0),
        (3, 4, 0),
    ]:
        scores = np.concatenate([[0.0], ties[end] - ties[start]])
        expected += np.log(np.exp(scores).sum()) - scores[head]
    assert label_head_loss(ties, TREE)[0] == pytest.approx(expected, rel=1e-5)


def test_gradient_of_ties_by_finite_differences():
    ties = np.random.default_rng(1).normal(size=(5, 4))
    _, gradient = label_head_loss(ties, TREE)
    for cell in np.ndindex(ties.shape):
        step = np.zeros_like(ties)
        step[cell] = 1e-4
        up, down = (
            label_head_loss(ties + step, TREE)[0],
            label_head_loss(ties - step, TREE)[0],
        )
        assert (up - down) / 2e-4 == pytest.approx(gradient[cell], abs=1e-5)


def test_it_is_a_part_of_the_loss_where_there_are_ties_and_a_tree():
    rng = np.random.default_rng(2)
    scores = ParserScores(
        np.zeros((5, 5, 5), "f4"), np.zeros((5, 5), "f4"), np.zeros((5, 5, 2), "f4")
    )
    tied = scores._replace(label_heads=rng.normal(size=(5, 3)).astype("f4"))
    gold = GoldParse(
        TREE, np.array([2, 0, 2, 3], dtype=np.int32), np.zeros(4, dtype=np.int32)
    )
    losses, gradients = ParserLoss(label_head_weight=0.5)(
        [tied, scores, tied], [gold, gold, gold._replace(labels=None)]
    )
    loss, gradient = label_head_loss(tied.label_heads, TREE)
    assert losses["label_heads"] == pytest.approx(0.5 * loss)
    assert (
        np.allclose(gradients[0].label_heads, 0.5 * gradient)
        and gradients[0].label_heads.dtype == np.float32
    )
    assert gradients[1].label_heads is None and gradients[2].label_heads is None


def test_spans_that_the_label_heads_must_call_no_constituent():
    """Of (2, 4) of six words: one end is moved by one word."""
    gold = np.zeros((7, 7), dtype=np.int32)
    gold[2, 4] = 3
    ties = np.random.default_rng(2).normal(size=(7, 4))
    expected = 0.0
    for start, end, head in [
        (2, 4, 2),
        (1, 4, 0),
        (3, 4, 0),
        (2, 3, 0),
        (2, 5, 0),
    ]:
        scores = np.concatenate([[0.0], ties[end] - ties[start]])
        expected += np.log(np.exp(scores).sum()) - scores[head]
    assert label_head_loss(ties, gold)[0] == pytest.approx(expected, rel=1e-6)

"""The loss against a teacher: nothing where both say the same, its gradient is that of its value, and what counts."""

from typing import List, Tuple

import numpy as np
import pytest

from spacy_lal.loss.distillation import add_gradients, distillation_loss, log_softmax
from spacy_lal.scores import ParserScores, ScoresGradient, SparseGradient

N, N_LABELS, N_DEPRELS = 4, 5, 6
WEIGHTS = {"span_weight": 0.7, "arc_weight": 0.3, "deprel_weight": 0.2}


def random_scores(seed: int, given_head: bool = True) -> ParserScores:
    rng = np.random.default_rng(seed)
    deprels = (N + 1, N + 1, N_DEPRELS) if given_head else (N + 1, N_DEPRELS)
    shapes = [(N + 1, N + 1, N_LABELS), (N + 1, N + 1), deprels]
    labels, arcs, deprels = (rng.normal(scale=1.5, size=shape).astype("f") for shape in shapes)
    labels[..., 0] = 0
    return ParserScores(labels, arcs, deprels)


def dense(gradient: ScoresGradient, scores: ParserScores) -> List[np.ndarray]:
    return [
        one.to_dense(array.shape) if isinstance(one, SparseGradient) else one
        for one, array in zip(gradient[:3], scores[:3], strict=True)
    ]


@pytest.mark.parametrize("given_head", [True, False])
def test_who_says_the_same_has_nothing_to_learn(given_head):
    scores = random_scores(0, given_head)
    shifted = scores._replace(arcs=scores.arcs + 3, deprels=scores.deprels - 2)  # the same probabilities
    loss, gradients = distillation_loss([scores, scores], [scores, shifted])
    assert loss == pytest.approx(0, abs=1e-5)
    for gradient in gradients:
        for array in dense(gradient, scores):
            np.testing.assert_allclose(array, 0, atol=1e-5)


@pytest.mark.parametrize("given_head", [True, False])
def test_the_gradient_is_that_of_the_loss(given_head):
    ours, theirs = random_scores(1, given_head), random_scores(2, given_head)
    ours = ParserScores(*(array.astype("d") for array in ours[:3]))
    _, (gradient,) = distillation_loss([ours], [theirs], **WEIGHTS)
    step = 1e-4
    for array, found in zip(ours[:3], dense(gradient, ours), strict=True):
        for cell in np.ndindex(array.shape):
            if array is ours.labels and cell[2] == 0:
                continue  # the score of the empty label is 0, whatever a network says
            losses = []
            for change in (step, -step):
                array[cell] += change
                losses.append(distillation_loss([ours], [theirs], **WEIGHTS)[0])
                array[cell] -= change
            assert found[cell] == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=2e-3), cell


def labels_with(*cells: Tuple[Tuple[int, int, int], float]) -> ParserScores:
    labels = np.full((N + 1, N + 1, N_LABELS), -5, dtype="f")
    labels[..., 0] = 0
    for cell, score in cells:
        labels[cell] = score
    return random_scores(0)._replace(labels=labels)


def test_labels_count_that_either_takes_for_possible():
    ours = labels_with(((0, 2, 1), 1.0), ((1, 3, 2), -0.9), ((0, 4, 3), -1.1), ((3, 1, 1), 4.0))
    theirs = labels_with(((0, 2, 1), 1.5), ((1, 3, 4), 3.0), ((0, 4, 3), -1.9))
    loss, (gradient,) = distillation_loss([ours], [theirs])
    cells = {
        tuple(cell): value for cell, value in zip(gradient.labels.cells.tolist(), gradient.labels.values, strict=True)
    }
    expected = {(0, 2, 1): -0.5, (1, 3, 2): 1.0, (1, 3, 4): -1.0}  # no more than 1 or less than -1
    assert cells == pytest.approx(expected)
    assert loss == pytest.approx(0.5 * 0.5**2 + (4.1 - 0.5) + (8 - 0.5), rel=1e-5)
    _, (wider,) = distillation_loss([ours], [theirs], margin=2.0)
    assert len(wider.labels.cells) == 4


def test_networks_without_a_scorer():
    none = ParserScores(np.zeros((0, 0, 0), "f"), random_scores(0).arcs, np.zeros((N + 1, 0), "f"))
    loss, (gradient,) = distillation_loss([none], [none])
    assert loss == pytest.approx(0, abs=1e-6)
    assert gradient.labels.cells.shape == (0, 3)


def test_scores_of_another_shape():
    ours, theirs = random_scores(0), random_scores(1, given_head=False)
    with pytest.raises(ValueError, match=r"expected scores of a teacher of shapes .*, got"):
        distillation_loss([ours], [theirs])


@pytest.mark.parametrize("given_head", [True, False])
def test_gradients_add_up(given_head):
    ours = random_scores(3, given_head)
    _, (first,) = distillation_loss([ours], [random_scores(4, given_head)])
    _, (second,) = distillation_loss([ours], [random_scores(5, given_head)])
    ties = np.ones((N + 1, 2), dtype="f")
    both = add_gradients(first._replace(ties=ties), second)
    for found, one, other in zip(dense(both, ours), dense(first, ours), dense(second, ours), strict=True):
        np.testing.assert_allclose(found, one + other, rtol=1e-6)
    assert both.ties is ties


def test_log_softmax():
    scores = np.array([[1000.0, 1001.0], [-5.0, -5.0]])
    np.testing.assert_allclose(np.exp(log_softmax(scores)), [[0.2689414, 0.7310586], [0.5, 0.5]], rtol=1e-5)

"""The loss of semantic roles: against torch's, its gradient by differences, masks,
weights."""

import numpy as np
import pytest
import torch

from spacy_lal.loss.parser import cross_entropy
from spacy_lal.loss.roles import RolesLoss
from spacy_lal.scores import GoldRoles, RoleScores


def sentence(n=4, rows=(1, 3), seed=0):
    rng = np.random.default_rng(seed)

    def normal(*shape):
        return rng.normal(size=shape).astype("float32")

    f = len(rows)
    scores = RoleScores(
        normal(n, 2),
        np.array(rows, dtype="int64"),
        normal(f, n, 5),
        normal(f, 6),
        normal(n, n),
        normal(n, 3),
    )
    gold = GoldRoles(
        rng.integers(0, 2, n),
        np.array(rows, dtype="int64"),
        rng.integers(0, 5, (f, n)),
        rng.integers(0, 6, f),
        rng.integers(0, n, n),
        rng.integers(0, 3, n),
    )
    return scores, gold


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy_is_torchs(smoothing):
    rng = np.random.default_rng(0)
    logits, gold = (
        rng.normal(size=(6, 5)).astype("float32"),
        np.array([0, 4, -1, 2, 1, -1]),
    )
    theirs = torch.tensor(logits, requires_grad=True)
    expected = torch.nn.functional.cross_entropy(
        theirs,
        torch.tensor(gold),
        ignore_index=-1,
        label_smoothing=smoothing,
        reduction="sum",
    )
    expected.backward()
    loss, gradient = cross_entropy(logits, gold, smoothing)
    assert loss == pytest.approx(expected.item(), rel=1e-5)
    np.testing.assert_allclose(gradient, theirs.grad.numpy(), atol=1e-6)


def test_gradients_are_differences():
    batch = [sentence(), sentence(3, (0,), seed=1), sentence(2, (), seed=2)]
    scores, golds = map(list, zip(*batch, strict=True))
    loss = RolesLoss(2.0, 0.7)
    _, gradients = loss(scores, golds)
    for task in ("predicates", "tags", "rolesets", "arcs", "deprels"):
        array = getattr(scores[0], task)
        place = tuple(0 for _ in array.shape)
        step = 1e-2
        ends = []
        for sign in (1, -1):
            array[place] += sign * step
            ends.append(sum(loss(scores, golds)[0].values()))
            array[place] -= sign * step
        assert getattr(gradients[0], task)[place] == pytest.approx(
            (ends[0] - ends[1]) / (2 * step), abs=2e-4
        )


def test_masked_labels_have_no_gradient_and_no_share_in_the_mean():
    scores, gold = sentence()
    masked = gold._replace(
        predicates=np.full(4, -1), heads=np.full(4, -1), rolesets=np.array([-1, 2])
    )
    losses, (gradient,) = RolesLoss()([scores], [masked])
    assert losses["predicates"] == losses["arcs"] == losses["deprels"] == 0.0
    assert (
        not gradient.predicates.any()
        and not gradient.arcs.any()
        and not gradient.rolesets[0].any()
    )
    assert gradient.rolesets[1].any()
    twice, _ = RolesLoss()([scores, scores], [gold, masked])
    once, _ = RolesLoss()([scores], [gold])
    assert twice["arcs"] == pytest.approx(once["arcs"])


def test_a_task_that_is_not_scored_is_left_out():
    scores, gold = sentence()
    losses, _ = RolesLoss()(
        [scores._replace(arcs=None, deprels=None, rolesets=None)], [gold]
    )
    assert set(losses) == {"predicates", "tags"}


def test_a_loss_that_is_no_number_is_refused():
    scores, gold = sentence()
    scores.tags[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match="the loss is not finite"):
        RolesLoss()([scores], [gold])


@pytest.mark.parametrize(
    "options",
    [
        {"predicate_weight": -1.0},
        {"roleset_weight": float("nan")},
        {"label_smoothing": 1.0},
    ],
)
def test_bad_weights_are_named(options):
    with pytest.raises(
        ValueError,
        match=(
            f"{next(iter(options))}: expected a (number of at least 0|rate in .0, 1.), "
            "got"
        ),
    ):
        RolesLoss(**options)

import numpy
import pytest
import spacy
from thinc.api import Adam

from spacy_lal.training.optimizer import LayerwiseAdam


def step(optimizer, name):
    weights, gradient = (
        numpy.ones(3, dtype="float32"),
        numpy.array([0.1, -0.2, 0.3], dtype="float32"),
    )
    for _ in range(3):
        weights, _ = optimizer((7, name), weights, gradient.copy())
    return weights


def layerwise(learn_rate, factors):
    config = {
        "@optimizers": "spacy-lal.Adam.v1",
        "learn_rate": learn_rate,
        "rate_factors": factors,
        "L2": 0.01,
    }
    return spacy.registry.resolve({"optimizer": config})["optimizer"]


@pytest.mark.parametrize(
    "name, factor",
    [
        ("encoder.layer.0.weight", 0.5),
        ("encoder.layer.11.weight", 0.1),
        ("encoder.output", 1.0),
        ("W", 1.0),
    ],
)
def test_the_longest_beginning_sets_the_pace(name, factor):
    factors = {"encoder.layer.": 0.5, "encoder.layer.11.": 0.1}
    expected = step(Adam(0.01 * factor, L2=0.01, use_averages=False), name)
    numpy.testing.assert_allclose(
        step(layerwise(0.01, factors), name), expected, rtol=1e-6
    )


def test_it_says_what_it_leaves_as_it_is():
    optimizer = layerwise(0.01, {"encoder.": 0.0, "encoder.layer.": 0.5})
    assert [
        optimizer.freezes(name) for name in ("encoder.W", "encoder.layer.0.W", "W")
    ] == [True, False, False]


def test_without_factors_it_is_thincs_adam():
    numpy.testing.assert_array_equal(
        step(layerwise(0.01, None), "W"), step(Adam(0.01, L2=0.01), "W")
    )


def test_schedules_go_on():
    optimizer = LayerwiseAdam(iter([0.1, 0.2]), rate_factors={})
    optimizer.step_schedules()
    assert optimizer.learn_rate == 0.2


def test_a_negative_factor_is_an_error():
    with pytest.raises(ValueError, match="0 or more.*-0.5"):
        layerwise(0.01, {"encoder.": -0.5})


def test_a_factor_of_0_freezes():
    optimizer = layerwise(0.01, {"embeddings.": 0.0})
    weights, gradient = numpy.ones(3, dtype="float32"), numpy.ones(3, dtype="float32")
    same, rest = optimizer((7, "embeddings.word"), weights, gradient)
    assert (same == 1.0).all() and not rest.any()

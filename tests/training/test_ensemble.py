"""The mean of what several networks say: of probabilities where scores are logits, and of those who know a label."""

import numpy as np

from spacy_lal.scores import ParserScores
from spacy_lal.training.ensemble import UNKNOWN, mean_scores


def random_scores(seed: int) -> ParserScores:
    rng = np.random.default_rng(seed)
    return ParserScores(*(rng.normal(size=shape).astype("f") for shape in [(4, 4, 4), (4, 4), (4, 4, 5)]))


def test_the_mean_is_of_probabilities_where_scores_are_logits():
    one, other = random_scores(0), random_scores(1)
    shifted = other._replace(arcs=other.arcs + 7.0, deprels=other.deprels - 3.0)
    mean, same = mean_scores([one, other]), mean_scores([one, shifted])
    np.testing.assert_allclose(mean.labels, (one.labels + other.labels) / 2, rtol=1e-6)
    np.testing.assert_allclose(mean.arcs, same.arcs, atol=1e-5)
    np.testing.assert_allclose(mean.deprels, same.deprels, atol=1e-5)
    np.testing.assert_allclose(np.exp(mean_scores([one]).arcs).sum(axis=1), 1.0, rtol=1e-5)
    assert all(array.dtype == np.float32 and array.flags.c_contiguous for array in mean[:3])


def test_a_label_that_not_all_know():
    one, other = random_scores(0), random_scores(1)
    one.labels[..., 2:] = np.nan
    other.labels[..., 3] = np.nan
    mean = mean_scores([one, other])
    np.testing.assert_allclose(mean.labels[..., 1], (one.labels[..., 1] + other.labels[..., 1]) / 2, rtol=1e-6)
    np.testing.assert_array_equal(mean.labels[..., 2], other.labels[..., 2])
    np.testing.assert_array_equal(mean.labels[..., 3], UNKNOWN)

"""Span marginals against the enumeration of every labelled tree."""

from itertools import product

import numpy as np
import pytest
from decode.enumeration import binary_trees

from spacy_lal.decode.marginals import inside_outside
from spacy_lal.interpret import span_marginals


@pytest.mark.parametrize("n, n_labels", [(1, 4), (2, 4), (3, 3), (4, 3), (5, 2)])
def test_marginals_are_those_of_enumeration(n, n_labels):
    rng = np.random.default_rng(n)
    labels = rng.normal(size=(n + 1, n + 1, n_labels)).astype("f4")
    weights = np.zeros(labels.shape)
    total = 0.0
    for tree in binary_trees(0, n):
        for chosen in product(range(n_labels), repeat=len(tree)):
            if chosen[0] == 0:  # the root bears a label
                continue
            cells = [(i, j, y) for (i, j), y in zip(tree, chosen, strict=True)]
            weight = np.exp(sum(float(labels[cell]) for cell in cells))
            total += weight
            for cell in cells:
                weights[cell] += weight
    probabilities, log_partition = inside_outside(labels)
    assert log_partition == pytest.approx(np.log(total))
    assert np.allclose(probabilities, weights / total, atol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_long_sentences_and_large_scores(scale):
    n = 40
    labels = (
        np.random.default_rng(1)
        .normal(scale=scale, size=(n + 1, n + 1, 4))
        .astype("f4")
    )
    probabilities, log_partition = inside_outside(labels)
    assert np.isfinite(probabilities).all() and np.isfinite(log_partition)
    assert probabilities.sum() == pytest.approx(
        2 * n - 1
    )  # so many nodes has every tree
    assert probabilities.sum(-1)[np.arange(n), np.arange(1, n + 1)] == pytest.approx(
        1.0
    )  # each word is one
    assert (
        probabilities[0, n].sum() == pytest.approx(1.0)
        and probabilities[0, n, 0] == 0.0
    )
    assert not probabilities[np.tril_indices(n + 1)].any()


def test_marginals_of_a_sentence(nlp, doc):
    first = span_marginals(nlp, next(doc.sents))
    constituents = nlp.get_pipe("lal_parser").label_data["constituents"]
    assert first.labels == ("", "<H>", *constituents)
    assert first.words == tuple(token.text for token in doc[:9] if not token.is_space)
    assert first.probabilities.shape == (9, 9, len(first.labels))
    assert (first.constituents <= first.nodes + 1e-12).all()
    assert first.nodes[0, 8] == pytest.approx(1.0)
    assert first.probabilities.sum() == pytest.approx(15.0)
    part = span_marginals(nlp, doc[2:4])
    assert np.array_equal(part.probabilities, first.probabilities)

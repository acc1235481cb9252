"""`joint` and `cky` against the enumeration of every tree of at most six words, and
against numpy on longer ones."""

from typing import Any, Optional

import numpy as np
import pytest
from decode.enumeration import (
    cky_scores,
    is_projective,
    joint_scores,
    joint_scores_all_labels,
    with_margin,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy import ndarray

from spacy_lal.decode import cky, joint

QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
MARGINS = [0.0, 0.5, 1.0]


@st.composite
def sentences(
    draw: Any, max_words: int = 6, min_labels: int = 3, max_labels: int = 5
) -> tuple[ndarray, ndarray, ndarray]:
    """Labels, arcs and gold labels; scores of few values, so that there are ties, exact
    in float32."""
    n = draw(st.integers(1, max_words))
    n_labels = draw(st.integers(min_labels, max_labels))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([1, 4, 40]))
    labels = (
        rng.integers(-spread, spread + 1, size=(n + 1, n + 1, n_labels)).astype(
            np.float32
        )
        / 2
    )
    if draw(st.booleans()):
        labels[:, :, 0] = 0.0
    arcs = rng.integers(-spread, spread + 1, size=(n + 1, n + 1)).astype(np.float32) / 2
    return labels, arcs, rng.integers(0, n_labels, size=(n + 1, n + 1)).astype(np.int32)


def check_binary_tree(spans: ndarray, n: int) -> None:
    """That spans are the nodes of one binary tree over n words, in pre-order."""
    assert spans.shape == (2 * n - 1, 3)
    assert spans.dtype == np.int32
    nodes = iter(spans[:, :2].tolist())

    def read(start: int, end: Optional[int]) -> int:
        node = next(nodes)
        assert node[0] == start and (end is None or node[1] == end)
        return node[1] if node[1] - start == 1 else read(read(start, None), node[1])

    read(0, n)


def label_total(labels: ndarray, spans: ndarray) -> float:
    return float(labels[spans[:, 0], spans[:, 1], spans[:, 2]].sum())


def check_joint_tree(spans: ndarray, heads: ndarray, n: int) -> None:
    """That a joint answer obeys the rules of its labels, and that its trees agree."""
    check_binary_tree(spans, n)
    assert heads.shape == (n + 1,) and heads.dtype == np.int32
    assert heads[0] == 0 and (heads[1:] == 0).sum() == 1
    assert is_projective(tuple(heads[1:].tolist()))
    outward = {}
    for start, end, label in spans.tolist():
        outside = [
            word for word in range(start + 1, end + 1) if not start < heads[word] <= end
        ]
        assert len(outside) == 1  # a single word of each node has its head elsewhere
        outward[start, end] = outside[0]
        if end - start in (1, n):
            assert label != 1
    ends = {(start, end): label for start, end, label in spans.tolist()}
    for (start, end), label in ends.items():
        siblings = [
            key
            for key in ends
            if key != (start, end) and (key[1] == start or key[0] == end)
        ]
        governor = heads[outward[start, end]]
        is_dependent = any(
            s < governor <= e and (min(s, start), max(e, end)) in ends
            for s, e in siblings
        )
        if end - start > 1 and (is_dependent or end - start == n):
            assert label != 0


@QUICK
@given(sentences())
def test_joint_is_the_best_of_all_trees(
    sentence: tuple[ndarray, ndarray, ndarray],
) -> None:
    labels, arcs, _ = sentence
    n = labels.shape[0] - 1
    score, spans, heads = joint(labels, arcs)
    assert score == max(joint_scores(labels, arcs)) or n == 1
    check_joint_tree(spans, heads, n)
    if n > 1:
        assert (
            score
            == label_total(labels, spans) + arcs[np.arange(1, n + 1), heads[1:]].sum()
        )


@QUICK
@given(sentences(), st.sampled_from(MARGINS))
def test_joint_with_margin(
    sentence: tuple[ndarray, ndarray, ndarray], margin: float
) -> None:
    labels, arcs, gold = sentence
    n = labels.shape[0] - 1
    score, spans, heads = joint(labels, arcs, gold=gold, margin=margin)
    augmented = with_margin(labels, gold, margin)
    check_joint_tree(spans, heads, n)
    if n > 1:
        assert score == max(joint_scores(augmented, arcs))
        assert (
            score
            == label_total(augmented, spans)
            + arcs[np.arange(1, n + 1), heads[1:]].sum()
        )


@QUICK
@given(sentences(max_words=3, max_labels=4))
def test_joint_is_the_best_of_all_labellings(
    sentence: tuple[ndarray, ndarray, ndarray],
) -> None:
    labels, arcs, _ = sentence
    if labels.shape[0] > 2:
        assert joint(labels, arcs)[0] == max(joint_scores_all_labels(labels, arcs))


@QUICK
@given(sentences(min_labels=2), st.sampled_from(MARGINS), st.booleans())
def test_cky_is_the_best_of_all_trees(
    sentence: tuple[ndarray, ndarray, ndarray], margin: float, with_gold: bool
) -> None:
    labels, _, gold = sentence
    n = labels.shape[0] - 1
    score, spans = cky(labels, gold=gold, margin=margin) if with_gold else cky(labels)
    augmented = with_margin(labels, gold if with_gold else None, margin)
    assert score == max(cky_scores(augmented)) == label_total(augmented, spans)
    check_binary_tree(spans, n)
    assert spans[0, 2] != 0


def numpy_joint(labels: ndarray, arcs: ndarray) -> float:
    """The recurrence of section 3.4 in float64, one numpy call for each split."""
    n = labels.shape[0] - 1
    mul = np.full((n + 1, n + 1, n), -np.inf)
    hook = np.full((n + 1, n + 1, n), -np.inf)
    words = arcs[1:, 1:].astype(np.float64)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            s1 = float(labels[i, j, 2 if width in (1, n) else 1 :].max())
            s_mul = max(s1, float(labels[i, j, 0]))
            if width == 1:
                complete = mul[i, j, i:j] = np.array([s_mul])
            else:
                inner = np.full(width, -np.inf)
                for k in range(i + 1, j):
                    inner[k - i :] = np.maximum(
                        inner[k - i :], hook[i, k, k:j] + mul[k, j, k:j]
                    )
                    inner[: k - i] = np.maximum(
                        inner[: k - i], hook[k, j, i:k] + mul[i, k, i:k]
                    )
                complete = inner + s1
                mul[i, j, i:j] = inner + s_mul
            hook[i, j] = (complete[:, None] + words[i:j]).max(axis=0)
    return float((complete + arcs[1:, 0]).max())


@pytest.mark.parametrize("n", [2, 7, 8, 9, 17, 33, 50])
def test_joint_on_longer_sentences(n: int) -> None:
    rng = np.random.default_rng(n)
    labels = rng.normal(size=(n + 1, n + 1, 9)).astype(np.float32)
    arcs = rng.normal(size=(n + 1, n + 1)).astype(np.float32)
    score, spans, heads = joint(labels, arcs)
    check_joint_tree(spans, heads, n)
    assert score == pytest.approx(numpy_joint(labels, arcs), rel=1e-5)
    assert score == pytest.approx(
        label_total(labels, spans) + arcs[np.arange(1, n + 1), heads[1:]].sum(),
        rel=1e-5,
    )


@pytest.mark.parametrize("n", [2, 9, 33, 90])
@pytest.mark.parametrize("n_labels", [2, 7, 8, 9, 16, 17, 114])
def test_cky_on_longer_sentences(n: int, n_labels: int) -> None:
    labels = (
        np.random.default_rng(n)
        .normal(size=(n + 1, n + 1, n_labels))
        .astype(np.float32)
    )
    best = labels.max(axis=2).astype(np.float64)
    best[0, n] = labels[0, n, 1:].max()
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            best[i, i + width] += (
                best[i, i + 1 : i + width] + best[i + 1 : i + width, i + width]
            ).max()
    score, spans = cky(labels)
    check_binary_tree(spans, n)
    assert score == pytest.approx(best[0, n], rel=1e-5)
    assert score == pytest.approx(label_total(labels, spans), rel=1e-5)

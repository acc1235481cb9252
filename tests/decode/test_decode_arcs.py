"""`eisner` and `mst` against the enumeration of every dependency tree of at most six
words, and against each other."""

from typing import Any

import numpy as np
import pytest
from decode.enumeration import dependency_scores, dependency_trees, is_projective
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy import ndarray

from spacy_lal.decode import eisner, mst

QUICK = settings(max_examples=100, deadline=None)


@st.composite
def arc_scores(draw: Any, max_words: int = 6) -> ndarray:
    """Arc scores of few values, so that there are ties and cycles in cycles, exact in
    float32."""
    n = draw(st.integers(1, max_words))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([1, 4, 100]))
    arcs = rng.integers(-spread, spread + 1, size=(n + 1, n + 1)).astype(np.float32)
    arcs[:, 0] += draw(
        st.sampled_from([-200, 0, 200])
    )  # every word wants the root, or none
    return arcs


def tree_score(arcs: ndarray, heads: ndarray) -> float:
    return float(arcs.astype(np.float64)[np.arange(1, len(heads)), heads[1:]].sum())


def check_tree(heads: ndarray, n: int) -> None:
    """That heads are one tree with one dependent of the root."""
    assert heads.shape == (n + 1,) and heads.dtype == np.int32
    assert heads[0] == 0 and (heads[1:] == 0).sum() == 1
    for word in range(1, n + 1):
        for _ in range(n):
            word = int(heads[word])
        assert word == 0


def test_enumeration_counts() -> None:
    assert [len(dependency_trees(n, False)) for n in range(1, 7)] == [
        1,
        2,
        9,
        64,
        625,
        7776,
    ]  # n^(n - 1)
    assert [len(dependency_trees(n, True)) for n in range(1, 7)] == [
        1,
        2,
        7,
        30,
        143,
        728,
    ]  # (3n - 2 choose n - 1) / n


@QUICK
@given(arc_scores())
def test_mst_is_the_best_of_all_trees(arcs: ndarray) -> None:
    heads = mst(arcs)
    check_tree(heads, arcs.shape[0] - 1)
    assert tree_score(arcs, heads) == dependency_scores(arcs, projective=False).max()


@QUICK
@given(arc_scores())
def test_eisner_is_the_best_of_all_projective_trees(arcs: ndarray) -> None:
    heads = eisner(arcs)
    check_tree(heads, arcs.shape[0] - 1)
    assert is_projective(tuple(heads[1:].tolist()))
    assert tree_score(arcs, heads) == dependency_scores(arcs, projective=True).max()


@pytest.mark.parametrize("n", [1, 2, 9, 40, 150])
def test_longer_sentences(n: int) -> None:
    rng = np.random.default_rng(n)
    arcs = rng.normal(size=(n + 1, n + 1)).astype(np.float32)
    projective, free = eisner(arcs), mst(arcs)
    check_tree(projective, n)
    check_tree(free, n)
    assert is_projective(tuple(projective[1:].tolist()))
    assert tree_score(arcs, projective) <= tree_score(arcs, free) + 1e-4
    # A tree that stands out is found by both, projective as it is.
    arcs[np.arange(1, n + 1), projective[1:]] += 100
    assert np.array_equal(eisner(arcs), projective)
    assert np.array_equal(mst(arcs), projective)


def test_mst_opens_cycles_in_cycles() -> None:
    """Ever longer cycles, each better than the arcs that break it: all are contracted
    into one vertex."""
    n = 60
    arcs = np.full((n + 1, n + 1), -50.0, dtype=np.float32)
    arcs[1, 2] = arcs[2, 1] = 100
    for word in range(3, n + 1):
        arcs[word, word - 1] = arcs[word - 1, word] = 100 - word
    heads = mst(arcs)
    check_tree(heads, n)
    assert set(np.abs(np.arange(1, n + 1) - heads[1:])[heads[1:] > 0].tolist()) == {1}


def test_infinite_scores_where_there_is_no_arc() -> None:
    """The diagonal and row 0 are not read."""
    arcs = np.zeros((4, 4), dtype=np.float32)
    np.fill_diagonal(arcs, -np.inf)
    arcs[0] = np.nan
    check_tree(eisner(arcs), 3)
    check_tree(mst(arcs), 3)

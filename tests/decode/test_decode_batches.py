"""A batch is its sentences, and the kernels of one machine are those of any other."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from spacy_lal.decode import cky, eisner, joint, mst

LENGTHS = [3, 1, 0, 12, 30, 2, 7, 0, 21]
ArgumentsT = tuple[list[ndarray], ...]


def scores(lengths: list[int], n_labels: int = 6) -> ArgumentsT:
    rng = np.random.default_rng(7)
    labels = [
        rng.normal(size=(n + 1, n + 1, n_labels)).astype(np.float32) for n in lengths
    ]
    arcs = [rng.normal(size=(n + 1, n + 1)).astype(np.float32) for n in lengths]
    gold = [
        rng.integers(0, n_labels, size=(n + 1, n + 1)).astype(np.int32) for n in lengths
    ]
    return labels, arcs, gold


def flat(answer: Any) -> list[ndarray]:
    return (
        [np.asarray(part) for part in answer] if isinstance(answer, tuple) else [answer]
    )


def same(left: Any, right: Any) -> bool:
    return all(
        np.array_equal(a, b) for a, b in zip(flat(left), flat(right), strict=True)
    )


def test_batch_equals_alone() -> None:
    labels, arcs, gold = scores(LENGTHS)
    for decode, inputs in (
        (joint, (labels, arcs)),
        (cky, (labels,)),
        (eisner, (arcs,)),
        (mst, (arcs,)),
    ):
        answers = decode(*inputs)
        assert len(answers) == len(LENGTHS)
        for answer, *given in zip(answers, *inputs, strict=True):
            assert same(answer, decode(*given))
    answers = joint(labels, arcs, gold=gold, margin=1.0)
    assert all(
        same(a, joint(x, y, gold=z, margin=1.0))
        for a, x, y, z in zip(answers, labels, arcs, gold, strict=True)
    )
    answers = cky(labels, gold=gold, margin=0.5)
    assert all(
        same(a, cky(x, gold=z, margin=0.5))
        for a, x, z in zip(answers, labels, gold, strict=True)
    )


def test_empty_sentence() -> None:
    score, spans, heads = joint(
        np.zeros((1, 1, 3), np.float32), np.zeros((1, 1), np.float32)
    )
    assert (score, spans.shape, heads.tolist()) == (0.0, (0, 3), [0])
    score, spans = cky(np.zeros((1, 1, 3), np.float32))
    assert (score, spans.shape) == (0.0, (0, 3))
    assert (
        eisner(np.zeros((1, 1), np.float32)).tolist()
        == mst(np.zeros((1, 1), np.float32)).tolist()
        == [0]
    )


def test_arrays_of_any_layout() -> None:
    """Neither Fortran order, nor a view, nor a read-only array changes an answer; the
    input stays as it was."""
    (labels,), (arcs,), (gold,) = scores([9])
    expected = joint(labels, arcs, gold=gold, margin=1.0)
    views: list[Callable[[ndarray], ndarray]] = [
        np.asfortranarray,
        lambda array: np.repeat(array, 2, axis=0)[::2],
        lambda array: array[::-1][::-1],
    ]
    for view in views:
        given = view(labels), view(arcs), view(gold)
        for array in given:
            array.flags.writeable = False
        assert same(joint(given[0], given[1], gold=given[2], margin=1.0), expected)
        assert same(cky(given[0]), cky(labels))
        assert same(mst(given[1]), mst(arcs))
        assert np.array_equal(given[0], labels) and np.array_equal(given[1], arcs)


def test_huge_scores_make_trees_all_the_same() -> None:
    """Sums that overflow float32 may lose the best tree, but neither the tree nor the
    process."""
    rng = np.random.default_rng(3)
    n = 12
    labels = rng.choice(np.array([-3e38, 3e38], np.float32), size=(n + 1, n + 1, 4))
    arcs = rng.choice(np.array([-3e38, 3e38], np.float32), size=(n + 1, n + 1))
    _, spans, heads = joint(labels, arcs)
    assert sorted(set(heads.tolist())) and spans.shape == (2 * n - 1, 3)
    assert cky(labels)[1].shape == (2 * n - 1, 3)
    for decode in (eisner, mst):
        assert (decode(arcs)[1:] == 0).sum() == 1


DIGEST = """
import sys
sys.path.insert(0, sys.argv[1])
from test_decode_batches import digest
print(digest())
"""


def digest() -> str:
    """All answers of all decoders to a few sentences, as one short string."""
    labels, arcs, gold = scores([1, 5, 40, 70], n_labels=21)
    found = hashlib.sha256()
    answers = [
        *joint(labels, arcs),
        *cky(labels),
        *joint(labels, arcs, gold=gold, margin=1.0),
        *eisner(arcs),
        *mst(arcs),
    ]
    for answer in answers:
        for part in flat(answer):
            found.update(part.tobytes())
    return found.hexdigest()


def test_plain_kernels_give_the_same_bits() -> None:
    """What the machine can do best, and what every machine can do."""
    folder = os.path.dirname(os.path.abspath(__file__))
    run = subprocess.run(
        [sys.executable, "-c", DIGEST, folder],
        env={**os.environ, "SPACY_LAL_PLAIN_KERNELS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest()

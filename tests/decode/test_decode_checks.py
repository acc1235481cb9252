"""Bad input is a ValueError that names the argument, what was given and what was
expected."""

import re
from typing import Any

import numpy as np
import pytest

from spacy_lal.decode import cky, eisner, joint, mst

LABELS = np.zeros((4, 4, 3), np.float32)
ARCS = np.zeros((4, 4), np.float32)
GOLD = np.zeros((4, 4), np.int32)


def holed(array: np.ndarray, cell: Any, value: float) -> np.ndarray:
    array = array.copy()
    array[cell] = value
    return array


BAD_LABELS: list[Any] = [
    (
        LABELS.astype(np.float64),
        "labels must be a numpy array of float32 .*, got float64",
    ),
    (None, "labels must be a numpy array of float32 .*, got object"),
    (
        LABELS[0],
        r"labels must be .* with 3 axes, .* got float32 \(4, 3\)",
    ),
    (LABELS[:3], r"labels must .* the shape .* got float32 \(3, 4, 3\)"),
    (
        LABELS[:, :, :1],
        r"labels must .* at least [23] labels\), got float32 \(4, 4, 1\)",
    ),
    (holed(LABELS, (0, 2, 0), np.nan), "labels must be finite"),
    (holed(LABELS, (1, 3, 2), -np.inf), "labels must be finite"),
]
BAD_ARCS: list[Any] = [
    (ARCS.astype(np.float64), "arcs must be a numpy array of float32 .*, got float64"),
    (LABELS, r"arcs must .* with 2 axes, .* got float32 \(4, 4, 3\)"),
    (ARCS[:3], r"arcs must .* the shape .* got float32 \(3, 4\)"),
    (holed(ARCS, (1, 0), np.nan), "arcs must be finite"),
]
BAD_GOLD: list[Any] = [
    (
        {"gold": GOLD.astype("f4"), "margin": 1.0},
        "gold must be a numpy array of int32 .*, got float32",
    ),
    ({"gold": holed(GOLD, (0, 2), 3), "margin": 1.0}, "gold must be label ids 0 to 2"),
    ({"margin": 1.0}, "margin must be .* 0 without gold, got 1.0"),
    (
        {"gold": GOLD, "margin": -1.0},
        "margin must be a finite number, 0 or more, .*got -1.0",
    ),
    (
        {"gold": GOLD, "margin": float("nan")},
        "margin must be a finite number, 0 or more, .*got nan",
    ),
]


@pytest.mark.parametrize("labels,message", BAD_LABELS)
def test_bad_labels(labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cky(labels)
    with pytest.raises(ValueError, match=message):
        joint(labels, ARCS)


@pytest.mark.parametrize("arcs,message", BAD_ARCS)
def test_bad_arcs(arcs: Any, message: str) -> None:
    for decode in (eisner, mst):
        with pytest.raises(ValueError, match=message):
            decode(arcs)
    with pytest.raises(ValueError, match=message):
        joint(LABELS, arcs)


@pytest.mark.parametrize("kwargs,message", BAD_GOLD)
def test_bad_gold(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cky(LABELS, **kwargs)
    with pytest.raises(ValueError, match=message):
        joint(LABELS, ARCS, **kwargs)


def test_joint_needs_three_labels() -> None:
    with pytest.raises(
        ValueError, match=r"at least 3 labels\), got float32 \(4, 4, 2\)"
    ):
        joint(LABELS[:, :, :2], ARCS)


def test_arcs_of_another_sentence() -> None:
    with pytest.raises(
        ValueError, match=r"arcs must .* shape \(4, 4\) .*, got float32 \(3, 3\)"
    ):
        joint(LABELS, ARCS[:3, :3])


def test_batch_names_the_sentence() -> None:
    bad = holed(LABELS, (0, 1, 2), np.nan)
    with pytest.raises(ValueError, match=r"labels\[1\] must be finite"):
        cky([LABELS, bad, LABELS])
    with pytest.raises(ValueError, match=r"arcs\[2\] must be finite"):
        mst([ARCS, ARCS, holed(ARCS, (1, 0), np.inf)])
    with pytest.raises(ValueError, match=r"gold\[0\] must be label ids"):
        cky([LABELS], gold=[holed(GOLD, (0, 3), 9)], margin=1.0)


@pytest.mark.parametrize(
    "others", [{"arcs": [ARCS]}, {"arcs": ARCS}, {"arcs": [ARCS, ARCS], "gold": [GOLD]}]
)
def test_batches_of_unequal_length(others: dict[str, Any]) -> None:
    name = "gold" if "gold" in others else "arcs"
    with pytest.raises(
        ValueError, match=re.escape(f"{name} must be a list of 2 arrays")
    ):
        joint([LABELS, LABELS], **others, margin=0.0)


def test_cells_without_meaning_are_not_read() -> None:
    """Only start < end counts in labels and gold; neither row 0 nor the diagonal counts
    in arcs."""
    labels, arcs, gold = LABELS.copy(), ARCS.copy(), GOLD.copy()
    labels[np.tril_indices(4)] = np.nan
    gold[np.tril_indices(4)] = -5
    np.fill_diagonal(arcs, np.nan)
    arcs[0] = np.inf
    assert (
        joint(labels, arcs, gold=gold, margin=1.0)[0]
        == joint(LABELS, ARCS, gold=GOLD, margin=1.0)[0]
    )

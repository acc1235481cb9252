"""The decoders answer the vectors of the LAL parser's own decoders bit for bit, ties,
trees, rounding and all."""

from pathlib import Path
from typing import Any, Dict, Iterator, List

import numpy as np
import pytest
from numpy import ndarray

from spacy_lal.decode import cky, joint

MODES = ["hpsg_test", "hpsg_train", "const_test", "const_train"]


def unpack(n: int, upper: ndarray) -> ndarray:
    """The upper triangle, in `np.triu_indices(n + 1, 1)` order, as a square (n + 1, n +
    1, ...)."""
    square = np.zeros((n + 1, n + 1) + upper.shape[1:], upper.dtype)
    square[np.triu_indices(n + 1, 1)] = upper
    return square


def read_cases(path: Path) -> Iterator[Dict[str, Any]]:
    """Each sentence of a file: n, labels, arcs, gold_*, and for each mode score,
    augment, spans and (hpsg) heads."""
    with np.load(path) as data:
        arrays = {key: data[key] for key in data.files}
    n_labels, scale = int(arrays["L"]), arrays["scale"]
    upper_at = square_at = word_at = node_at = 0
    for t, n in enumerate(arrays["n"].tolist()):
        upper = slice(upper_at, upper_at + n * (n + 1) // 2)
        square = slice(square_at, square_at + (n + 1) ** 2)
        words = slice(word_at, word_at + n)
        nodes = slice(node_at, node_at + 2 * n - 1)
        flat = arrays["ls"][upper.start * n_labels : upper.stop * n_labels].astype(
            np.float32
        )
        case: Dict[str, Any] = {
            "n": n,
            "labels": unpack(n, flat.reshape(-1, n_labels) * scale).astype(np.float32),
            "arcs": (arrays["arc"][square].astype(np.float32) * scale)
            .reshape(n + 1, n + 1)
            .astype(np.float32),
            "gold_label": unpack(n, arrays["gold_label"][upper].astype(np.int32)),
        }
        for mode in MODES:
            spans = np.stack(
                [arrays[f"{mode}/{key}"][nodes] for key in ("i", "j", "label")], axis=1
            )
            case[mode] = {
                "score": float(arrays[f"{mode}/score"][t]),
                "augment": float(arrays[f"{mode}/augment"][t]),
                "spans": spans.astype(np.int32),
            }
            if f"{mode}/father" in arrays:
                case[mode]["heads"] = np.concatenate(
                    [[0], arrays[f"{mode}/father"][words]]
                ).astype(np.int32)
        upper_at, square_at, word_at, node_at = (
            upper.stop,
            square.stop,
            words.stop,
            nodes.stop,
        )
        yield case


FILES = ["decoder_coarse_s1.npz", "decoder_gauss_s4.npz"]
CasesT = List[Dict[str, Any]]


@pytest.fixture(scope="module", params=FILES)
def cases(request: pytest.FixtureRequest, data_dir: Path) -> CasesT:
    return list(read_cases(data_dir / "decoder" / request.param))


def plain_score(labels: ndarray, spans: ndarray) -> float:
    """The sum of the label scores of some nodes, without a margin."""
    return float(labels[tuple(spans.T)].sum(dtype=np.float64))


@pytest.mark.parametrize("mode", ["test", "train"])
def test_joint_equals_vectors(cases: CasesT, mode: str) -> None:
    for case in cases:
        margin = {} if mode == "test" else {"gold": case["gold_label"], "margin": 1.0}
        score, spans, heads = joint(case["labels"], case["arcs"], **margin)
        expected = case[f"hpsg_{mode}"]
        assert score == expected["score"], case["n"]
        assert np.array_equal(spans, expected["spans"]), case["n"]
        assert np.array_equal(heads, expected["heads"]), case["n"]
        arc_score = (
            case["arcs"]
            .astype(np.float64)[np.arange(1, case["n"] + 1), heads[1:]]
            .sum()
        )
        plain = plain_score(case["labels"], spans) + arc_score
        assert round(score - plain) == expected["augment"], case["n"]


@pytest.mark.parametrize("mode", ["test", "train"])
def test_cky_equals_vectors(cases: CasesT, mode: str) -> None:
    for case in cases:
        margin = {} if mode == "test" else {"gold": case["gold_label"], "margin": 1.0}
        score, spans = cky(case["labels"], **margin)
        expected = case[f"const_{mode}"]
        assert score == expected["score"], case["n"]
        assert np.array_equal(spans, expected["spans"]), case["n"]
        assert (
            round(score - plain_score(case["labels"], spans)) == expected["augment"]
        ), case["n"]


def test_one_word_score_and_tree_disagree(cases: CasesT) -> None:
    """The authors score one word with a label even where its leaf is left empty."""
    case = cases[0]
    assert case["n"] == 1
    score, spans, _ = joint(case["labels"], case["arcs"])
    assert spans[0, 2] == 0
    assert score == case["labels"][0, 1, 2:].max() + case["arcs"][1, 0]

"""The decoders answer the vectors of the LAL parser's own decoders bit for bit, ties, trees, rounding and all."""

from pathlib import Path
from types import ModuleType
from typing import Any, Dict, List

import numpy as np
import pytest
from benchmark_programs import BENCHMARKS, import_file
from decode.decoder_vectors import read_cases

from spacy_lal.decode import cky, joint

FILES = ["decoder_coarse_s1.npz", "decoder_gauss_s4.npz"]
CasesT = List[Dict[str, Any]]


@pytest.fixture(scope="module", params=FILES)
def cases(request: pytest.FixtureRequest, data_dir: Path) -> CasesT:
    return list(read_cases(data_dir / "decoder" / request.param))


@pytest.fixture(scope="module")
def forced() -> ModuleType:
    return import_file(BENCHMARKS / "parity" / "forced.py")


@pytest.mark.parametrize("mode", ["test", "train"])
def test_joint_equals_vectors(cases: CasesT, mode: str, forced: ModuleType) -> None:
    for case in cases:
        margin = {} if mode == "test" else {"gold": case["gold_label"], "margin": 1.0}
        score, spans, heads = joint(case["labels"], case["arcs"], **margin)
        expected = case[f"hpsg_{mode}"]
        assert score == expected["score"], case["n"]
        assert np.array_equal(spans, expected["spans"]), case["n"]
        assert np.array_equal(heads, expected["heads"]), case["n"]
        arc_score = case["arcs"].astype(np.float64)[np.arange(1, case["n"] + 1), heads[1:]].sum()
        plain = forced.plain_score(case["labels"], spans) + arc_score
        assert round(score - plain) == expected["augment"], case["n"]


@pytest.mark.parametrize("mode", ["test", "train"])
def test_cky_equals_vectors(cases: CasesT, mode: str, forced: ModuleType) -> None:
    for case in cases:
        margin = {} if mode == "test" else {"gold": case["gold_label"], "margin": 1.0}
        score, spans = cky(case["labels"], **margin)
        expected = case[f"const_{mode}"]
        assert score == expected["score"], case["n"]
        assert np.array_equal(spans, expected["spans"]), case["n"]
        assert round(score - forced.plain_score(case["labels"], spans)) == expected["augment"], case["n"]


def test_forced_equals_vectors(cases: CasesT, forced: ModuleType) -> None:
    for case in cases:
        gold = case["gold_label"], case["gold_split_const"]
        score, spans = forced.forced_cky(case["labels"], *gold)
        assert score == case["const_gold"]["score"]
        assert np.array_equal(spans, case["const_gold"]["spans"])
        score, spans = forced.forced_joint(
            case["labels"], case["arcs"], gold[0], case["gold_head"], gold[1], case["gold_father"]
        )
        assert score == case["hpsg_gold"]["score"]
        assert np.array_equal(spans, case["hpsg_gold"]["spans"])


def test_one_word_score_and_tree_disagree(cases: CasesT) -> None:
    """The authors score one word with a label even where its leaf is left empty (reference-parser.md, section 3.3)."""
    case = cases[0]
    assert case["n"] == 1
    score, spans, _ = joint(case["labels"], case["arcs"])
    assert spans[0, 2] == 0
    assert score == case["labels"][0, 1, 2:].max() + case["arcs"][1, 0]

"""`benchmarks/accuracy/model_card.py`: the figures of the JSON files, in tables that Markdown reads."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any, Dict

import pytest
from benchmark_programs import BENCHMARKS, import_file

SCORES: Dict[str, Any] = {"const_f": 0.91, "dep_uas": 0.925, "dep_las": 0.9, "tag_acc": 0.97}
EWT: Dict[str, Any] = {
    **{**SCORES, "const_cm": 0.5, "n_sents": 1973, "n_words": 24968, "seconds": 10.0},
    "genres": {"email": {**SCORES, "const_f": 0.8834, "n_sents": 523, "n_words": 9000}},
    "own_sents": {**SCORES, "sents_f": 0.85},
    "raw": {**SCORES, "raw_const_f": 0.88, "token_f": 0.99, "sents_f": 0.84},
    "confusion": {
        "constituents": {"NP": {"gold": 1000, "predicted": 990, "correct": 900, "p": 0.909, "r": 0.9, "f": 0.9045}},
        "constituent_confusions": [["ADJP", "NP", 7]],
        "deprels": {"obl": {"gold": 500, "f": 0.8, "head_acc": 0.85, "deprel_acc": None}},
        "deprel_confusions": [["obl", "nmod", 30]],
    },
}
CRAFT: Dict[str, Any] = {
    **{"const_f": 0.87, "const_cm": 0.3, "dep_uas": None, "dep_las": None, "tag_acc": 0.96},
    **{"n_sents": 2163, "n_words": 56906, "seconds": 20.0},
}


@pytest.fixture(scope="module")
def model_card() -> ModuleType:
    return import_file(BENCHMARKS / "accuracy" / "model_card.py")


def test_tables(model_card: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture):
    paths = []
    for name, metrics in (("ewt", EWT), ("craft", CRAFT)):
        paths.append(tmp_path / f"en_lal_md.{name}.json")
        paths[-1].write_text(json.dumps(metrics), encoding="utf8")
    assert model_card.main([str(path) for path in paths]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line in (
        "| EWT | 1,973 | 91.00 | 50.00 | 92.50 | 90.00 | 97.00 |",
        "| CRAFT | 2,163 | 87.00 | 30.00 | - | - | 96.00 |",
        "| EWT | email | 523 | 88.34 | 92.50 | 90.00 | 97.00 |",
        "| EWT | tokens |  | 85.00 | 91.00 | 92.50 | 90.00 | 97.00 |",
        "| EWT | text | 99.00 | 84.00 | 88.00 | 92.50 | 90.00 | 97.00 |",
        "| NP | 1,000 | 90.90 | 90.00 | 90.45 |",
        "| obl | 500 | 80.00 | 85.00 | - |",
        "Most often confused: ADJP as NP (7).",
        "Most often confused: obl as nmod (30).",
    ):
        assert line in lines
    assert lines[-1].startswith("Speed: 2,729 words a second (138 sentences)")
    heads = [i for i, line in enumerate(lines) if line.startswith("|--")]
    assert len(heads) == 5
    for i in heads:  # as many cells in the rule as in the header and the first row, with a blank line before
        assert lines[i - 1].count("|") == lines[i].count("|") == lines[i + 1].count("|")
        assert lines[i - 2] == ""


def test_what_is_not_there_has_no_table(model_card: ModuleType):
    text = model_card.card({"CRAFT": CRAFT}, 5)
    assert "genre" not in text and "Raw text" not in text and "Deprels" not in text

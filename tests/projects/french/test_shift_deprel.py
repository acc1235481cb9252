"""A deprel's bias is shifted in a saved pipeline; an unknown one is named."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import spacy
from tiny_pipeline import make_bert, make_nlp, train

from spacy_lal.models.parser import get_network

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "projects" / "french" / "scripts" / "shift_deprel.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("shift_deprel", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def biases(nlp: spacy.Language) -> list:
    network = get_network(nlp.get_pipe("lal_parser").model)
    return network.biaffine_scorer.deprel_bias.tolist()


def test_one_bias_moves(script: ModuleType, tmp_path: Path, capsys):
    nlp = train(make_nlp(make_bert(tmp_path / "bert")), steps=1)
    folder = tmp_path / "nlp"
    nlp.to_disk(folder)
    deprels = nlp.get_pipe("lal_parser").cfg["deprels"]
    assert script.main([str(folder), deprels[1], "-2.5"]) == 0
    expected = biases(nlp)
    expected[1] -= 2.5
    assert biases(spacy.load(folder)) == pytest.approx(expected)
    assert script.main([str(folder), "none-such", "1"]) == 1
    assert "got 'none-such'" in capsys.readouterr().err

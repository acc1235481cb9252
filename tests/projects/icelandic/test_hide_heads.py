"""Hiding heads of a treebank."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from small_sources import columns

from spacy_lal.trees.conllu import read_conllu

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "icelandic" / "scripts"
CONLLU = columns(
    "# sent_id = 1\n1-2 ab _ _ _ _ _ _ _ _\n" + "\n".join(f"{i} w{i} l X t _ {i - 1} dep _ Y=1" for i in range(1, 41))
)


@pytest.fixture
def hiding(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("hide_heads")


def test_about_half_of_the_heads_and_nothing_else(hiding: ModuleType, tmp_path: Path):
    hidden = list(hiding.hide_heads(CONLLU.splitlines(), 0.5))
    assert hidden == list(hiding.hide_heads(CONLLU.splitlines(), 0.5))
    assert hidden != list(hiding.hide_heads(CONLLU.splitlines(), 0.5, seed=1))
    path = tmp_path / "half.conllu"
    path.write_text("\n".join(hidden) + "\n", encoding="utf8")
    (sentence,) = read_conllu(path)
    unknown = [i for i, head in enumerate(sentence.heads) if head is None]
    assert 10 < len(unknown) < 30
    assert [i for i, deprel in enumerate(sentence.deprels) if not deprel] == unknown
    for before, after in zip(CONLLU.splitlines(), hidden, strict=True):
        assert before == after or before.split("\t")[:6] + ["_", "_", "_", "Y=1"] == after.split("\t")


def test_bad_input(hiding: ModuleType):
    with pytest.raises(ValueError, match="expected a share from 0 to 1, got 1.5"):
        list(hiding.hide_heads([], 1.5))
    with pytest.raises(ValueError, match="line 2: expected 10 columns, got 2: '1"):
        list(hiding.hide_heads(["# text = a", "1\ta"], 0.5))

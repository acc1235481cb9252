"""Made sentences whose object has a complement."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from spacy_lal.trees import read_brackets, read_conllu

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "en" / "scripts"


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("object_complements")


def test_object_and_complement_are_a_clause(making: ModuleType, tmp_path: Path):
    making.main([str(tmp_path), "--sentences", "60", "--seed", "1"])
    trees = list(read_brackets(tmp_path / "complements.ptb"))
    sentences = list(read_conllu(tmp_path / "complements.conllu"))
    assert len(trees) == len(sentences) == 60
    for tree, sentence in zip(trees, sentences, strict=True):
        assert tree.leaves() == sentence.words
        verb = sentence.deprels.index("root")
        thing, complement = (sentence.deprels.index(one) for one in ("obj", "xcomp"))
        assert [sentence.heads[i] - 1 for i in (thing, complement)] == [verb, verb]
        clauses = [one.leaves() for one in tree.subtrees() if one.label() == "S"]
        assert clauses == [sentence.words, sentence.words[verb + 1 : -1]]
    complements = {sentence.words[-2] for sentence in sentences}
    assert complements & {*making.NAMES} and complements & {*making.ADJECTIVES}

"""A senter whose last layer learns that any name may begin a sentence."""

import importlib
import random
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "icelandic" / "scripts"


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "train_senter", raising=False)
    return importlib.import_module("train_senter")


def make_doc(nlp: spacy.Language) -> Doc:
    words = "Jón sá Gunnu . Hún sá Jón .".split()
    starts = [True, False, False, False, True, False, False, False]
    return Doc(nlp.vocab, words=words, sent_starts=starts)


def test_copies_have_other_names_and_the_same_sentences(training: ModuleType):
    doc = make_doc(spacy.blank("is"))
    names = training.names_of([doc])
    assert names == ["Gunnu", "Jón"]
    draw = random.Random(0)
    copies = [training.with_other_names(doc, names, draw) for _ in range(50)]
    assert {copy[4].text for copy in copies} == {"Hún", "Gunnu", "Jón"}
    for copy in copies:
        assert [token.is_sent_start for token in copy][4] is True
        assert [copy[i].text for i in (1, 3, 5, 7)] == ["sá", ".", "sá", "."]
    assert not any(training.without_breaks(doc)[i].is_sent_start for i in range(1, 8))


def test_the_layer_separates_starts(training: ModuleType):
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(400, 3)).astype("f4")
    starts = (vectors @ [3.0, -1.0, 0.5] > 1.0).astype("f4")
    begin = np.zeros(3, dtype="f4"), 0.0
    weights, bias = training.fit(vectors, starts, begin, 1e-4)
    assert np.mean((vectors @ weights + bias > 0) == (starts > 0)) > 0.99
    smaller, _ = training.fit(vectors, starts, begin, 1.0)
    assert np.abs(smaller).max() < np.abs(weights).max()


def test_only_the_last_layer_changes(training: ModuleType):
    nlp = spacy.load("is_lal_md", enable=["encoder", "senter"])
    senter = nlp.get_pipe("senter")
    before = [
        (node.name, name, node.get_param(name).copy())
        for node in senter.model.walk()
        for name in node.param_names
    ]
    training.train_senter(nlp, [make_doc(nlp)], copies=2, decay=0.01, seed=0)
    after = [
        (name, node.get_param(name))
        for node in senter.model.walk()
        for name in node.param_names
    ]
    for (layer, name, old), (_, new) in zip(before, after, strict=True):
        assert old.shape == new.shape
        assert new.dtype == ("f4" if layer == "softmax" else old.dtype)
        assert (layer == "softmax") != np.array_equal(old, new), (layer, name)
    doc = nlp("Jón sá Gunnu. Hún sá Jón.")
    assert [sent.text for sent in doc.sents] == ["Jón sá Gunnu.", "Hún sá Jón."]

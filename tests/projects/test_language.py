"""What the projects of the languages share: a deprel's bias is shifted in a saved
pipeline; a pipeline gets the tokens and lemmas of its language."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import spacy
from spacy.training import Example
from tiny_pipeline import make_bert, make_nlp, train

from spacy_lal.models.parser import get_network

SCRIPT = Path(__file__).resolve().parents[2] / "projects" / "language.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("language", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def biases(nlp: spacy.Language) -> list:
    network = get_network(nlp.get_pipe("lal_parser").model)
    return network.biaffine_scorer.deprel_bias.tolist()


def test_one_bias_moves(script: ModuleType, tmp_path: Path):
    nlp = train(make_nlp(make_bert(tmp_path / "bert")), steps=1)
    folder = tmp_path / "nlp"
    nlp.to_disk(folder)
    deprels = nlp.get_pipe("lal_parser").cfg["deprels"]
    script.shift_deprel(folder, deprels[1], "-2.5")
    expected = biases(nlp)
    expected[1] -= 2.5
    assert biases(spacy.load(folder)) == pytest.approx(expected)
    with pytest.raises(ValueError, match="got 'none-such'"):
        script.shift_deprel(folder, "none-such", "1")


@pytest.mark.parametrize(
    ("lang", "text", "words", "has_lemmas"),
    [
        ("fr", "Dort-il ?", "Dort -il ?", True),
        ("id", "Di rumahnya.", "Di rumah nya .", False),
    ],
)
def test_a_pipeline_gets_what_is_known_of_its_language(
    script: ModuleType, tmp_path: Path, lang: str, text: str, words: str, has_lemmas
):
    nlp = spacy.blank(lang)
    nlp.add_pipe("trainable_lemmatizer", config={"min_tree_freq": 1})
    example = Example.from_dict(nlp.make_doc("a b"), {"lemmas": ["a", "b"]})
    nlp.initialize(lambda: [example])
    nlp.to_disk(tmp_path / "nlp")
    script.add_language(tmp_path / "nlp")
    changed = spacy.load(tmp_path / "nlp")
    assert changed.pipe_names == ["trainable_lemmatizer"] + ["lal_lemmas"] * has_lemmas
    assert changed.meta["pipeline"] == changed.pipe_names
    assert [token.text for token in changed.make_doc(text)] == words.split()


def test_a_pipeline_without_lemmatizer_is_named(script: ModuleType, tmp_path: Path):
    spacy.blank("fr").to_disk(tmp_path / "nlp")
    with pytest.raises(ValueError, match="expected trainable_lemmatizer"):
        script.add_language(tmp_path / "nlp")

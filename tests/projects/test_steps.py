"""The steps of the projects, run by `project run` on the toy treebank and a tiny
encoder: from treebank files to a scored pipeline in the form of a package."""

import json
import shutil
from pathlib import Path
from typing import Dict, List

import pytest
import spacy
from tiny_pipeline import make_bert
from weasel.cli.run import project_run

from spacy_lal.annotations import has_propositions
from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.treebanks.reader import read_treebank

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "assets" / "toy"
MINUTES = {"vars.minutes": 0.02, "vars.further_minutes": 0.02}
SENTER = {"vars.senter_minutes": 0.02}
# a deprel of the toy treebank
OF_LANGUAGE = {
    "french": {"vars.shifted_deprel": "nsubj"},
    "icelandic": SENTER,
    "indonesian": {"vars.last_minutes": 0.02},
}
STEPS = {
    "french": [
        "check",
        "convert",
        "start",
        "train",
        "train-further",
        "finish",
        "evaluate",
    ],
    "indonesian": [
        "start",
        "train",
        "add-trees",
        "train-further",
        "finish",
        "evaluate",
    ],
    "icelandic": [
        "check",
        "convert",
        "start",
        "train",
        "finish",
        "train-senter",
        "export-further",
        "train-further",
        "finish-further",
        "evaluate",
    ],
}
# What the steps read of other treebanks, which the toy treebank stands for.
OTHERS = {
    "french": ["gsd", "spoken", "pud", "fqb"],
    "icelandic": ["other/pud", "other/modern"],
    "indonesian": [
        *("icon_train", "icon_joined_train", "icon_dev"),
        *("gsd", "gsd_dev", "other"),
    ],
}


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """Copies of the projects beside configs, as in the repository, but for what runs
    have made."""
    made = shutil.ignore_patterns("corpus", "training", "metrics", "project.lock")
    for name in ("en", *STEPS):
        folder = ROOT / "projects" / name
        shutil.copytree(folder, tmp_path / "projects" / name, ignore=made)
    for path in (ROOT / "projects").glob("*.py"):
        shutil.copy(path, tmp_path / "projects")
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    return tmp_path / "projects"


def run_steps(folder: Path, steps: List[str], variables: Dict[str, object]) -> None:
    for name in ("corpus", "training", "metrics"):
        (folder / name).mkdir(exist_ok=True)
    for step in steps:
        project_run(folder, step, overrides=variables)


@pytest.mark.slow
@pytest.mark.parametrize("language", STEPS)
def test_from_treebank_to_pipeline(language: str, projects: Path, tmp_path: Path):
    folder = projects / language
    variables = {
        f"vars.{language}": str(TOY),
        "vars.encoder": str(make_bert(tmp_path / "encoder")),
        **MINUTES,
        **OF_LANGUAGE.get(language, {}),
    }
    of_treebank = [one for one in STEPS[language] if one in ("check", "convert")]
    run_steps(folder, of_treebank, variables)
    toy = folder / "corpus" / "train.spacy"
    if not of_treebank:  # the step that builds a treebank of its own has another test
        trees = read_treebank(TOY / "train.ptb", TOY / "train.conllu")
        write_docs(make_docs(trees, spacy.blank("en").vocab), toy)
    (folder / "corpus" / "other").mkdir()
    for name in OTHERS[language]:
        shutil.copy(toy, folder / f"corpus/{name}.spacy")
    run_steps(folder, STEPS[language][len(of_treebank) :], variables)
    for scores in (folder / "metrics").glob("*.json"):
        assert json.loads(scores.read_text(encoding="utf8"))["n_sents"] > 0
        name, *_ = scores.name.split(".")
        nlp = spacy.load(folder / "training" / name)
    (doc,) = nlp.pipe(["ab ba"])
    assert doc._.parse_string and all(token.dep_ for token in doc)


@pytest.mark.slow
def test_a_published_english_pipeline_goes_on_learning(projects: Path):
    nlp = spacy.load("en_lal_md")
    folder = projects / "en"
    texts = ["Anna gave Tom a book. He read it.", "They who sing do not work."]
    learned = list(nlp.pipe(texts * 8))
    for name in (
        *("train/ewt", "train/gum", "train/masc", "train/genia", "train/eslspok"),
        *("made", "verbs/masc", "trees/craft"),
    ):
        path = folder / "corpus" / f"{name}.spacy"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_docs(learned, path)
    variables = {"vars.role_steps": 2, **MINUTES}
    steps = ["export-further", "train-further", "bring-further", "train-roles-further"]
    run_steps(folder, steps, variables)
    further = spacy.load(folder / "training" / "lg" / "final")
    doc = further(texts[0])
    assert doc._.parse_string == learned[0]._.parse_string
    assert [x.dep_ for x in doc] == [x.dep_ for x in learned[0]]
    assert has_propositions(doc)

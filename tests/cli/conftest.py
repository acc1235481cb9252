"""A pipeline small enough to be made for the commands' tests: its parses are sound, not
good."""

from pathlib import Path
from typing import Callable, List

import pytest
import spacy
from spacy.cli._util import app
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_lal.cli  # noqa: F401  (adds itself to spaCy's application)


def gold_docs(vocab: Vocab) -> List[Doc]:
    cat = Doc(
        vocab,
        words=["The", "old", "cat", "sleeps", "."],
        spaces=[True, True, True, False, False],
        tags=["DT", "JJ", "NN", "VBZ", "."],
        heads=[2, 2, 3, 3, 3],
        deps=["det", "amod", "nsubj", "ROOT", "punct"],
        sent_starts=[True, False, False, False, False],
    )
    cat.spans["constituents"] = [
        Span(cat, 0, 5, "S"),
        Span(cat, 0, 3, "NP"),
        Span(cat, 3, 4, "VP"),
    ]
    both = Doc(
        vocab,
        words=["Go", "on", "!", "He", "left", "."],
        tags=["VB", "RP", ".", "PRP", "VBD", "."],
        heads=[0, 0, 0, 4, 4, 4],
        deps=["ROOT", "prt", "punct", "nsubj", "ROOT", "punct"],
        sent_starts=[True, False, False, True, False, False],
    )
    spans = [
        (0, 3, "S"),
        (0, 2, "VP"),
        (1, 2, "PRT"),
        (3, 6, "S"),
        (3, 4, "NP"),
        (4, 5, "VP"),
    ]
    both.spans["constituents"] = [Span(both, *span) for span in spans]
    return [cat, both]


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained pipeline on disk: sentencizer, tagger, parser."""
    nlp = spacy.blank("en")
    for name in ("sentencizer", "tagger", "lal_parser"):
        nlp.add_pipe(name)
    examples = [Example(nlp.make_doc(gold.text), gold) for gold in gold_docs(nlp.vocab)]
    nlp.initialize(lambda: examples)
    for _ in range(8):
        nlp.update(examples)
    path = tmp_path_factory.mktemp("pipeline") / "model"
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="session")
def gold_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gold Docs as a `.spacy` file."""
    path = tmp_path_factory.mktemp("gold") / "gold.spacy"
    DocBin(docs=gold_docs(Vocab())).to_disk(path)
    return path


@pytest.fixture
def lal() -> Callable:
    """Runs `lal ...` within this process."""

    def run(*args: object, stdin: bytes = b""):
        return CliRunner().invoke(app, ["lal", *map(str, args)], input=stdin)

    return run

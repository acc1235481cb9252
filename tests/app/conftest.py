"""A pipeline of a tiny parser, in memory and on disk."""

from pathlib import Path

import pytest
from interpret.tiny_parser import tiny_nlp
from spacy.language import Language

from spacy_lal.app.explained import ExplainedSentence, Explainer

TEXT = "She sees a dog in the park. Select the person driving."


@pytest.fixture(scope="package")
def nlp() -> Language:
    """Sentencizer and parser, trained on two sentences."""
    nlp = tiny_nlp()
    nlp.add_pipe("sentencizer", first=True)
    return nlp


@pytest.fixture(scope="package")
def pipeline(nlp: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on disk."""
    path = tmp_path_factory.mktemp("app") / "model"
    nlp.to_disk(path)
    return path


@pytest.fixture
def sentence(nlp: Language) -> ExplainedSentence:
    """The first of two sentences."""
    return Explainer(nlp).explain(TEXT)[0]

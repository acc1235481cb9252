"""One trained parser for all explanations, and what it has parsed."""

import pytest
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.language import Language
from spacy.tokens import Doc


@pytest.fixture(scope="package")
def nlp() -> Language:
    """A parser that has learned two sentences."""
    return tiny_nlp()


@pytest.fixture()
def doc(nlp: Language) -> Doc:
    """The two sentences, parsed; a whitespace token stands within the first."""
    return nlp(tiny_doc(nlp, space_after=3))

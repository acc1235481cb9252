from typing import Callable

import pytest
from fact_parses import make_doc, read_parses
from spacy.tokens import Doc

from spacy_lal.annotations import install_extensions


@pytest.fixture(scope="session")
def parse() -> Callable[[str], Doc]:
    """Give the stored parse of a sentence."""
    install_extensions()
    records = read_parses()

    def parse_text(text: str) -> Doc:
        return make_doc(records[text])

    return parse_text

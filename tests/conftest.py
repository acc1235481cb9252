"""Fixtures that several test modules share."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from thinc.api import fix_random_seed

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The small golden files that travel with the tests."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The treebanks and vectors beside a development checkout; a test that asks for
    them is skipped elsewhere."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("no treebanks beside this checkout")
    return path


@pytest.fixture(scope="session")
def en_lal_md() -> Language:
    """The bundled pipeline, loaded once a worker: a test that changes a pipeline loads
    its own."""
    if not spacy.util.is_package("en_lal_md"):
        pytest.skip("needs the bundled pipeline")
    return spacy.load("en_lal_md")


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Every test begins with the same random numbers, whatever ran before it."""
    fix_random_seed(0)

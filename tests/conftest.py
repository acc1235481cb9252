"""Fixtures that several test modules share."""

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from spacy.language import Language

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
def en_lal_md() -> "Language":
    """The bundled pipeline, loaded once a worker: a test that changes a pipeline loads
    its own."""
    import spacy

    if not spacy.util.is_package("en_lal_md"):
        pytest.skip("needs the bundled pipeline")
    return spacy.load("en_lal_md")


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Every test begins with the same random numbers, whatever ran before it.

    Tests that need neither spaCy nor torch do not wait for them."""
    random.seed(0)
    np.random.seed(0)
    if "thinc" in sys.modules:
        from thinc.api import fix_random_seed

        fix_random_seed(0)

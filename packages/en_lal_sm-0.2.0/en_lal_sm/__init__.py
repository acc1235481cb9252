"""The pipeline as a package."""

from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import get_model_meta, load_model_from_init_py

from . import installation

__version__ = get_model_meta(Path(__file__).parent)["version"]


def load(**overrides: Any) -> Language:
    """Load the pipeline, with the options of `spacy.load`.

    RAISES (ImportError): A file is missing or damaged; the error names it.
    """
    try:
        return load_model_from_init_py(__file__, **overrides)
    except Exception:
        installation.check()
        raise

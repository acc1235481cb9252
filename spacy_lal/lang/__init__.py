"""Constants of each language and its treebanks: one module per language.

To add a language, add `lang/<code>.py` with the names of `lang/is.py`, and its code to `LANGUAGES`.
"""

from importlib import import_module
from types import ModuleType
from typing import Dict, FrozenSet

from . import en

# By import_module, because `is` is a keyword of Python.
LANGUAGES: Dict[str, ModuleType] = {code: import_module(f"{__name__}.{code}") for code in ("en", "is")}

# Language code -> the default package: its weights are loaded by a `lal_parser` that was neither trained nor loaded.
DEFAULT_PACKAGES: Dict[str, str] = {
    code: language.DEFAULT_PACKAGE for code, language in LANGUAGES.items() if language.DEFAULT_PACKAGE
}
# The default pipeline of the commands and the app.
DEFAULT_PIPELINE = en.DEFAULT_PACKAGE
# Files of brackets do not say their language, so a reader takes the root labels of all.
ROOT_LABELS: FrozenSet[str] = frozenset().union(*(language.ROOT_LABELS for language in LANGUAGES.values()))


def conventions(lang: str) -> ModuleType:
    """The constants of a language; English for a language without a module of its own.

    lang (str): The language's code, such as `nlp.lang`.
    RETURNS (ModuleType): A module with `DEFAULT_PACKAGE`, `ROOT_LABELS`, `PUNCTUATION_TAGS`, `EVALB_DELETED` and
        `EVALB_EQUAL`.
    """
    return LANGUAGES.get(lang, en)

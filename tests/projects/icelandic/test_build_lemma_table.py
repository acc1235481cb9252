"""The frequencies of words that share forms."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "icelandic" / "scripts"


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "build_lemma_table", raising=False)
    return importlib.import_module("build_lemma_table")


def test_a_form_is_divided_in_proportion_to_its_words(building: ModuleType):
    """Word 1 has forms of its own, word 2 has one that both share."""
    forms = {"glugginn": 6.0, "glugga": 4.0}
    words_of = {"glugginn": {1}, "glugga": {1, 2}}
    equal = building.divided(forms, words_of, {1: 1.0, 2: 1.0})
    assert equal == {1: 8.0, 2: 2.0}
    assert building.divided(forms, words_of, equal) == {1: 9.2, 2: 0.8}

"""docs/how_to/units.md from top to bottom. `make test-all` installs LangChain's
splitters; without them their block is left out."""

from importlib.util import find_spec
from typing import Any, Dict

import pytest
import spacy
from documents import ROOT, blocks, printed_by, says_the_same
from spacy.language import Language

PAGE = ROOT / "docs" / "how_to" / "units.md"
LIBRARY = "langchain_text_splitters"


def test_the_page(en_lal_md: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy, "load", lambda name: en_lal_md)
    names: Dict[str, Any] = {"__name__": "page"}
    for block in blocks(PAGE):
        if block.language == "python" and (
            LIBRARY not in block.code or find_spec(LIBRARY)
        ):
            printed = printed_by(block.code, PAGE, names)
            assert says_the_same(block.shown, printed), block.code

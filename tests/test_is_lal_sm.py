"""The bundled Icelandic pipeline as it is installed, and as the parser of a blank pipeline. A checkout without
packages/is_lal_sm-* has nothing to test here; one with it must have it installed."""

import json
import logging
from importlib.metadata import version
from pathlib import Path
from typing import Any, List, Tuple

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

NAME = "is_lal_sm"
PACKAGES = sorted((Path(__file__).resolve().parent.parent / "packages").glob(f"{NAME}-*"))
MAX_BYTES = 15_000_000
TEXT = "Hún las bókina í gær."  # She read the book yesterday.
TREE = (
    "(S0 (S (IP (NP (pfn_et_nf_kvk_p3 Hún)) (VP (VP (so_1_þf_fh_p3_et_þt_gm las)) (NP (no_et_þf_kvk_gr bókina))"
    " (ADVP (ao í) (ao gær))))) (grm .))"
)
ARCS = [("nsubj", "las"), ("ROOT", "las"), ("obj", "las"), ("advmod", "las"), ("fixed", "í"), ("punct", "las")]
__test__ = bool(PACKAGES)  # what pytest asks a module


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.load(NAME)


def constituents(doc: Doc) -> List[Tuple[int, int, str]]:
    return [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]


def test_a_simple_sentence(nlp: Language):
    doc = nlp(TEXT)
    assert doc._.parse_string == TREE
    assert [(token.dep_, token.head.text) for token in doc] == ARCS
    assert [token.pos_ for token in doc] == ["PRON", "VERB", "NOUN", "ADV", "ADV", "PUNCT"]


def test_a_blank_pipeline_takes_its_weights(nlp: Language, caplog: Any):
    blank = spacy.blank("is")
    blank.add_pipe("lal_parser")
    expected = nlp(TEXT)
    words = [token.text for token in expected]
    with caplog.at_level(logging.WARNING, "spacy_lal"):
        doc = blank(Doc(blank.vocab, words=words, sent_starts=[True] + [False] * (len(words) - 1)))
    assert f"takes the weights of {NAME}" in caplog.text
    assert [(token.dep_, token.head.i) for token in doc] == [(token.dep_, token.head.i) for token in expected]
    assert constituents(doc) == constituents(expected)


def test_it_is_the_one_of_this_checkout():
    (folder,) = PACKAGES
    meta = json.loads((folder / "meta.json").read_text(encoding="utf8"))
    assert version(NAME) == meta["version"] == folder.name.removeprefix(f"{NAME}-")
    assert {source["license"] for source in meta["sources"]} == {"CC BY 4.0", "CC BY-SA 4.0"}
    assert sum(path.stat().st_size for path in (folder / NAME).rglob("*") if path.is_file()) < MAX_BYTES

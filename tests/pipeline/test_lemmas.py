"""`lal_lemmas`: the rules of a language correct another component's lemmas."""

import pickle

import pytest
import spacy
from spacy.tokens import Doc

WORDS = ["They", "fled", "-RRB-"]
TAGS = ["PRP", "VBD", "-RRB-"]
POS = ["PRON", "VERB", "PUNCT"]


def test_component_corrects_docs_in_place() -> None:
    """Tokens without lemmas stay without; escapes get the mark's lemma."""
    nlp = spacy.blank("en")
    component = nlp.add_pipe("lal_lemmas")
    lemmas = ["they", "flead", "-rrb-"]
    doc = Doc(nlp.vocab, WORDS, tags=TAGS, pos=POS, lemmas=lemmas)
    assert [token.lemma_ for token in component(doc)] == ["they", "flee", ")"]
    doc = Doc(nlp.vocab, WORDS, tags=TAGS, pos=POS)
    assert [token.lemma_ for token in component(doc)] == ["", "", ""]


def test_component_can_be_pickled() -> None:
    """As `nlp.pipe(n_process=2)` does."""
    nlp = spacy.blank("en")
    component = pickle.loads(pickle.dumps(nlp.add_pipe("lal_lemmas")))
    doc = Doc(nlp.vocab, ["fled"], tags=["VBD"], pos=["VERB"], lemmas=["flead"])
    assert component(doc)[0].lemma_ == "flee"


def test_a_language_without_rules_is_refused() -> None:
    with pytest.raises(
        ValueError, match="expected a language with rules for lemmas .*'de'"
    ):
        spacy.blank("de").add_pipe("lal_lemmas")

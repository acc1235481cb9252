"""The predicates of a sentence, for the page; and the page with them, by Streamlit's own tests."""

import sys

import pytest
import spacy
from app.hostile import HOSTILE
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import sentence_words, set_propositions
from spacy_lal.app import PAGE
from spacy_lal.app.explained import Explainer
from spacy_lal.trees.propositions import Proposition


@Language.component("tests_app_roles")
def set_roles(doc: Doc) -> Doc:
    """In place of lal_srl: the second word of a sentence is a predicate between two arguments."""
    found = []
    for words in sentence_words(doc):
        if len(words) > 3:
            args = ((words[0], words[0] + 1, "ARG0"), (words[1], words[1] + 1, "V"), (words[2], words[-2] + 1, "ARG1"))
            found.append(Proposition(words[1], "see.01", args, "see"))
    set_propositions(doc, found)
    return doc


@pytest.fixture(scope="module")
def with_roles(pipeline, tmp_path_factory):
    nlp = spacy.load(pipeline)
    nlp.add_pipe("tests_app_roles")
    path = tmp_path_factory.mktemp("roles") / "model"
    nlp.to_disk(path)
    return path


def test_predicates(with_roles):
    first, second = Explainer(spacy.load(with_roles)).explain("She sees a  dog in the park. Go!")
    (predicate,) = first.predicates
    assert predicate.name == "sees see.01"
    assert predicate.spans == {(0, 1): "ARG0", (1, 2): "V", (2, 7): "ARG1"}
    assert "lal-predicate" in predicate.markup and second.predicates == []
    marked = first.tree((0, 1), 0)
    assert marked.count("lal-argument") > first.tree((0, 1)).count("lal-argument") == 0
    assert "<title>ARG1</title>" in marked


def test_no_roles(sentence):
    assert sentence.predicates == []


@pytest.mark.app
def test_page(with_roles, monkeypatch):
    from streamlit.testing.v1 import AppTest

    monkeypatch.setattr(sys, "argv", [str(PAGE), str(with_roles)])
    page = AppTest.from_file(str(PAGE), default_timeout=300).run()
    text = "She sees a dog in the park."
    page.text_area(key="text").set_value(text)
    page.button[0].click().run()
    box = page.selectbox(key=f"predicate of {text}")
    assert box.value is None and box.options == ["sees see.01"]
    (row,) = [one.proto.body for one in page.get("html") if "lal-predicate" in one.proto.body]
    assert "ARG1" in row  # without a choice, all predicates are shown
    box.select_index(0).run()
    assert not page.exception
    assert row in [one.proto.body for one in page.get("html")]


def test_hostile_text(with_roles):
    sentences = Explainer(spacy.load(with_roles)).explain(f"She sees {HOSTILE}")
    markup = "".join(one.markup + sentence.tree((0, 1), 0) for sentence in sentences for one in sentence.predicates)
    assert "lal-predicate" in markup
    assert "<script" not in markup and "<img" not in markup and "<iframe" not in markup

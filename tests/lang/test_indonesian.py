"""The room of Indonesian: clitics, marks, and the ranges of CoNLL-U."""

import warnings

import pytest
import spacy

import spacy_lal
from spacy_lal.evaluation.evalb_params import NAMED, language_params
from spacy_lal.lang import conventions

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy-lal.WebTokenizer.v1"}}}
# Of ICON (Lim et al. 2023), which has labels of the Penn Treebank beside its own.
TAGS = "NNO PPO ART PUN VBT VBI VBL CSN CCN NEG PRK PRI PRR TAME KUA PAR INT".split()


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("Itulah rumahnya.", [(1, 2), (3, 4)]),
        ("rumah nya", []),  # with a space, two words of the text
        ("Apakah adiknya datang?", [(1, 2), (3, 4)]),
        ("(nya)", []),
    ],
)
def test_a_word_and_its_clitic_are_one_token_of_the_text(text: str, ranges: list):
    doc = spacy.blank("id", config=CONFIG)(text)
    words = [token.text for token in doc]
    rule = conventions("id").contractions
    assert rule is not None
    found = rule(words, [""] * len(doc), [bool(token.whitespace_) for token in doc])
    assert found == ranges


def test_two_clitics_after_one_another_are_one_token():
    rule = conventions("id").contractions
    assert rule is not None
    spaces = [False, False, False, True]
    assert rule(["ada", "nya", "lah", "."], [""] * 4, spaces) == [(1, 3)]


def test_punctuation_is_left_out():
    params = language_params("id")
    assert params is NAMED["id"] and params.bracket_label("ROOT") is None
    assert "PUN" in params.delete_label and "NNO" not in params.delete_label


def test_labels_are_explained():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(spacy_lal.explain(label) for label in [*TAGS, "RPN"])

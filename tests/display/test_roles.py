"""Semantic roles as HTML: rows, colours, and every string escaped."""

from xml.etree import ElementTree

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_lal.annotations import set_propositions, set_sentence_starts
from spacy_lal.annotations.frames import install_frames
from spacy_lal.annotations.role_rows import role_rows
from spacy_lal.display.roles import DEFAULT_COLOR, RolePiece, RoleRow, SentenceRows, role_color, roles_to_html
from spacy_lal.trees.frames import Frame, FrameRole
from spacy_lal.trees.propositions import Proposition

GIVE = Proposition(1, "give.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG1"), (4, 5, "C-ARG1")), "give")
GO = Proposition(6, "go.02", ((6, 7, "V"), (7, 9, "ARGM-DIR")), "go")


@pytest.fixture
def doc():
    words = ["She", "gave", "it", "\n", "all", ".", "Go", "\t", "home"]
    doc = Doc(English().vocab, words=words, spaces=[True, True, False, False, False, True, True, False, False])
    set_sentence_starts(doc, [0, 6])
    set_propositions(doc, [GIVE, GO])
    roles = {"1": FrameRole("ppt", "thing <given>")}
    install_frames(doc.vocab, [Frame("give.01", "give", "transfer", roles)])
    return doc


def test_rows(doc):
    (first, (give,)), (second, (go,)) = role_rows(doc)
    assert (first, second) == ("She gave it all.", "Go home")
    assert give[:3] == ("gave", "give.01", "transfer")
    assert give.pieces == [
        RolePiece("She ", "ARG0"),
        RolePiece("gave ", "V"),
        RolePiece("it ", "ARG1", "thing <given>"),
        RolePiece(" "),
        RolePiece("all", "C-ARG1", "thing <given>"),
        RolePiece(". "),
    ]
    assert go.pieces == [RolePiece("Go ", "V"), RolePiece(" home", "ARGM-DIR", "direction")]
    assert role_rows(doc[6:9]) == [(second, [go])] and role_rows(doc[1:6]) == [("gave it all.", [])]
    assert role_rows(Doc(doc.vocab)) == []


def texts(markup):
    return ["".join(element.itertext()) for element in ElementTree.fromstring(markup)]


def test_markup(doc):
    (sentence, _) = role_rows(doc)
    markup = roles_to_html(sentence)
    assert texts(markup) == ["gave give.01 (transfer)SheARG0 gaveV itARG1  allC-ARG1. "]
    assert 'title="thing &lt;given&gt;"' in markup and "<details" not in markup
    assert markup.count(f"background: {role_color('ARG1')}") == 2
    folded = roles_to_html(SentenceRows(sentence.text, [*sentence.rows] * 2), folded=True)
    root = ElementTree.fromstring(folded)
    assert [details.get("open") for details in root.iter("details")] == ["", None]
    assert [summary.find("b").text for summary in root.iter("summary")] == ["gave", "gave"]
    assert "".join(next(root.iter("li")).itertext()) == "ARG1 thing <given>: it"
    assert 'dir="rtl"' in roles_to_html(sentence, direction="rtl")
    assert texts(roles_to_html(SentenceRows("Oh <b>", []))) == ["Oh <b>", "This sentence has no predicate."]


def test_hostile_text():
    evil = "</span><script>alert(1)</script>\x07"
    row = RoleRow(evil, evil, evil, [RolePiece(evil, evil, evil), RolePiece(evil)])
    for folded, rows in ((False, [row]), (True, [row]), (False, [])):
        markup = roles_to_html(SentenceRows(evil, rows), folded=folded, direction='"><script>')
        assert "<script" not in markup and "\x07" not in markup
        ElementTree.fromstring(markup)


def test_colors():
    assert role_color("C-ARG1") == role_color("R-ARG1") == role_color("ARG1-DSP") == role_color("ARG1")
    assert role_color("ARGM-XYZ") == role_color("odd") == DEFAULT_COLOR and role_color("ARG0") != role_color("ARG1")

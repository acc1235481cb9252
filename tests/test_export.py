"""Sentences of a Doc, whole and cut, and CoNLL-U."""

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from tiny_pipeline import SENTENCES

from spacy_lal.annotations import set_sentence_starts
from spacy_lal.cli.parse import format_drawing
from spacy_lal.cli.texts import Origin
from spacy_lal.export import read_parses, sentence_record, to_conllu
from spacy_lal.pictures import render
from spacy_lal.pictures.parse import ROOT
from spacy_lal.trees import read_conllu
from spacy_lal.trees.parse import MissingParseError


@pytest.fixture
def doc() -> Doc:
    """A whitespace token within, and a sentence of nothing else at the end."""
    gold = SENTENCES[1]
    doc = Doc(
        spacy.blank("en").vocab,
        words=["Select", "the", "\n", *gold["words"][2:], "  "],
        spaces=[True, True, False, True, False, False, False],
        heads=[0, 3, 1, 0, 3, 0, 6],
        deps=["ROOT", "det", "dep", "obj", "acl", "punct", "ROOT"],
        tags=["VB", "DT", "_SP", "NN", "VBG", ".", "_SP"],
    )
    spans = [
        (0, 6, "S"),
        (0, 5, "VP"),
        (1, 5, "NP"),
        (1, 4, "NP"),
        (4, 5, "S"),
        (4, 5, "VP"),
    ]
    doc.spans["constituents"] = [Span(doc, *span) for span in spans]
    return doc


def test_conllu(doc: Doc):
    (sentence,) = read_conllu(to_conllu(doc, 4).splitlines())
    assert sentence.words == ["Select", "the", "person", "driving", "."]
    assert (sentence.heads, sentence.deprels) == (
        [0, 3, 1, 3, 1],
        ["root", "det", "obj", "acl", "punct"],
    )
    assert sentence.spaces == [True, True, True, False, True]
    assert sentence.metadata["sent_id"] == "5-1"
    tree = (
        "(S (VP (VB Select) (NP (NP (DT the) (NN person)) (S (VP (VBG driving))))) (. "
        ".))"
    )
    assert sentence.metadata["tree"] == tree


def test_conllu_of_what_is_not_parsed():
    doc = Doc(Vocab(), words=["Go", "on"], sent_starts=[True, False])
    (sentence,) = read_conllu(to_conllu(doc).splitlines())
    assert (sentence.heads, sentence.deprels, "tree" in sentence.metadata) == (
        [None, None],
        ["", ""],
        False,
    )
    assert to_conllu(Doc(Vocab())) == ""
    with pytest.raises(ValueError, match="no sentence boundaries"):
        to_conllu(Doc(Vocab(), words=["Go", "on"]))
    with pytest.raises(MissingParseError):
        next(read_parses(doc)).to_tree()


@pytest.fixture
def half_parsed() -> Doc:
    """The head of "old" is unknown."""
    doc = Doc(
        Vocab(),
        words=["old", "cats", "want", "sleeps"],
        heads=[0, 2, 2, 2],
        deps=["", "nsubj", "ROOT", "xcomp"],
    )
    set_sentence_starts(doc, [0])
    doc.spans["constituents"] = [Span(doc, 0, 4, "S")]
    return doc


def test_unknown_heads_are_left_open(half_parsed: Doc):
    (sentence,) = read_parses(half_parsed)
    assert sentence.heads == [None, 3, 0, 3]
    assert sentence.cut(0, 3).heads == [None, 3, 0]
    assert [
        line.split("\t")[6]
        for line in to_conllu(half_parsed).splitlines()
        if line[:1].isdigit()
    ] == list("_303")
    assert sentence_record(sentence)["heads"] == [None, 2, 2, 2]


def test_unknown_heads_are_not_drawn_as_roots(half_parsed: Doc):
    svg = render(half_parsed, style="parse", format="svg")
    assert svg.count(f">{ROOT}</text>") == 1
    assert "old: no head; cats: nsubj of want; want: root" in svg
    drawing = format_drawing(next(read_parses(half_parsed)), Origin(0))
    assert ["1", "old", "_"] in [line.split() for line in drawing.splitlines()]


def test_cut(doc: Doc):
    (sentence,) = read_parses(doc)
    assert sentence.tokens == [0, 1, 3, 4, 5]
    assert sentence.cut(0, 5) == sentence
    part = sentence.cut(1, 4)
    assert part.words == ["the", "person", "driving"]
    assert part.tokens == [1, 3, 4]
    assert part.text == "the \nperson driving"
    assert part.to_brackets() == "(NP (NP (DT the) (NN person)) (S (VP (VBG driving))))"
    assert part.heads == [2, 0, 2]
    assert sentence.cut(2, 2).words == []

"""The one record of a sentence, and its ways in and out."""

import pytest

from spacy_lal.trees import Parse, SpanError, parse_tree
from spacy_lal.trees.parse import MissingParseError

TEXT = "(S (NP (PRP We)) (VP (VBD saw) (NP (DT the) (NN dawn))))"


def test_brackets_go_in_and_out():
    parse = Parse.from_tree(parse_tree(TEXT))

    assert parse.words == ["We", "saw", "the", "dawn"]
    assert parse.tags == ["PRP", "VBD", "DT", "NN"]
    assert [c.label for c in parse.constituents] == ["S", "NP", "VP", "NP"]
    assert parse.heads is None
    assert parse.to_brackets() == TEXT


def test_a_tree_goes_in_and_out():
    parse = Parse.from_tree(parse_tree(TEXT))

    assert Parse.from_tree(parse.to_tree()) == parse


def test_a_part_keeps_what_lies_in_it():
    parse = Parse(
        ["We", "saw", "the", "dawn"],
        ["PRP", "VBD", "DT", "NN"],
        Parse.from_tree(parse_tree(TEXT)).constituents,
        heads=[2, 0, 4, 2],
        deprels=["nsubj", "root", "det", "obj"],
        spaces=[True, True, True, False],
        path="a.conllu",
        lines=[1, 2, 3, 4],
    )

    part = parse.cut(1, 4)

    assert part.to_brackets() == "(VP (VBD saw) (NP (DT the) (NN dawn)))"
    assert part.heads == [0, 3, 1]
    assert parse.cut(2, 4).heads == [2, 0]
    assert part.spaces == [True, True, False]
    assert part.where == "a.conllu:2"


def test_missing_heads_stay_missing_in_a_part():
    assert Parse(["a", "b"], heads=[None, 1]).cut(0, 1).heads == [None]


def test_no_words_are_no_tree():
    with pytest.raises(SpanError, match="at least one word"):
        Parse([]).to_tree()


def test_heads_alone_are_no_tree():
    with pytest.raises(MissingParseError, match="no constituents"):
        Parse(["Go"], heads=[0]).to_brackets()

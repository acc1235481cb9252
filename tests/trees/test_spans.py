"""Spans: any tree comes back; spans that make no tree are named."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from spacy_lal.trees.brackets import parse_tree, write_brackets
from spacy_lal.trees.parse import Parse
from spacy_lal.trees.spans import (
    Constituent,
    SpanError,
    collapse_chains,
    expand_chains,
)

DEPTH = 5000


def spans(*triples):
    return [Constituent(*triple) for triple in triples]


def bracketed(words, tags, *triples):
    return Parse(words, tags, spans(*triples)).to_brackets()


def test_example():
    tree = parse_tree(
        "(S (NP (NP (DT the) (NN cat)) (PP (IN on) (NP (NN TV)))) (VP (VBZ is) (ADJP "
        "(JJ big))) (. .))"
    )
    parse = Parse.from_tree(tree)
    assert parse.words == "the cat on TV is big .".split()
    assert parse.tags == "DT NN IN NN VBZ JJ .".split()
    assert parse.constituents == spans(
        (0, 7, "S"),
        (0, 4, "NP"),
        (0, 2, "NP"),
        (2, 4, "PP"),
        (3, 4, "NP"),
        (4, 6, "VP"),
        (5, 6, "ADJP"),
    )
    assert parse.to_tree() == tree


@pytest.mark.parametrize(
    "text, triples",
    [
        ("(NN cat)", []),
        ("(NP (NN cat))", [(0, 1, "NP")]),
        ("(S (VP (VB go)))", [(0, 1, "S::VP")]),
        ("(S (VP (VP (VB go) (RB on))))", [(0, 2, "S::VP::VP")]),
        ("(TOP (A a) (B b))", [(0, 2, "TOP")]),
    ],
)
def test_chains_and_single_words(text, triples):
    tree = parse_tree(text)
    parse = Parse.from_tree(tree)
    assert parse.constituents == spans(*triples)
    assert parse.to_tree() == tree
    assert parse.to_brackets() == text


def test_fragments_get_a_root():
    words, tags = ["a", "b", "c"], ["A", "B", "C"]
    assert bracketed(words, tags, (0, 2, "X")) == "(TOP (X (A a) (B b)) (C c))"
    assert bracketed(words, tags) == "(TOP (A a) (B b) (C c))"
    assert bracketed(["a"], ["A"]) == "(A a)"
    assert bracketed(["a"], ()) == "(TOP a)"
    assert Parse(["a"], (), []).to_tree() == Tree("TOP", ["a"])
    of_no_label = [(0, 3, ""), (1, 2, "X")]
    assert bracketed(words, tags, *of_no_label) == "(TOP (A a) (X (B b)) (C c))"


def test_crossing_spans_are_named():
    with pytest.raises(SpanError, match=r"\(0, 2, 'X'\) and \(1, 3, 'Y'\)"):
        bracketed(["a", "b", "c"], (), (0, 3, "S"), (1, 3, "Y"), (0, 2, "X"))


@pytest.mark.parametrize("span", [(0, 3, "S"), (-1, 1, "S"), (1, 1, "S"), (2, 1, "S")])
def test_spans_outside_of_the_words(span):
    with pytest.raises(SpanError, match="0 <= start < end <= 2"):
        bracketed(["a", "b"], (), span)


def test_chains_expand_and_collapse():
    chains = spans((0, 3, "S::VP"), (0, 1, ""), (1, 3, "NP"), (2, 3, "A::B::C"))
    expanded = expand_chains(chains)
    assert expanded == spans(
        (0, 3, "S"),
        (0, 3, "VP"),
        (1, 3, "NP"),
        (2, 3, "A"),
        (2, 3, "B"),
        (2, 3, "C"),
    )
    assert collapse_chains(expanded) == [chains[0], *chains[2:]]
    unordered = spans((1, 2, "B"), (0, 2, "A"), (0, 2, "C::D"))
    assert collapse_chains(unordered) == spans((0, 2, "A::C::D"), (1, 2, "B"))


def test_deep_nesting():
    chain = parse_tree("(S " * DEPTH + "(NN cat)" + ")" * DEPTH)
    comb = parse_tree("(S (A a) " * DEPTH + "(NN cat)" + ")" * DEPTH)
    for tree in (chain, comb):
        parse = Parse.from_tree(tree)
        assert write_brackets(parse.to_tree()) == write_brackets(tree)
        assert parse.to_brackets() == write_brackets(tree)
        expanded = replace(parse, constituents=expand_chains(parse.constituents))
        assert expanded.to_brackets() == write_brackets(tree)


@pytest.mark.parametrize("label", ["", "<H>", "A::B", ":", "A:", ":A"])
def test_labels_that_no_chain_can_hold(label):
    with pytest.raises(SpanError, match="labels without"):
        Parse.from_tree(Tree(label, [Tree("X", ["x"]), Tree("Y", ["y"])]))


labels = st.sampled_from(["S", "NP", "TOP", "A:B", "%", "%3A"])
words = st.sampled_from(["a", "(", "", ("tuple", "leaf"), 7])
preterminals = st.builds(lambda tag, word: Tree(tag, [word]), labels, words)
trees = st.recursive(
    preterminals,
    lambda inner: st.builds(
        Tree, labels, st.lists(inner | words, min_size=1, max_size=4)
    ),
)


@given(trees)
def test_any_tree_comes_back(tree):
    parse = Parse.from_tree(tree)
    found = parse.constituents
    assert parse.words == tree.leaves()
    assert all(0 <= span.start < span.end <= len(parse.words) for span in found)
    assert len({(span.start, span.end) for span in found}) == len(found)
    assert found == sorted(found, key=lambda span: (span.start, -span.end))
    assert parse.to_tree() == tree
    expanded = expand_chains(found)
    assert collapse_chains(expanded) == found
    assert replace(parse, constituents=expanded).to_tree() == tree

"""Spans: any tree comes back; spans that make no tree are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from spacy_lal.trees.brackets import parse_tree, write_brackets
from spacy_lal.trees.spans import (
    SpanError,
    collapse_chains,
    expand_chains,
    spans_to_tree,
    tree_to_spans,
)

DEPTH = 5000


def test_example():
    tree = parse_tree(
        "(S (NP (NP (DT the) (NN cat)) (PP (IN on) (NP (NN TV)))) (VP (VBZ is) (ADJP "
        "(JJ big))) (. .))"
    )
    words, tags, spans = tree_to_spans(tree)
    assert words == "the cat on TV is big .".split()
    assert tags == "DT NN IN NN VBZ JJ .".split()
    assert spans == [
        (0, 7, "S"),
        (0, 4, "NP"),
        (0, 2, "NP"),
        (2, 4, "PP"),
        (3, 4, "NP"),
        (4, 6, "VP"),
        (5, 6, "ADJP"),
    ]
    assert spans_to_tree(words, tags, spans) == tree


@pytest.mark.parametrize(
    "text, spans",
    [
        ("(NN cat)", []),
        ("(NP (NN cat))", [(0, 1, "NP")]),
        ("(S (VP (VB go)))", [(0, 1, "S::VP")]),
        ("(S (VP (VP (VB go) (RB on))))", [(0, 2, "S::VP::VP")]),
        ("(TOP (A a) (B b))", [(0, 2, "TOP")]),
    ],
)
def test_chains_and_single_words(text, spans):
    tree = parse_tree(text)
    found = tree_to_spans(tree)
    assert found.spans == spans
    assert spans_to_tree(*found) == tree


def test_fragments_get_a_root():
    words, tags = ["a", "b", "c"], ["A", "B", "C"]
    assert (
        write_brackets(spans_to_tree(words, tags, [(0, 2, "X")]))
        == "(TOP (X (A a) (B b)) (C c))"
    )
    assert (
        write_brackets(spans_to_tree(words, tags, [], root="ROOT"))
        == "(ROOT (A a) (B b) (C c))"
    )
    assert write_brackets(spans_to_tree(["a"], ["A"], [])) == "(A a)"
    assert spans_to_tree(["a"], None, []) == Tree("TOP", ["a"])
    assert (
        write_brackets(spans_to_tree(words, tags, [(0, 3, ""), (1, 2, "X")]))
        == "(TOP (A a) (X (B b)) (C c))"
    )


def test_crossing_spans_are_named():
    with pytest.raises(SpanError, match=r"\(0, 2, 'X'\) and \(1, 3, 'Y'\)"):
        spans_to_tree(["a", "b", "c"], None, [(0, 3, "S"), (1, 3, "Y"), (0, 2, "X")])


@pytest.mark.parametrize("span", [(0, 3, "S"), (-1, 1, "S"), (1, 1, "S"), (2, 1, "S")])
def test_spans_outside_of_the_words(span):
    with pytest.raises(SpanError, match="0 <= start < end <= 2"):
        spans_to_tree(["a", "b"], None, [span])


def test_chains_expand_and_collapse():
    spans = [(0, 3, "S::VP"), (0, 1, ""), (1, 3, "NP"), (2, 3, "A::B::C")]
    expanded = expand_chains(spans)
    assert expanded == [
        (0, 3, "S"),
        (0, 3, "VP"),
        (1, 3, "NP"),
        (2, 3, "A"),
        (2, 3, "B"),
        (2, 3, "C"),
    ]
    assert collapse_chains(expanded) == [spans[0], *spans[2:]]
    assert collapse_chains([(1, 2, "B"), (0, 2, "A"), (0, 2, "C::D")]) == [
        (0, 2, "A::C::D"),
        (1, 2, "B"),
    ]


def test_deep_nesting():
    chain = parse_tree("(S " * DEPTH + "(NN cat)" + ")" * DEPTH)
    comb = parse_tree("(S (A a) " * DEPTH + "(NN cat)" + ")" * DEPTH)
    for tree in (chain, comb):
        found = tree_to_spans(tree)
        assert write_brackets(spans_to_tree(*found)) == write_brackets(tree)
        back = spans_to_tree(found.words, found.tags, expand_chains(found.spans))
        assert write_brackets(back) == write_brackets(tree)


@pytest.mark.parametrize("label", ["", "<H>", "A::B", ":", "A:", ":A"])
def test_labels_that_no_chain_can_hold(label):
    with pytest.raises(SpanError, match="labels without"):
        tree_to_spans(Tree(label, [Tree("X", ["x"]), Tree("Y", ["y"])]))


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
    found = tree_to_spans(tree)
    assert found.words == tree.leaves()
    assert all(0 <= start < end <= len(found.words) for start, end, _ in found.spans)
    assert len({span[:2] for span in found.spans}) == len(found.spans)
    assert found.spans == sorted(found.spans, key=lambda span: (span[0], -span[1]))
    assert spans_to_tree(*found) == tree
    expanded = expand_chains(found.spans)
    assert collapse_chains(expanded) == found.spans
    assert spans_to_tree(found.words, found.tags, expanded) == tree

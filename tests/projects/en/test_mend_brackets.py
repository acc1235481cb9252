"""Closing brackets come back to the phrase of their opening one, and cross nothing."""

import pytest
from nltk.tree import Tree

from spacy_lal.trees import Parse


def tree(text: str) -> Tree:
    """A tree; < and > are brackets."""
    found = Tree.fromstring(
        text.replace("<", "(-LRB- LEFT)").replace(">", "(-RRB- RIGHT)")
    )
    for leaf in found.subtrees(lambda node: isinstance(node[0], str)):
        leaf[0] = {"LEFT": "(", "RIGHT": ")"}.get(leaf[0], leaf[0])
    return found


@pytest.mark.parametrize(
    "before, after",
    [
        (
            "(S (NP (NP (NN a)) < (NP (NN b))) > (VP (V c)))",
            "(S (NP (NP (NN a)) (PRN < (NP (NN b)) >)) (VP (V c)))",
        ),
        ("(S (NP (NN a) < (NN b)) >)", "(S (NP (NN a) (PRN < (NP (NN b)) >)))"),
        ("(S (NP < (NN b)) > (V c))", "(S (PRN < (NP (NN b)) >) (V c))"),
        ("(S (VP < (V b)) >)", "(S (VP < (V b) >))"),
        # the outer phrase is then the inner one
        (
            "(S (NP (NP (NN a) < (NP (NN b))) >) (V c))",
            "(S (NP (NN a) (PRN < (NP (NN b)) >)) (V c))",
        ),
        # another word stands between, or the pair is sound
        ("(S (NP < (NN b)) (V c) >)", "(S (NP < (NN b)) (V c) >)"),
        ("(S (PRN < (NN b) >) (V c))", "(S (PRN < (NN b) >) (V c))"),
    ],
)
def test_mended(script, before, after):
    given = tree(before)
    assert script("mend_brackets").mended(given) == tree(after)
    assert given == tree(before)


def test_nested(script):
    nested = script("mend_brackets").nested
    given = tree("(S (NP (NN a) (PRN < (NP (NN b)) >)) (V c))")
    expected = tree("(S (NP (NP (NN a)) (PRN < (NP (NN b)) >)) (V c))")
    assert nested(given) == expected
    assert nested(expected) == expected


def test_heads_and_lemmas(script):
    mend = script("mend_brackets")
    words = ["18", "(", "Third", ")", "18-P53"]
    sentence = Parse(
        words=words,
        tags=["CD", "-LRB-", "JJ", "-RRB-", "NNP"],
        heads=[0, 3, 1, 1, 1],
        deprels=["root", "punct", "dep", "x", "dep"],
        lemmas=["0", "(", "#ord#", ")", "0-p0"],
    )
    mend.mend_heads(tree("(S (CD 18) (PRN < (JJ Third) >) (NNP 18-P53))"), sentence)
    mend.mend_lemmas(sentence)
    assert sentence.heads == [0, 3, 1, 3, 1]
    assert sentence.lemmas == ["18", "(", "third", ")", "18-P53"]

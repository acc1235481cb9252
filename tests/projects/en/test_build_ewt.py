"""EWT's changed words: trees of 2016 on words that were joined, divided or spelled anew
since."""

from typing import Optional

import pytest

from spacy_lal.trees import parse_tree, write_brackets


@pytest.mark.parametrize(
    "tree, old, new, tags, expected",
    [
        # as many words: only their spelling changed
        (
            "(S (NP (A 0)) (VP (B 1)))",
            "can t",
            "ca nt",
            "MD RB",
            "(S (NP (A 0)) (VP (B 1)))",
        ),
        # joined
        (
            "(VP (A 0) (NP (B 1) (C 2)))",
            "ask @ ann",
            "ask @ann",
            "VB ADD",
            "(VP (A 0) (NP (B 1)))",
        ),
        ("(ADVP (A 0) (B 1) (C 2))", "4 - ever", "4-ever", "RB", "(ADVP (A 0))"),
        (
            "(NP (NML (A 0) (B 1)) (C 2))",
            "Mark 2 drive",
            "Mark-2 drive",
            "NNP NN",
            "(NP (A 0) (C 2))",
        ),
        (
            "(NP (NP (A 0) (B 1)) (C 2))",
            "it 's deck",
            "it's deck",
            "PRP$ NN",
            "(NP (A 0) (C 2))",
        ),
        # divided
        (
            "(NP (NP (A 0)) (B 1))",
            "cooks knife",
            "cook s knife",
            "NN POS NN",
            "(NP (NP (A 0) (A 0)) (B 1))",
        ),
        (
            "(ADVP (A 0) (B 1))",
            "atleast so",
            "at least so",
            "IN JJS RB",
            "(ADVP (A 0) (A 0) (B 1))",
        ),
        # unknown: a verb came out of a noun phrase; words of two phrases became one;
        # words came or went
        ("(S (NP (A 0)) (VP (B 1)))", "Im off", "I m off", "PRP VBP RB", None),
        (
            "(S (NP (A 0) (B 1)) (VP (C 2)))",
            "whats that s",
            "whats thats",
            "WP DT",
            None,
        ),
        ("(NP (A 0) (B 1))", "old deck", "deck", "NN", None),
        ("(NP (A 0))", "deck", "old deck", "JJ NN", None),
        ("(NP (A 0) (B 1) (C 2))", "a b c", "x y", "X X", None),
    ],
)
def test_changed_words(
    script, tree: str, old: str, new: str, tags: str, expected: Optional[str]
):
    result = script("build_ewt").retokenized(
        parse_tree(tree), old.split(), new.split(), tags.split()
    )
    assert (None if result is None else write_brackets(result)) == expected

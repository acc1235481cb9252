"""Counts of structures, depths and measures of heads against values counted by hand;
and against the counts of L2SCA's patterns where the treebanks lie beside the
repository."""

import csv
from pathlib import Path

import pytest
from nltk.tree import Tree

from spacy_lal.complexity import (
    Complexity,
    find_structures,
    measure_sentence,
    summed,
)
from spacy_lal.complexity.depths import measure_depths
from spacy_lal.trees import Constituent, Parse
from spacy_lal.trees.tree_index import TreeIndex

SHARED = Path(__file__).resolve().parents[3] / "shared"
COLUMNS = (
    *("VP1", "VP2", "C1", "C2", "T1", "T2"),
    *("CN1", "CN2", "CN3", "DC", "CT", "CP"),
)
# Each tree, and the structures in it that are not 0, counted by hand.
COUNTED = [
    (
        "(S (NP (PRP She)) (VP (VBD slept)) (. .))",
        {"VP1": 1, "C1": 1, "T1": 1},
    ),
    (
        "(S (NP (NP (DT the) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD left)))))"
        " (VP (VBD called)))",
        {"VP1": 2, "C1": 2, "T1": 1, "CN1": 1, "DC": 1, "CT": 1},
    ),
    (
        "(S (S (NP (PRP I)) (VP (VBP sing))) (CC and)"
        " (S (NP (PRP they)) (VP (VBP dance))) (. .))",
        {"VP1": 2, "C1": 2, "T1": 2},
    ),
    (
        "(S (NP (PRP I)) (VP (VBP know) (SBAR (IN that)"
        " (S (NP (PRP it)) (VP (VP (VBZ rains)) (CC and) (VP (VBZ snows)))))))",
        {"VP1": 2, "C1": 2, "T1": 1, "CN2": 1, "DC": 1, "CT": 1, "CP": 1},
    ),
    (
        "(S (S (VP (VBG Swimming))) (VP (VBZ helps)))",
        {"VP1": 2, "C1": 1, "T1": 1, "CN3": 1},
    ),
    ("(S (VP (VB Go)) (. !))", {"VP1": 1, "C1": 1, "T1": 1}),
    ("(SQ (VBZ Is) (NP (PRP it)) (. ?))", {"VP2": 1, "C1": 1, "T1": 1}),
    ("(FRAG (NP (JJ Good) (NN idea)))", {"C2": 1, "T2": 1, "CN1": 1}),
]
COOK = (
    "(ROOT (S (NP (PRP She)) (VP (VBD was) (NP (NP (DT a) (NN cook))"
    " (PP (IN in) (NP (DT a) (NN school) (NN cafeteria))))) (. .)))"
)


@pytest.mark.parametrize("brackets, expected", COUNTED)
def test_structures_are_those_counted_by_hand(brackets, expected):
    found = find_structures(Tree.fromstring(brackets))
    assert {name: len(nodes) for name, nodes in found.items() if nodes} == expected


@pytest.mark.parametrize("bank, trees", [("ewt", "dev.nonml.ptb"), ("gum", "dev.ptb")])
def test_every_tree_of_dev_has_the_counts_of_l2sca(bank, trees):
    path = SHARED / bank / trees
    counts = SHARED / "l2sca" / f"{bank}_dev.tsv"
    if not (path.exists() and counts.exists()):
        pytest.skip("the treebanks are not beside the repository")
    lines = path.read_text(encoding="utf8").splitlines()
    rows = list(csv.DictReader(counts.open(), delimiter="\t"))
    assert len(rows) == len(lines) > 1000
    for line, row in zip(lines, rows, strict=True):
        found = find_structures(Tree.fromstring(line))
        assert {name: len(found[name]) for name in COLUMNS} == {
            name: int(row[name]) for name in COLUMNS
        }, line


def test_depths_are_those_of_the_papers():
    """Roark et al. (2007), figure 1: the scores of a sentence by both papers."""
    depths = measure_depths(
        TreeIndex(Tree.fromstring(COOK)),
        punctuation={"."},
        roots={"ROOT"},
        clauses=frozenset({"S"}),
    )
    assert depths.yngve == [1, 1, 2, 1, 1, 2, 1, 0]
    assert depths.frazier == [2.5, 1, 2, 0, 1, 1, 0, 0]
    assert depths.height == 5


def depths_of(brackets):
    return measure_depths(
        TreeIndex(Tree.fromstring(brackets)),
        punctuation=set(),
        roots={"ROOT"},
        clauses=frozenset({"S", "SBAR"}),
    )


@pytest.mark.parametrize(
    "brackets, depths",
    [
        # The grammar of Yngve (1960): S = NP + VP, NP = T + N, VP = V + NP.
        (
            "(S (NP (T the) (N man)) (VP (V saw) (NP (T the) (N boy))))",
            [2, 1, 1, 1, 0],
        ),
        # A regressive structure, which grows to the left: each step deeper is one more.
        (
            "(S (NP (AP (AdvP (Adv very) (Adv clearly)) (A projected)) (N pictures))"
            " (VP (V appeared)))",
            [4, 3, 2, 1, 0],
        ),
        # A progressive one, which grows to the right, stays at 1.
        (
            "(S (NP (N he)) (VP (V said) (SBAR (C that)"
            " (S (NP (N she)) (VP (V left))))))",
            [1, 1, 1, 1, 0],
        ),
    ],
)
def test_yngve_counts_the_sisters_to_the_right(brackets, depths):
    assert depths_of(brackets).yngve == depths


@pytest.mark.parametrize(
    "brackets, depths, most_of_three",
    [
        (
            "(S (SBAR (IN That) (S (NP (NNP Mary)) (VP (VBD left))))"
            " (VP (VBD surprised) (NP (NNP Sue))))",
            [3, 2.5, 1, 1, 1],
            6.5,
        ),
        (
            "(S (NP (PRP It)) (VP (VBD surprised) (NP (NNP Sue))"
            " (SBAR (IN that) (S (NP (NNP Mary)) (VP (VBD left))))))",
            [2.5, 1, 1, 1.5, 2.5, 1],
            5,
        ),
    ],
)
def test_frazier_weighs_a_clause_as_subject_more(brackets, depths, most_of_three):
    """A word has the nodes that begin with it, S and SBAR 1.5 each; three words in a
    row have most where a clause is the subject (Frazier 1985)."""
    found = depths_of(brackets).frazier
    threes = zip(found, found[1:], found[2:], strict=False)
    assert found == depths
    assert max(map(sum, threes)) == most_of_three


def headed(tags, *rows):
    """The sentence of rows: head (from 1), deprel, part of speech, features."""
    heads, deprels, pos, morphs = zip(*rows, strict=True)
    return Parse(tags, tags, None, heads, deprels, pos=pos, morphs=morphs)


def test_measures_of_heads():
    """The big house was sold yesterday."""
    parse = headed(
        ["DT", "JJ", "NN", "VBD", "VBN", "RB", "."],
        (3, "det", "DET", ""),
        (3, "amod", "ADJ", ""),
        (5, "nsubj:pass", "NOUN", ""),
        (5, "aux:pass", "AUX", "VerbForm=Fin"),
        (0, "root", "VERB", "VerbForm=Part"),
        (5, "advmod", "ADV", ""),
        (5, "punct", "PUNCT", ""),
    )
    found = measure_sentence(parse)
    assert (found.W, found.S) == (6, 1)
    assert found.dependency_distance == (2 + 1 + 2 + 1 + 1) / 5
    assert found.words_before_verb == 4
    assert found.noun_modifiers == 1
    assert (found.passives, found.finite_clauses) == (1, 1)
    assert found.VP is found.MLT is found.yngve_depth is None


def test_a_copula_is_the_main_verb_and_punctuation_has_no_place():
    """Oh, she is kind."""
    parse = headed(
        ["UH", ",", "PRP", "VBZ", "JJ"],
        (5, "discourse", "INTJ", ""),
        (5, "punct", "PUNCT", ""),
        (5, "nsubj", "PRON", ""),
        (5, "cop", "AUX", "VerbForm=Fin"),
        (0, "root", "ADJ", ""),
    )
    found = measure_sentence(parse)
    assert found.words_before_verb == 2
    assert found.dependency_distance == (3 + 2 + 1) / 3
    assert found.finite_clauses == 1


def test_a_mood_without_a_form_of_the_verb_is_finite():
    """Hún vill fara (she wants to go), with the features of the Icelandic pipeline."""
    parse = headed(
        ["P", "V", "V"],
        (2, "nsubj", "PRON", "Case=Nom"),
        (0, "root", "VERB", "Mood=Ind|Tense=Pres"),
        (2, "xcomp", "VERB", "VerbForm=Inf|Mood=Ind"),
    )
    assert measure_sentence(parse).finite_clauses == 1


def test_a_text_is_the_sum_of_its_sentences():
    trees = [Tree.fromstring(COUNTED[i][0]) for i in (0, 1)]
    one, other = (measure_sentence(Parse.from_tree(t)) for t in trees)
    text = summed([one, other])
    assert (text.W, text.S, text.VP, text.C, text.T) == (7, 2, 3, 3, 2)
    assert (text.MLS, text.C_T, text.DC_C) == (3.5, 1.5, 1 / 3)
    assert text.yngve_depth == (one.yngve_depth + other.yngve_depth) / 2
    assert list(text.to_dict())[:12] == [
        *("W", "S", "VP", "C", "T", "DC", "CT", "CP", "CN", "MLS", "MLT", "MLC")
    ]


def test_a_text_without_sentences_has_counts_of_0_and_no_means():
    empty = summed([])
    assert empty == Complexity()
    assert (empty.W, empty.T, empty.MLT, empty.CN_C) == (0, 0, 0, 0)
    assert empty.yngve_depth is empty.dependency_distance is None


def test_other_languages_have_depths_and_no_structures():
    tree = Tree.fromstring("(SENT (NP (CLS Elle)) (VN (V dort)) (PONCT .))")
    found = measure_sentence(Parse.from_tree(tree), lang="fr")
    assert (found.W, found.S, found.VP, found.MLT) == (2, 1, None, None)
    assert (found.MLS, found.yngve_depth, found.frazier_depth) == (2, 0.5, 1.75)


def test_a_tree_as_deep_as_its_text():
    """5,000 words that branch to the right, and 5,000 to the left."""
    n = 5000
    tags = ["NN"] * n
    right = [Constituent(i, n, ("S", "VP")[i % 2]) for i in range(n - 1)]
    left = [Constituent(0, n - i, ("S", "VP")[i % 2]) for i in range(n - 1)]
    for constituents in (right, left):
        measured = measure_sentence(Parse(tags, tags, constituents))
        assert measured.tree_height == n - 1 and measured.VP1 == n // 2 - 1

"""Counts by label: by hand on small parses, and against EVALB's sums on many."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from spacy_lal.evaluation.confusion import LabelPairs, constituent_pairs
from spacy_lal.evaluation.evalb import EvalbCounts, score_sentence
from spacy_lal.evaluation.evalb_params import NK
from spacy_lal.trees import Constituent, Parse

GOLD = (
    "(TOP (S (NP (PRP She)) (VP (VBZ sees) (NP (NP (DT the) (NN man)) (PP (IN with) "
    "(NP (NN glee))))) (. .)))"
)
TEST = (
    "(TOP (S (NP (PRP She)) (VP (VBZ sees) (NP (DT the) (NN man)) (ADVP (IN with) (NP "
    "(NN glee)))) (. .)))"
)


def test_constituents():
    pairs = constituent_pairs(GOLD, TEST)
    table = pairs.table()
    # TOP does not count; the most frequent first
    assert list(table) == ["NP", "PP", "S", "VP", "ADVP"]
    counts = {"gold": 4, "predicted": 3, "correct": 3}
    assert table["NP"] == pytest.approx({**counts, "p": 1.0, "r": 0.75, "f": 6 / 7})
    counts = {"gold": 1, "predicted": 0, "correct": 0}
    assert table["PP"] == {**counts, "p": 0.0, "r": 0.0, "f": 0.0}
    assert pairs.confusions() == [("PP", "ADVP", 1)]


def test_unary_chains_are_paired_from_outside():
    def parse(end: int, label: str) -> Parse:
        constituent = Constituent(0, end, label)
        return Parse(["Go", "on", "."], ["VB", "RP", "."], [constituent])

    pairs = constituent_pairs(parse(3, "S::VP::X"), parse(3, "FRAG::VP"))
    pairs += constituent_pairs(parse(2, "S::S"), parse(2, "S::NP::NP"))
    assert pairs == {
        ("VP", "VP"): 1,
        ("S", "S"): 1,
        ("S", "FRAG"): 1,
        ("X", None): 1,
        ("S", "NP"): 1,
        (None, "NP"): 1,
    }


def test_sums_are_those_of_evalb(data_dir: Path):
    def lines(name):
        with gzip.open(data_dir / "evalb" / name, "rt", encoding="utf8") as file:
            return file.read().splitlines()

    params = replace(NK, eq_label=())
    counts, pairs = EvalbCounts(), LabelPairs()
    for gold, test in zip(lines("v1.gld.gz"), lines("v1.tst.gz"), strict=True):
        row = score_sentence(gold, test, params)
        if row.status == 0:
            counts.add(row)
            pairs.update(constituent_pairs(gold, test, params))
    assert counts.n_valid > 100
    score = pairs.score(pairs.labels())
    assert score.tp == counts.matched
    assert score.tp + score.fn == counts.gold_brackets
    assert score.tp + score.fp == counts.test_brackets


def test_confusions_are_sorted():
    pairs = LabelPairs({("b", "c"): 1, ("a", "c"): 1, ("a", "b"): 2, ("a", None): 9})
    assert pairs.confusions() == [("a", "b", 2), ("a", "c", 1), ("b", "c", 1)]

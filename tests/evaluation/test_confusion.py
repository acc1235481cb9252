"""Counts by label: by hand on small parses, and against EVALB's sums on many."""

import gzip
from dataclasses import replace
from pathlib import Path

from spacy_lal.evaluation.confusion import ConstituentConfusion, DeprelConfusion
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
    confusion = ConstituentConfusion()
    confusion.add(GOLD, TEST)
    labels = confusion.labels()
    assert list(labels) == [
        "NP",
        "S",
        "VP",
        "PP",
        "ADVP",
    ]  # TOP does not count; the most frequent first
    assert labels["NP"] == {
        "gold": 4,
        "predicted": 3,
        "correct": 3,
        "p": 1.0,
        "r": 0.75,
        "f": 6 / 7,
        "confused": 0,
    }
    assert labels["PP"] == {
        "gold": 1,
        "predicted": 0,
        "correct": 0,
        "p": None,
        "r": 0.0,
        "f": 0.0,
        "confused": 1,
    }
    assert labels["ADVP"]["r"] is None and labels["ADVP"]["p"] == 0.0
    assert confusion.confusions() == [("PP", "ADVP", 1)]


def test_unary_chains_are_paired_from_outside():
    def parse(end: int, label: str) -> Parse:
        constituent = Constituent(0, end, label)
        return Parse(["Go", "on", "."], ["VB", "RP", "."], [constituent])

    confusion = ConstituentConfusion()
    confusion.add(parse(3, "S::VP::X"), parse(3, "FRAG::VP"))
    confusion.add(parse(2, "S::S"), parse(2, "S::NP::NP"))
    assert confusion.correct == {"VP": 1, "S": 1}
    assert confusion.confusions() == [("S", "FRAG", 1), ("S", "NP", 1)]
    assert (confusion.gold["X"], confusion.labels()["X"]["confused"]) == (1, 0)
    assert (confusion.gold["S"], confusion.labels()["S"]["confused"]) == (3, 2)


def test_sums_are_those_of_evalb(data_dir: Path):
    def lines(name):
        with gzip.open(data_dir / "evalb" / name, "rt", encoding="utf8") as file:
            return file.read().splitlines()

    params = replace(NK, eq_label=())
    counts, confusion = EvalbCounts(), ConstituentConfusion()
    for gold, test in zip(lines("v1.gld.gz"), lines("v1.tst.gz"), strict=True):
        row = score_sentence(gold, test, params)
        if row.status == 0:
            counts.add(row)
            confusion.add(gold, test, params)
    assert counts.n_valid > 100
    assert confusion.gold.total() == counts.gold_brackets
    assert confusion.predicted.total() == counts.test_brackets
    assert confusion.correct.total() == counts.matched


def test_deprels():
    confusion = DeprelConfusion()
    words = list("abcd")
    confusion.add(
        Parse(words, heads=[2, 0, 4, 2], deprels=["nsubj", "ROOT", "det", "obj"]),
        Parse(words, heads=[2, 0, 2, 2], deprels=["nsubj", "ROOT", "det", "obl"]),
    )
    confusion.add(
        Parse(words[:3], heads=[0, 1, None], deprels=["ROOT", "obj", ""]),
        Parse(words[:3], heads=[0, 2, 1], deprels=["ROOT", "nsubj", "det"]),
    )
    labels = confusion.labels()
    assert list(labels) == ["ROOT", "obj", "nsubj", "det", "obl"]
    assert labels["obj"] == {
        **{"gold": 2, "predicted": 0, "correct": 0, "p": None, "r": 0.0, "f": 0.0},
        **{"head_acc": 0.5, "deprel_acc": 0.0},
    }
    assert labels["nsubj"]["p"] == 0.5 and labels["nsubj"]["deprel_acc"] == 1.0
    assert labels["det"]["head_acc"] == 0.0 and labels["det"]["deprel_acc"] is None
    assert confusion.confusions() == [("obj", "nsubj", 1), ("obj", "obl", 1)]

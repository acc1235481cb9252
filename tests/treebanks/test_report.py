"""The figures of `spacy lal check`, on trees small enough to count by hand and on
treebanks whose figures are known."""

import json
from itertools import product
from pathlib import Path

import pytest

from spacy_lal.treebanks.reader import TreebankFiles
from spacy_lal.treebanks.report import check_treebank, is_projective

TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"


def crossing_arcs(heads):
    """The definition, arc by arc, with the root in front of the sentence."""
    arcs = [(min(head, i), max(head, i)) for i, head in enumerate(heads, start=1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def is_tree(heads):
    for word in range(1, len(heads) + 1):
        seen = set()
        while word and word not in seen:
            seen.add(word)
            word = heads[word - 1]
        if word:
            return False
    return True


@pytest.mark.parametrize("n_words", [1, 2, 3, 4, 5])
def test_projective_is_no_crossing_arcs(n_words):
    trees = [
        heads for heads in product(range(n_words + 1), repeat=n_words) if is_tree(heads)
    ]
    assert len(trees) == (n_words + 1) ** (n_words - 1)  # Cayley
    assert all(is_projective(heads) != crossing_arcs(heads) for heads in trees)


def word(number, form, head, deprel="x", tag="T"):
    return f"{number}\t{form}\t_\t_\t{tag}\t_\t{head}\t{deprel}\t_\t_\n"


def test_pairs_of_brackets(tmp_path):
    """A ")" outside of the phrase of its "(" is counted, one without "(" is not."""
    ptb = tmp_path / "x.ptb"
    ptb.write_text(
        "(TOP (NP (NP (T a)) (PRN (-LRB- -LRB-) (NP (T b)) (-RRB- -RRB-))))\n"
        "(TOP (S (NP (T a) (-LRB- -LRB-) (T b)) (-RRB- -RRB-) (T c)))\n"
        "(TOP (S (T a) (-RRB- -RRB-) (NP (-LRB- [) (T b) (-RRB- ]))))\n",
        encoding="utf-8",
    )
    report = check_treebank(TreebankFiles(ptb, None))
    pairs = [report.figures[name] for name in ("bracket_pairs", "split_pairs")]
    assert pairs == [3, 1]


def test_counts(tmp_path):
    ptb, conllu = tmp_path / "x.ptb", tmp_path / "x.conllu"
    ptb.write_text(
        "(TOP (S (VP (T a) (NP (T b) (U c)))))\n(TOP (NP (T a)) (NP (T b)))\n(TOP (T "
        "a))\n",
        encoding="utf-8",
    )
    conllu.write_text(
        word(1, "a", 0, "root") + word(2, "b", 1) + word(3, "c", 1) + "\n"
        + word(1, "a", 0, "root") + word(2, "b", 0, "root") + "\n"
        + word(1, "a", "_", "_"),
        encoding="utf-8",
    )  # fmt: skip
    report = check_treebank(TreebankFiles(ptb, conllu))
    assert not report.problems
    assert (
        report.figures["sentences"],
        report.figures["tokens"],
        report.figures["constituents"],
        report.figures["arcs"],
    ) == (
        3,
        6,
        5,
        5,
    )
    assert report.tables["labels"] == {"S": 1, "VP": 1, "NP": 3}
    assert report.tables["chains"] == {"S::VP": 1}
    assert report.tables["deprels"] == {"root": 3, "x": 2}
    assert report.tables["tags"] == {"T": 6}
    assert report.figures["different_tags"] == 1
    assert report.tables["lengths"] == {3: 1, 2: 1, 1: 1}
    assert (
        report.figures["wide_constituents"],
        report.figures["one_outside_head"],
    ) == (
        3,
        2,
    )  # S and VP are fine, (b c) is not
    assert report.share("one_outside_head") == pytest.approx(2 / 3)
    assert (
        report.figures["several_roots"],
        report.figures["no_root"],
        report.figures["missing_heads"],
        report.figures["non_projective"],
    ) == (1, 0, 1, 0)
    assert report.figures["trees_without_cover"] == 2
    values = json.loads(json.dumps(report.to_dict()))
    assert values["lengths"] == {"3": 1, "2": 1, "1": 1}
    assert values["sound"] is True


def test_toy_treebank_is_as_its_readme_says():
    train = check_treebank(TreebankFiles(TOY / "train.ptb", TOY / "train.conllu"))
    dev = check_treebank(TreebankFiles(TOY / "dev.ptb", TOY / "dev.conllu"))
    assert (train.figures["sentences"], dev.figures["sentences"]) == (79, 16)
    for report in [train, dev]:
        assert (
            not report.problems
            and not report.figures["different_tags"]
            and not report.figures["trees_without_cover"]
        )
        assert not (
            report.figures["non_projective"]
            or report.figures["several_roots"]
            or report.figures["no_root"]
            or report.figures["missing_heads"]
        )
    assert train.figures["wide_constituents"] - train.figures["one_outside_head"] == 1
    (place,) = train.examples["one_outside_head"]
    assert place.startswith(str(TOY / "train.conllu"))
    assert place.endswith(": SQ is your name")
    assert dev.share("one_outside_head") == 1.0
    assert set(dev.tables["labels"]) <= set(train.tables["labels"])
    assert set(dev.tables["deprels"]) <= set(train.tables["deprels"])


def test_problems_are_gathered_and_the_rest_is_counted(tmp_path):
    conllu = (TOY / "dev.conllu").read_text(encoding="utf-8").split("\n\n")
    conllu[1] = conllu[1].replace("woman", "man")
    conllu[3] = conllu[3].replace("\t0\troot", "\tzero\troot")
    del conllu[5]
    path = tmp_path / "x.conllu"
    path.write_text("\n\n".join(conllu), encoding="utf-8")
    report = check_treebank(TreebankFiles(TOY / "dev.ptb", path))
    assert report.problems
    places = [problem.split(" ")[0] for problem in report.problems]
    # A word; a malformed sentence, and the tree that lost it; a tree without sentence.
    assert len(places) == 4
    zero = [
        line for line in path.read_text(encoding="utf-8").splitlines() if "zero" in line
    ]
    line = path.read_text(encoding="utf-8").splitlines().index(zero[0]) + 1
    assert f"{path}:{line}:" in places
    assert report.figures["sentences"] == 16
    assert any(
        f"{TOY / 'dev.ptb'}:6: no sentence in {path}" in problem
        for problem in report.problems
    )


def test_a_tag_that_is_a_label_is_counted(tmp_path):
    path = tmp_path / "a.ptb"
    path.write_text("(VP (S to) (VP (VB go)))\n(S (VP (VB Go)))\n", encoding="utf-8")
    report = check_treebank(TreebankFiles(path))
    assert not report.problems and report.figures["tags_that_are_labels"] == 1
    assert report.to_dict()["tags_that_are_labels"] == 1


@pytest.mark.parametrize(
    "head, deprel, number",
    [
        (2, "root", 1),
        (2, "ROOT", 1),
        (2, "x", 0),
        ("_", "root", 1),
        ("_", "_", 0),
        (0, "x", 1),
        (0, "_", 0),
        (0, "root", 0),
    ],
)
def test_a_root_below_a_word_and_a_root_with_another_deprel_are_counted(
    tmp_path, head, deprel, number
):
    path = tmp_path / "x.conllu"
    path.write_text(
        word(1, "a", head, deprel) + word(2, "b", 0, "root"), encoding="utf-8"
    )
    report = check_treebank(TreebankFiles(None, path))
    assert not report.problems and report.figures["misplaced_roots"] == number
    assert report.to_dict()["misplaced_roots"] == number

"""EVALB against the original program's own answers, and against itself by other
doors."""

import gzip
from pathlib import Path
from typing import Any, Iterable, List, Tuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk import Tree

from spacy_lal.evaluation.evalb import (
    VALID,
    EvalbCounts,
    count_crossing,
    read_sentence,
    score_sentence,
)
from spacy_lal.evaluation.evalb_params import COLLINS, NK, EvalbParams
from spacy_lal.evaluation.evalb_report import EvalbStopped, report
from spacy_lal.trees import Constituent, Parse


def read(path: Path) -> List[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        return list(file)


def count(pairs: Iterable[Tuple[Any, Any]], params: EvalbParams) -> EvalbCounts:
    counts = EvalbCounts()
    for gold, test in pairs:
        counts.add(score_sentence(gold, test, params))
    return counts


def run(
    gold: List[str], test: List[str], params: EvalbParams
) -> Tuple[List[str], List[str]]:
    """What goes to stdout and to stderr, up to the error that stops the run."""
    out: List[str] = []
    errors: List[str] = []
    try:
        for line in report(gold, test, params, on_error=errors.append):
            out.append(f"{line}\n")
    except EvalbStopped:
        errors.append("stopped")
    return out, errors


def test_params_of_the_program(data_dir):
    assert EvalbParams.from_file(data_dir / "evalb" / "COLLINS.prm") == COLLINS
    assert EvalbParams.from_file(data_dir / "evalb" / "nk.prm") == NK
    assert COLLINS.signature == "params:COLLINS"
    assert NK.signature == "params:nk"


@pytest.mark.parametrize(("name", "prm"), [("v1", "nk"), ("v2", "COLLINS")])
def test_equals_the_program(data_dir, name, prm):
    folder = data_dir / "evalb"
    params = EvalbParams.from_file(folder / f"{prm}.prm")
    out, errors = run(
        read(folder / f"{name}.gld.gz"), read(folder / f"{name}.tst.gz"), params
    )
    assert out == read(folder / f"{name}.{prm}.out.gz")
    assert len(errors) == (15 if name == "v1" else 0)


@pytest.mark.parametrize("prm", ["COLLINS", "nk", "own"])
def test_equals_the_program_on_odd_trees(data_dir, prm):
    folder = data_dir / "evalb"
    params = EvalbParams.from_file(folder / f"{prm}.prm")
    out, errors = run(read(folder / "odd.gld"), read(folder / "odd.tst"), params)
    assert out == read(folder / f"odd.{prm}.out")
    assert errors[: -1 if prm == "COLLINS" else None] == [
        line[:-1] for line in read(folder / f"odd.{prm}.err")
    ]
    assert (errors[-1] == "stopped") == (prm == "COLLINS")


@pytest.mark.parametrize("params", [COLLINS, NK])
def test_trees_and_spans_score_as_lines_do(data_dir, params):
    folder = data_dir / "evalb"
    pairs = list(
        zip(read(folder / "v1.gld.gz"), read(folder / "v1.tst.gz"), strict=True)
    )
    lines = count(pairs, params)
    trees = [(Tree.fromstring(gold), Tree.fromstring(test)) for gold, test in pairs]
    assert count(trees, params) == lines
    parses = [(to_parse(gold), to_parse(test)) for gold, test in trees]
    assert count(parses, params) == lines
    assert lines.n_errors == 15


def to_parse(tree: Tree) -> Parse:
    """Words, tags and constituents by plain recursion, unary chains collapsed."""
    words, tags, spans = [], [], []

    def visit(node: Tree, chain: str) -> int:
        if not isinstance(node[0], Tree):
            tags.append(node.label())
            words.append(node[0])
            return len(words)
        chain = f"{chain}::{node.label()}" if chain else node.label()
        if len(node) == 1 and isinstance(node[0][0], Tree):
            return visit(node[0], chain)
        start, at = len(words), len(spans)
        spans.append(None)
        for child in node:
            visit(child, "")
        spans[at] = Constituent(start, len(words), chain)
        return len(words)

    visit(tree, "")
    return Parse(words, tags, spans)


def test_counts():
    rows = [
        (
            "(TOP (S (NP (DT a) (NN b)) (VP (VB c))))",
            "(TOP (S (NP (DT a) (NN b)) (VP (VB c))))",
        ),
        (
            "(TOP (S (NP (DT a) (NN b)) (VP (VB c))))",
            "(TOP (S (DT a) (VP (VB b) (VB c))))",
        ),
        ("(TOP (. .))", "(TOP (. .))"),
        ("(TOP (S (NN a)))", "(TOP (S (NN b)))"),
    ]
    counts = count(rows, COLLINS)
    assert (counts.n_sentences, counts.n_valid, counts.n_skipped, counts.n_errors) == (
        4,
        2,
        1,
        1,
    )
    assert (counts.matched, counts.gold_brackets, counts.test_brackets) == (4, 6, 5)
    scores = counts.scores()
    assert scores["const_f"] == pytest.approx(8 / 11)
    assert (counts.correct_tags, counts.words) == (5, 6)
    assert [scores[f"const_{name}"] for name in ("cm", "cb", "0cb", "2cb")] == [
        0.5,
        0.5,
        0.5,
        1.0,
    ]
    assert EvalbCounts().scores()["const_f"] == 0.0


def test_very_deep_trees():
    depth = 20000
    line = "(NP " * depth + "(NN a)" + ")" * depth
    tree = Tree("NN", ["a"])
    for _ in range(depth):
        tree = Tree("NP", [tree])
    for row in (score_sentence(line, line), score_sentence(tree, line)):
        assert (row.status, row.matched) == (VALID, depth)


@pytest.mark.parametrize(
    "line",
    [
        "(TOP (S (NN a b)))",
        "(TOP (S (NN a )))",
        "(TOP a (NN b))",
        "word",
        "(TOP (S (NN a))) x",
        "(TOP",
        "(TOP (S \n",
    ],
)
def test_lines_that_the_program_cannot_pass(line):
    with pytest.raises(ValueError):
        read_sentence(line, COLLINS)
    with pytest.raises(ValueError, match="^gold, line 2: "):
        list(report(["(TOP (NN a))\n", line], ["(TOP (NN a))\n", "(TOP (NN a))\n"]))


def test_only_c_whitespace_separates():
    assert read_sentence("(NN\u00a0 a\u00a0b)\r\n", COLLINS).words == ["a\u00a0b"]


def test_params_file(tmp_path):
    path = tmp_path / "own.prm"
    path.write_text(
        "# note\n\nDELETE_LABEL  A B  \nLABELED 0\nCUTOFF_LEN 12x\nEQ_WORD a  "
        "b\nEQ_LABEL X\nNOTHING 1\n"
    )
    with pytest.warns(UserWarning) as caught:
        params = EvalbParams.from_file(path)
    assert params == EvalbParams(
        delete_label=("A B",), labeled=False, cutoff_len=12, eq_word=(("a", "b"),)
    )
    assert [
        f"{path}, line {n}" in str(w.message)
        for n, w in zip((7, 8), caught, strict=True)
    ] == [True, True]
    assert (
        "cutoff_len:12|labeled:False|delete_label:('A B',)|eq_word" in params.signature
    )
    path.write_text("DEBUG 0\nDELETE_LABEL\n")
    with pytest.raises(ValueError, match="line 2"):
        EvalbParams.from_file(path)
    with pytest.raises(OSError, match="nowhere"):
        EvalbParams.from_file(tmp_path / "nowhere.prm")


spans = st.integers(0, 7).flatmap(
    lambda start: st.tuples(st.just(start), st.integers(start + 1, 8))
)


@settings(max_examples=100, deadline=None)
@given(st.lists(spans, max_size=8), st.lists(spans, max_size=8))
def test_crossing_by_definition(gold, test):
    expected = sum(
        any(
            len({*range(*a)} & {*range(*b)}) not in (0, b[1] - b[0], a[1] - a[0])
            for a in gold
        )
        for b in test
    )
    labelled = [[Constituent(*span, "X") for span in side] for side in (gold, test)]
    assert count_crossing(*labelled, nested=False) == expected

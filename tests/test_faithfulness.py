"""`benchmarks/interpret/faithfulness.py`: a curve from two halves of a treebank, and a verdict that follows from it."""

import json

import benchmark_programs
import pytest
from interpret.gold_docs import gold_docs
from interpret.tiny_parser import tiny_nlp
from spacy.tokens import DocBin


@pytest.fixture(scope="module")
def program():
    with benchmark_programs.program("interpret/faithfulness") as module:
        yield module


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """A pipeline that has learned two sentences, and a corpus that has them in either half."""
    folder = tmp_path_factory.mktemp("faithfulness")
    nlp = tiny_nlp()
    nlp.to_disk(folder / "model")
    first, second = gold_docs(nlp)
    DocBin(docs=[first, first, second, second], store_user_data=True).to_disk(folder / "dev.spacy")
    return folder


def run(program, folder, *options):
    output = folder / "found.json"
    arguments = [folder / "model", folder / "dev.spacy", "-o", output, "--min-spans", 1, "--draws", 3, "-k", 1, 2]
    code = program.main([str(argument) for argument in [*arguments, *options]])
    return code, json.loads(output.read_text(encoding="utf8"))


def test_curves(program, paths, capsys):
    code, found = run(program, paths)
    n = found["n_heads"]
    assert [row["k"] for row in found["rows"]] == [0, 1, 2, n]
    assert [len(row["random"]) for row in found["rows"]] == [1, 3, 3, 1]
    assert found["n_sentences"] == [2, 2] and "NP" in found["labels"]
    for row in (found["rows"][0], found["rows"][-1]):
        assert row["first"] == row["random"][0]  # there is nothing to choose
    assert set(found["own"]) == set(found["labels"])
    summary = program.summary(found)
    assert [row.k for row in summary] == ["0", "own", "1", "2", str(n)]
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line.split("|")[1].strip() for line in lines[1:]] == [row.k for row in summary]
    compared = [row for row in summary if row.k in ("1", "2")]
    assert code == (0 if all(row.margin < row.random_margin for row in compared) else 1)


def test_rows_are_means(program):
    first = {"NP": {"f": 40.0, "others": 90.0, "margin": 1.0}, "VP": {"f": 80.0, "others": 50.0, "margin": 3.0}}
    draws = [
        {"NP": {"f": 60.0, "others": 0.0, "margin": 0.5}, "VP": {"f": 70.0, "others": 0.0, "margin": 4.0}},
        {"NP": {"f": 50.0, "others": 0.0, "margin": 0.7}, "VP": {"f": 80.0, "others": 0.0, "margin": 4.0}},
    ]
    found = {"rows": [{"k": 1, "first": first, "random": draws}], "own": {}, "n_heads": 9}
    (row,) = program.summary(found)
    assert row[:5] == ("1", 2, 60.0, 65.0, 1)  # NP lost 15 more than by chance, VP gained 5
    assert (row.margin, row.margin_worse, row.others) == (2.0, 1, 70.0)
    assert row.random_margin == pytest.approx(2.3)
    assert "| 1 | 60.00 | 65.00 | (1 of 2) | 2.0000 | 2.3000 | (1 of 2) | 70.00 |" in program.table(found)


def test_one_doc_has_no_halves(program, paths, tmp_path):
    nlp = tiny_nlp(0)
    DocBin(docs=gold_docs(nlp)[:1]).to_disk(tmp_path / "one.spacy")
    with pytest.raises(SystemExit, match="no label has 30 constituents in each half"):
        program.main([str(paths / "model"), str(tmp_path / "one.spacy")])


def test_too_few_constituents(program, paths):
    with pytest.raises(SystemExit, match="no label has 99 constituents in each half"):
        run(program, paths, "--min-spans", 99)
    with pytest.raises(SystemExit):
        run(program, paths, "--draws", 0)

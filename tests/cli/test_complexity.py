"""`lal complexity`: files of trees and heads as they are, formats, wrong input."""

import csv
import json

import pytest
from typer.testing import CliRunner

from spacy_lal.cli import lal_cli

TREES = (
    "(ROOT (S (NP (PRP She)) (VP (VBD slept)) (. .)))\n(ROOT (FRAG (NP (NN Yes))))\n"
)
HEADS = (
    "# text = She slept.\n"
    "1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n"
    "2\tslept\tsleep\tVERB\tVBD\tVerbForm=Fin\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.ptb").write_text(TREES)
    (tmp_path / "b.conllu").write_text(HEADS)
    (tmp_path / "empty.ptb").write_text("")
    return tmp_path


def run(*arguments, code=0):
    result = CliRunner().invoke(lal_cli, ["complexity", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_a_folder_gives_a_row_a_file(files):
    run(files, "-o", files / "table.csv")
    rows = list(csv.DictReader((files / "table.csv").open()))
    assert [row["id"] for row in rows] == [
        str(files / name) for name in ("a.ptb", "b.conllu", "empty.ptb")
    ]
    trees, heads, empty = rows
    assert [trees[name] for name in ("W", "S", "VP", "C", "T")] == [*"32122"]
    assert (trees["MLS"], trees["dependency_distance"]) == ("1.5", "")
    assert (heads["W"], heads["VP"], heads["dependency_distance"]) == ("2", "", "1.0")
    assert (empty["S"], empty["MLT"], empty["yngve_depth"]) == ("0", "0.0", "")


def test_by_sentence_and_patterns(files):
    run(files / "*.ptb", "--by-sentence", "-o", files / "table.jsonl")
    lines = (files / "table.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["sentence"], row["text"], row["T"]) for row in rows] == [
        (1, "She slept .", 1),
        (2, "Yes", 1),
    ]


def test_parquet_is_the_same_table(files):
    parquet = pytest.importorskip("pyarrow.parquet")
    run(files / "a.ptb", "-o", files / "table.parquet")
    table = parquet.read_table(files / "table.parquet").to_pylist()
    assert (table[0]["W"], table[0]["C/T"]) == (3, 1.0)


def test_structures_are_of_english_and_others_hear_it_once(files):
    said = "structures are defined for English alone"
    assert said not in run(files / "a.ptb", "-o", files / "en.csv")
    output = run(files / "a.ptb", "--lang", "fr", "-o", files / "fr.csv")
    assert output.count(said) == 1
    (row,) = csv.DictReader((files / "fr.csv").open())
    assert (row["S"], row["VP"], row["MLT"]) == ("2", "", "")


def test_wrong_input_has_a_message(files):
    assert "no_such" in run(files / "no_such.ptb", code=2)
    assert "csv, tsv, jsonl, parquet" in run(files / "a.ptb", "--format", "xls", code=2)
    (files / "binary.ptb").write_bytes(b"PK\x03\x04" + bytes(range(256)))
    assert "binary.ptb" in run(files / "binary.ptb", code=2)

"""Tables in and out: CSV, TSV, JSON lines, Parquet of all commands that parse texts;
what is left out; what an interrupted run goes on with."""

import csv
import json

import pytest
import spacy

from spacy_lal.cli import inputs as module
from spacy_lal.cli import tables
from spacy_lal.tables import KINDS, PLACE

CSV = 'id,comment\nc1,"The old cat sleeps. Go on!"\nc2,\nc3,"He left,\nsaid ""she""."\n'
COMMANDS = {
    "parse": "parse",
    "roles": "roles",
    "relations": "relations",
    "units": "units",
    "complexity": "complexity",
}


@pytest.fixture(scope="module")
def model(pipeline, tmp_path_factory):
    from . import lal_with_roles  # noqa: F401

    nlp = spacy.load(pipeline)
    nlp.add_pipe("tests_boom")
    path = tmp_path_factory.mktemp("tables") / "model"
    nlp.to_disk(path)
    return path


@pytest.fixture
def comments(tmp_path):
    path = tmp_path / "comments.csv"
    path.write_text(CSV, encoding="utf8")
    return path


def read(path):
    with path.open(encoding="utf8", newline="") as file:
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in file]
        separator = "\t" if path.suffix == ".tsv" else ","
        return list(csv.DictReader(file, delimiter=separator))


@pytest.mark.parametrize("command", COMMANDS)
def test_all_formats_have_the_same_rows(lal, model, comments, command):
    columns = KINDS[COMMANDS[command]].columns
    tables = {}
    for ending in ("csv", "tsv", "jsonl"):
        output = comments.with_name(f"out.{ending}")
        args = (command, comments, "--text-column", "comment", "-m", model)
        result = lal(*args, "-o", output)
        assert result.exit_code == 0, result.output
        tables[ending] = read(output)
    assert list(tables["csv"][0]) == list(columns)
    assert tables["csv"] == tables["tsv"]
    assert [[str(row[x] or "") for x in PLACE] for row in tables["jsonl"]] == [
        [row[x] for x in PLACE] for row in tables["csv"]
    ]
    assert {row["id"] for row in tables["csv"]} <= {"c1", "c2", "c3"}


def test_parquet_has_the_rows_of_csv(lal, model, comments):
    parquet = pytest.importorskip("pyarrow.parquet")
    args = ("parse", comments, "--text-column", "comment", "-m", model, "-o")
    for name in ("out.csv", "out.parquet"):
        assert lal(*args, comments.with_name(name)).exit_code == 0
    rows = parquet.read_table(comments.with_name("out.parquet")).to_pylist()
    expected = read(comments.with_name("out.csv"))
    assert [{**row, "sentence": str(row["sentence"])} for row in rows] == expected
    assert [row["sentence"] for row in rows] == [1, 2, 1]


def test_a_table_is_never_read_as_prose(lal, model, comments):
    result = lal("parse", comments, "-m", model)
    assert result.exit_code == 2
    assert (
        "comments.csv: expected one column 'text' in the heading, got" in result.stderr
    )
    comments.write_text("id,text\n1,one, two\n")
    result = lal("parse", comments, "-m", model)
    assert "comments.csv, line 2: expected 2 cells" in result.stderr


def test_bad_files_end_it_before_the_first_parse(lal, model, tmp_path):
    """Or are left out and named."""
    (tmp_path / "a.txt").write_text("The old cat sleeps.\n")
    (tmp_path / "b.txt").write_bytes(b"Go on!\ncaf\xe9\n")
    (tmp_path / "c.jsonl").write_text('{"text": "Go on!"}\n{"text": NaN}\n')
    files = [tmp_path / name for name in ("a.txt", "b.txt", "c.jsonl", "no.txt")]
    args = ("parse", *files, "-m", model, "-o", tmp_path / "out.jsonl")
    result = lal(*args)
    assert result.exit_code == 2 and "b.txt:2: expected UTF-8" in result.stderr
    assert not (tmp_path / "out.jsonl").exists()
    result = lal(*args, "--skip-errors")
    assert result.exit_code == 1
    for text in ("Left out 3 inputs", "b.txt:2", "c.jsonl, line 2", "no.txt"):
        assert text in result.stderr
    assert [row["id"] for row in read(tmp_path / "out.jsonl")] == ["1"]
    assert lal("parse", files[1], "-m", model, "--skip-errors").exit_code == 2


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_resume_goes_on_where_a_run_ended(lal, model, tmp_path, ending):
    rows = [f"c{i},The old cat sleeps.\n" for i in range(6)]
    texts, output = tmp_path / "in.csv", tmp_path / f"out.{ending}"
    texts.write_text("id,text\n" + "".join([*rows[:4], "c4,boom\n", rows[5]]))
    args = ("parse", texts, "-m", model, "-b", 1, "-o", output)
    result = lal(*args)
    assert result.exit_code == 2
    assert "has 4 rows so far: --resume goes on with it" in result.stderr
    assert [row["id"] for row in read(output)] == ["c0", "c1", "c2", "c3"]
    texts.write_text("id,text\n" + "".join(rows))
    assert lal(*args, "--resume").exit_code == 0
    resumed = read(output)
    assert [row["id"] for row in resumed] == [f"c{i}" for i in range(6)]
    assert lal(*args).exit_code == 0 and read(output) == [
        {**row, "doc": number} if "doc" in row else row
        for number, row in enumerate(resumed)
    ]
    other = lal("roles", texts, "-m", model, "-o", output, "--resume")
    assert other.exit_code == 2 and "--resume: expected the columns" in other.stderr


def test_a_finished_table_stays_when_another_run_fails(lal, model, tmp_path):
    texts, output = tmp_path / "in.csv", tmp_path / "out.csv"
    texts.write_text("id,text\n1,Go on!\n2,boom\n")
    output.write_text("earlier")
    assert lal("parse", texts, "-m", model, "-b", 1, "-o", output).exit_code == 2
    assert output.read_text() == "earlier"


def test_progress_is_of_texts(model, tmp_path, monkeypatch):
    """The bar knows the number of texts of all files."""
    (tmp_path / "a.txt").write_text("The old cat sleeps.\nGo on!\n")
    inputs = module.ManyInputs([str(tmp_path / "a.txt")] * 2)
    inputs.find()
    assert inputs.n_texts == 4


def test_parquet_without_pyarrow_ends_before_the_first_parse(
    lal, model, comments, monkeypatch
):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    output = comments.with_name("none.parquet")
    result = lal(
        "parse",
        str(comments),
        "--text-column",
        "comment",
        "-m",
        str(model),
        "-o",
        str(output),
    )
    assert result.exit_code == 2
    assert "pip install 'spacy-lal[tables]'" in result.output

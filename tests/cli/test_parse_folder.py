"""`python -m spacy lal parse --engine`: a folder in, a folder out, and what a second run does."""

import json
import os
from pathlib import Path
from typing import Any, Callable, List

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy

from spacy_lal.cli import parse_folder
from spacy_lal.distributed import to_doc

LINES = "The old cat sleeps. Go on (now)!\r\n \r\n\r\nHe  left\tthe cat.\n"
NAMES = ["a.parquet", "b.txt.parquet", "more/c.parquet"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two Parquet files and a text file; and what is to be left alone."""
    folder = tmp_path / "in"
    (folder / "more").mkdir(parents=True)
    pq.write_table(pa.table({"id": [7, 8, 9], "text": ["The cat sleeps.", None, "Go on!"]}), folder / "a.parquet")
    (folder / "b.txt").write_bytes(LINES.encode())
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), folder / "more" / "c.parquet")
    (folder / "notes.md").write_text("no text to parse")
    (folder / "_SUCCESS.txt").write_text("")
    (folder / ".hidden.parquet").write_text("")
    return folder


@pytest.fixture
def parse(lal: Callable, pipeline: Path, folder: Path, tmp_path: Path) -> Callable:
    """Parses the folder with `--engine local`."""
    return lambda *args: lal("parse", "-m", pipeline, folder, "--engine", "local", "-o", tmp_path / "out", *args)


def written(tmp_path: Path) -> List[str]:
    """Every file in the folder of parses, those that should not be there too."""
    out = tmp_path / "out"
    return sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def test_a_folder(parse: Callable, pipeline: Path, tmp_path: Path):
    result = parse()
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Wrote {tmp_path / 'out'}: 3 files parsed (5 texts), 0 skipped: done before\n"
    assert written(tmp_path) == NAMES
    table = pq.read_table(tmp_path / "out" / "a.parquet")
    assert table.column_names[:3] == ["id", "text", "tokens"]
    nlp = spacy.load(pipeline)
    docs = [to_doc(row, nlp.vocab) for row in table.to_pylist()]
    assert [doc and doc.text for doc in docs] == ["The cat sleeps.", None, "Go on!"]
    lines = pq.read_table(tmp_path / "out" / "b.txt.parquet").to_pylist()
    expected = [(1, "The old cat sleeps. Go on (now)!"), (4, "He  left\tthe cat.")]
    assert [(row["line"], row["text"]) for row in lines] == expected
    assert to_doc(lines[0], nlp.vocab)._.parse_string == nlp(lines[0]["text"])._.parse_string
    assert pq.read_table(tmp_path / "out" / "more" / "c.parquet").num_rows == 0


def test_settings(parse: Callable, pipeline: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parse_folder, "ROWS_AT_A_TIME", 2)
    texts = [f"The cat {i} sleeps." for i in range(5)]
    (folder / "b.txt").write_text("\n\n".join(texts))
    (folder / "d.jsonl").write_text("".join(f"{json.dumps({'id': i, 'body': text})}\n" for i, text in enumerate(texts)))
    pq.write_table(pa.table({"body": texts}), folder / "a.parquet")
    (folder / "more" / "c.parquet").unlink()
    assert parse("--text-column", "body", "--paragraphs", "--format", "docbin").exit_code == 0
    for name, columns in (("a", ["body"]), ("b.txt", ["line", "body"]), ("d.jsonl", ["line", "id", "body"])):
        table = pq.read_table(tmp_path / "out" / f"{name}.parquet")
        assert table.column_names == [*columns, "docbin"] and table["body"].to_pylist() == texts
        assert to_doc(table.to_pylist()[3], spacy.load(pipeline).vocab).text == texts[3]


def test_a_second_run_does_what_is_left(parse: Callable, folder: Path, tmp_path: Path):
    parse()
    done = f"Wrote {tmp_path / 'out'}: 0 files parsed (0 texts), 3 skipped: done before\n"
    assert parse().stderr == done
    (tmp_path / "out" / "a.parquet").unlink()
    (folder / "b.txt").write_text("Go on, cat!\n")
    os.utime(folder / "b.txt", (2**31, 2**31))  # newer than its output
    assert "2 files parsed (4 texts), 1 skipped" in parse().stderr
    assert pq.read_table(tmp_path / "out" / "b.txt.parquet")["text"].to_pylist() == ["Go on, cat!"]
    assert "3 files parsed (4 texts), 0 skipped" in parse("--overwrite").stderr
    assert written(tmp_path) == NAMES


def test_a_bad_file_does_not_end_the_others(parse: Callable, folder: Path, tmp_path: Path):
    (folder / "a.parquet").write_bytes(b"no Parquet")
    (folder / "b.txt").write_bytes(b"Go on!\ncaf\xe9\n")
    pq.write_table(pa.table({"body": ["Go on!"]}), folder / "more" / "d.parquet")
    result = parse()
    assert result.exit_code == 2
    assert "1 files parsed (0 texts), 0 skipped: done before, 3 failed" in result.stderr
    assert f"{folder / 'b.txt'}, line 2: expected UTF-8" in result.stderr
    assert "got text: the table has body" in result.stderr
    assert "Traceback" not in result.output and written(tmp_path) == ["more/c.parquet"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--engine", "dask", "-o", "{out}"), "got 'dask' and 1"),
        (("--engine", "local", "-o", "{out}", "-n", "2"), "got 'local' and 2"),
        (("--engine", "local", "-o", "{out}", "--format", "json"), "an output of columns, docbin"),
        (("--engine", "local", "-o", "{out}", "--text", "Go on!"), "--engine takes a folder and --output"),
        (("--engine", "local"), "--engine takes a folder and --output"),
        (("--engine", "local", "-o", "{folder}/out"), "expected two folders side by side"),
        (("--engine", "local", "-o", "{out}", "-m", "nowhere"), "nowhere"),
        ((), "is a folder: expected a file"),
    ],
)
def test_bad_calls(lal: Callable, pipeline: Path, folder: Path, tmp_path: Path, args: Any, message: str):
    model = () if "-m" in args else ("-m", pipeline)
    result = lal("parse", folder, *model, *(arg.format(out=tmp_path / "out", folder=folder) for arg in args))
    assert result.exit_code == 2 and message in result.stderr
    assert "Traceback" not in result.output and not (tmp_path / "out").exists()


def test_bad_sources(lal: Callable, pipeline: Path, folder: Path, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    out = ("-m", pipeline, "--engine", "local", "-o", tmp_path / "out")
    assert "expected two folders" in lal("parse", folder / "b.txt", *out).stderr
    assert "files that end in .parquet or .txt" in lal("parse", tmp_path / "empty", *out).stderr
    (folder / "b.txt.parquet").write_bytes(b"")
    assert "would both go to" in lal("parse", folder, *out).stderr

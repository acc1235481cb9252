"""`python -m spacy lal parse --engine`: a folder in, a folder out, and what a second run does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import dying_worker
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy

from spacy_lal.cli import folder_files
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
    return lambda *args: lal("parse", pipeline, folder, "--engine", "local", "-o", tmp_path / "out", *args)


def written(tmp_path: Path) -> List[str]:
    """Every file in the folder of parses, those that should not be there too."""
    out = tmp_path / "out"
    return sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def times(tmp_path: Path) -> List[int]:
    return [(tmp_path / "out" / name).stat().st_mtime_ns for name in written(tmp_path)]


def test_a_folder(parse: Callable, pipeline: Path, tmp_path: Path):
    result = parse()
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Wrote {tmp_path / 'out'}: 3 files parsed (5 texts), 0 skipped: done before\n"
    assert written(tmp_path) == NAMES
    table = pq.read_table(tmp_path / "out" / "a.parquet")
    assert table.column_names[:3] == ["id", "text", "tokens"]
    assert table["id"].to_pylist() == [7, 8, 9]
    nlp = spacy.load(pipeline)
    assert [doc and doc.text for doc in (to_doc(row, nlp.vocab) for row in table.to_pylist())] == [
        "The cat sleeps.",
        None,
        "Go on!",
    ]
    lines = pq.read_table(tmp_path / "out" / "b.txt.parquet").to_pylist()
    assert [(row["line"], row["text"]) for row in lines] == [
        (1, "The old cat sleeps. Go on (now)!"),
        (4, "He  left\tthe cat."),
    ]
    assert to_doc(lines[0], nlp.vocab)._.parse_string == nlp(lines[0]["text"])._.parse_string
    assert pq.read_table(tmp_path / "out" / "more" / "c.parquet").num_rows == 0


def test_docbins_and_paragraphs(parse: Callable, pipeline: Path, tmp_path: Path):
    assert parse("--format", "docbin", "--paragraphs").exit_code == 0
    (row, other) = pq.read_table(tmp_path / "out" / "b.txt.parquet").to_pylist()
    assert set(row) == {"line", "text", "docbin"}
    assert (row["line"], other["line"]) == (1, 4)
    assert to_doc(row, spacy.load(pipeline).vocab).text == row["text"] == "The old cat sleeps. Go on (now)!"


def test_another_column(parse: Callable, folder: Path, tmp_path: Path):
    pq.write_table(pa.table({"body": ["Go on!"]}), folder / "a.parquet")
    (folder / "more" / "c.parquet").unlink()
    assert parse("--text-column", "body").exit_code == 0
    assert pq.read_table(tmp_path / "out" / "a.parquet")["tokens"].to_pylist() == [["Go", "on", "!"]]
    assert pq.read_table(tmp_path / "out" / "b.txt.parquet").column_names[:2] == ["line", "body"]


def test_in_pieces(parse: Callable, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(folder_files, "ROWS_AT_A_TIME", 2)
    texts = [f"The cat {i} sleeps." for i in range(5)]
    (folder / "b.txt").write_text("\n".join(texts))
    pq.write_table(pa.table({"text": texts}), folder / "a.parquet")
    assert parse().exit_code == 0
    for name in NAMES[:2]:
        table = pq.read_table(tmp_path / "out" / name)
        assert table["text"].to_pylist() == texts
        assert [tokens[2] for tokens in table["tokens"].to_pylist()] == list("01234")


def test_a_second_run_does_what_is_left(parse: Callable, folder: Path, tmp_path: Path):
    parse()
    before = times(tmp_path)
    result = parse()
    assert (result.exit_code, result.stderr) == (0, "0 files parsed (0 texts), 3 skipped: done before\n")
    assert times(tmp_path) == before
    (tmp_path / "out" / "a.parquet").unlink()
    (folder / "b.txt").write_text("Go on, cat!\n")
    assert parse().stderr == f"Wrote {tmp_path / 'out'}: 2 files parsed (4 texts), 1 skipped: done before\n"
    assert pq.read_table(tmp_path / "out" / "b.txt.parquet")["text"].to_pylist() == ["Go on, cat!"]
    assert written(tmp_path) == NAMES
    assert (
        parse("--overwrite").stderr == f"Wrote {tmp_path / 'out'}: 3 files parsed (4 texts), 0 skipped: done before\n"
    )


@pytest.mark.parametrize("content", ["a table", "no Parquet"])
def test_foreign_files_are_never_replaced(parse: Callable, tmp_path: Path, content: str):
    foreign = tmp_path / "out" / "b.txt.parquet"
    foreign.parent.mkdir()
    if content == "a table":
        pq.write_table(pa.table({"a": [1]}), foreign)
    else:
        foreign.write_text(content)
    before = foreign.read_bytes()
    for options in ((), ("--overwrite",)):
        result = parse(*options)
        assert result.exit_code == 1
        assert "b.txt.parquet was not written by this command" in result.stderr
        assert foreign.read_bytes() == before


def test_a_touched_file_is_parsed_again(parse: Callable, folder: Path, tmp_path: Path):
    parse()
    status = (folder / "b.txt").stat()
    os.utime(folder / "b.txt", ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert parse().stderr == f"Wrote {tmp_path / 'out'}: 1 files parsed (2 texts), 2 skipped: done before\n"


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (("--format", "docbin"), "another format: ['columns'], now ['docbin']"),
        (("--paragraphs",), "another paragraphs: [False], now [True]"),
        (("--text-column", "body"), "another text column: ['text'], now ['body']"),
    ],
)
def test_other_settings_are_told_apart(parse: Callable, tmp_path: Path, args: Any, what: str):
    parse()
    before = times(tmp_path)
    result = parse(*args)
    assert result.exit_code == 1
    assert f"a.parquet was made with {what}; name another folder to write, or say --overwrite" in result.stderr
    assert times(tmp_path) == before


def test_another_pipeline_is_told_apart(lal: Callable, pipeline: Path, folder: Path, tmp_path: Path):
    copy = tmp_path / "copy"
    shutil.copytree(pipeline, copy)
    args = (folder, "--engine", "local", "-o", tmp_path / "out")
    assert lal("parse", pipeline, *args).exit_code == 0
    assert lal("parse", copy, *args).stderr == "0 files parsed (0 texts), 3 skipped: done before\n"
    (copy / "meta.json").write_text((copy / "meta.json").read_text() + "\n")
    result = lal("parse", copy, *args)
    assert result.exit_code == 1
    assert "was made with another pipeline" in result.stderr


def test_what_is_not_ours_is_left_alone(parse: Callable, tmp_path: Path):
    (tmp_path / "out").mkdir()
    for content in (b"", b"no Parquet at all"):
        (tmp_path / "out" / "a.parquet").write_bytes(content)
        result = parse()
        assert result.exit_code == 1
        assert "a.parquet was not written by this command: move it away" in result.stderr
        assert (tmp_path / "out" / "a.parquet").read_bytes() == content


def test_a_bad_file_does_not_end_the_others(parse: Callable, folder: Path, tmp_path: Path):
    (folder / "a.parquet").write_bytes(b"no Parquet")
    (folder / "b.txt").write_bytes(b"Go on!\ncaf\xe9\n")
    pq.write_table(pa.table({"body": ["Go on!"]}), folder / "more" / "d.parquet")
    result = parse()
    assert result.exit_code == 1
    assert "1 files parsed (0 texts), 0 skipped: done before, 3 failed" in result.stderr
    assert f"{folder / 'b.txt'}, line 2: expected UTF-8" in result.stderr
    assert "'text' is not among the columns: body" in result.stderr
    assert "Traceback" not in result.output
    assert written(tmp_path) == ["more/c.parquet"]
    (folder / "b.txt").write_bytes(b"Go on!\ncaf\xc3\xa9\n")
    assert "1 files parsed (2 texts), 1 skipped: done before, 2 failed" in parse().stderr


def test_ctrl_c(parse: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = folder_files.FileParser.parse

    def interrupted(self: Any, task: Any) -> int:
        if task.source.name == "b.txt":
            raise KeyboardInterrupt
        return real(self, task)

    monkeypatch.setattr(folder_files.FileParser, "parse", interrupted)
    result = parse()
    assert result.exit_code == 130
    assert result.stderr.splitlines() == [
        f"Wrote {tmp_path / 'out'}: 1 files parsed (3 texts), 0 skipped: done before",
        "Stopped: the same command goes on with the other files",
    ]
    monkeypatch.undo()
    assert parse().stderr == f"Wrote {tmp_path / 'out'}: 2 files parsed (2 texts), 1 skipped: done before\n"


def test_killed_and_run_again(pipeline: Path, tmp_path: Path):
    """The command is killed amid a file: the file is not there, and the next run begins with it."""
    nlp = spacy.load(pipeline)
    nlp.add_pipe(dying_worker.NAME, first=True, config={"died": str(tmp_path / "died")})
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "site").mkdir()
    (tmp_path / "in").mkdir()
    for name, text in [("1", "Go on!"), ("2", f"Go on!\nGo {dying_worker.DEADLY} on!"), ("3", "He left.")]:
        (tmp_path / "in" / f"{name}.txt").write_text(text)
    command = [sys.executable, "-m", "spacy", "lal", "parse", str(tmp_path / "model"), str(tmp_path / "in")]
    command += ["--engine", "local", "--output", str(tmp_path / "out")]
    path = dying_worker.install(tmp_path / "site")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    run: Dict[str, Any] = {"env": environment, "capture_output": True, "text": True, "check": False}
    assert subprocess.run(command, **run).returncode < 0
    left_over = [name for name in written(tmp_path) if name != "1.txt.parquet"]
    assert len(left_over) == 1 and left_over[0].startswith(".2.txt.parquet.")
    second = subprocess.run(command, **run)
    assert (second.returncode, second.stderr) == (
        0,
        f"Wrote {tmp_path / 'out'}: 2 files parsed (3 texts), 1 skipped: done before\n",
    )
    assert written(tmp_path) == ["1.txt.parquet", "2.txt.parquet", "3.txt.parquet"]
    assert pq.read_table(tmp_path / "out" / "2.txt.parquet").num_rows == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--engine", "dask", "-o", "{out}"), "an engine of local, ray, got 'dask'"),
        (("--engine", "local", "-o", "{out}", "-n", "2"), "--n-process and --gpus go with --engine ray"),
        (("--engine", "local", "-o", "{out}", "--gpus", "1"), "--n-process and --gpus go with --engine ray"),
        (("--engine", "ray", "-o", "{out}", "-n", "0"), "1 or more workers"),
        (("--engine", "ray", "-o", "{out}", "-g", "0"), "such as --gpus 1"),
        (("--engine", "local", "-o", "{out}", "--format", "json"), "a format of columns, docbin with --engine"),
        (("--engine", "local", "-o", "{out}", "--text", "Go on!"), "expected one of FILE and --text, got both"),
        (("--engine", "local"), "expected its name after --output, got nothing"),
        (("--engine", "local", "-o", "{folder}/b.txt"), "expected its name after --output, got"),
        (("--engine", "local", "-o", "{folder}/out"), "expected two folders side by side"),
        ((), "is a folder: say --engine local or ray"),
    ],
)
def test_bad_calls(lal: Callable, pipeline: Path, folder: Path, tmp_path: Path, args: Any, message: str):
    result = lal("parse", pipeline, folder, *(arg.format(out=tmp_path / "out", folder=folder) for arg in args))
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_bad_sources(lal: Callable, pipeline: Path, folder: Path, tmp_path: Path):
    out = ("--engine", "local", "-o", tmp_path / "out")
    assert "expected a folder of .parquet or .txt files" in lal("parse", pipeline, folder / "b.txt", *out).stderr
    (tmp_path / "empty").mkdir()
    assert "files that end in .parquet or .txt" in lal("parse", pipeline, tmp_path / "empty", *out).stderr
    assert "can't parse with the pipeline 'nowhere'" in lal("parse", "nowhere", folder, *out).stderr
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert "has no lal_parser" in lal("parse", tmp_path / "blank", folder, *out).stderr
    (folder / "b.txt.parquet").write_bytes(b"")
    assert "would both go to" in lal("parse", pipeline, folder, *out).stderr
    text = ("--text", "Go on!", "--overwrite")
    assert "go with --engine" in lal("parse", pipeline, *text).stderr

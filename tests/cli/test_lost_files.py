"""No command empties what it reads, loses a file that it cannot replace, or ends in a traceback on a full disk."""

import os
import resource
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest
from spacy.cli._util import app
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.main import get_command

from spacy_lal.cli import parse as parse_module

OLD = "old content\n"
TREE = "(TOP (S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps)) (. .)))\n"
TEXTS = ["Go on!", "He left.", "The old cat sleeps."]


@contextmanager
def small_disk(n_bytes: int) -> Iterator[None]:
    """No file can have more bytes: a full disk gives the same error from the same call."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return path


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Callable:
    """Lets this process get a signal when the third of the texts has been parsed."""

    def stop(number: signal.Signals) -> None:
        parse_texts = parse_module.parse_texts

        def parse_and_stop(*args: Any, **settings: Any) -> Iterator[Any]:
            for i, pair in enumerate(parse_texts(*args, **settings)):
                if i == 2:
                    os.kill(os.getpid(), number)
                yield pair

        monkeypatch.setattr(parse_module, "parse_texts", parse_and_stop)

    def unexpected(number: int, frame: Any) -> None:
        pytest.fail(f"the command has no handler of {number}")

    # Not those that this process has: it may ignore signals, or end.
    before = {number: signal.signal(number, unexpected) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield stop
    for number, handler in before.items():
        signal.signal(number, handler)


def names(folder: Path) -> List[str]:
    return sorted(path.name for path in folder.iterdir())


def texts_of(path: Path) -> List[str]:
    return [doc.text for doc in DocBin().from_disk(path).get_docs(Vocab())]


# What is read is not written


@pytest.mark.parametrize("how", ["same", "other folder", "relative", "symlink", "link to the folder", "hard link"])
def test_parse_keeps_its_input(
    lal: Callable, pipeline: Path, text: Path, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    output = tmp_path / "link"
    if how in ("same", "other folder", "relative"):
        output = {"same": text, "other folder": tmp_path / ".." / tmp_path.name / "text.txt"}.get(how, Path("text.txt"))
    elif how == "hard link":
        os.link(text, output)
    else:
        output.symlink_to(text if how == "symlink" else tmp_path)
        output = output if how == "symlink" else output / "text.txt"
    before = text.read_text()
    result = lal("parse", pipeline, text, "-o", output)
    assert result.exit_code == 1 and "would be read and written at once" in result.stderr
    assert text.read_text() == before


def test_other_commands_keep_their_input(lal: Callable, pipeline: Path, gold_file: Path, tmp_path: Path):
    gold = tmp_path / "0000.spacy"
    gold.write_bytes(gold_file.read_bytes())
    os.link(gold, tmp_path / "link.spacy")
    trees = tmp_path / "trees"
    trees.write_text(TREE)
    (tmp_path / "trees.spacy").symlink_to(trees)
    for command, message in [
        (["heads", pipeline, gold, "-o", gold], "read and written at once"),
        (["evaluate", pipeline, gold, "-o", tmp_path / "link.spacy"], "read and written at once"),
        (["evaluate", pipeline, gold, "-t", tmp_path / "new", "--gold-trees", tmp_path / "new"], "written twice"),
        (["complete", pipeline, gold, tmp_path / "link.spacy"], "read and written at once"),
        (["complete", pipeline, gold, tmp_path], "whose files are replaced"),
        (["convert", trees, tmp_path / "trees.spacy"], "read and written at once"),
    ]:
        result = lal(*command)
        assert result.exit_code == 1 and message in result.stderr, command
    assert gold.read_bytes() == gold_file.read_bytes() and trees.read_text() == TREE


def test_a_pipeline_does_not_replace_the_folder_of_what_it_is_made_from(lal: Callable, pipeline: Path, tmp_path: Path):
    lal("average", pipeline, pipeline, "-o", tmp_path / "out")
    lal("average", pipeline, pipeline, "-o", tmp_path / "out" / "inner")
    (tmp_path / "out" / "best.pt").write_bytes(b"")
    for command in (
        ["average", tmp_path / "out" / "inner", pipeline, "-o", tmp_path / "out"],
        ["compact", tmp_path / "out" / "inner", tmp_path / "out"],
        ["import-official", tmp_path / "out" / "best.pt", tmp_path / "out"],
    ):
        result = lal(*command, "--overwrite")
        assert result.exit_code == 1 and "which --overwrite replaces" in result.stderr
    assert (tmp_path / "out" / "best.pt").exists() and (tmp_path / "out" / "inner" / "meta.json").exists()


# A full disk


def test_full_disk(lal: Callable, pipeline: Path, gold_file: Path, text: Path, tmp_path: Path):
    trees = tmp_path / "trees.ptb"
    trees.write_text(TREE)
    written = {
        "parsed.txt": ["parse", pipeline, text, "-o"],
        "parsed.spacy": ["parse", pipeline, text, "-f", "docbin", "-o"],
        "heads.json": ["heads", pipeline, gold_file, "-o"],
        "scores.json": ["evaluate", pipeline, gold_file, "-o"],
        "found.ptb": ["evaluate", pipeline, gold_file, "--trees"],
        "page.html": ["explain", "Go on!", "-m", pipeline, "-o"],
        "converted.spacy": ["convert", trees],
        "completed.spacy": ["complete", pipeline, gold_file],
    }
    before = names(tmp_path)
    for name, command in written.items():
        (tmp_path / name).write_text(OLD)
        with small_disk(20):
            result = lal(*command, tmp_path / name)
        assert result.exit_code == 1, command
        (line,) = result.stderr.splitlines()
        assert str(tmp_path / name) in line and "File too large" in line
        assert (tmp_path / name).read_text() == OLD
    assert names(tmp_path) == sorted([*before, *written])
    (tmp_path / "model").mkdir()
    for command in (["average", pipeline, pipeline, "-o"], ["compact", pipeline]):
        with small_disk(200):
            result = lal(*command, tmp_path / "model")
        assert result.exit_code == 1
        (line,) = result.stderr.splitlines()
        assert str(tmp_path / "model") in line and "File too large" in line
        assert names(tmp_path / "model") == []
    assert names(tmp_path) == sorted([*before, *written, "model"])


def test_full_disk_keeps_whole_lines(lal: Callable, pipeline: Path, text: Path, tmp_path: Path):
    """Of a text format, the parses that fit."""
    whole = lal("parse", pipeline, text).stdout.splitlines(keepends=True)
    with small_disk(len("".join(whole[:2])) + 5):
        result = lal("parse", pipeline, text, "-o", tmp_path / "out", "-b", 1)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"can't write {tmp_path / 'out'}: File too large; what was parsed before is in {tmp_path / 'out'}"
    ]
    assert (tmp_path / "out").read_text() == "".join(whole[:2])


# An early end


@pytest.mark.parametrize(
    "number, code, format_",
    [
        (signal.SIGTERM, 143, "docbin"),
        (signal.SIGTERM, 143, "brackets"),
        (signal.SIGINT, 130, "docbin"),
        (signal.SIGHUP, 129, "docbin"),
    ],
)
def test_signals_keep_what_was_parsed(
    lal: Callable, pipeline: Path, text: Path, tmp_path: Path, stopped: Callable, number: Any, code: int, format_: str
):
    whole = lal("parse", pipeline, text).stdout.splitlines()
    output = tmp_path / "out" / "silver.spacy"
    output.parent.mkdir()
    stopped(number)
    before = signal.getsignal(number)
    for expected in ("silver.spacy", "silver.partial.spacy", "silver.partial-2.spacy"):
        result = lal("parse", pipeline, text, "-f", format_, "-o", output, "-b", 1)
        assert result.exit_code == code
        kept = output.with_name(expected)
        assert result.stderr.splitlines() == [
            f"Stopped by {signal.Signals(number).name}; what was parsed before is in {kept}"
        ]
        if format_ == "docbin":
            assert texts_of(kept) == TEXTS[:2]
        else:
            assert kept.read_text().splitlines() == whole[:2]
    assert names(output.parent) == ["silver.partial-2.spacy", "silver.partial.spacy", "silver.spacy"]
    assert signal.getsignal(number) == before


def test_bad_text_does_not_replace_an_earlier_file(lal: Callable, pipeline: Path, tmp_path: Path):
    output = tmp_path / "silver.spacy"
    output.write_text(OLD)
    result = lal("parse", pipeline, "-f", "docbin", "-o", output, stdin=b"Go on!\nHe left.\n\xff\n")
    partial = tmp_path / "silver.partial.spacy"
    assert result.exit_code == 1 and result.stderr.endswith(f"; what was parsed before is in {partial}\n")
    assert output.read_text() == OLD and texts_of(partial) == TEXTS[:2]
    result = lal("parse", pipeline, "-f", "brackets", "-o", output, stdin=b"\xff\n")
    assert result.exit_code == 1 and "is in" not in result.stderr
    assert output.read_text() == OLD and names(tmp_path) == ["silver.partial.spacy", "silver.spacy"]


# Standard output


@pytest.fixture
def printing(pipeline: Path, gold_file: Path, text: Path, tmp_path: Path) -> Dict[str, List[str]]:
    """Every command that prints."""
    trees = tmp_path / "trees.ptb"
    trees.write_text(TREE)
    commands = {
        "parse": [pipeline, text],
        "explain": ["Go on!", "-m", pipeline],
        "heads": [pipeline, gold_file],
        "evaluate": [pipeline, gold_file],
        "evalb": [trees, trees],
        "check": [trees],
    }
    return {name: [name, *map(str, arguments)] for name, arguments in commands.items()}


@pytest.mark.parametrize(
    "stdout, code, message",
    [
        ("full", 1, "can't write to stdout: No space left on device\n"),
        ("closed", 1, "can't write to stdout: it is closed\n"),
        ("no reader", 0, ""),
    ],
)
def test_stdout(printing: Dict[str, List[str]], stdout: str, code: int, message: str, monkeypatch: Any, capsys: Any):
    for arguments in printing.values():
        if stdout == "closed":
            monkeypatch.setattr(sys, "stdout", None)
        elif stdout == "full":
            monkeypatch.setattr(sys, "stdout", open("/dev/full", "w"))
        else:
            reader, written = os.pipe()
            os.close(reader)
            monkeypatch.setattr(sys, "stdout", os.fdopen(written, "w"))
        with pytest.raises(SystemExit) as end:
            get_command(app)(["lal", *arguments])
        assert end.value.code == code, arguments
        assert capsys.readouterr().err == message, arguments

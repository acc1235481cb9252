"""However a command ends, it does so with workers as without: with its message and its
exit code. No process is left."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import spacy

from spacy_lal.cli.workers import parse_texts

PROGRAM = Path(__file__).parent / "lal_with_roles.py"
COMMANDS = ("parse", "relations", "roles", "complexity")
TEXT = "The old cat sleeps."
SECONDS = 120  # of a busy machine
every_command = pytest.mark.parametrize("command", COMMANDS)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


@pytest.fixture(scope="module")
def model(pipeline, tmp_path_factory):
    """The small pipeline with roles."""
    sys.path.insert(0, str(PROGRAM.parent))
    import lal_with_roles  # noqa: F401

    nlp = spacy.load(pipeline)
    nlp.add_pipe("tests_boom")
    path = tmp_path_factory.mktemp("ends") / "model"
    nlp.to_disk(path)
    return path


@pytest.fixture
def start(model, tmp_path):
    """Starts a command that reads 600 records; or 100, of which one is another."""
    started = []

    def run(command, n_process, line_80=None, **streams):
        n_records = 600 if line_80 is None else 100
        lines = [json.dumps({"id": i, "text": TEXT}) for i in range(n_records)]
        if line_80 is not None:
            lines[79] = line_80
        (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
        words = [sys.executable, PROGRAM, command, "in.jsonl", "-m", model]
        words += ["-n", n_process, "--batch-size", 8]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        process = subprocess.Popen(
            list(map(str, words)),
            cwd=tmp_path,
            env=environment,
            start_new_session=True,
            **settings,
        )
        started.append(process.pid)
        return process

    yield run
    deadline = time.monotonic() + SECONDS
    while any(map(in_group, started)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(in_group, started))


def ended(process):
    """Output, errors and exit code."""
    output, errors = process.communicate(timeout=SECONDS)
    return output, errors, process.returncode


def in_group(group):
    """The living processes of a group."""
    words = ["ps", "-e", "-o", "pgid=,pid=,stat="]
    listed = subprocess.run(words, capture_output=True, text=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [pid for pgid, pid, stat in rows if pgid == str(group) and "Z" not in stat]


@pytest.mark.slow
@every_command
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 400, "text": ', b"in.jsonl, line 80: expected a JSON object"),
        ('{"text": "boom"}', b"no roles for boom"),
    ],
    ids=["texts", "component"],
)
def test_an_error_ends_it_as_without_workers(start, command, line, message):
    alone = ended(start(command, 1, line))
    assert ended(start(command, 2, line)) == alone
    assert message in alone[1] and alone[2] == 2


@pytest.mark.slow
@every_command
def test_a_full_disk_ends_it_as_without_workers(start, command):
    with open("/dev/full", "w") as full:
        alone = ended(start(command, 1, stdout=full))
        assert ended(start(command, 2, stdout=full)) == alone
    assert alone[1:] == (b"can't read or write stdout: No space left on device\n", 2)


@pytest.mark.slow
@every_command
@pytest.mark.parametrize("n_process", [1, 2])
def test_a_closed_pipe_ends_it_quietly(start, command, n_process):
    process = start(command, n_process)
    assert process.stdout.readline()
    process.stdout.close()
    assert (process.stderr.read(), process.wait(timeout=SECONDS)) == (b"", 0)


@pytest.mark.slow
@every_command
def test_no_worker_outlives_a_killed_command(start, command):
    process = start(command, 2)
    assert process.stdout.readline()
    process.kill()
    assert process.wait(timeout=SECONDS) == -signal.SIGKILL


def test_a_killed_worker_ends_the_command(start):
    process = start("parse", 2)
    assert process.stdout.readline()
    workers = [pid for pid in in_group(process.pid) if pid != str(process.pid)]
    os.kill(int(workers[0]), signal.SIGKILL)
    _, errors, code = ended(process)
    assert (code, errors.splitlines()[-1][:28]) == (2, b"a worker process was killed:")


def test_texts_that_raise_after_some(model):
    """The Docs before it come first."""

    def texts():
        for number in range(10):
            yield TEXT, number
        raise RuntimeError("the texts end")

    parsed = []
    with pytest.raises(RuntimeError, match="the texts end"):
        nlp = spacy.load(model)
        for doc, number in parse_texts(nlp, texts(), batch_size=5, n_process=2):
            parsed.append((doc.text, number))
    assert parsed == [(TEXT, number) for number in range(10)]

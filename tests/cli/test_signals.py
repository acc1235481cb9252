"""Signals end the worker processes of a command with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator, List

import pytest

from spacy_lal.cli.signals import Stopped, raised_signals

N_LINES = 2000  # more than workers can parse before they are stopped
SECONDS = 120  # in which all processes must have ended: a bound for a test that fails, no measurement


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("Go on!\n" * N_LINES)
    return path


def start(*command: object, **options: Any) -> "subprocess.Popen[str]":
    """A command that leads a process group of its own. SIGINT is not ignored, as it is by processes in the background
    of a shell."""
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"},
        **options,
    )


@pytest.fixture
def started() -> Iterator[List[Any]]:
    """Processes whose whole groups are ended after the test."""
    processes: List[Any] = []
    yield processes
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def group(process: "subprocess.Popen[str]") -> List[int]:
    """The numbers of all processes of a group, but those that have ended and are only waited for."""
    numbers = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, number = path.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(number) == process.pid and state != "Z":
            numbers.append(int(path.parent.name))
    return numbers


def wait_until_all_are_gone(process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + SECONDS
    while group(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert group(process) == []


@pytest.mark.parametrize("whole_group", [False, True])  # a signal to all is a Ctrl-C at a terminal
def test_workers_end(pipeline: Path, text: Path, started: List[Any], whole_group: bool):
    process = start("-m", "spacy", "lal", "parse", pipeline, text, "-n", 2, "-b", 8)
    started.append(process)
    assert process.stdout.readline().startswith("(")
    assert len(group(process)) >= 3  # the command, and two workers
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (130, "Stopped by SIGINT\n")
    wait_until_all_are_gone(process)


def test_workers_of_a_file(pipeline: Path, text: Path, started: List[Any], tmp_path: Path):
    """SIGTERM to the command alone ends them, and what they had handed over is kept."""
    output = tmp_path / "out" / "silver.txt"
    output.parent.mkdir()
    process = start("-m", "spacy", "lal", "parse", pipeline, text, "-n", 2, "-b", 8, "-o", output)
    started.append(process)
    while not any(path.stat().st_size for path in output.parent.iterdir()) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (143, f"Stopped by SIGTERM; what was parsed before is in {output}\n")
    wait_until_all_are_gone(process)
    lines = output.read_text().splitlines()
    assert 0 < len(lines) < N_LINES and len(set(lines)) == 1
    assert list(output.parent.iterdir()) == [output]


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raised_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_second_signal_is_not_caught():
    def handler(number: int, frame: Any) -> None:
        raise RuntimeError

    before = signal.signal(signal.SIGTERM, handler)
    try:
        with pytest.raises(Stopped), raised_signals():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except Stopped:
                assert signal.getsignal(signal.SIGTERM) is handler
                raise
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)

"""`python -m spacy lal app`: what it starts, and what it says where it can't. The page itself: tests/test_page.py."""

import os
import signal
import sys
from importlib import import_module

import pytest

module = import_module("spacy_lal.cli.app")
PAGE = module.PAGE


@pytest.fixture
def started(monkeypatch):
    """Streamlit seems to be there; what would be run is only noted."""
    commands = []
    monkeypatch.setattr(module, "find_spec", lambda name: name == "streamlit")
    monkeypatch.setattr(module, "run_until_stopped", lambda command: commands.append(command) or 7)
    return commands


def test_command(lal, pipeline, started):
    result = lal("app", pipeline, "--headless", "--port", 9000, "--host", "0.0.0.0")
    assert (result.exit_code, result.output) == (7, "")  # the server's own exit code
    (command,) = started
    assert command[:5] == [sys.executable, "-m", "streamlit", "run", str(PAGE)] and PAGE.is_file()
    assert command[-2:] == ["--", str(pipeline)]
    options = dict(zip(command[5:-2:2], command[6:-2:2], strict=True))
    assert options["--browser.gatherUsageStats"] == options["--server.showEmailPrompt"] == "false"
    assert (options["--server.port"], options["--server.address"]) == ("9000", "0.0.0.0")
    assert options["--server.headless"] == "true"


def test_only_this_machine_sees_it(lal, pipeline, started):
    lal("app", pipeline)
    options = dict(zip(started[0][5:-2:2], started[0][6:-2:2], strict=True))
    assert (options["--server.address"], options["--server.headless"]) == ("localhost", "false")


def test_no_such_pipeline(lal, started):
    result = lal("app", "nowhere")
    assert result.exit_code == 1 and not started
    assert "can't find the pipeline 'nowhere': expected a path or an installed package" in result.stderr


def test_without_streamlit(lal, pipeline, started, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    result = lal("app", pipeline)
    assert result.exit_code == 1 and not started
    assert "pip install 'spacy-lal[app]'" in result.stderr


def test_exit_code():
    assert module.run_until_stopped([sys.executable, "-c", "raise SystemExit(3)"]) == 3


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_handed_on(number):
    def unexpected(*args):
        pytest.fail("the signal is for the server")

    before = signal.signal(number, unexpected)
    send = f"os.kill({os.getpid()}, signal.{number.name}); time.sleep(600)"
    stop = f"import os, signal, time; signal.signal(signal.{number.name}, signal.SIG_DFL); {send}"
    try:
        assert module.run_until_stopped([sys.executable, "-c", stop]) == -number
        assert signal.getsignal(number) is unexpected
    finally:
        signal.signal(number, before)

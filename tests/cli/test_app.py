"""`lal app`: what it starts, and its messages. The page itself:
tests/test_page.py."""

import sys
from importlib import import_module

import pytest

module = import_module("spacy_lal.cli.app")
PAGE = module.PAGE


@pytest.fixture
def started(monkeypatch):
    """Streamlit seems to be there; what would be run is only noted."""
    commands = []

    def execute(path, command):
        assert path == sys.executable
        commands.append(command)

    monkeypatch.setattr(module, "find_spec", lambda name: name == "streamlit")
    monkeypatch.setattr(module.os, "execv", execute)
    return commands


def test_command(lal, pipeline, started):
    result = lal(
        "app", "-m", pipeline, "--headless", "--port", 9000, "--host", "0.0.0.0"
    )
    assert (result.exit_code, result.output) == (0, "")
    lal("app", "-m", pipeline)
    first, second = started
    assert (
        first[:5] == [sys.executable, "-m", "streamlit", "run", str(PAGE)]
        and PAGE.is_file()
    )
    assert first[-2:] == ["--", str(pipeline)]
    options, defaults = (
        dict(word.split("=", 1) for word in command[5:-2])
        for command in (first, second)
    )
    assert (
        options["--browser.gatherUsageStats"]
        == options["--server.showEmailPrompt"]
        == "false"
    )
    assert (options["--server.port"], options["--server.address"]) == (
        "9000",
        "0.0.0.0",
    )
    assert (options["--server.headless"], defaults["--server.headless"]) == (
        "true",
        "false",
    )
    assert defaults["--server.address"] == "localhost"  # only this machine sees it


def test_errors(lal, pipeline, started, monkeypatch):
    result = lal("app", "-m", "nowhere")
    assert (
        result.exit_code == 2 and "can't find the pipeline 'nowhere'" in result.stderr
    )
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    result = lal("app", "-m", pipeline)
    assert (
        result.exit_code == 2
        and "pip install 'spacy-lal[app]'" in result.stderr
        and not started
    )

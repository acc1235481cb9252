"""`lal train`: killed, stopped, and started again with the same command."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, List

import pytest
import tiny_training
from spacy.util import load_config
from tiny_training import rows, tiny_config, uninterrupted, write_toy_corpora

TESTS = Path(tiny_training.__file__).parent


@pytest.fixture(scope="module")
def config_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A config file with its corpora beside it."""
    folder = tmp_path_factory.mktemp("project")
    write_toy_corpora(folder)
    tiny_config(folder).to_disk(folder / "config.cfg")
    return folder / "config.cfg"


@pytest.fixture(scope="module")
def stopped(config_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a process that was killed while it worked on its sixth step,
    with checkpoints at every second."""
    folder = tmp_path_factory.mktemp("stopped")
    code = folder / "code.py"
    code.write_text(
        f"import signal, sys\nsys.path.insert(0, {str(TESTS)!r})\n"
        "import tiny_training\ntiny_training.SIGNALS[5] = signal.SIGKILL\n"
    )
    command = [
        sys.executable,
        "-m",
        "spacy",
        "lal",
        "train",
        config_path,
        "-o",
        folder / "output",
    ]
    done = subprocess.run(
        [*map(str, command), "--code", str(code), "--checkpoint-steps", "2"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL
    assert [row.split()[1] for row in rows(done.stdout)] == ["0", "4"]
    return folder / "output"


@pytest.fixture
def output(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "output"))


def test_killed_and_started_again(
    config_path: Path, output: Path, lal: Callable, tmp_path: Path
):
    """In another process, and with strings and labels from the checkpoint."""
    expected = rows(uninterrupted(load_config(config_path), tmp_path / "spacy"))
    result = lal("train", config_path, "-o", output)
    assert result.exit_code == 0, result.output
    assert "going on after step 3" in " ".join(result.stdout.split())
    assert [row.split()[:2] for row in rows(result.stdout)] == [
        row.split()[:2] for row in expected[1:]
    ]
    again = lal("train", config_path, "-o", output)
    assert again.exit_code == 0 and "This training ended after step 8" in again.stdout
    assert not rows(again.stdout)


def test_stopped(
    config_path: Path, output: Path, lal: Callable, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(tiny_training.SIGNALS, 6, signal.SIGTERM)
    result = lal("train", config_path, "--output", output, "--checkpoint-minutes", 100)
    assert result.exit_code == 143
    path = output / "checkpoint"
    assert result.stderr.splitlines() == [
        f"Stopped after 7 steps: the same command goes on from {path}"
    ]
    assert path.is_dir() and (output / "model-last").is_dir()
    other = lal("train", config_path, "-o", output, "--training.max_steps", 1)
    assert other.exit_code == 2 and "training.max_steps: 8 -> 1" in other.stderr


def test_overrides(config_path: Path, tmp_path: Path, lal: Callable):
    result = lal(
        "train",
        config_path,
        "-o",
        tmp_path / "new" / "folder",
        "--training.max_steps",
        1,
    )
    assert result.exit_code == 0, result.output
    assert [row.split()[1] for row in rows(result.stdout)] == ["0"]
    assert (
        load_config(tmp_path / "new" / "folder" / "model-last" / "config.cfg")[
            "training"
        ]["max_steps"]
        == 1
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--checkpoint-steps", 0], "Invalid value for '--checkpoint-steps'"),
        (["--checkpoint-minutes", -1], "Invalid value for '--checkpoint-minutes'"),
        (["--max-steps", 3], "No such option '--max-steps'"),
    ],
)
def test_wrong_arguments(
    config_path: Path, tmp_path: Path, lal: Callable, arguments: List[Any], message: str
):
    result = lal("train", config_path, "-o", tmp_path / "output", *arguments)
    assert result.exit_code != 0 and message in result.stderr
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--components.lal_parser.loss.arc_weight", "nan"],
            "arc_weight: expected a number, got 'nan'",
        ),
        (["--paths.train", __file__], "test_train.py is no .spacy file"),
        (
            ["--training.frozen_components", '["tagger"]'],
            "[E900] Could not run the full pipeline",
        ),
    ],
)
def test_errors_of_config_and_corpus_are_told(
    config_path, tmp_path, lal, arguments: List[Any], message: str
):
    result = lal("train", config_path, "-o", tmp_path / "output", *arguments)
    assert (
        result.exit_code == 2
        and message in result.stderr
        and "Traceback" not in result.stderr
    )
    (tmp_path / "short.cfg").write_text('[nlp]\nlang = "en"\npipeline = []\n')
    result = lal("train", tmp_path / "short.cfg", "-o", tmp_path / "output")
    assert result.exit_code == 2 and "the config has no [training]" in result.stderr

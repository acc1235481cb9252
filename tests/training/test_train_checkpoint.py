"""Checkpoints are whole or not there, and a file that is not sound is named."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict

import pytest
import torch

from spacy_lal.files import written_folder
from spacy_lal.training.train_checkpoint import (
    CheckpointError,
    read_checkpoint,
    read_finished,
    remove_checkpoints,
    write_checkpoint,
    write_finished,
)

TENSORS: Dict[str, Any] = {"moment": torch.arange(5.0)}


def write_pipeline(path: Path) -> None:
    (path / "vocab").mkdir(parents=True)
    (path / "vocab" / "strings.json").write_text("[]")


def write(output: Path, step: int = 3) -> Path:
    return write_checkpoint(output, step, {"progress": {"n_steps": step}}, TENSORS, write_pipeline)


def fail(path: Path) -> None:
    write_pipeline(path)
    raise OSError("No space left on device")


def names(folder: Path) -> list:
    return sorted(path.name for path in folder.iterdir())


def test_round_trip(tmp_path: Path):
    path = write(tmp_path)
    checkpoint = read_checkpoint(tmp_path)
    assert checkpoint is not None and checkpoint.path == path
    assert checkpoint.summary["progress"] == {"n_steps": 3}
    assert torch.equal(checkpoint.tensors["moment"], TENSORS["moment"])
    assert (checkpoint.pipeline / "vocab" / "strings.json").read_text() == "[]"


def test_newer_replaces_older(tmp_path: Path):
    write(tmp_path, 9)
    write(tmp_path, 10)
    assert names(tmp_path / "checkpoint") == ["step-00000010"]


def test_none(tmp_path: Path):
    assert read_checkpoint(tmp_path) is None and read_finished(tmp_path) is None


def test_failure_leaves_the_older(tmp_path: Path):
    write(tmp_path, 3)
    with pytest.raises(OSError, match="No space"):
        write_checkpoint(tmp_path, 4, {}, TENSORS, fail)
    assert names(tmp_path / "checkpoint") == ["step-00000003"]


KILLED = """
import os, signal, sys
from pathlib import Path
from spacy_lal.training.train_checkpoint import write_checkpoint
write_checkpoint(Path(sys.argv[1]), 4, {}, {}, lambda path: (path.mkdir(), os.kill(os.getpid(), signal.SIGKILL)))
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder with checkpoint 3, and what a process that was killed has left of checkpoint 4."""
    output = tmp_path_factory.mktemp("killed")
    write(output, 3)
    done = subprocess.run([sys.executable, "-c", KILLED, str(output)])
    assert done.returncode == -signal.SIGKILL
    assert len(names(output / "checkpoint")) == 2
    return output


def test_killed_before_the_older_was_removed(tmp_path: Path):
    write(tmp_path, 4)
    (tmp_path / "checkpoint" / "step-00000003").mkdir()
    checkpoint = read_checkpoint(tmp_path)
    assert checkpoint is not None and checkpoint.path.name == "step-00000004"


@pytest.mark.parametrize("name", ["training.pt", "pipeline/vocab/strings.json", "checkpoint.json"])
@pytest.mark.parametrize("damage", ["missing", "cut", "changed"])
def test_damaged(tmp_path: Path, name: str, damage: str):
    file = write(tmp_path) / name
    contents = file.read_bytes()
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(contents[:-1] if damage == "cut" else b"#" + contents[1:])
    with pytest.raises(CheckpointError) as caught:
        read_checkpoint(tmp_path)
    message = str(caught.value)
    assert str(file) in message and "--no-resume" in message and "--output" in message


@pytest.mark.parametrize("text, reason", [('{"format": 99}', "format is 99"), ("[]", "expected an object, got list")])
def test_unknown_format(tmp_path: Path, text: str, reason: str):
    (write(tmp_path) / "checkpoint.json").write_text(text)
    with pytest.raises(CheckpointError, match=reason):
        read_checkpoint(tmp_path)


def test_nothing_in_a_checkpoint_is_run(tmp_path: Path):
    write_checkpoint(tmp_path, 1, {}, {"moment": Path("/")}, write_pipeline)  # what only a full unpickler reads
    with pytest.raises(CheckpointError, match="training.pt"):
        read_checkpoint(tmp_path)


def test_finished(tmp_path: Path):
    write(tmp_path)
    write_finished(tmp_path, {"step": 30})
    assert read_finished(tmp_path) == {"step": 30}
    assert names(tmp_path / "checkpoint") == ["finished.json"]
    remove_checkpoints(tmp_path)
    assert read_finished(tmp_path) is None and not (tmp_path / "checkpoint").exists()
    remove_checkpoints(tmp_path)


def test_folder_is_replaced_as_a_whole(tmp_path: Path):
    model = tmp_path / "model-last"
    for name in ("old", "new"):
        with written_folder(model) as path:
            (path / name).touch()
            assert path != model
    assert names(model) == ["new"] and names(tmp_path) == ["model-last"]
    with pytest.raises(KeyboardInterrupt), written_folder(model) as path:
        (path / "half").touch()
        raise KeyboardInterrupt
    assert names(model) == ["new"] and names(tmp_path) == ["model-last"]

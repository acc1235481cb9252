"""Checkpoints of a training on disk: written whole or not at all. Reading a damaged checkpoint raises a clear error.

OUTPUT/checkpoint/step-00001200/    the newest; the one before it is removed when this one is whole
    pipeline/                       from `nlp.to_disk`: weights, labels, strings, the filled config
    training.pt                     optimizer, gradients, random numbers (`train_state.py`)
    checkpoint.json                 progress, the given config, size and checksum of the other files
OUTPUT/checkpoint/finished.json     replaces them at the end of the training
"""

import json
import os
import pickle
import re
import shutil
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import torch

from ..files import write_file, written_folder

DIR_CHECKPOINT = "checkpoint"
PIPELINE = "pipeline"
TENSORS = "training.pt"
SUMMARY = "checkpoint.json"
FINISHED = "finished.json"
FORMAT = 2
CHUNK = 1 << 22
WAY_OUT = "Train anew with --no-resume (which replaces what is there), or with another --output"


class CheckpointError(ValueError):
    """A checkpoint that can't be used; the message names the file and the way out."""


class Checkpoint(NamedTuple):
    """A checkpoint that has been read, except for its pipeline.

    path (Path): Its folder.
    summary (Dict[str, Any]): Progress and config, as given to `write_checkpoint`.
    tensors (Dict[str, Any]): The tensors, as given to `write_checkpoint`.
    """

    path: Path
    summary: Dict[str, Any]
    tensors: Dict[str, Any]

    @property
    def pipeline(self) -> Path:
        """The folder for `spacy.load`."""
        return self.path / PIPELINE


def write_checkpoint(
    output_path: Path,
    step: int,
    summary: Dict[str, Any],
    tensors: Dict[str, Any],
    write_pipeline: Callable[[Path], Any],
) -> Path:
    """Write a checkpoint, then remove the older ones.

    output_path (Path): The training's output folder.
    step (int): Steps done: names the folder.
    summary (Dict[str, Any]): Values that JSON can hold.
    tensors (Dict[str, Any]): Values that `torch.save` can hold and `torch.load` reads with `weights_only=True`.
    write_pipeline (Callable[[Path], Any]): Writes the pipeline into a folder.
    RETURNS (Path): The checkpoint's folder.
    """
    folder = output_path / DIR_CHECKPOINT
    path = folder / f"step-{step:08d}"
    with written_folder(path) as new:
        write_pipeline(new / PIPELINE)
        _save_tensors(new / TENSORS, tensors)
        files = {str(file.relative_to(new)): _sum_and_sync(file) for file in _files(new)}
        _write_json(new / SUMMARY, {**summary, "format": FORMAT, "files": files})
    for older in _checkpoints(folder):
        if older != path:
            shutil.rmtree(older)
    return path


def read_checkpoint(output_path: Path) -> Optional[Checkpoint]:
    """The newest checkpoint of an output folder, with every file checked; None if the folder has no checkpoint.

    RAISES (CheckpointError): A file is missing, cut off or changed.
    """
    paths = _checkpoints(output_path / DIR_CHECKPOINT)
    if not paths:
        return None
    path = paths[-1]
    summary = _read_json(path / SUMMARY)
    if summary.get("format") != FORMAT:
        raise _unusable(path / SUMMARY, f"its format is {summary.get('format')!r}, expected {FORMAT}")
    for name, expected in summary["files"].items():
        file = path / name
        if not file.is_file():
            raise _unusable(file, "it is missing")
        if file.stat().st_size != expected[0]:
            raise _unusable(file, f"it has {file.stat().st_size} bytes, expected {expected[0]}")
        if _checksum(file) != expected[1]:
            raise _unusable(file, "its contents have changed since it was written")
    try:
        tensors = torch.load(path / TENSORS, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError) as error:
        raise _unusable(path / TENSORS, str(error).splitlines()[0]) from error
    return Checkpoint(path, summary, tensors)


def write_finished(output_path: Path, summary: Dict[str, Any]) -> None:
    """Record the end of the training, and remove its checkpoints."""
    folder = output_path / DIR_CHECKPOINT
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / FINISHED, json.dumps(summary, indent=1))
    remove_old_checkpoints(output_path)


def read_finished(output_path: Path) -> Optional[Dict[str, Any]]:
    """The summary from `write_finished`; None for a training that has not ended.

    RAISES (CheckpointError): The file is damaged.
    """
    path = output_path / DIR_CHECKPOINT / FINISHED
    return _read_json(path) if path.exists() else None


def remove_old_checkpoints(output_path: Path) -> None:
    """Remove checkpoints, including incomplete ones of killed processes."""
    folder = output_path / DIR_CHECKPOINT
    for path in _checkpoints(folder):
        shutil.rmtree(path)


def remove_checkpoints(output_path: Path) -> None:
    """Remove the training's checkpoints and the record of its end. Other files in the folder of checkpoints stay."""
    folder = output_path / DIR_CHECKPOINT
    if not folder.exists():
        return
    remove_old_checkpoints(output_path)
    (folder / FINISHED).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def _checkpoints(folder: Path) -> List[Path]:
    """Complete checkpoints, from the oldest to the newest. Names of incomplete ones begin with a dot."""
    found = (path for path in folder.glob("step-*") if re.fullmatch("step-[0-9]{8,}", path.name) and path.is_dir())
    return sorted(found, key=lambda path: int(path.name.removeprefix("step-")))


def _files(folder: Path) -> List[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _save_tensors(path: Path, tensors: Dict[str, Any]) -> None:
    """Write tensors. RAISES (OSError): The file cannot be written; torch itself raises a RuntimeError then."""
    try:
        with path.open("wb") as file:
            torch.save(tensors, file)
    except RuntimeError as error:
        cause = error.__context__
        if not isinstance(cause, OSError):
            raise
        cause.filename = str(path)
        raise cause from None


def _checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            value = zlib.crc32(chunk, value)
    return value


def _sum_and_sync(path: Path) -> List[int]:
    """Size and CRC-32 of a file, after its contents are flushed to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    return [path.stat().st_size, _checksum(path)]


def _write_json(path: Path, value: Dict[str, Any]) -> None:
    with path.open("w", encoding="utf8") as file:
        json.dump(value, file, indent=1)
        file.flush()
        os.fsync(file.fileno())


def _read_json(path: Path) -> Dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise _unusable(path, str(error)) from error
    if not isinstance(value, dict):
        raise _unusable(path, f"expected an object, got {type(value).__name__}")
    return value


def _unusable(path: Path, reason: str) -> CheckpointError:
    return CheckpointError(f"can't go on from {path}: {reason}. {WAY_OUT}")

"""Damaged files of a pipeline: errors of loading name the file, and checksums tell
which files are not those that were packaged."""

import traceback
from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Optional, Union

import srsly
from spacy import util
from spacy.language import Language


def name_damaged_files(nlp: Language) -> None:
    """Let errors of `nlp.from_disk`, and so of `spacy.load`, name the file that is
    missing or cannot be read, whichever component reads it."""
    nlp.from_disk = partial(_from_disk, nlp)  # type: ignore[method-assign]


def _from_disk(
    nlp: Language, path: Union[str, Path], exclude: Iterable[str] = (), **options: Any
) -> Language:
    folder = Path(path)
    # Without such a file, spaCy's components fail at the first text.
    needed = {"vocab", *nlp.component_names}.difference(exclude)
    for name in _checksums(folder):
        file = folder / name
        part = name.partition("/")[0]
        if part in needed and file.parent.is_dir() and not file.exists():
            raise ValueError(f"the pipeline in {path} is damaged: {name} is missing")
    try:
        return type(nlp).from_disk(nlp, path, exclude=exclude, **options)
    except Exception as error:
        damaged = _file_being_read(error)
        if damaged is None or damaged.name in str(error):
            raise
        raise ValueError(
            f"the pipeline in {path} is damaged: {damaged.relative_to(path)} cannot be "
            f"read: {error}"
        ) from error


def _file_being_read(error: Exception) -> Optional[Path]:
    """The file, or the folder of the vocabulary, that spaCy was reading, by the frames
    of its one function for that."""
    file = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code is util.from_disk.__code__:
            file = Path(frame.f_locals["path"]) / frame.f_locals["key"]
    return file


def damaged_files(folder: Path) -> Iterator[str]:
    """The files of a package that are not as they were packaged, each with what is
    wrong, by the SHA-256 in its meta.json.

    folder (Path): The pipeline's folder.
    RAISES (ValueError): meta.json cannot be read, or has no checksums."""
    checksums = _checksums(folder)
    if not checksums:
        raise ValueError(f"expected a package's meta.json with checksums in {folder}")
    for name, expected in checksums.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is missing"
        elif sha256(path.read_bytes()).hexdigest() != expected:
            yield f"{name} ({path.stat().st_size:,} bytes) differs"


def _checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file of a package; empty for another pipeline."""
    meta = folder / "meta.json"
    return srsly.read_json(meta).get("checksums", {}) if meta.is_file() else {}

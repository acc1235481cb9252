"""Damaged files of a pipeline: errors of loading name the file, and checksums tell
which files are not those that were packaged."""

import traceback
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Optional, Union

import srsly
from spacy import util
from spacy.language import Language


def name_damaged_files(nlp: Language) -> None:
    """Let errors of `nlp.from_disk`, and so of `spacy.load`, name the file that cannot
    be read, whichever component reads it."""
    nlp.from_disk = partial(_from_disk, nlp)  # type: ignore[method-assign]


def _from_disk(nlp: Language, path: Union[str, Path], **options: Any) -> Language:
    try:
        return type(nlp).from_disk(nlp, path, **options)
    except Exception as error:
        file = _file_being_read(error)
        if file is None or file.name in str(error):
            raise
        raise ValueError(
            f"the pipeline in {path} is damaged: {file.relative_to(path)} cannot be "
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
    try:
        checksums = srsly.read_json(folder / "meta.json")["checksums"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"expected a package's meta.json with checksums in {folder}: {error}"
        ) from error
    for name, expected in checksums.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is missing"
        elif sha256(path.read_bytes()).hexdigest() != expected:
            yield f"{name} ({path.stat().st_size:,} bytes) differs"

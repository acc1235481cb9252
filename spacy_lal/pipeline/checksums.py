"""Checksums of a component's files, stored in a file beside them.

An overwritten block of weights still holds numbers: only a checksum tells the difference. The components before ours in
the same pipeline are covered too, since spaCy does not check their files. Files stored without checksums are read
unchecked. CRC-32 detects damage, not forgery.
"""

import zlib
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator

import srsly
from thinc.api import Config, Model

FILE = "checksums"
_PARTS = ("cfg", "model")  # of components that are not ours


def write_checksums(folder: Path, parts: Iterable[str]) -> None:
    """Write the checksums of files that have just been written.

    folder (Path): The component's folder.
    parts (Iterable[str]): Names of its files, and of folders of files.
    """
    files = [file for part in parts for file in _files(folder / part)]
    beside = [f"../{file.relative_to(folder.parent).as_posix()}" for file in _parts_before(folder)]
    names = [file.relative_to(folder).as_posix() for file in files] + beside
    srsly.write_json(folder / FILE, {name: _checksum(folder / name) for name in sorted(names)})


def rewrite_checksums(pipeline: Path) -> None:
    """Bring the checksums of a saved pipeline up to date, after its files were rewritten on purpose."""
    for path in pipeline.rglob(FILE):
        names = srsly.read_json(path)
        srsly.write_json(path, {name: _checksum(path.parent / name) for name in names})


def check_checksums(folder: Path, part: str) -> None:
    """Check that files have not changed since they were saved.

    folder (Path): The component's folder.
    part (str): Name of a file or of a folder of files; `..` for the files of components before it.
    RAISES (ValueError): A file has another checksum, or is missing in an existing folder.
    """
    stored = _read(folder / FILE)
    for name, expected in stored.items():
        path = folder / name
        if (name == part or name.startswith(f"{part}/")) and path.parent.is_dir():
            if not path.is_file():
                raise ValueError(f"{path.resolve()} is missing. Copy or install the pipeline again")
            found = _checksum(path)
            if found != expected:
                raise ValueError(
                    f"{path.resolve()} ({path.stat().st_size:,} bytes) is not the file that was saved: its CRC-32 is "
                    f"{found}, and {folder / FILE} says {expected}. Copy or install the pipeline again, or, where the "
                    f"file was replaced on purpose, delete {folder / FILE}"
                )


def check_finite_layers(model: Model) -> None:
    """Check that the weights of thinc layers are finite. Weights of torch networks are checked by their loader.

    RAISES (ValueError): A weight is NaN or infinite.
    """
    for node in model.walk():
        for key in node.param_names:
            if node.has_param(key) and not bool(node.ops.xp.isfinite(node.get_param(key)).all()):
                raise ValueError(f"the weights {key} of the layer {node.name} are NaN or infinite")


def _read(path: Path) -> Dict[str, str]:
    if not path.is_file():
        return {}
    try:
        stored: Any = srsly.read_json(path)
    except (ValueError, OSError) as err:
        stored = err
    if not isinstance(stored, dict):
        raise ValueError(f"{path} is no file of checksums: {stored!r:.200}. Copy or install the pipeline again")
    return stored


def _checksum(path: Path) -> str:
    return f"{zlib.crc32(path.read_bytes()):08x}"


def _files(path: Path) -> Iterator[Path]:
    return (file for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())


def _parts_before(folder: Path) -> Iterator[Path]:
    """The files of the components before this one, if its folder is in the folder of a pipeline."""
    config = folder.parent / "config.cfg"
    names = Config().from_disk(config, interpolate=False)["nlp"]["pipeline"] if config.is_file() else []
    for name in names[: names.index(folder.name)] if folder.name in names else ():
        yield from (file for part in _PARTS for file in _files(folder.parent / name / part))

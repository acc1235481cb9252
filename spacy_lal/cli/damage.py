"""Finds the damaged file of a pipeline that cannot be loaded; spaCy seldom names it."""

import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Optional

REINSTALL = "Copy or install the pipeline again"


def pipeline_folder(model: str) -> Optional[Path]:
    """The folder of a pipeline, by its path or the name of an installed package; None if it does not exist."""
    from importlib.util import find_spec

    if os.path.isdir(model):  # unlike pathlib, for names of any length
        return Path(model)
    try:
        spec = find_spec(model) if model.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    folders = sorted(Path(spec.origin).parent.glob(f"{model}-*")) if spec and spec.origin else []
    return next((folder for folder in folders if folder.is_dir()), None)


def damaged_file(folder: Path) -> Optional[str]:
    """Path and problem of the first damaged file of a saved pipeline; None if all files can be read.

    Detects missing files, truncated files and files of another format. Bytes that changed within a file are detected
    only in files with a checksum.
    """
    for path, read in _expected_files(folder):
        try:
            if path.is_dir():
                return f"{path} is a directory, expected a file. {REINSTALL}"
            if not path.is_file():
                return f"{path} is missing. {REINSTALL}"
            read(path)
        except Exception as err:  # errors of msgpack, numpy, json and configs have no common base
            first = next(iter(str(err).splitlines()), "")
            size = f"{path.stat().st_size:,} bytes" if path.exists() else "gone"
            return f"{path} ({size}) is damaged: {type(err).__name__}: {first[:200]}. {REINSTALL}"
    return _changed_file(folder)


def _expected_files(folder: Path) -> Iterator[Any]:
    """Each file that a pipeline has, with its reader: first the files of every pipeline, then the files of its
    components."""
    import numpy
    import srsly
    from thinc.api import Config

    config = folder / "config.cfg"
    yield folder / "meta.json", _read_dict
    yield config, lambda path: Config().from_disk(path, interpolate=False)["nlp"]["pipeline"]
    readers: Dict[str, Callable[[Path], Any]] = {
        "vocab/strings.json": lambda path: _expect(list, srsly.read_json(path)),
        "vocab/key2row": lambda path: _expect(dict, _read_msgpack(path)),
        "vocab/lookups.bin": lambda path: _expect(dict, _read_msgpack(path)),
        "vocab/vectors": lambda path: numpy.load(path, allow_pickle=False),
        "vocab/vectors.cfg": _read_dict,
        "tokenizer": lambda path: _expect(dict, _read_msgpack(path)),
    }
    for name, read in readers.items():
        if name == "vocab/strings.json" or (folder / name).exists():
            yield folder / name, read
    if not config.is_file():
        return
    for component in Config().from_disk(config, interpolate=False)["nlp"]["pipeline"]:
        for path in sorted((folder / component).rglob("*")):
            if path.name in ("cfg", "checksums") and path.is_file():
                yield path, _read_dict
        if (folder / component / "cfg").exists() or (folder / component / "model").exists():
            yield folder / component / "cfg", _read_dict
            yield folder / component / "model", _read_model


def _changed_file(folder: Path) -> Optional[str]:
    from spacy_lal.pipeline.checksums import FILE, check_checksums

    try:
        for path in sorted(folder.rglob(FILE)):
            for part in ("cfg", "model", "encoder", ".."):
                check_checksums(path.parent, part)
    except ValueError as err:
        return str(err)
    return None


def _read_dict(path: Path) -> None:
    _expect(dict, json.loads(path.read_text(encoding="utf8")))


def _read_msgpack(path: Path) -> Any:
    import srsly

    return srsly.msgpack_loads(path.read_bytes())


def _read_model(path: Path) -> None:
    """Check that a file holds a thinc model and that its torch networks are complete."""
    import srsly

    from spacy_lal.models.stored_weights import check_message

    content = _expect(dict, _read_msgpack(path))
    for name in ("nodes", "attrs", "params", "shims"):
        _expect(list, content[name])
    for shim in (shim for shims in content["shims"] for shim in shims):
        message = srsly.msgpack_loads(shim)
        if message.get("state"):
            check_message(message, "a network in it")


def _expect(kind: type, content: Any) -> Any:
    if not isinstance(content, kind):
        raise ValueError(f"expected a {kind.__name__} in it, got {type(content).__name__}")
    return content

"""The format of stored parsers, and the errors for unreadable ones."""

from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Union

import srsly

from .. import __version__

FORMAT = 1  # raised by one when parsers stored by earlier versions become unreadable


class FormatError(ValueError):
    """A component is stored in a format that this version of spacy_lal does not read."""


def with_format(cfg: Mapping[str, Any]) -> Dict[str, Any]:
    """A component's cfg as stored, with the format and the version of spacy_lal."""
    return {"format": FORMAT, "spacy_lal": __version__, **cfg}


def without_format(cfg: Mapping[str, Any], name: str) -> Dict[str, Any]:
    """Check the format of a stored cfg, and remove it.

    RAISES (FormatError): This version of spacy_lal reads another format.
    """
    # A cfg without a format has the first one.
    found, writer = cfg.get("format", FORMAT), cfg.get("spacy_lal", "of an unknown version")
    if found != FORMAT:
        age = "newer" if isinstance(found, int) and found > FORMAT else "other"
        raise FormatError(
            f"'{name}' was stored in format {found!r} by spacy_lal {writer}, and spacy_lal {__version__} reads format "
            f"{FORMAT}: install the {age} spacy_lal that wrote it (pip install 'spacy-lal=={writer}'), or a package of "
            "the pipeline made for this one"
        )
    return {key: value for key, value in cfg.items() if key not in ("format", "spacy_lal")}


def read_cfg(path: Path, name: str) -> Dict[str, Any]:
    """Read a component's cfg.

    name (str): The component's name.
    RAISES (ValueError): The file cannot be read, or holds no cfg.
    """
    try:
        cfg: Any = srsly.read_json(path)
    except (ValueError, OSError) as err:
        cfg = err
    if isinstance(cfg, dict):
        return cfg
    found = "where there is no file"
    if path.is_file():
        found = f"{path.stat().st_size:,} bytes: {type(cfg).__name__}: {cfg!s:.200}"
    raise ValueError(
        f"'{name}' can't read its settings and labels from {path} ({found}). Expected the file as it was saved, whole. "
        "Copy or install the pipeline again"
    )


@contextmanager
def readable_weights(name: str, source: Union[Path, bytes]) -> Iterator[None]:
    """For a block that reads weights: any error becomes a ValueError that names the file and the remedy.

    name (str): The component's name.
    source (Union[Path, bytes]): The file or bytes that hold the weights.
    RAISES (ValueError): The weights cannot be read.
    """
    try:
        yield
    except Exception as err:  # msgpack, torch, thinc and zipfile have no common error
        if isinstance(source, bytes):
            found = f"{len(source):,} bytes"
        elif source.is_file():
            found = f"{source} ({source.stat().st_size:,} bytes)"
        else:
            found = f"{source}, where there is no file"
        raise ValueError(
            f"'{name}' can't read its weights from {found}: {type(err).__name__}: {err}. Expected the file as it was "
            "saved, whole, and the settings it was saved with. Copy or install the pipeline again"
        ) from err

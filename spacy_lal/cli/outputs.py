"""Where commands may write: never over their own input; a pipeline only to a free folder or over another pipeline."""

import os
import stat
import sys
from pathlib import Path
from typing import Any, Optional, Union

from spacy_lal.cli.streams import fail
from spacy_lal.cli.texts import STDIN


def check_output(output: Path, overwrite: bool, *inputs: Union[str, Path]) -> None:
    """Ends the command unless OUT is free, or holds a pipeline that may be replaced.

    inputs (Union[str, Path]): Files and folders to read. OUT may be one of the inputs, but no input may lie inside OUT.
    """
    if not output.exists():
        return
    if not output.is_dir():
        fail(f"OUT is a folder to write, but {output} is a file")
    if not any(output.iterdir()):
        return
    if not overwrite:
        fail(f"{output} is not empty: name another folder, or say --overwrite to replace the pipeline in it")
    if not (output / "config.cfg").is_file() or not (output / "meta.json").is_file():
        fail(f"{output} holds no pipeline, so --overwrite does not replace it: name another folder")
    for given in inputs:
        if output.resolve() in Path(given).resolve().parents and Path(given).exists():
            fail(f"{given} lies in {output}, which --overwrite replaces: name another folder")


def check_apart(output: Optional[Path], *inputs: Optional[Path], problem: str = "read and written at once") -> None:
    """Ends the command if it would both read and write a file, under whatever names.

    problem (str): The problem that the message names.
    """
    for given in inputs:
        if output is None or given is None:
            continue
        same = _same(_status(output), _status(given))
        if same or (output.resolve() == given.resolve() and not given.exists()):
            fail(f"{output} would be {problem}{_as_well(output, given)}: name another file")


def check_stream_apart(output: Optional[Path], source: str) -> None:
    """`check_apart` for a source that may be stdin, and an output that may be stdout (None)."""
    read = _status(sys.stdin if source == STDIN else Path(source))
    if _same(read, _status(sys.stdout if output is None else output)):
        written = output or "the file at stdout"
        given = "the file at stdin" if source == STDIN else source
        fail(f"{written} would be read and written at once{_as_well(written, given)}: name another file")


def _as_well(written: Union[str, Path], given: Union[str, Path]) -> str:
    return "" if str(written) == str(given) else f", it is {given} as well"


def _same(one: Optional[os.stat_result], other: Optional[os.stat_result]) -> bool:
    """Whether both are the same regular file. A device may be both read and written."""
    if one is None or other is None or not stat.S_ISREG(one.st_mode):
        return False
    return os.path.samestat(one, other)


def _status(place: Any) -> Optional[os.stat_result]:
    try:
        return place.stat() if isinstance(place, Path) else os.fstat(place.fileno())
    except (OSError, ValueError, AttributeError):  # missing; closed; not a file
        return None

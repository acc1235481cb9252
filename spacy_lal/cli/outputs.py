"""Where commands may write: never over their own input; a pipeline only to a free folder or over another pipeline."""

import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

from spacy_lal.cli.streams import closed_pipe_is_no_error, fail
from spacy_lal.cli.texts import STDIN


def is_stdout(output: Optional[Path]) -> bool:
    """Whether an output is stdout: none is named, or `-`."""
    return output is None or str(output) == STDIN


def refuse_terminal(content: str) -> None:
    """Ends the command if stdout is a terminal, which shows no bytes.

    content (str): What would be written.
    """
    if sys.stdout is not None and sys.stdout.isatty():
        fail(f"expected a file or a pipe for {content}, stdout is a terminal")


@contextmanager
def path_or_stdout(output: Path, *, binary: bool = False) -> Iterator[Path]:
    """For a block that writes a file. For `-`, the file is a temporary one, whose content goes to stdout at the end.

    binary (bool): Whether the content is no text, so that a terminal is refused.
    YIELDS (Path): The file to write.
    """
    if not is_stdout(output):
        yield output
        return
    if binary:
        refuse_terminal("a .spacy file")
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("stdout.spacy" if binary else "stdout.txt")
        yield path
        content = path.read_bytes()
    with closed_pipe_is_no_error():
        if binary:
            sys.stdout.buffer.write(content)
        else:
            if hasattr(sys.stdout, "reconfigure"):
                sys.stdout.reconfigure(encoding="utf-8")
            sys.stdout.write(content.decode("utf8"))


def write_json(output: Path, content: Any) -> None:
    """Write an object as JSON, to a file or, for `-`, to stdout."""
    import srsly

    from spacy_lal.files import write_file

    with path_or_stdout(output) as path:
        write_file(path, srsly.json_dumps(content, indent=2) + "\n")


@contextmanager
def paths_or_stdin(paths: Sequence[Path]) -> Iterator[Tuple[List[Path], Callable[[str], str]]]:
    """For a block that reads files. One of them may be `-`: a temporary file then has the content of stdin.

    YIELDS (Tuple[List[Path], Callable[[str], str]]): The files to read; and a function to apply to all messages, in
        which it calls the temporary file `<stdin>`.
    """
    if not any(is_stdin(path) for path in paths):
        yield list(paths), str
        return
    if sum(is_stdin(path) for path in paths) > 1:
        fail("expected at most one - (stdin) among the files")
    if sys.stdin is None:
        fail("can't read <stdin>: it is closed")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "<stdin>"
        file.write_bytes(sys.stdin.buffer.read())
        yield [file if is_stdin(path) else path for path in paths], lambda text: text.replace(f"{folder}{os.sep}", "")


def is_stdin(path: Union[str, Path]) -> bool:
    """Whether a file to read is stdin."""
    return str(path) == STDIN


def folder_size(folder: Path) -> str:
    """The size of all files in a folder, in megabytes, for a message."""
    return f"{sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) / 1e6:.1f} MB"


def check_parent(output: Optional[Path]) -> None:
    """Ends the command if the folder of a file to write does not exist, or the file is a folder."""
    if output is not None and not output.parent.is_dir():
        fail(f"can't write {output}: no folder {output.parent}")
    if output is not None and not is_stdout(output) and output.is_dir():
        fail(f"can't write {output}: expected a file, it is a folder")


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
        if output is None or given is None or is_stdout(output):
            continue
        same = _same(_status(output), _status(given))
        if same or (output.resolve() == given.resolve() and not given.exists()):
            fail(f"{output} would be {problem}{_as_well(output, given)}: name another file")


def check_stream_apart(output: Optional[Path], source: str) -> None:
    """`check_apart` for a source that may be stdin, and an output that may be stdout (None)."""
    read = _status(sys.stdin if source == STDIN else Path(source))
    if _same(read, _status(sys.stdout if is_stdout(output) else output)):
        written = "the file at stdout" if is_stdout(output) else str(output)
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

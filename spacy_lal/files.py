"""Files and folders that appear complete or not at all; lines of data files; quotations
in messages."""

import codecs
import errno
import glob
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

QUOTE = 200  # characters of a line that a message shows
MAX_LINE = 10_000_000  # bytes of a line of data
PART = ".part"  # the ending of what is not complete
OLD = ".old"  # the ending of a whole folder that is moved aside

# How files begin that are no text.
KINDS = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "an archive, such as .docx",
    b"\xd0\xcf\x11\xe0": "an office document, such as .doc",
    b"{\\rtf": "RTF",
    b"\x1f\x8b": "compressed data",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"GIF8": "a picture",
    b"\x89PNG": "a picture",
    b"\xff\xd8": "a picture",
    b"x\x9c": "compressed data, such as .spacy",
}


class TreebankError(ValueError):
    """Malformed or mismatched data. The message begins with the file and the line."""


def quoted(text: str, length: int = QUOTE) -> str:
    r"""Quote a text for a message: on one line, with control characters escaped, cut to
    a maximum length.

    >>> quoted("a\x1b[31m"), quoted("a" * 300, 10)
    ("'a\\x1b[31m'", "'aaaaa'...")
    """
    if len(text) <= length:
        return repr(text)
    return f"{text[: length - 5]!r}..."  # quotes and dots count


def beside(path: Path, ending: str = PART) -> Path:
    """A name beside a file or folder that no other run takes: two runs may write to one
    path, and the last to finish wins."""
    return path.with_name(f".{path.name}.{uuid4().hex}{ending}")


def leftovers(path: str | Path) -> list[Path]:
    """What `written_file` or `written_folder` left beside a path when they were killed,
    or write at this moment."""
    target = Path(path).resolve()
    name = glob.escape(target.name)
    parts = (target.parent.glob(f".{name}.*{end}") for end in (PART, OLD))
    return sorted(path for paths in parts for path in paths)


@contextmanager
def _named_errors(path: str | Path, part: Path) -> Iterator[None]:
    """The system's errors of writing a part, such as that of a full disk, name the
    path."""
    try:
        yield
    except OSError as error:
        if error.errno and str(error.filename or part).startswith(str(part)):
            error.filename = str(path)
        raise


@contextmanager
def _written_part(path: str | Path, target: Path) -> Iterator[Path]:
    """For a block that writes something beside its target and moves it there. If the
    block fails, the part is removed, and so are the folders that were made for it."""
    part = beside(target)
    made = [folder for folder in target.parents if not folder.exists()]
    try:
        with _named_errors(path, part):
            target.parent.mkdir(parents=True, exist_ok=True)
            yield part
    except BaseException:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def written_file(path: str | Path) -> Iterator[BinaryIO]:
    """For a block that writes a file: it is replaced when the block has ended well,
    otherwise it stays unchanged. Pipes and devices are written in place. The file's
    folder is made if it does not exist.

    YIELDS (BinaryIO): The file object to write to.
    RAISES (OSError): The file cannot be written.
    """
    if Path(path).exists() and not Path(path).is_file():
        # A folder is an error here.
        with _named_errors(path, Path(path)), open(path, "wb") as file:
            yield file
        return
    target = Path(path).resolve()  # follows links
    with _written_part(path, target) as part:
        with part.open("wb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, part)
        os.replace(part, target)


def write_file(path: str | Path, content: bytes | str) -> None:
    """Write a file completely or not at all; text as UTF-8."""
    with written_file(path) as file:
        file.write(content.encode("utf8") if isinstance(content, str) else content)


@contextmanager
def written_folder(path: str | Path) -> Iterator[Path]:
    """For a block that writes a folder: it replaces the earlier one when the block has
    ended well. An earlier one that a killed run has moved aside is moved back.

    YIELDS (Path): An empty folder beside `path` to write into.
    RAISES (OSError): The folder cannot be written; the earlier one is unchanged.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(
            errno.ENOTDIR, "expected a folder to write, it is a file", str(path)
        )
    restore_folder(target)
    with _written_part(path, target) as new:
        new.mkdir()
        yield new
        _replace_folder(target, new)


def _replace_folder(target: Path, new: Path) -> None:
    """A folder cannot be renamed over another: the earlier one is moved aside. Another
    run may do the same at this moment."""
    old = beside(target, OLD)
    with suppress(FileNotFoundError):
        target.rename(old)
    try:
        new.rename(target)
    except OSError:
        if not target.exists():
            old.rename(target)
            raise
        _replace_folder(target, new)
    removed = beside(target)
    with suppress(FileNotFoundError):
        old.rename(removed)  # a folder that is being removed is whole no more
    shutil.rmtree(removed, ignore_errors=True)


def restore_folder(path: Path) -> None:
    """Move the latest folder back where `written_folder` was killed between its two
    renames."""
    earlier = [part for part in leftovers(path) if part.suffix == OLD]
    if earlier and not path.exists():
        max(earlier, key=lambda folder: folder.stat().st_mtime_ns).rename(path)


def refuse_binary(first: bytes, name: str) -> None:
    """Check that a file begins as text does.

    RAISES (TreebankError): It begins as a known kind that is no text.
    """
    for start, kind in KINDS.items():
        if first.startswith(start):
            raise TreebankError(f"{name}: expected text in UTF-8, got {kind}")


def numbered_lines(
    source: Path | BinaryIO, name: str = ""
) -> Iterator[tuple[int, str]]:
    r"""The lines of a file with their numbers, from 1. Only `\n` ends a line and is
    kept; a byte order mark is removed.

    source: A path, or an open file of bytes.
    name: In errors.
    RAISES (TreebankError): A line is too long, is not UTF-8, or holds a NUL character.
    """
    number = 0
    # Bytes, so that an invalid one has a line.
    with source.open("rb") if isinstance(source, Path) else source as file:
        while raw := file.readline(MAX_LINE + 1):
            number += 1
            if number == 1:
                refuse_binary(raw, str(name or source))
                raw = raw.removeprefix(codecs.BOM_UTF8)
            fault = _fault_of_line(raw)
            if fault:
                shown = quoted(raw.decode("utf-8", errors="backslashreplace")[:200])
                raise TreebankError(f"{name or source}:{number}: {fault}: {shown}")
            yield number, raw.decode("utf-8")


def _fault_of_line(raw: bytes) -> str:
    """What is wrong with a line, or nothing."""
    if len(raw) > MAX_LINE:
        return f"expected a line of at most {MAX_LINE:,} bytes, got a longer one"
    if b"\0" in raw:
        return "expected text, got a NUL character"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        got = raw[error.start : error.end]
        return f"expected UTF-8, got {got!r} ({error.reason})"
    return ""


def read_json(text: str) -> Any:
    """The value of a text in JSON.

    RAISES (ValueError): It is no JSON; NaN and Infinity are none, nor are numbers too
        large for a float.
    """

    def number(digits: str) -> float:
        if not isfinite(float(digits)):
            raise ValueError(f"expected a finite number, got {digits}")
        return float(digits)

    return json.loads(text, parse_float=number, parse_constant=number)


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The values of a file of JSON lines, each with its place, "FILE:LINE". Empty lines
    are skipped.

    RAISES (TreebankError): A line is no JSON.
    """
    for number, line in numbered_lines(path):
        if line.strip():
            try:
                yield f"{path}:{number}", read_json(line)
            except (ValueError, RecursionError) as error:
                raise TreebankError(
                    f"{path}:{number}: expected JSON, got {quoted(line.strip())} "
                    f"({error})"
                ) from None

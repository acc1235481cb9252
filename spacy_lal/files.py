"""Files and folders that appear complete or not at all, and short quotations of texts in messages."""

import errno
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Iterator, Union

QUOTE = 200  # characters of a line that a message shows


def quoted(text: str, length: int = QUOTE) -> str:
    r"""Quote a text for a message: on one line, with control characters escaped, cut to a maximum length.

    >>> quoted("a\x1b[31m"), quoted("a" * 300, 10)
    ("'a\\x1b[31m'", "'aaaaa'...")
    """
    return repr(text) if len(text) <= length else f"{text[: length - 5]!r}..."  # quotes and dots count


@contextmanager
def written_file(path: Union[str, Path]) -> Iterator[BinaryIO]:
    """For a block that writes a file: it is replaced when the block has ended well, otherwise it stays unchanged. Pipes
    and devices are written in place. The file's folder is made if it does not exist.

    YIELDS (BinaryIO): The file object to write to.
    RAISES (OSError): The file cannot be written.
    """
    if Path(path).exists() and not Path(path).is_file():
        with open(path, "wb") as file:  # a folder is an error here
            yield file
        return
    target = Path(path).resolve()  # follows links
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, part)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_file(path: Union[str, Path], content: Union[bytes, str]) -> None:
    """Write a file completely or not at all; text as UTF-8."""
    with written_file(path) as file:
        file.write(content.encode("utf8") if isinstance(content, str) else content)


@contextmanager
def written_folder(path: Union[str, Path]) -> Iterator[Path]:
    """For a block that writes a folder: it replaces the earlier one when the block has ended well.

    YIELDS (Path): An empty folder beside `path` to write into.
    RAISES (OSError): The folder cannot be written; the earlier one is unchanged.
    """
    target = Path(path).resolve()
    new, old = (target.with_name(f".{target.name}.{kind}") for kind in ("part", "old"))
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "expected a folder to write, it is a file", str(path))
    shutil.rmtree(new, ignore_errors=True)
    try:
        new.mkdir(parents=True)
        yield new
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)

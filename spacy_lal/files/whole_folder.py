"""Folders that are written completely or not at all: pipelines and checkpoints."""

import errno
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Optional

from .whole_file import OLD, PART, beside, check_folders, left_in, left_over, lock


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """For a block that writes a folder: it writes beside `path`, which is replaced when the block has ended well.

    Only `path` itself and the parts that our killed processes have left beside it are removed.

    path (Path): The folder to write; its former content is replaced.
    YIELDS (Path): An empty folder to write into.
    RAISES (OSError): It cannot be written; an earlier folder is unchanged. `filename` is `path` or lies in it.
    """
    path = path.resolve()
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "expected a folder to write, it is a file", str(path))
    check_folders(path)
    restore(path)
    for abandoned in (*left_over(path, PART), *left_over(path, OLD)):
        _remove(abandoned)
    new, old = beside(path, PART), beside(path, OLD)
    locks = []
    try:
        new.mkdir(parents=True)
        locks.append(_locked(new))
        if path.exists():
            shutil.copymode(path, new)
        yield new
        if path.exists():
            locks.append(_locked(path))
            path.rename(old)
        new.rename(path)
    except BaseException as err:
        if old.exists() and not path.exists():
            old.rename(path)
        _remove(new)
        if isinstance(err, OSError) and err.errno is not None:
            err.filename = str(err.filename or path).replace(str(new), str(path))
            if err.filename2 is not None:  # of a rename; a None that is set would be shown
                del err.filename2
        raise
    finally:
        for descriptor in locks:
            if descriptor is not None:
                os.close(descriptor)
    _remove(old)


def restore(path: Path) -> None:
    """Put the former folder back if a process was killed between the renames of `written_whole`."""
    former = left_over(path, OLD)
    if former and not path.exists():
        former[-1].rename(path)


def remove_left_over(folder: Path) -> None:
    """Remove all parts that our killed processes have left in a folder."""
    for path in (*left_in(folder, PART), *left_in(folder, OLD)):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _locked(folder: Path) -> Optional[int]:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open folders
        return None
    lock(descriptor)
    return descriptor

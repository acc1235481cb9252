"""Folders that are written as a whole or not at all: pipelines and checkpoints."""

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """For a block that writes a folder: it writes beside `path`, which is replaced when the block has ended well.

    path (Path): The folder to write; what it held before is gone afterwards.
    YIELDS (Path): An empty folder to write into.
    """
    path = path.resolve()
    new, old = path.with_name(f".{path.name}.new"), path.with_name(f".{path.name}.old")
    for left_over in (new, old):
        if left_over.exists():
            shutil.rmtree(left_over)
    new.mkdir(parents=True)
    try:
        yield new
        if path.exists():
            path.rename(old)
        new.rename(path)
    except BaseException:
        if old.exists() and not path.exists():
            old.rename(path)
        shutil.rmtree(new, ignore_errors=True)
        raise
    if old.exists():
        shutil.rmtree(old)

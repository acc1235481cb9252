"""Where our commands write a pipeline: a folder that is free, or holds a pipeline that may be replaced; as a whole, or
not at all."""

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from spacy_lal.cli.streams import fail


def check_output(output: Path, overwrite: bool) -> None:
    """Ends the command unless OUT is free, or holds a pipeline that may be replaced."""
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


@contextmanager
def replaced_folder(output: Path) -> Iterator[Path]:
    """For a block that writes a pipeline: beside OUT, to be put there as a whole when the block ends well.

    YIELDS (Path): The folder to write to.
    """
    output = output.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.parent))
    try:
        new = folder / "new"
        yield new
        if output.exists():
            output.rename(folder / "old")
        new.rename(output)
    finally:
        if not output.exists() and (folder / "old").exists():
            (folder / "old").rename(output)
        shutil.rmtree(folder, ignore_errors=True)

"""Where our commands write a pipeline: a folder that is free, or holds a pipeline that may be replaced."""

from pathlib import Path

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

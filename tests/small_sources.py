"""Small sources in the formats of the treebanks, for tests of the scripts. All their
sentences are invented (CC0)."""

import io
import tarfile
from pathlib import Path
from typing import Dict


def columns(text: str) -> str:
    """CoNLL-U with a space where a tab belongs, and `~` for a space; comments stay as
    they are."""
    lines = [line.strip() for line in text.strip().split("\n")]
    rows = [
        line if line.startswith("#") else "\t".join(line.split(" ")).replace("~", " ")
        for line in lines
    ]
    return "\n".join(rows) + "\n\n"


def write(folder: Path, files: Dict[str, str]) -> Path:
    """Files in a folder, by their paths relative to it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf8")
    return folder


def pack(
    path: Path, files: Dict[str, str], *, folder: str = "repository-0123abcd"
) -> Path:
    """A .tar.gz of files, all below one folder as GitHub packs them."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size = len(text.encode("utf8"))
            archive.addfile(member, io.BytesIO(text.encode("utf8")))
    return path

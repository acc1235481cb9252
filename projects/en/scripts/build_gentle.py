"""Build GENTLE, a test set of eight genres that GUM lacks: dependencies made by hand,
constituency trees by a parser.

    python scripts/build_gentle.py assets/sources/gentle.tar.gz assets/gentle

SOURCE is the repository gucorpling/gentle at commit e16a6ede as a .tar.gz or a folder.
Its files have GUM's layout (`build_gum.py`), without lists of splits: every document is
for the test."""

import argparse
from pathlib import Path
from typing import Optional, Sequence

from build_gum import read_split
from treebank import run, save, unpacked


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, build, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "source", type=Path, help="gucorpling/gentle, .tar.gz or folder"
    )
    parser.add_argument("output", type=Path, help="folder for test.ptb and test.conllu")
    args = parser.parse_args(arguments)
    with unpacked(args.source, "dep", "_build/src/const") as gentle:
        documents = sorted(path.stem for path in (gentle / "dep").glob("*.conllu"))
        save("gentle", {"test": read_split(gentle, documents)}, args.output, flat=False)


if __name__ == "__main__":
    run(main)

"""Hide heads of a treebank, to measure what a partial treebank costs: HEAD and DEPREL
of some words become `_`.

    python scripts/hide_heads.py train.conllu half.conllu --share 0.5

Comments and all other columns stay as they are. Lines of multiword tokens and empty
nodes, which have no head of their own, are kept."""

import argparse
import random
from pathlib import Path
from typing import Iterable, Iterator

HEAD, DEPREL, DEPS, N_COLUMNS = 6, 7, 8, 10


def hide_heads(lines: Iterable[str], share: float, seed: int = 0) -> Iterator[str]:
    """Lines of CoNLL-U in which some words have no head.

    lines (Iterable[str]): With or without line ends.
    share (float): The chance of a word to lose its head, from 0 to 1.
    seed (int): The same seed hides the same heads.
    YIELDS (str): The lines, without line ends.
    RAISES (ValueError): `share` is out of range, or a line has other than ten columns.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, got {share}")
    chance = random.Random(seed)
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        columns = line.split("\t")
        if line and not line.startswith("#") and len(columns) != N_COLUMNS:
            raise ValueError(
                f"line {number}: expected {N_COLUMNS} columns, got {len(columns)}: "
                f"{line[:60]!r}"
            )
        if columns[0].isdigit() and chance.random() < share:
            columns[HEAD] = columns[DEPREL] = columns[DEPS] = "_"
            line = "\t".join(columns)
        yield line


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("conllu", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with args.conllu.open(encoding="utf8") as lines:
        hidden = list(hide_heads(lines, args.share, args.seed))
    args.out.write_text("\n".join(hidden) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()

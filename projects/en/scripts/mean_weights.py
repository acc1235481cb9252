"""The mean of the weights of several trainings, each of which began where another
ended.

    python scripts/mean_weights.py training/mean training/learned training/further

Such a mean is often better than each of them
(docs/experiments/decisions.md#french). A folder that is
named twice counts twice. Folders are those that train_exported.py writes, or
`export_training.py out`, which has what was before a training; word embeddings, which do
not learn, are left out. `export_training.py back` reads the mean as it reads them."""

import argparse
import sys
from pathlib import Path
from typing import Dict, List, Optional

import numpy as np
from train_exported import FIXED, pack, read_weights, write_weights


def mean_weights(folders: List[Path]) -> Dict[str, np.ndarray]:
    """The mean of each weight.

    folders (List[Path]): Trainings of one pipeline.
    RETURNS (Dict[str, np.ndarray]): The weights by their names, float32.
    RAISES (ValueError): The trainings have other weights, or of other shapes.
    """
    first, *others = [_learning_weights(folder) for folder in folders]
    shapes = {name: weight.shape for name, weight in first.items()}
    for folder, found in zip(folders[1:], others, strict=True):
        if {name: weight.shape for name, weight in found.items()} != shapes:
            raise ValueError(f"{folder}: expected the weights of {folders[0]}")
    for name, weight in first.items():
        weight += sum(found[name] for found in others)
        weight /= len(folders)
    return first


def _learning_weights(folder: Path) -> Dict[str, np.ndarray]:
    found = read_weights(folder / "weights")
    return {name: found[name] for name in found if not name.startswith(FIXED)}


def main(arguments: Optional[List[str]] = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument("learned", type=Path, nargs="+", help="trainings to read")
    args = parser.parse_args(arguments)
    try:
        mean = mean_weights(args.learned)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    write_weights(pack(mean), args.output / "weights")
    return 0


if __name__ == "__main__":
    sys.exit(main())

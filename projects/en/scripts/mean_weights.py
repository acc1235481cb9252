"""The mean of the weights of several trainings, each of which began where another
ended.

    python scripts/mean_weights.py training/mean training/learned training/further

Such a mean is often better than each of them
(docs/experiments/decisions.md#french). A folder that is
named twice counts twice. Folders are those that train_exported.py writes, or
`export_training.py out`, which has what was before a training; word embeddings, which do
not learn, are left out. What begins with a name of --keep is the first folder's.
`export_training.py back` reads the mean as it reads them."""

from pathlib import Path
from typing import Annotated, Dict, List, Sequence

import numpy as np
import typer
from train_exported import FIXED, pack, read_weights, write_weights
from treebank import SourceError, run


def mean_weights(
    folders: List[Path], kept: Sequence[str] = ()
) -> Dict[str, np.ndarray]:
    """The mean of each weight.

    folders (List[Path]): Trainings of one pipeline.
    kept (Sequence[str]): Components whose own weights are those of the first.
    RETURNS (Dict[str, np.ndarray]): The weights by their names, float32.
    RAISES (SourceError): The trainings have other weights, or of other shapes.
    """
    first, *others = [_learning_weights(folder) for folder in folders]
    shapes = {name: weight.shape for name, weight in first.items()}
    for folder, found in zip(folders[1:], others, strict=True):
        if {name: weight.shape for name, weight in found.items()} != shapes:
            raise SourceError(folder, 0, f"expected the weights of {folders[0]}")
    for name, weight in first.items():
        if name.startswith(tuple(kept)):
            continue
        weight += sum(found[name] for found in others)
        weight /= len(folders)
    return first


def _learning_weights(folder: Path) -> Dict[str, np.ndarray]:
    found = read_weights(folder / "weights")
    return {name: found[name] for name in found if not name.startswith(FIXED)}


def main(
    output: Path,
    learned: list[Path],
    keep: Annotated[List[str] | None, typer.Option()] = None,
) -> None:
    """Read, write."""
    write_weights(pack(mean_weights(learned, keep or ())), output / "weights")


if __name__ == "__main__":
    run(main)

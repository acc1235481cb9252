"""What all comparisons share: the largest error of each stage, and what every module of
a network answers in one pass."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from torch import Tensor, nn

STAGE = 2e-5  # absolute tolerance of every stage of a network
HUGE, HUGE_RELATIVE = 1e8, 1e-6  # cells of about 1e9

Row = tuple[str, float, float]  # stage, largest error, tolerance


class Errors:
    """Largest error of each stage, beyond its relative tolerance, and its absolute
    tolerance."""

    def __init__(self) -> None:
        self.rows: dict[str, list[float]] = {}

    def add(self, stage: str, error: float, tolerance: float) -> None:
        """Keep the larger error; one that is no number stays."""
        row = self.rows.setdefault(stage, [0.0, tolerance])
        if not (error <= row[0] or np.isnan(row[0])):
            row[0] = error

    def add_ratio(
        self, stage: str, ours: float, theirs: float, tolerance: float
    ) -> None:
        """Compare two sums, relative to theirs, or absolute where it is below 1."""
        self.add(stage, abs(ours - theirs) / max(1.0, abs(theirs)), tolerance)

    def add_same(self, stage: str, ours: Any, theirs: Any) -> None:
        """Compare what must be equal."""
        is_same = np.array_equal(np.asarray(ours), np.asarray(theirs))
        self.add(stage, float(not is_same), 0.0)

    def add_arrays(
        self,
        stage: str,
        ours: Any,
        theirs: np.ndarray,
        tolerance: float = STAGE,
        relative: float = 0.0,
        keep: np.ndarray | None = None,
    ) -> None:
        """Compare two arrays: |a - b| - relative |b|, in rows of `keep` alone where it
        is given. Those of different shapes are infinitely far apart."""
        values = ours.detach().numpy() if isinstance(ours, Tensor) else ours
        values = np.asarray(values, dtype="f8")
        theirs = np.asarray(theirs, dtype="f8")
        if values.shape != theirs.shape:
            self.add(stage, float("inf"), tolerance)
            return
        if keep is not None:
            values, theirs = values[keep], theirs[keep]
        size = np.abs(theirs)
        shares = np.where((size > HUGE) & (relative > 0), HUGE_RELATIVE, relative)
        differences = np.abs(values - theirs) - shares * size
        self.add(stage, float(differences.max(initial=-np.inf)), tolerance)

    def listed(self) -> list[Row]:
        """One row for each stage."""
        return [
            (stage, error, tolerance) for stage, (error, tolerance) in self.rows.items()
        ]


@contextmanager
def kept_outputs(
    network: nn.Module, names: Mapping[str, str]
) -> Iterator[dict[str, Tensor]]:
    """In this block, what modules answer, of several values the first.

    names (Mapping[str, str]): Names of modules, if the network has them, and what they
        are to be called."""
    stages: dict[str, Tensor] = {}
    modules = dict(network.named_modules())

    def keep(stage: str) -> Callable[..., None]:
        def hook(module: nn.Module, inputs: Any, output: Any) -> None:
            stages[stage] = output[0] if isinstance(output, tuple) else output

        return hook

    handles = [
        modules[name].register_forward_hook(keep(stage))
        for name, stage in names.items()
        if name in modules
    ]
    try:
        yield stages
    finally:
        for handle in handles:
            handle.remove()


def cut(stage: str, value: Tensor, n_words: int) -> np.ndarray:
    """The part of a padded stage that belongs to a sentence."""
    seq_len = n_words + 2
    if stage.endswith(("_w", "_logits")) or stage.startswith("selected"):
        # (heads, queries, keys)
        value = value[:, : min(seq_len, value.shape[1]), :seq_len]
    else:
        value = value[: n_words + 1] if stage == "fencepost" else value[:seq_len]
    return value.detach().numpy()

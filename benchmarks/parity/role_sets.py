"""Reads golden vectors of semantic roles (NAME.npz + NAME.json). A set's kind follows
from its json, not its name."""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

Arrays = Dict[str, np.ndarray]
Row = Tuple[str, float, float]  # stage, largest error, tolerance

STAGE = (2e-5, 1e-5)  # absolute, relative
TIMING = (1e-4, 0.0)
GRADIENT = (5e-5, 1e-4)
HUGE, HUGE_RELATIVE = 1e8, 1e-6  # cells of about 1e9
# The kind of a set, and the keys of its json that tell it.
KINDS = {
    "layer": ("heads", "head_dim", "cases"),
    "timing": ("shapes",),
    "joint": ("n_pos", "n_labels"),
    "arcs": ("arc_width", "label_width"),
    "deprels": ("train_loss", "eval_loss", "n_labels"),
    "roles": ("predicate_width", "role_width", "cases"),
    "network": ("layers", "tasks", "vocabularies"),
    "optimizer": ("schedule", "adam"),
    "viterbi": ("labels", "cases"),
}


class RoleSet(NamedTuple):
    """A set of vectors: its json and its arrays."""

    info: Any
    arrays: Arrays

    def under(self, prefix: str) -> Arrays:
        """The arrays below a prefix, without it."""
        return {
            key[len(prefix) :]: value
            for key, value in self.arrays.items()
            if key.startswith(prefix)
        }


class Errors:
    """The largest error of each stage beyond its relative tolerance, and its absolute
    tolerance."""

    def __init__(self) -> None:
        self.rows: Dict[str, List[float]] = {}

    def add(self, stage: str, error: float, tolerance: float) -> None:
        """Keep the larger error; one that is no number stays."""
        row = self.rows.setdefault(stage, [0.0, tolerance])
        if not error <= row[0]:
            row[0] = error

    def compare(
        self,
        stage: str,
        ours: Any,
        theirs: np.ndarray,
        tolerance: Tuple[float, float] = STAGE,
        keep: Any = None,
    ) -> None:
        """Compare two arrays, in rows of real words alone where `keep` is given: |a -
        b| - relative * |b|."""
        ours = np.asarray(
            ours.detach().numpy() if hasattr(ours, "detach") else ours, dtype=np.float64
        )
        if ours.shape != theirs.shape:
            self.add(stage, float("inf"), tolerance[0])
            return
        if keep is not None:
            ours, theirs = ours[keep], theirs[keep]
        relative = np.where(np.abs(theirs) > HUGE, HUGE_RELATIVE, tolerance[1])
        difference = np.abs(ours - theirs.astype(np.float64)) - relative * np.abs(
            theirs.astype(np.float64)
        )
        self.add(
            stage, float(difference.max()) if difference.size else 0.0, tolerance[0]
        )

    def equal(self, stage: str, ours: Any, theirs: Any) -> None:
        """Compare what must be equal."""
        self.add(
            stage, float(not np.array_equal(np.asarray(ours), np.asarray(theirs))), 0.0
        )

    def listed(self) -> List[Row]:
        """RETURNS (List[Row]): One row for each stage."""
        return [
            (stage, error, tolerance) for stage, (error, tolerance) in self.rows.items()
        ]


def kind_of(info: Any) -> str:
    """The kind of a set by its json, or "" where it is none of semantic roles."""
    if isinstance(info, list):
        return (
            "columns"
            if info and isinstance(info[0], dict) and {"tags", "column"} <= set(info[0])
            else ""
        )
    if isinstance(info, dict):
        for kind, keys in KINDS.items():
            if all(key in info for key in keys):
                return kind
    return ""


def find_role_sets(folder: Path) -> Dict[str, str]:
    """The name of each set of semantic roles in a folder -> its kind."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            kind = kind_of(json.loads(path.read_text(encoding="utf8")))
        except (OSError, ValueError):
            continue  # the readers of other sets say why
        if kind:
            found[path.stem] = kind
    return found


def read_role_set(folder: Path, name: str) -> RoleSet:
    """A set; one of columns has no arrays."""
    info = json.loads((folder / f"{name}.json").read_text(encoding="utf8"))
    path = folder / f"{name}.npz"
    if not path.exists() and isinstance(info, list):
        return RoleSet(info, {})
    with np.load(path, allow_pickle=False) as archive:
        return RoleSet(info, {key: archive[key] for key in archive.files})

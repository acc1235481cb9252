"""Reads golden vectors of semantic roles (NAME.npz + NAME.json). A set's kind follows
from its json, not its name."""

from pathlib import Path
from typing import Any, NamedTuple, Tuple

import numpy as np

from parity.stages import STAGE, Errors
from parity.vectors import Arrays, read_arrays, read_json

TOLERANCES = (STAGE, 1e-5)  # absolute, relative
TIMING = (1e-4, 0.0)
GRADIENT = (5e-5, 1e-4)
# The kind of a set, and the keys of its json that tell it.
KINDS = {
    "layer": ("heads", "head_dim", "cases"),
    "timing": ("shapes",),
    "joint": ("n_pos", "n_labels"),
    "arcs": ("arc_width", "label_width"),
    "deprels": ("train_loss", "eval_loss", "n_labels"),
    "roles": ("predicate_width", "role_width", "cases"),
    "network": ("layers", "tasks", "vocabularies"),
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


class RoleErrors(Errors):
    """Errors with the tolerances of sets of semantic roles."""

    def compare(
        self,
        stage: str,
        ours: Any,
        theirs: np.ndarray,
        tolerance: Tuple[float, float] = TOLERANCES,
        keep: Any = None,
    ) -> None:
        """Compare two arrays, in rows of real words alone where `keep` is given."""
        self.add_arrays(stage, ours, theirs, *tolerance, keep)


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


def read_role_set(folder: Path, name: str) -> RoleSet:
    """A set; one of columns has no arrays."""
    info = read_json(folder, name)
    arrays = {} if isinstance(info, list) else read_arrays(folder, name)
    return RoleSet(info, arrays)

"""The parts of a checkpoint's pickle: plain values, and records for storages, tensors, scalar dtypes, vocabularies.

Every record checks its own parts. Records are not objects of torch or NumPy: a pickle can reach neither.
"""

import math
import struct
from dataclasses import dataclass
from functools import cache
from typing import Any, Dict, List, Mapping, Optional, Tuple

import torch

MAX_AXES = 8
MAX_QUOTED = 80
MAX_INT = 2**63 - 1

# The names that NumPy's pickles give to scalar dtypes -> the byte order that they state, and the format for `struct`.
SCALARS: Dict[str, Tuple[str, str]] = {
    "b1": ("|", "?"),
    "i1": ("|", "b"),
    "u1": ("|", "B"),
    "i2": ("<", "<h"),
    "u2": ("<", "<H"),
    "i4": ("<", "<i"),
    "u4": ("<", "<I"),
    "i8": ("<", "<q"),
    "u8": ("<", "<Q"),
    "f2": ("<", "<e"),
    "f4": ("<", "<f"),
    "f8": ("<", "<d"),
}


class CheckpointError(ValueError):
    """A checkpoint that cannot be read, or that has unknown content; the message gives the reason."""


def quoted(value: Any) -> str:
    """A value of a checkpoint for a message: a scalar or string as Python writes it, cut to 80 characters; otherwise
    only its type. A container is never printed: its text may be exponentially longer than the file.

    >>> quoted("x" * 100)[:5], quoted([1, 2])
    ("'xxxx", 'a list')
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= MAX_QUOTED else f"{value[:MAX_QUOTED]!r}..."
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    return f"a {type(value).__name__}"


def is_int(value: Any, least: int = 0, most: int = MAX_INT) -> bool:
    """Whether a value is an int in a range, and not a bool."""
    return type(value) is int and least <= value <= most


@cache
def item_size(dtype: torch.dtype) -> int:
    """The bytes of one element."""
    return torch.empty((), dtype=dtype).element_size()


class ReferenceVocabulary:
    """Stand-in for the reference's `vocabulary.Vocabulary`: strings (or label tuples) <-> ids, and their counts."""

    values: List[Any]
    counts: Mapping[Any, int]

    def set_state(self, state: Any) -> None:
        """Take over the state of the reference's class.

        state (Any): A dict with `values`, a list of plain values or tuples of strings, and perhaps `counts`.
        RAISES (CheckpointError): It is something else.
        """
        if not isinstance(state, dict) or not isinstance(state.get("values"), list):
            raise CheckpointError("a vocabulary in the checkpoint has no list of values")
        strange = [value for value in state["values"] if not _is_entry(value)]
        if strange:
            raise CheckpointError(
                f"a vocabulary in the checkpoint holds {quoted(strange[0])}: expected strings, or tuples of strings"
            )
        counts = state.get("counts")
        self.values = state["values"]
        self.counts = counts if isinstance(counts, dict) and all(type(n) is int for n in counts.values()) else {}


def _is_entry(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(part, str) for part in value)
    return isinstance(value, (str, int, float))


@dataclass(frozen=True)
class StorageRecord:
    """A storage that the pickle names; its bytes lie elsewhere in the file.

    key (str): Its name in the file.
    dtype (torch.dtype): The type of its elements.
    n_elements (int): The number that the pickle declares.
    """

    key: str
    dtype: torch.dtype
    n_elements: int

    @property
    def n_bytes(self) -> int:
        """Its size in bytes."""
        return self.n_elements * item_size(self.dtype)


@dataclass(frozen=True)
class TensorRecord:
    """A view of a storage, within its bounds.

    storage (StorageRecord): The storage.
    offset (int): Its first element.
    size, stride (Tuple[int, ...]): As in torch.
    RAISES (CheckpointError): The view is larger than the storage, or reaches beyond it.
    """

    storage: StorageRecord
    offset: int
    size: Tuple[int, ...]
    stride: Tuple[int, ...]

    def __post_init__(self) -> None:
        axes = (self.size, self.stride)
        if not isinstance(self.storage, StorageRecord) or any(type(axis) is not tuple for axis in axes):
            raise CheckpointError("a tensor in the checkpoint is not made of a storage, an offset, a size and strides")
        if not len(self.size) == len(self.stride) <= MAX_AXES:
            raise CheckpointError(
                f"a tensor in the checkpoint has {len(self.size)} axes and {len(self.stride)} strides: expected the "
                f"same number, at most {MAX_AXES}"
            )
        if not all(is_int(number) for number in (self.offset, *self.size, *self.stride)):
            raise CheckpointError("a tensor in the checkpoint has an offset, size or stride that is no whole number")
        held = self.storage.n_elements
        last = self.offset + sum((n - 1) * step for n, step in zip(self.size, self.stride, strict=True))
        if max(self.n_elements, *self.size, 0) > held or (self.n_elements and last >= held):
            raise CheckpointError(
                f"a tensor in the checkpoint reaches beyond its storage: size {self.size}, strides {self.stride} from "
                f"element {self.offset}, in {held} elements"
            )

    @property
    def n_elements(self) -> int:
        """The number of elements of the view."""
        return math.prod(self.size)


@dataclass(frozen=True)
class DtypeRecord:
    """A scalar dtype of NumPy.

    name (str): A key of `SCALARS`.
    """

    name: str

    def check_state(self, state: Any) -> None:
        """Admit only the state that NumPy writes for such a dtype: no fields, no subarray, no metadata, no flags.

        RAISES (CheckpointError): It is another state.
        """
        fixed = (3, SCALARS[self.name][0], None, None, None, -1, -1, 0)
        same_types = isinstance(state, tuple) and [type(part) for part in state] == [type(part) for part in fixed]
        if not same_types or state != fixed:
            raise CheckpointError(
                f"refused: a state of numpy.dtype('{self.name}') other than the one of a plain scalar"
            )

    def value(self, data: Any) -> Any:
        """Convert bytes to the scalar that they represent, a Python number.

        RAISES (CheckpointError): They do not represent such a scalar.
        """
        code = SCALARS[self.name][1]
        if type(data) is not bytes or len(data) != struct.calcsize(code):
            raise CheckpointError(f"refused: a NumPy scalar {self.name!r} of {quoted(data)}")
        return struct.unpack(code, data)[0]


def make_storage(key: Any, dtype: torch.dtype, n_elements: Any, view: Optional[Any] = None) -> StorageRecord:
    """A storage from the parts of its persistent id.

    RAISES (CheckpointError): They are not of the kinds that torch writes.
    """
    if not isinstance(key, str) or len(key) > MAX_QUOTED or not is_int(n_elements) or view is not None:
        raise CheckpointError(
            f"a storage in the checkpoint has the key {quoted(key)} and {quoted(n_elements)} elements: expected a "
            "short string and a whole number, and no view of another storage"
        )
    return StorageRecord(key, dtype, n_elements)

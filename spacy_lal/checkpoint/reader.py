"""Read a checkpoint file of the authors as data: `torch.load` makes tensors and plain containers, and runs nothing.

Beyond these, a checkpoint holds objects of the authors' vocabulary class and scalars of NumPy. The stand-ins below take
their names in the file; any other name is refused.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Union

import torch
from torch import Tensor

VOCABULARIES = ("tag_vocab", "word_vocab", "label_vocab", "char_vocab", "type_vocab")
# NumPy's names of scalar types -> formats of `struct`
SCALARS = {"b1": "?", "i1": "b", "u1": "B", "i2": "<h", "u2": "<H", "i4": "<i", "u4": "<I", "i8": "<q", "u8": "<Q"}
SCALARS.update(f2="<e", f4="<f", f8="<d")


class CheckpointError(ValueError):
    """A checkpoint that cannot be read, or that has unknown content; the message gives the reason."""


class ReferenceVocabulary:
    """The authors' `vocabulary.Vocabulary`: strings (or label tuples) <-> ids, and their counts in training data."""

    values: List[Any]
    counts: Mapping[Any, int]


class _Dtype:
    """A scalar type of NumPy."""

    def __init__(self, name: str, align: bool, copy: bool) -> None:
        self.format = SCALARS[name]

    def __setstate__(self, state: Any) -> None:
        """The state has the byte order, which is little."""


def _scalar(dtype: _Dtype, data: bytes) -> Any:
    return struct.unpack(dtype.format, data)[0]


def _default_dict(factory: Any) -> Dict[Any, Any]:
    """A dict: only existing keys are looked up."""
    return {}


def _encoded(text: str, encoding: str) -> bytes:
    """Bytes, as pickles of protocol 2 make them."""
    return text.encode("latin1")


ADMITTED = [
    (ReferenceVocabulary, "vocabulary.Vocabulary"),
    (_default_dict, "collections.defaultdict"),
    (int, "builtins.int"),
    (int, "__builtin__.int"),
    (int, "__builtin__.long"),
    (_Dtype, "numpy.dtype"),
    (_scalar, "numpy.core.multiarray.scalar"),
    (_scalar, "numpy._core.multiarray.scalar"),
    (_encoded, "_codecs.encode"),
]


@dataclass(frozen=True)
class Checkpoint:
    """The contents of a checkpoint file.

    hparams (Dict[str, Any]): Hyperparameters, as the file gives them.
    state_dict (Dict[str, Tensor]): Weights under the reference's names.
    vocabularies (Dict[str, ReferenceVocabulary]): "tag_vocab", "word_vocab", "label_vocab", "char_vocab", and
        "type_vocab" unless the network scores no dependencies.
    """

    hparams: Dict[str, Any]
    state_dict: Dict[str, Tensor]
    vocabularies: Dict[str, ReferenceVocabulary]


def read_checkpoint(path: Union[str, Path]) -> Checkpoint:
    """Read a checkpoint of the reference without running anything in it.

    path (Union[str, Path]): A file written by `torch.save`.
    RETURNS (Checkpoint): Its contents, without the state of the optimiser.
    RAISES (CheckpointError): The file is not a checkpoint, is damaged, or names anything but tensors, plain containers,
        NumPy scalars and the vocabulary class.
    """
    try:
        with torch.serialization.safe_globals(ADMITTED):  # type: ignore[arg-type]
            content = torch.load(path, map_location="cpu", weights_only=True)
        spec = content["spec"]
        found = {name: spec[name] for name in VOCABULARIES if isinstance(spec.get(name), ReferenceVocabulary)}
        for vocabulary in [found[name] for name in VOCABULARIES[:-1]] + [*found.values()]:
            vocabulary.values, vocabulary.counts = list(vocabulary.values), getattr(vocabulary, "counts", {})
        weights = {name: tensor.detach() for name, tensor in content["state_dict"].items()}
        return Checkpoint(dict(spec["hparams"]), weights, found)
    except Exception as error:  # torch, zipfile and the stand-ins raise many kinds
        reason = str(error).split("WeightsUnpickler error: ")[-1].strip().split("\n")[0]
        raise CheckpointError(f"{path}: not a readable checkpoint ({type(error).__name__}: {reason})") from error

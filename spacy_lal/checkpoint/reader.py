"""Read a checkpoint file of the reference without running anything in it.

A checkpoint is a pickle, and a pickle is a program. The unpickler here knows tensors, plain containers and a stand-in
for the reference's vocabulary class, and refuses every other name before anything of it is called.
"""

import collections
import io
import pickle
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Tuple, Union

import numpy
import torch
from torch import Tensor


class CheckpointError(ValueError):
    """A checkpoint that cannot be read, or that holds something we do not know; the message says what."""


class ReferenceVocabulary:
    """Stand-in for the reference's `vocabulary.Vocabulary`: strings (or label tuples) <-> ids, and their counts."""

    values: List[Any]
    counts: Mapping[Any, int]

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict) or not isinstance(state.get("values"), list):
            raise CheckpointError("a vocabulary in the checkpoint has no list of values")
        self.values = state["values"]
        self.counts = state["counts"] if isinstance(state.get("counts"), dict) else {}


# What a checkpoint of the reference may name, and what it gets. Anything else is refused.
_STORAGES = ("Double", "Float", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool")
_ADMITTED: Dict[Tuple[str, str], Any] = {
    ("vocabulary", "Vocabulary"): ReferenceVocabulary,
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "defaultdict"): collections.defaultdict,
    ("torch", "Size"): torch.Size,
    ("torch._utils", "_rebuild_tensor"): torch._utils._rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): torch._utils._rebuild_tensor_v2,
    ("torch._utils", "_rebuild_parameter"): torch._utils._rebuild_parameter,
    ("numpy", "ndarray"): numpy.ndarray,
    ("numpy", "dtype"): numpy.dtype,
}
_ADMITTED.update({("torch", f"{kind}Storage"): getattr(torch, f"{kind}Storage") for kind in _STORAGES})
_PLAIN_TYPES = (int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset)
for _module in ("builtins", "__builtin__"):  # the second is what protocol 2 calls it, after Python 2
    _ADMITTED.update({(_module, kind.__name__): kind for kind in _PLAIN_TYPES})
_ADMITTED.update({("__builtin__", "long"): int, ("__builtin__", "unicode"): str})
for _module in ("numpy.core.multiarray", "numpy._core.multiarray"):  # before and since NumPy 2
    _ADMITTED[_module, "_reconstruct"] = numpy.zeros(1).__reduce__()[0]
    _ADMITTED[_module, "scalar"] = numpy.float32(0).__reduce__()[0]


def _encode_latin1(text: str, encoding: str) -> bytes:
    """What old pickles call to make bytes (`_codecs.encode`), for the one encoding that they use."""
    if encoding != "latin1":
        raise CheckpointError(f"refused: bytes in encoding {encoding!r}")
    return text.encode("latin1")


_ADMITTED["_codecs", "encode"] = _encode_latin1


class _RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ADMITTED[module, name]
        except KeyError:
            raise CheckpointError(
                f"refused: the checkpoint asks for '{module}.{name}'; only tensors, plain containers and "
                "vocabulary.Vocabulary are admitted"
            ) from None


class _RestrictedPickle:
    """What `torch.load` wants of a pickle module."""

    Unpickler = _RestrictedUnpickler

    @staticmethod
    def load(file: Any, **kwargs: Any) -> Any:
        return _RestrictedUnpickler(file, **kwargs).load()

    @staticmethod
    def loads(data: bytes, **kwargs: Any) -> Any:
        return _RestrictedUnpickler(io.BytesIO(data), **kwargs).load()


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint file holds.

    hparams (Dict[str, Any]): Hyperparameters, as the file gives them.
    state_dict (Dict[str, Tensor]): Weights under the reference's names.
    vocabularies (Dict[str, ReferenceVocabulary]): "tag_vocab", "word_vocab", "label_vocab", "char_vocab", "type_vocab".
    """

    hparams: Dict[str, Any]
    state_dict: Dict[str, Tensor]
    vocabularies: Dict[str, ReferenceVocabulary]


def read_checkpoint(path: Union[str, Path]) -> Checkpoint:
    """Read a checkpoint of the reference without running anything in it.

    path (Union[str, Path]): A file written by `torch.save`, in the present format or the one before torch 1.6.
    RETURNS (Checkpoint): Its contents; the state of the optimiser is dropped.
    RAISES (CheckpointError): if the file is no checkpoint, or names anything but tensors, plain containers and the
        vocabulary class. (OSError): if it cannot be opened.
    """
    path = Path(path)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            # torch.load would hand such an archive to the TorchScript loader, past our unpickler
            if any(name.rsplit("/", 1)[-1] == "constants.pkl" for name in archive.namelist()):
                raise CheckpointError(f"{path}: a TorchScript archive, not a checkpoint of the reference parser")
    elif tarfile.is_tarfile(path):
        raise CheckpointError(f"{path}: a tar archive, not a checkpoint of the reference parser")
    try:
        with path.open("rb") as file:
            content = torch.load(file, map_location="cpu", pickle_module=_RestrictedPickle, weights_only=False)
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from None
    except OSError:
        raise
    except Exception as error:  # a broken pickle may fail in any way
        raise CheckpointError(f"{path}: not a readable checkpoint ({type(error).__name__}: {error})") from error
    return _check_content(path, content)


def _check_content(path: Path, content: Any) -> Checkpoint:
    """The parts of a checkpoint that we use, checked for their types."""
    if not isinstance(content, dict) or not {"spec", "state_dict"} <= content.keys():
        found = sorted(map(str, content)) if isinstance(content, dict) else type(content).__name__
        raise CheckpointError(f"{path}: expected a dict with 'spec' and 'state_dict', got {found}")
    spec, state = content["spec"], content["state_dict"]
    if not isinstance(spec, dict) or not isinstance(spec.get("hparams"), dict):
        raise CheckpointError(f"{path}: 'spec' is not a dict with 'hparams'")
    vocabularies = {name: value for name, value in spec.items() if isinstance(value, ReferenceVocabulary)}
    missing = {"tag_vocab", "word_vocab", "label_vocab", "char_vocab", "type_vocab"} - vocabularies.keys()
    if missing or not all(hasattr(vocabulary, "values") for vocabulary in vocabularies.values()):
        raise CheckpointError(f"{path}: 'spec' lacks vocabularies: {sorted(missing) or 'one without values'}")
    if not isinstance(state, dict) or not all(isinstance(value, Tensor) for value in state.values()):
        raise CheckpointError(f"{path}: 'state_dict' is not a dict of tensors")
    weights = {str(key): value.detach() for key, value in state.items()}
    return Checkpoint(dict(spec["hparams"]), weights, vocabularies)

"""The names that a checkpoint may refer to, and their stand-ins.

Stand-ins are never functions or classes of torch, NumPy or Python: calling one makes a record or a plain value of ours.
"""

import collections
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple

import torch

from .records import (
    SCALARS,
    CheckpointError,
    DtypeRecord,
    ReferenceVocabulary,
    TensorRecord,
    is_int,
    quoted,
)

INTS = ("int", "long")  # the factory of a defaultdict, under its name in protocol 2
MAX_BYTES = 16  # a scalar has at most 8


@dataclass(frozen=True)
class Admitted:
    """The stand-in for a name.

    name (str): "module.name".
    make (Optional[Callable[..., Any]]): Replaces a call. None for a name that is only an argument elsewhere.
    dtype (Optional[torch.dtype]): The element type of a storage class.
    """

    name: str
    make: Optional[Callable[..., Any]] = None
    dtype: Optional[torch.dtype] = None


def _make_tensor(storage: Any, offset: Any, size: Any, stride: Any) -> TensorRecord:
    return TensorRecord(storage, offset, size, stride)


def _make_tensor_v2(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, hooks: Any, metadata: Any = None
) -> TensorRecord:
    if hooks or metadata:
        raise CheckpointError("refused: a tensor with hooks or metadata")
    return TensorRecord(storage, offset, size, stride)


def _make_parameter(data: Any, requires_grad: Any, hooks: Any) -> TensorRecord:
    if not isinstance(data, TensorRecord) or hooks:
        raise CheckpointError("refused: a parameter of something else than a tensor, or one with hooks")
    return data


def _make_size(sizes: Any) -> Tuple[int, ...]:
    if type(sizes) is not tuple or not all(is_int(n) for n in sizes):
        raise CheckpointError(f"refused: torch.Size of {quoted(sizes)}")
    return sizes


def _make_ordered_dict() -> Dict[Any, Any]:
    return collections.OrderedDict()


def _make_default_dict(factory: Any = None) -> Dict[Any, Any]:
    """A dict without the factory: only existing keys are looked up."""
    if factory is not None and not (isinstance(factory, Admitted) and factory.name in INTS):
        raise CheckpointError(f"refused: collections.defaultdict of {quoted(factory)}")
    return {}


def _make_bytes(text: Any, encoding: Any) -> bytes:
    """Protocol 2 calls this to make bytes (`_codecs.encode`), in the encoding and the lengths of NumPy scalars."""
    if (
        encoding != "latin1"
        or not isinstance(text, str)
        or len(text) > MAX_BYTES
        or not all(c < "\u0100" for c in text)
    ):
        raise CheckpointError(f"refused: _codecs.encode({quoted(text)}, {quoted(encoding)})")
    return text.encode("latin1")


def _make_dtype(name: Any, align: Any, copy: Any) -> DtypeRecord:
    if not isinstance(name, str) or name not in SCALARS:
        raise CheckpointError(
            f"refused: numpy.dtype of {quoted(name)}; only scalars are admitted: {', '.join(SCALARS)}"
        )
    return DtypeRecord(name)


def _make_scalar(dtype: Any, data: Any) -> Any:
    if not isinstance(dtype, DtypeRecord):
        raise CheckpointError(f"refused: a NumPy scalar of the dtype {quoted(dtype)}")
    return dtype.value(data)


_STORAGES: Dict[str, torch.dtype] = {
    "DoubleStorage": torch.float64,
    "FloatStorage": torch.float32,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
}
_CALLS: Dict[Tuple[str, str], Callable[..., Any]] = {
    ("collections", "OrderedDict"): _make_ordered_dict,
    ("collections", "defaultdict"): _make_default_dict,
    ("torch", "Size"): _make_size,
    ("torch._utils", "_rebuild_tensor"): _make_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _make_tensor_v2,
    ("torch._utils", "_rebuild_parameter"): _make_parameter,
    ("_codecs", "encode"): _make_bytes,
    ("numpy", "dtype"): _make_dtype,
    ("numpy.core.multiarray", "scalar"): _make_scalar,
    ("numpy._core.multiarray", "scalar"): _make_scalar,  # since NumPy 2
}
VOCABULARY = "vocabulary.Vocabulary"
_ADMITTED: Dict[Tuple[str, str], Admitted] = {
    **{key: Admitted(".".join(key), make) for key, make in _CALLS.items()},
    **{("torch", name): Admitted(f"torch.{name}", dtype=dtype) for name, dtype in _STORAGES.items()},
    ("vocabulary", "Vocabulary"): Admitted(VOCABULARY),
    **{("__builtin__", name): Admitted(name) for name in INTS},
}


def admit(module: str, name: str) -> Admitted:
    """The stand-in for a name of a checkpoint.

    RAISES (CheckpointError): The name is not admitted.
    """
    try:
        return _ADMITTED[module, name]
    except KeyError:
        asked = quoted(f"{module}.{name}")
        raise CheckpointError(
            f"refused: the checkpoint asks for {asked}; only tensors, plain containers, NumPy scalars and "
            f"{VOCABULARY} are admitted"
        ) from None


def call(function: Any, args: Any) -> Any:
    """Call the stand-in for a function.

    RAISES (CheckpointError): The function must not be called, or not with these arguments.
    """
    if not isinstance(function, Admitted) or function.make is None or type(args) is not tuple:
        called = function.name if isinstance(function, Admitted) else quoted(function)
        raise CheckpointError(f"refused: a call of {called}")
    try:
        return function.make(*args)
    except TypeError:  # a wrong number of arguments: the stand-ins themselves raise only CheckpointError
        raise CheckpointError(f"refused: {function.name} with {len(args)} arguments") from None


def new(cls: Any, args: Any) -> ReferenceVocabulary:
    """Make an object of the only class that has objects of its own.

    RAISES (CheckpointError): It is another class, or has arguments.
    """
    if not isinstance(cls, Admitted) or cls.name != VOCABULARY or args != ():
        raise CheckpointError(f"refused: an object of {cls.name if isinstance(cls, Admitted) else quoted(cls)}")
    return ReferenceVocabulary()

"""Weights as they are stored: safetensors, in half precision, or matrices in 8 bits.

A matrix in 8 bits holds integers of at most 127. The number `SCALE` of each row, stored
beside it, turns them into weights: `weight = integers * scale`. Parameters of thinc are
stored by thinc: large ones with the same integers and scales
(`models/stored_layers.py`), others in single precision."""

import json
from collections.abc import Mapping
from typing import Any

import numpy
from numpy import ndarray

SCALE = ".scale"  # the matrix `x` in 8 bits is stored with `x.scale`
MAX_HALF = 65504  # the largest number in half precision
_MAX_INTEGER = 127
_SMALLEST = numpy.finfo("float32").tiny  # a scale for rows of zeros
_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I8": "i1",
}  # by their names in safetensors


def quantise(weight: ndarray) -> tuple[ndarray, ndarray]:
    """Round a weight to 8 bits by rows.

    weight: *Shape:* (..., n_columns).
    RETURNS (Tuple[ndarray, ndarray]): Integers of the same shape, int8, and the scale
        of each row, float32. *Shape:* (...).
    """
    scaled = weight.astype("float32")  # a copy: new memory takes longer than the rest
    largest = numpy.maximum(scaled.max(axis=-1), -scaled.min(axis=-1))
    scales = numpy.maximum(largest, _SMALLEST) / _MAX_INTEGER
    scaled /= scales[..., None]
    return numpy.rint(scaled, out=scaled).astype("int8"), scales


def stored_weight(name: str, weight: ndarray, bits: int) -> dict[str, ndarray]:
    """The arrays that store a weight of floats.

    bits (int): 16 for half precision, 8 for matrices in 8 bits.
    RETURNS (Dict[str, ndarray]): By name, with `name + SCALE` for a matrix in 8 bits.
    RAISES (ValueError): A number is too large for half precision, or is none.
    """
    check_half(name, weight)
    if bits == 8 and weight.ndim > 1:
        integers, scales = quantise(weight)
        return {name: integers, name + SCALE: scales}
    return {name: weight.astype("float16")}


def check_half(name: str, weight: ndarray) -> None:
    """Check that half precision holds a weight.

    RAISES (ValueError): A number is too large, or is none."""
    largest = float(numpy.abs(weight).max()) if weight.size else 0.0
    if not largest <= MAX_HALF:
        raise ValueError(
            f"half precision holds numbers up to {MAX_HALF}, and {name} has {largest:g}"
        )


def weight_of(
    weights: Mapping[str, ndarray], name: str, rows: slice = slice(None)
) -> ndarray:
    """A stored weight, or some of its rows, in single precision."""
    weight = weights[name][rows].astype("float32")
    if name + SCALE in weights:
        weight *= weights[name + SCALE][rows][..., None]
    return weight


def single_weights(weights: Mapping[str, ndarray]) -> dict[str, ndarray]:
    """Stored weights in single precision."""
    names = [name for name in weights if not name.endswith(SCALE)]
    return {name: weight_of(weights, name) for name in names}


def is_safetensors(data: bytes) -> bool:
    """Tell whether bytes are a safetensors file: the length of its header, then
    JSON."""
    return data[8:9] == b"{"


def stored_arrays(data: bytes) -> tuple[dict[str, ndarray], dict[str, str]]:
    """The arrays of a safetensors file, read in place: its library copies them.

    RETURNS (Tuple[Dict[str, ndarray], Dict[str, str]]): The arrays, and the metadata.
    RAISES (ValueError, KeyError): The file is damaged, or has other types than weights
        have.
    """
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    metadata = header.pop("__metadata__", {})
    return {
        name: _array(data, start, about) for name, about in header.items()
    }, metadata


def _array(data: bytes, start: int, about: Mapping[str, Any]) -> ndarray:
    """start (int): Where the arrays begin in the file. about: An entry of the
    header."""
    dtype = numpy.dtype(_DTYPES[about["dtype"]])
    first, last = about["data_offsets"]
    n_values = (last - first) // dtype.itemsize
    values = numpy.frombuffer(data, dtype, n_values, start + first)
    return values.reshape(about["shape"])

"""Reads SSAN's sets, which are told by their json, never by their name."""

import re
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

import numpy as np

from parity.vectors import Arrays, UnreadableSetError, read_arrays, read_json


class SSANSet(NamedTuple):
    """One set.

    info (Dict[str, Any]): The json.
    weights (Dict[str, ndarray]): Weights by the reference's names, float32.
    sentences (List[Dict[str, ndarray]]): Inputs of each sentence.
    variants (Dict[str, List[Dict[str, ndarray]]]): Answers of each sentence in each
        mode, by its name.
    batch (Dict[str, ndarray]): Arrays that belong to no sentence.
    """

    info: Dict[str, Any]
    weights: Arrays
    sentences: List[Arrays]
    variants: Dict[str, List[Arrays]]
    batch: Arrays


def is_ssan(info: Any) -> bool:
    """Whether a json belongs to a set of SSAN."""
    return isinstance(info, dict) and {"modes", "select_scale"} <= info.keys()


def read_ssan_set(folder: Path, name: str) -> SSANSet:
    """A set with arrays. RAISES (UnreadableSetError): with the reason."""
    info, arrays = read_json(folder, name), read_arrays(folder, name)
    n = len(info.get("lengths") or ())
    found = SSANSet(info, {}, [{} for _ in range(n)], {}, {})
    for key, value in arrays.items():
        group, _, rest = key.partition("/")
        if group == "w":
            found.weights[rest] = value
        elif not rest:
            found.batch[group] = value
        elif re.fullmatch(r"s\d+", group):
            _sentence(found.sentences, group, name)[rest] = value
        else:
            number, _, stage = rest.partition("/")
            _sentence(
                found.variants.setdefault(group, [{} for _ in range(n)]), number, name
            )[stage] = value
    if not found.weights or not n:
        raise UnreadableSetError(
            f"{name} holds {len(found.weights)} weights and {n} sentences"
        )
    return found


def _sentence(sentences: List[Arrays], number: str, name: str) -> Arrays:
    if not re.fullmatch(r"s\d+", number) or int(number[1:]) >= len(sentences):
        raise UnreadableSetError(
            f"{name} has arrays of a sentence {number!r}; its json tells of "
            f"{len(sentences)}"
        )
    return sentences[int(number[1:])]


def pad(arrays: List[np.ndarray], shape: List[int], fill: float = 0.0) -> np.ndarray:
    """Arrays one behind the other, each padded to a shape. *Shape:* (n_arrays,
    *shape)."""
    padded = np.full((len(arrays), *shape), fill, np.float32)
    for row, array in zip(padded, arrays, strict=True):
        row[tuple(slice(size) for size in array.shape)] = array
    return padded


def probe(gradient: np.ndarray) -> float:
    """What `grad_probes` hold: the dot product of a flattened gradient with cos(0),
    cos(1), cos(2), ..."""
    flat = np.asarray(gradient, np.float64).ravel()
    return float(flat @ np.cos(np.arange(flat.size)))

"""Reader of the decoder vectors in tests/data/decoder: charts and what the LAL parser's decoders answer to them."""

from pathlib import Path
from typing import Any, Dict, Iterator

import numpy as np
from numpy import ndarray

MODES = ["hpsg_test", "hpsg_train", "hpsg_gold", "const_test", "const_train", "const_gold"]


def unpack(n: int, upper: ndarray) -> ndarray:
    """The upper triangle, in `np.triu_indices(n + 1, 1)` order, as a square (n + 1, n + 1, ...)."""
    square = np.zeros((n + 1, n + 1) + upper.shape[1:], upper.dtype)
    square[np.triu_indices(n + 1, 1)] = upper
    return square


def read_cases(path: Path) -> Iterator[Dict[str, Any]]:
    """Each sentence of a file: n, labels, arcs, gold_*, and for each mode score, augment, spans and (hpsg) heads."""
    with np.load(path) as data:
        arrays = {key: data[key] for key in data.files}
    n_labels, scale = int(arrays["L"]), arrays["scale"]
    upper_at = square_at = word_at = node_at = 0
    for t, n in enumerate(arrays["n"].tolist()):
        upper = slice(upper_at, upper_at + n * (n + 1) // 2)
        square = slice(square_at, square_at + (n + 1) ** 2)
        words = slice(word_at, word_at + n)
        nodes = slice(node_at, node_at + 2 * n - 1)
        flat = arrays["ls"][upper.start * n_labels : upper.stop * n_labels].astype(np.float32)
        case: Dict[str, Any] = {
            "n": n,
            "labels": unpack(n, flat.reshape(-1, n_labels) * scale).astype(np.float32),
            "arcs": (arrays["arc"][square].astype(np.float32) * scale).reshape(n + 1, n + 1).astype(np.float32),
            "gold_father": arrays["gold_father"][words].astype(np.int32),
        }
        for key in ("gold_label", "gold_head", "gold_split_const"):
            case[key] = unpack(n, arrays[key][upper].astype(np.int32))
        for mode in MODES:
            spans = np.stack([arrays[f"{mode}/{key}"][nodes] for key in ("i", "j", "label")], axis=1)
            case[mode] = {
                "score": float(arrays[f"{mode}/score"][t]),
                "augment": float(arrays[f"{mode}/augment"][t]),
                "spans": spans.astype(np.int32),
            }
            if f"{mode}/father" in arrays:
                case[mode]["heads"] = np.concatenate([[0], arrays[f"{mode}/father"][words]]).astype(np.int32)
        upper_at, square_at, word_at, node_at = upper.stop, square.stop, words.stop, nodes.stop
        yield case

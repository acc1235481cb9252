"""Reads golden vectors: what all kinds of sets share, and the sets of networks of the
LAL parser (NAME.npz + NAME.json). `tests/decode/test_decoder_vectors.py` reads those of
its decoders.

A set that cannot be read, whatever is wrong with it, is an `UnreadableSetError` that
says why."""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

import numpy as np

DECODER_PREFIX = "decoder"
# Keys of the json of sets that are left out.
LEFT_OUT = frozenset({"ties", "items", "adam"})
ANSWERS = (
    "label_scores_ut",
    "arc",
    "type",
    "score",
    "dec_i",
    "dec_j",
    "dec_label",
    "dec_father",
    "dec_type_idx",
)
Arrays = Dict[str, np.ndarray]
GOLD = ("gold_label", "gold_father", "gold_type")


class UnreadableSetError(ValueError):
    """A set of vectors that cannot be read."""


class NetworkSet(NamedTuple):
    """One reference network and its answers.

    info (Dict[str, Any]): The json.
    weights (Dict[str, ndarray]): Its state dict, float32.
    sentences (List[Dict[str, ndarray]]): For each sentence, its answers when alone, by
        stage.
    batched (List[Dict[str, ndarray]]): The same within one batch, where the reference
    scrambles label queries."""

    info: Dict[str, Any]
    weights: Dict[str, np.ndarray]
    sentences: List[Dict[str, np.ndarray]]
    batched: List[Dict[str, np.ndarray]]


def find_sets(folder: Path) -> list[str]:
    """The names of the sets of a folder, in order, but for those of decoders, and for
    those of programs that have no part in the library."""
    paths = [*folder.glob("*.npz"), *folder.glob("*.json")]
    names = {path.stem for path in paths if not path.stem.startswith(DECODER_PREFIX)}
    return sorted(name for name in names if not _is_left_out(folder, name))


def _is_left_out(folder: Path, name: str) -> bool:
    """Whether a set is of trees from attention, of probing tasks, or of an
    optimizer."""
    try:
        info = read_json(folder, name)
    except UnreadableSetError:
        return False
    return isinstance(info, dict) and not LEFT_OUT.isdisjoint(info)


def read_json(folder: Path, name: str) -> Any:
    """The json of a set. RAISES (UnreadableSetError): with the reason."""
    path = folder / f"{Path(name).stem}.json"
    try:
        return json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise UnreadableSetError(f"{path.name}: {error}") from error


def read_arrays(folder: Path, name: str) -> Arrays:
    """The arrays of a set; those in half precision are made float32. RAISES
    (UnreadableSetError): with the reason."""
    path = folder / f"{Path(name).stem}.npz"
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except Exception as error:  # a broken archive may fail in any way
        raise UnreadableSetError(
            f"{path.name}: {type(error).__name__}: {error}"
        ) from error
    return {
        key: value.astype(np.float32) if value.dtype == np.float16 else value
        for key, value in arrays.items()
    }


def read_network_set(folder: Path, name: str) -> NetworkSet:
    """A network set, checked for completeness. RAISES (UnreadableSetError): with the
    reason."""
    stem = Path(name).stem
    info, arrays = read_json(folder, name), read_arrays(folder, name)
    expected = {
        "hparams": dict,
        "sentences": list,
        "label_vocab": list,
        "training_dropout0": dict,
    }
    for key, kind in expected.items():
        if not isinstance(info, dict) or not isinstance(info.get(key), kind):
            raise UnreadableSetError(f"{stem}.json lacks {key!r}")
    groups: Dict[str, Dict[str, np.ndarray]] = {}
    for key, value in arrays.items():
        group, _, rest = key.partition("/")
        groups.setdefault(group, {})[rest] = value
    weights = {
        key: value.astype(np.float32) for key, value in groups.get("sd", {}).items()
    }
    n_sentences = len(info["sentences"])
    if not weights or not n_sentences:
        raise UnreadableSetError(
            f"{stem}.npz holds {len(weights)} weights, {stem}.json {n_sentences} "
            "sentences"
        )
    sentences = [groups.get(f"s{i}", {}) for i in range(n_sentences)]
    batched = [groups.get(f"b{i}", {}) for i in range(n_sentences)]
    wanted = {
        "s": (*ANSWERS, *GOLD, *_encoder_stages(info["hparams"])),
        "b": ANSWERS[3:] if any(batched) else (),
    }
    missing = [
        f"{kind}{i}/{key}"
        for kind, group in (("s", sentences), ("b", batched))
        for i, sentence in enumerate(group)
        for key in wanted[kind]
        if key not in sentence
    ]
    if missing:
        raise UnreadableSetError(f"{stem}.npz lacks {', '.join(missing)}")
    if f"s{n_sentences}" in groups:
        raise UnreadableSetError(
            f"{stem}.npz holds more than the {n_sentences} sentences of {stem}.json"
        )
    return NetworkSet(info, weights, sentences, batched)


def _encoder_stages(hparams: Dict[str, Any]) -> List[str]:
    """Stages that every set has."""
    stages = [
        "emb",
        *(f"ff{layer}" for layer in range(int(hparams.get("num_layers", 0)))),
    ]
    return [*stages, "lal", "lal_w"] if hparams.get("use_lal") else stages


def unpack_upper(n_words: int, cells: np.ndarray) -> np.ndarray:
    """Cells in `np.triu_indices(n + 1, 1)` order -> a square chart with zeros
    elsewhere."""
    chart = np.zeros((n_words + 1, n_words + 1, *cells.shape[1:]), cells.dtype)
    chart[np.triu_indices(n_words + 1, 1)] = cells
    return chart

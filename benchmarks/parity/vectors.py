"""Reads golden vectors of the reference: network sets (NAME.npz + NAME.json) and
decoder sets (decoder_*.npz).

A set that cannot be read, whatever is wrong with it, is an `UnreadableSetError` that
says why."""

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

import numpy as np

DECODER_PREFIX = "decoder"
DECODER_MODES = (
    "hpsg_test",
    "hpsg_train",
    "hpsg_gold",
    "const_test",
    "const_train",
    "const_gold",
)
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


class DecoderAnswer(NamedTuple):
    """What a decoder said. nodes: (k, 3), binarised, pre-order. heads: (n,). margin:
    the gain of labels not gold."""

    score: float
    nodes: np.ndarray
    heads: Optional[np.ndarray]
    margin: float


class DecoderCase(NamedTuple):
    """One chart and the reference's answers by mode."""

    labels: np.ndarray
    arcs: np.ndarray
    gold_labels: np.ndarray
    gold_span_heads: np.ndarray  # of each gold span, its head word from 1
    gold_splits: np.ndarray  # of each gold span, its smallest split
    gold_heads: np.ndarray  # of each word
    answers: Dict[str, "DecoderAnswer"]


def find_sets(folder: Path) -> Dict[str, str]:
    """File name of each set -> "network" or "decoder", in order. Of a pair, the half
    that is there names it."""
    found: Dict[str, str] = {}
    for path in sorted([*folder.glob("*.npz"), *folder.glob("*.json")]):
        if path.stem.startswith(DECODER_PREFIX):
            if path.suffix == ".npz":
                found[path.name] = "decoder"
        elif path.suffix == ".npz" or not path.with_suffix(".npz").exists():
            found[path.name] = "network"
    for name in read_families(folder):
        found.setdefault(name, "decoder")
    return dict(sorted(found.items()))


def read_families(folder: Path) -> Dict[str, str]:
    """Family ("coarse", "fine", "gauss") of each decoder set that decoder.json tells
    of; nothing where it is broken."""
    try:
        files = _read_json(folder / f"{DECODER_PREFIX}.json")["files"]
        return {name: str(entry["family"]) for name, entry in files.items()}
    except (UnreadableSetError, KeyError, TypeError, AttributeError):
        return {}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise UnreadableSetError(f"{path.name}: {error}") from error


def _read_npz(path: Path) -> Dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except Exception as error:  # a broken archive may fail in any way
        raise UnreadableSetError(
            f"{path.name}: {type(error).__name__}: {error}"
        ) from error


def read_network_set(folder: Path, name: str) -> NetworkSet:
    """A network set, checked for completeness. RAISES (UnreadableSetError): with the
    reason."""
    stem = Path(name).stem
    info, arrays = (
        _read_json(folder / f"{stem}.json"),
        _read_npz(folder / f"{stem}.npz"),
    )
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


class _Reader:
    """Takes the pieces of arrays in which the charts lie one behind the other."""

    def __init__(self, name: str, arrays: Dict[str, np.ndarray]) -> None:
        self.name, self.arrays = name, arrays
        self.taken: Dict[str, int] = {}

    def take(self, key: str, size: int) -> np.ndarray:
        start = self.taken.get(key, 0)
        if key not in self.arrays:
            raise UnreadableSetError(f"{self.name} lacks {key}")
        piece = self.arrays[key][start : start + size]
        if len(piece) != size:
            raise UnreadableSetError(f"{self.name}: {key} ends too early")
        self.taken[key] = start + size
        return piece


def read_decoder_set(folder: Path, name: str) -> Iterator[DecoderCase]:
    """The charts of a decoder set, one after the other. RAISES (UnreadableSetError):
    with the reason."""
    arrays = _read_npz(folder / name)
    missing = {"n", "L", "scale"} - arrays.keys()
    if missing or not len(arrays["n"]):
        raise UnreadableSetError(
            f"{name} lacks {', '.join(sorted(missing)) or 'charts'}"
        )
    reader, n_labels, scale = _Reader(name, arrays), int(arrays["L"]), arrays["scale"]
    for n in arrays["n"].tolist():
        n_cells, n_nodes = n * (n + 1) // 2, 2 * n - 1
        scores = (
            reader.take("ls", n_cells * n_labels)
            .astype(np.float32)
            .reshape(n_cells, n_labels)
            * scale
        )
        arcs = (
            reader.take("arc", (n + 1) ** 2).astype(np.float32).reshape(n + 1, n + 1)
            * scale
        )
        answers = {}
        for mode in DECODER_MODES:
            nodes = np.stack(
                [
                    reader.take(f"{mode}/{key}", n_nodes).astype(int)
                    for key in ("i", "j", "label")
                ],
                axis=1,
            )
            heads = (
                reader.take(f"{mode}/father", n).astype(int)
                if mode.startswith("hpsg")
                else None
            )
            score, margin = (
                float(reader.take(f"{mode}/{key}", 1)[0])
                for key in ("score", "augment")
            )
            answers[mode] = DecoderAnswer(score, nodes, heads, margin)
        yield DecoderCase(
            labels=unpack_upper(n, scores.astype(np.float32)),
            arcs=arcs.astype(np.float32),
            gold_labels=unpack_upper(n, reader.take("gold_label", n_cells)).astype(
                np.int32
            ),
            gold_span_heads=unpack_upper(n, reader.take("gold_head", n_cells)).astype(
                np.int32
            ),
            gold_splits=unpack_upper(
                n, reader.take("gold_split_const", n_cells)
            ).astype(np.int32),
            gold_heads=reader.take("gold_father", n).astype(np.int32),
            answers=answers,
        )

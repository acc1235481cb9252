"""Train on a GPU what export_training.py has written: PyTorch, transformers and this
repository's sources are enough.

    python scripts/train_exported.py training/gpu/mpnet training/gpu/learned --minutes 5

A batch is some thousand words; decoding, too, runs on the GPU: CKY over sentences of
similar length at once. Losses are those of `spacy_lal.loss.parser`, of taggers, and of
predicates and their arguments by BIO tags. On a GPU the transformer multiplies in
bfloat16; with --bfloat16 on a CPU, too, which is quicker where the processor has such
products. The learning rate rises and falls by the clock. A run that is stopped goes on
where it saved its progress."""

import argparse
import gzip
import json
import pickle
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.numpy import load, save
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

# the sources, where the library is not installed
sys.path.append(str(Path(__file__).resolve().parents[3]))
from spacy_lal.models.weights.storage import single_weights, stored_weight  # noqa: E402

RISE, LOWEST = 0.05, 0.002  # parts of the time and of the rate
PROGRESS = "progress.pt"  # of a training that is not over, in the output's folder
REPORT_EVERY, SAVE_EVERY = 20, 120  # seconds
AHEAD = 6  # batches that are made from Docs of similar length
GROUPS = 3  # of similar length, into which a batch is divided
LARGE = 1 << 14  # elements of a matrix that travels in 8 bits
SMALL = 64  # elements of an array that travels in single precision
PART = 15 << 20  # bytes of a file
NARROW = 128  # width of a predicate and of a word in the roles' scores
EDGE = 1e9
MARGIN = 2.0  # what a label's own head should add to it
RARE = 10.0  # the largest weight of a label
FIXED = "transformer.embeddings.word"  # word embeddings do not learn
# As export_training.py makes it. `windows`: the pieces of each. `tokens`: of each, its
# window, its first piece there, their number. `hashed`, `gold`: rows and labels of
# tokens. `sentences`: `words` as tokens, `heads`, `deprels`, `cells` (start, end,
# label) or None, `predicates` (token, arguments) or None. `source`: its number.
Doc = dict[str, Any]
Batch = dict[str, Any]


# Weights


def pack(state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Large matrices in 8 bits with a scale for each row; the rest in half
    precision."""
    packed: dict[str, np.ndarray] = {}
    for name, value in state.items():
        value = np.asarray(value, dtype="f4")
        if value.size > SMALL:
            is_matrix = value.ndim == 2 and value.size >= LARGE
            packed.update(stored_weight(name, value, 8 if is_matrix else 16))
        else:
            packed[name] = value
    return packed


def write_weights(arrays: Mapping[str, np.ndarray], folder: Path) -> None:
    """Write arrays as safetensors, in files of at most 15 MiB."""
    folder.mkdir(parents=True, exist_ok=True)
    data = save({name: np.ascontiguousarray(value) for name, value in arrays.items()})
    for k, start in enumerate(range(0, len(data), PART)):
        (folder / f"part{k:02}").write_bytes(data[start : start + PART])


def read_weights(folder: Path) -> dict[str, np.ndarray]:
    """Read arrays in single precision."""
    arrays = load(b"".join(path.read_bytes() for path in sorted(folder.glob("part*"))))
    return single_weights(arrays)


# Data


def read_docs(path: Path) -> list[Doc]:
    """Read the Docs that export_training.py has written."""
    with gzip.open(path) as file:
        return pickle.load(file)


def padded(rows: Sequence[np.ndarray], fill: int) -> Tensor:
    """Rows of numbers, each as long as the longest. *Shape:* (n_rows, longest)."""
    tensors = [torch.from_numpy(row.astype("i8")) for row in rows]
    return pad_sequence(tensors, batch_first=True, padding_value=fill)


def groups_of(lengths: Sequence[int]) -> list[list[int]]:
    """Numbers of sequences in some groups of similar length, with little padding."""
    parts = np.array_split(np.argsort(lengths, kind="stable"), GROUPS)
    return [part.tolist() for part in parts if len(part)]


def collate(docs: Sequence[Doc]) -> Batch:
    """A batch: everything about some Docs, in tensors."""
    windows: list[np.ndarray] = []
    tokens: list[np.ndarray] = []
    sentences: list[dict[str, Any]] = []
    n_tokens = 0
    for doc in docs:
        tokens.append(doc["tokens"].astype("i8") + [len(windows), 0, 0])
        windows += doc["windows"]
        sentences += [_moved(sentence, n_tokens) for sentence in doc["sentences"]]
        n_tokens += len(doc["tokens"])
    with_roles = [one for one in sentences if one["predicates"] is not None]
    words = [one["words"] for one in with_roles]
    batch: Batch = {
        "n_tokens": n_tokens,
        "windows": [],
        "hashed": [
            torch.from_numpy(np.concatenate(parts).astype("i8"))
            for parts in zip(*(doc["hashed"] for doc in docs), strict=True)
        ],
        "gold": {
            name: torch.from_numpy(np.concatenate([doc["gold"][name] for doc in docs]))
            for name in docs[0]["gold"]
        },
        "sentences": [
            _sentence_group([sentences[row] for row in rows], n_tokens)
            for rows in groups_of([len(one["words"]) for one in sentences])
        ],
        "predicates": _predicate_tensors(with_roles),
        "role_words": torch.from_numpy(np.concatenate([np.zeros(0, "i8"), *words])),
    }
    base = 0
    starts = np.zeros(len(windows), dtype="i8")
    for rows in groups_of([len(window) for window in windows]):
        ids = padded([windows[row] for row in rows], -1)
        starts[rows] = base + np.arange(len(rows)) * ids.shape[1]
        base += ids.numel()
        batch["windows"].append((ids.clamp_min(0), (ids >= 0).long()))
    window, first, counts = np.concatenate(tokens).T
    ends = np.cumsum(counts)
    within = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
    rows = np.repeat(starts[window] + first, counts) + within
    batch["piece_rows"] = torch.from_numpy(rows)
    batch["piece_tokens"] = torch.from_numpy(np.repeat(np.arange(n_tokens), counts))
    batch["piece_counts"] = torch.from_numpy(np.maximum(counts, 1).astype("f4"))
    return batch


def _moved(sentence: Mapping[str, Any], n_tokens: int) -> dict[str, Any]:
    """A sentence of a Doc as one of a batch, in which tokens come before the Doc's."""
    predicates = sentence["predicates"]
    if predicates is not None:
        moved = [n_tokens, n_tokens, 0]
        predicates = [(token + n_tokens, args + moved) for token, args in predicates]
    words = sentence["words"].astype("i8") + n_tokens
    return {**sentence, "words": words, "predicates": predicates}


def _sentence_group(group: Sequence[Mapping[str, Any]], n_tokens: int) -> Batch:
    index = padded([one["words"] for one in group], n_tokens)
    cells = [np.zeros((0, 4), "i8")]
    for k, one in enumerate(group):
        if one["cells"] is not None:
            own = one["cells"].astype("i8")
            cells.append(np.pad(own, ((0, 0), (1, 0)), constant_values=k))
    return {
        "n": torch.tensor([len(one["words"]) for one in group]),
        "index": functional.pad(index, (1, 1), value=n_tokens),
        "heads": padded([one["heads"] for one in group], -1),
        "deprels": padded([one["deprels"] for one in group], -1),
        "trees": torch.tensor([one["cells"] is not None for one in group]),
        "cells": torch.from_numpy(np.concatenate(cells)),
    }


def _predicate_tensors(sentences: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
    """Predicates' tokens, and the words of their sentences with BIO tags: 0, 1 + 2 role
    (B), 2 + 2 role (I)."""
    tokens: list[int] = []
    words = [np.zeros(1, "i8")]
    tags = [np.full(1, -1)]
    for one in sentences:
        for token, arguments in one["predicates"]:
            tokens.append(token)
            words.append(one["words"])
            tags.append(np.zeros(len(one["words"]), "i8"))
            for start, end, role in arguments:
                inside = (one["words"] >= start) & (one["words"] < end)
                tags[-1][inside] = 2 + 2 * role
                tags[-1][np.flatnonzero(inside)[:1]] = 1 + 2 * role
    return {
        "token": torch.tensor(tokens, dtype=torch.long),
        "words": padded(words, 0)[1:],
        "tags": padded(tags, -1)[1:],
    }


class Batches(torch.utils.data.IterableDataset):  # type: ignore[type-arg]
    """Endless batches of Docs that are drawn from sources by their weights; each source
    is read to its end in turn.

    n_words (int): Of a batch, about."""

    def __init__(
        self, docs: Sequence[Doc], weights: Sequence[float], n_words: int, seed: int
    ) -> None:
        self.docs, self.n_words, self.seed = docs, n_words, seed
        self.shares = np.array(weights) / sum(weights)

    def __iter__(self) -> Iterator[Batch]:
        worker = torch.utils.data.get_worker_info()
        draw = np.random.default_rng([self.seed, 0 if worker is None else worker.id])
        sources: list[list[Doc]] = [[] for _ in self.shares]
        for doc in self.docs:
            sources[doc["source"]].append(doc)
        streams = [_shuffled(docs, draw) for docs in sources]
        while True:
            pool: list[Doc] = []
            while sum(len(doc["tokens"]) for doc in pool) < AHEAD * self.n_words:
                pool.append(next(streams[draw.choice(len(streams), p=self.shares)]))
            pool.sort(key=_longest)
            batches: list[list[Doc]] = [[]]
            for doc in pool:
                if sum(len(one["tokens"]) for one in batches[-1]) >= self.n_words:
                    batches.append([])
                batches[-1].append(doc)
            for k in draw.permutation(len(batches)):
                yield collate(batches[k])


def _shuffled(docs: Sequence[Doc], draw: np.random.Generator) -> Iterator[Doc]:
    while True:
        yield from (docs[k] for k in draw.permutation(len(docs)))


def _longest(doc: Doc) -> int:
    return max((len(one["words"]) for one in doc["sentences"]), default=1)


def to_device(value: Any, device: torch.device) -> Any:
    """The tensors of a batch, on a device."""
    if isinstance(value, Tensor):
        return value.to(device, non_blocking=True)
    if isinstance(value, dict):
        return {key: to_device(part, device) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_device(part, device) for part in value]
    return value


# Networks


class HashedFeatures(nn.Module):
    """spaCy's MultiHashEmbed: sums of four rows of each table, a maxout layer, a layer
    norm."""

    def __init__(self, state: Mapping[str, Tensor]) -> None:
        super().__init__()
        n_tables = sum(name.startswith("tables.") for name in state)
        tables = [state[f"tables.{i}"] for i in range(n_tables)]
        self.tables = nn.ParameterList(map(nn.Parameter, tables))
        for name in ("weight", "bias", "gain", "shift"):
            self.register_parameter(name, nn.Parameter(state[name]))

    def forward(self, rows: Tensor) -> Tensor:
        """*Shapes:* (n_tokens, n_tables, 4) to (n_tokens, width)."""
        features = [
            functional.embedding(rows[:, i], table).sum(1)
            for i, table in enumerate(self.tables)
        ]
        flat = functional.linear(torch.cat(features, 1), self.weight.flatten(0, 1))
        pieces = flat.unflatten(1, self.weight.shape[:2]) + self.bias
        best = pieces.max(-1).values
        return functional.layer_norm(best, best.shape[-1:], self.gain, self.shift, 1e-8)


class Part(nn.Module):
    """A component: hashed features beside the transformer's vectors, then an output
    layer or the parser's network."""

    def __init__(
        self,
        config: dict[str, Any],
        state: Mapping[str, Tensor],
        network: nn.Module | None,
    ) -> None:
        super().__init__()
        self.kind, self.vectors_first = config["hashed"], config["vectors_first"]
        self.hashed = HashedFeatures(_within(state, "hashed."))
        if network is not None:
            self.network = network
            network.load_state_dict(_within(state, "network."))
        else:
            n_labels, width = state["output.weight"].shape
            self.output = nn.Linear(width, n_labels)
            self.output.load_state_dict(_within(state, "output."))

    def inputs(self, vectors: Tensor, hashed: list[Tensor]) -> Tensor:
        """*Shape:* (n_tokens, width + hashed width)."""
        parts = [vectors, self.hashed(hashed[self.kind])]
        return torch.cat(parts if self.vectors_first else parts[::-1], dim=1)


class Roles(nn.Module):
    """Predicates, and their arguments by BIO tags, from the transformer's vectors
    alone."""

    def __init__(self, width: int, n_roles: int) -> None:
        super().__init__()
        self.is_predicate = nn.Linear(width, 2)
        self.predicate, self.word = nn.Linear(width, NARROW), nn.Linear(width, NARROW)
        self.output = nn.Linear(2 * NARROW, 1 + 2 * n_roles)

    def forward(self, vectors: Tensor, predicates: Mapping[str, Tensor]) -> Tensor:
        """Scores of tags. *Shape:* (n_predicates, n_words, n_tags)."""
        predicate = self.predicate(vectors[predicates["token"]]).unsqueeze(1)
        word = self.word(vectors)[predicates["words"]]
        features = [predicate * word, (predicate + word).relu()]
        return self.output(torch.cat(features, dim=-1))


class Pipeline(nn.Module):
    """All that learns.

    learned (Path | None): The output of a training to begin from.
    layers (int | None): How many of the transformer's lower layers there are.
    RAISES (ValueError): A weight of the transformer is missing."""

    def __init__(
        self, folder: Path, learned: Path | None = None, layers: int | None = None
    ) -> None:
        from transformers import AutoConfig, AutoModel

        super().__init__()
        self.settings = json.loads((folder / "settings.json").read_text("utf8"))
        self.masked = 0.0
        self.bfloat16 = False
        weights = read_weights(folder / "weights")
        if learned is not None:
            _take_learned(weights, read_weights(learned / "weights"))
        state = {name: torch.from_numpy(value) for name, value in weights.items()}
        config = AutoConfig.from_pretrained(folder)
        config.num_hidden_layers = layers or config.num_hidden_layers
        self.transformer = AutoModel.from_config(
            config, attn_implementation="eager", add_pooling_layer=False
        )
        own = _within(state, "transformer.")
        missing, _ = self.transformer.load_state_dict(own, strict=False)
        if missing := [name for name in missing if "position_ids" not in name]:
            raise ValueError(
                f"{folder}: expected all weights of the transformer, and "
                f"{missing[0]!r} is missing"
            )
        self.parts = nn.ModuleDict()
        for name, of_part in self.settings["components"].items():
            network = _parser_network(folder) if name == "lal_parser" else None
            self.parts[name] = Part(of_part, _within(state, f"{name}."), network)
        n_roles = self.settings["n_roles"]
        self.roles = Roles(config.hidden_size, n_roles) if n_roles else None

    def state(self) -> dict[str, np.ndarray]:
        """What learned, by the names of the export."""
        return {
            name.removeprefix("parts."): value.float().cpu().numpy()
            for name, value in self.state_dict().items()
            if not name.startswith(("roles.", FIXED))
        }

    def vectors(self, batch: Batch) -> Tensor:
        """The mean of the pieces of each token. *Shape:* (n_tokens, width)."""
        states = []
        for ids, mask in batch["windows"]:
            # a piece may be hidden: the parse of a sentence does not hang on one word
            if self.training:
                hidden = torch.rand(ids.shape, device=ids.device) < self.masked
                special = torch.tensor([self.settings["first"], self.settings["last"]])
                is_piece = ~torch.isin(ids, special.to(ids.device)) & (mask > 0)
                ids = torch.where(hidden & is_piece, self.settings["mask"], ids)
            is_short = self.bfloat16 or ids.is_cuda
            with torch.autocast(ids.device.type, torch.bfloat16, enabled=is_short):
                output = self.transformer(input_ids=ids, attention_mask=mask)
            states.append(output.last_hidden_state.flatten(0, 1).float())
        rows = torch.cat(states)[batch["piece_rows"]]
        nothing = rows.new_zeros(batch["n_tokens"], rows.shape[1])
        summed = nothing.index_add(0, batch["piece_tokens"], rows)
        return summed / batch["piece_counts"][:, None]


def _take_learned(
    weights: dict[str, np.ndarray], learned: Mapping[str, np.ndarray]
) -> None:
    """Take learned weights in the place of others of the same shape."""
    shapes = {name: value.shape for name, value in weights.items()}
    others = {
        name
        for name, value in learned.items()
        if shapes.get(name, value.shape) != value.shape
    }
    listed = ", ".join(sorted(others)) or "none"
    print("of another shape, not taken:", listed, flush=True)
    weights |= {name: learned[name] for name in learned if name not in others}


def _within(state: Mapping[str, Tensor], start: str) -> dict[str, Tensor]:
    names = [name for name in state if name.startswith(start)]
    return {name.removeprefix(start): state[name] for name in names}


def _parser_network(folder: Path) -> nn.Module:
    from spacy_lal.layers import parser_scorers
    from spacy_lal.layers.parser_network import ParserNetwork

    if torch.cuda.is_available():  # it takes all cells at once
        parser_scorers._SPAN_FLOATS = 1 << 29
    return ParserNetwork(*pickle.loads((folder / "network.pickle").read_bytes()))


# Decoding


def best_nodes(scores: Tensor, n: Tensor) -> Tensor:
    """CKY: the nodes of each sentence's best binary tree, by start and end. *Shapes:*
    scores (batch_size, size, size), n (batch_size,), to (batch_size, size, size),
    bool."""
    batch_size, size, _ = scores.shape
    left = scores.new_full((batch_size, size, size), -EDGE)  # by start and length
    right = left.clone()  # by end and length
    splits: list[Tensor] = []
    for length in range(1, size):
        value = scores.diagonal(length, 1, 2)
        if length > 1:
            of_right = right[:, length:, 1:length].flip(-1)
            best, split = (left[:, : size - length, 1:length] + of_right).max(-1)
            value = value + best
            splits.append(split + 1)
        left[:, : size - length, length] = value
        right[:, length:, length] = value
    nodes = torch.zeros_like(left)  # by start and length
    nodes[:, 0].scatter_(1, n[:, None], 1.0)
    flat = nodes.view(batch_size, -1)
    starts = torch.arange(size, device=n.device)
    for length in range(size - 1, 1, -1):
        split = splits[length - 2]
        chosen = nodes[:, : size - length, length].clone()
        first = starts[: size - length] * size
        flat.scatter_add_(1, first + split, chosen)
        flat.scatter_add_(1, first + split * size + length - split, chosen)
    ends = starts[:, None] + starts  # by start and length
    by_end = nodes.new_zeros(batch_size, size, 2 * size)
    by_end.scatter_(2, ends.expand(batch_size, -1, -1), nodes)
    return by_end[..., :size] > 0.5


class Scores(NamedTuple):
    """A group of sentences: the output of the parser's network."""

    labels: Tensor
    arcs: Tensor
    deprels: Tensor
    label_heads: Tensor | None


def parser_scores(part: Part, vectors: Tensor, batch: Batch) -> list[Scores]:
    """The scores of each group of sentences."""
    from spacy_lal.layers.inputs import NetworkInputs

    inputs = functional.pad(part.inputs(vectors, batch["hashed"]), (0, 0, 0, 1))
    scores = []
    for group in batch["sentences"]:
        placed = inputs[group["index"]]
        read = NetworkInputs(group["n"], placed)
        output = part.network(read)
        scores.append(
            Scores(output.labels, output.arcs, output.deprels, output.label_heads)
        )
    return scores


def best_labels(labels: Tensor, group: Batch) -> tuple[Tensor, Tensor]:
    """The nodes of a group's best trees, and the best label of each cell, 0 for none.
    Labels that are not gold have a margin of 1."""
    chart = labels.detach() + 1.0
    gold = torch.zeros(chart.shape[:3], dtype=torch.long, device=chart.device)
    sentence, start, end, label = group["cells"].T
    gold[sentence, start, end] = label
    off = chart.new_full((*gold.shape, 1), -1.0)
    chart.scatter_add_(3, gold[..., None], off)
    chart[torch.arange(len(chart), device=chart.device), 0, group["n"], 0] = -EDGE
    best, chosen = chart.max(-1)
    return best_nodes(best, group["n"]), chosen


# Losses


def rarity_weights(counts: np.ndarray) -> np.ndarray:
    """A weight for each label: the root of how many times rarer it is than the mean
    label, at most `RARE`, and 1 for labels that are more frequent.

    counts (ndarray): How often each label occurs."""
    rarer = counts[counts > 0].mean() / np.maximum(counts, 1)
    return np.clip(np.sqrt(rarer), 1, RARE).astype("f4")


class OwnHeads:
    """What a label's own head adds to its label: each gold constituent has the loss
    softplus(margin - t) of this term t. Constituents of rare labels count more.

    labels (ndarray): Of all constituents.
    weight (float): Of this loss beside the others."""

    def __init__(
        self, labels: np.ndarray, first_label: int, weight: float, device: torch.device
    ) -> None:
        counts = np.bincount(labels[labels >= first_label] - first_label)
        self.first_label = first_label
        self.weights = weight * torch.from_numpy(rarity_weights(counts)).to(device)

    def loss(self, label_heads: Tensor, cells: Tensor) -> Tensor:
        """Summed over the gold constituents of a group of sentences."""
        sentence, start, end, label = cells[cells[:, 3] >= self.first_label].T
        head = label - self.first_label
        own = label_heads[sentence, end, head] - label_heads[sentence, start, head]
        return (self.weights[head] * functional.softplus(MARGIN - own)).sum()


def parser_loss(
    scores: list[Scores], batch: Batch, own_heads: OwnHeads | None = None
) -> Tensor:
    """The loss of `spacy_lal.loss.parser.ParserLoss`, with its weights in
    configs/lal_trf.cfg, but that of label heads."""
    total: Any = 0.0
    for of_group, group in zip(scores, batch["sentences"], strict=True):
        with torch.no_grad():
            nodes, labels = best_labels(of_group.labels, group)
        chosen = nodes & (labels > 0) & group["trees"][:, None, None]
        best = torch.stack([*chosen.nonzero(as_tuple=True), labels[chosen]])
        picked = of_group.labels[tuple(torch.cat([best, group["cells"].T], 1))]
        n_best = best.shape[1]
        total = total + picked[:n_best].sum() - picked[n_best:].sum()
        heads, deprels = group["heads"], group["deprels"]
        places = torch.arange(of_group.arcs.shape[1], device=heads.device)
        is_beyond = (places > group["n"][:, None])[:, None]
        arcs = of_group.arcs[:, 1:].masked_fill(is_beyond, -EDGE)
        total = total + 0.5 * cross_entropy(arcs, heads)
        known = (heads >= 0) & (deprels >= 0)
        sentence, word = known.nonzero(as_tuple=True)
        if len(sentence):
            rows = of_group.deprels[sentence, word + 1, heads[known]]
            total = total + 0.5 * cross_entropy(rows, deprels[known])
        if own_heads is not None and of_group.label_heads is not None:
            total = total + own_heads.loss(of_group.label_heads, group["cells"])
    return total


def cross_entropy(scores: Tensor, gold: Tensor) -> Tensor:
    """The cross-entropy of all rows whose gold label is known, summed."""
    return functional.cross_entropy(
        scores.flatten(0, -2), gold.flatten().long(), ignore_index=-1, reduction="sum"
    )


def losses(
    pipeline: Pipeline,
    batch: Batch,
    own_heads: OwnHeads | None,
    only: str | None = None,
) -> dict[str, Tensor]:
    """The losses of a batch, summed over words: of all components, or of one."""
    vectors = pipeline.vectors(batch)
    by_name = {}
    for name, part in pipeline.parts.items():
        if only not in (None, name):
            continue
        if name == "lal_parser":
            scores = parser_scores(part, vectors, batch)
            by_name[name] = parser_loss(scores, batch, own_heads)
        else:
            output = part.output(part.inputs(vectors, batch["hashed"]))
            weight = 0.5 if name == "trainable_lemmatizer" else 1.0
            by_name[name] = weight * cross_entropy(output, batch["gold"][name])
    if pipeline.roles is not None and only is None and len(batch["role_words"]):
        words, predicates = batch["role_words"], batch["predicates"]
        is_predicate = torch.zeros(len(vectors), dtype=torch.long, device=words.device)
        is_predicate[predicates["token"]] = 1
        output = pipeline.roles.is_predicate(vectors[words])
        by_name["roles"] = cross_entropy(output, is_predicate[words])
        if len(predicates["token"]):
            tags = pipeline.roles(vectors, predicates)
            by_name["roles"] += 0.3 * cross_entropy(tags, predicates["tags"])
    return by_name


# Training


class Progress(NamedTuple):
    """How far a training is. seconds (float): Of all its runs together."""

    steps: int = 0
    words: int = 0
    seconds: float = 0.0


def save_progress(
    path: Path,
    pipeline: Pipeline,
    optimizer: torch.optim.Optimizer,
    progress: Progress,
) -> None:
    """Write all that a training needs to go on; an older file stays until then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    state = {"pipeline": pipeline.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save({**state, "progress": tuple(progress)}, unfinished)
    unfinished.replace(path)


def load_progress(
    path: Path, pipeline: Pipeline, optimizer: torch.optim.Optimizer
) -> Progress:
    """Load what `save_progress` wrote, if anything."""
    if not path.exists():
        return Progress()
    state = torch.load(path, weights_only=True)
    pipeline.load_state_dict(state["pipeline"])
    optimizer.load_state_dict(state["optimizer"])
    return Progress(*state["progress"])


def make_optimizer(
    pipeline: Pipeline, rate: float, encoder_rate: float, only: str | None = None
) -> torch.optim.Optimizer:
    """AdamW with a rate for each kind of parameter.

    encoder_rate (float): Of the transformer's layers, as a part of `rate`. Its word
        embeddings do not learn; with 0 nothing of it does.
    only (str | None): A tagger whose last layer alone learns.
    """
    groups: dict[float, list[nn.Parameter]] = {}
    for name, parameter in pipeline.named_parameters():
        factor = 1.0
        if name.startswith("transformer."):
            factor = encoder_rate
        elif ".span_scorer.label_heads." in name:
            factor = 10.0
        learns = factor > 0 and not name.startswith("transformer.embeddings.")
        if only is not None:
            learns = name.startswith(f"parts.{only}.output.")
        parameter.requires_grad_(learns)
        if parameter.requires_grad:
            groups.setdefault(factor, []).append(parameter)
    options = [
        {"params": own, "lr": rate * factor, "factor": factor}
        for factor, own in groups.items()
    ]
    return torch.optim.AdamW(options, betas=(0.9, 0.99), weight_decay=0.01, fused=True)


def set_rates(optimizer: torch.optim.Optimizer, rate: float, part: float) -> None:
    """Set the rates at a part of the training, 0 to 1."""
    level = max(LOWEST, min(part / RISE, (1 - part) / (1 - RISE)))
    for group in optimizer.param_groups:
        group["lr"] = rate * group["factor"] * level


def train(pipeline: Pipeline, args: argparse.Namespace) -> Progress:
    """Train until the time is over, or the steps are made; go on from what an
    unfinished run has saved in the output's folder."""
    device = next(pipeline.parameters()).device
    optimizer = make_optimizer(pipeline, args.rate, args.encoder_rate, args.only)
    path = args.output / PROGRESS
    earlier = progress = load_progress(path, pipeline, optimizer)
    docs = read_docs(args.folder / "train.pickle.gz")
    sentences = [one for doc in docs for one in doc["sentences"]]
    cells = [one["cells"] for one in sentences if one["cells"] is not None]
    own_heads = None
    if cells:
        labels = np.concatenate(cells)[:, 2]
        first_label = pipeline.settings["first_label"]
        own_heads = OwnHeads(labels, first_label, args.label_heads, device)
    seed = args.seed + progress.steps
    data = Batches(docs, pipeline.settings["weights"], args.words, seed)
    sums: dict[str, Any] = {}
    begin = shown = saved = time.monotonic()
    for batch in torch.utils.data.DataLoader(
        data, batch_size=None, num_workers=args.workers
    ):
        seconds = earlier.seconds + time.monotonic() - begin
        progress = progress._replace(seconds=seconds)
        part = seconds / (60 * args.minutes)
        if args.steps:
            part = progress.steps / args.steps
        if part >= 1:
            break
        set_rates(optimizer, args.rate, part)
        n_words = batch["n_tokens"]
        by_name = losses(pipeline, to_device(batch, device), own_heads, args.only)
        optimizer.zero_grad()
        (sum(by_name.values()) / n_words).backward()
        nn.utils.clip_grad_norm_(pipeline.parameters(), 1.0)
        optimizer.step()
        progress = Progress(progress.steps + 1, progress.words + n_words, seconds)
        for name, loss in by_name.items():
            sums[name] = sums.get(name, 0.0) + loss.detach()
        sums["words"] = sums.get("words", 0) + n_words
        now = time.monotonic()
        if now - shown > REPORT_EVERY or progress.steps == 1:
            print(f"{part:.0%}, {described(progress)}, {means(sums)}", flush=True)
            shown = now
            sums.clear()
        if now - saved > SAVE_EVERY:
            save_progress(path, pipeline, optimizer, progress)
            saved = now
    return progress


def means(sums: Mapping[str, Any]) -> str:
    """The means of losses that are summed over `words`."""
    losses_of = {name: float(sums[name]) for name in sums if name != "words"}
    return ", ".join(f"{k} {x / sums['words']:.3f}" for k, x in losses_of.items())


def described(progress: Progress) -> str:
    """How far a training is, in words."""
    speed = progress.words / max(progress.seconds, 1.0)
    return f"step {progress.steps}, {progress.words:,} words, {speed:,.0f} words/s"


def read_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("folder", type=Path, help="what export_training.py has written")
    add("output", type=Path, help="folder to write, with what a stopped run has saved")
    add("--learned", type=Path, help="the output of a training to begin from")
    layers = "how many of the transformer's lower layers to train; the others go"
    add("--layers", type=int, help=layers)
    add("--minutes", type=float, required=True, help="how long to train, in all")
    add("--steps", type=int, help="how many steps, in place of the time")
    add("--rate", type=float, default=0.001, help="the highest learning rate")
    rate = "of the transformer's layers, as a part of --rate; 0: they do not learn"
    add("--encoder-rate", type=float, default=0.15, help=rate)
    heads = "the weight of the loss of labels' own heads"
    add("--label-heads", type=float, default=0.1, help=heads)
    add("--only", help="a tagger, such as senter, whose last layer alone learns")
    add("--masked", type=float, default=0.08, help="part of the pieces that are hidden")
    short = "the transformer multiplies in bfloat16 on a CPU, too"
    add("--bfloat16", action="store_true", help=short)
    add("--words", type=int, default=4000, help="of a batch")
    add("--workers", type=int, default=3, help="processes that make batches")
    add("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Train, write."""
    args = read_arguments(arguments)
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pipeline = Pipeline(args.folder, args.learned, args.layers).to(device).train()
    pipeline.masked, pipeline.bfloat16 = args.masked, args.bfloat16
    progress = train(pipeline, args)
    write_weights(pack(pipeline.state()), args.output / "weights")
    (args.output / PROGRESS).unlink(missing_ok=True)
    print(described(progress), flush=True)
    return 0


if __name__ == "__main__":
    # a processor with AMX multiplies in bfloat16
    torch.set_float32_matmul_precision("medium")
    sys.exit(main())

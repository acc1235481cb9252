"""Train on a GPU what export_training.py has written: PyTorch, transformers and this
repository's sources are enough.

    python scripts/train_exported.py training/gpu/mpnet training/gpu/learned --minutes 5

A batch is some thousand words; decoding, too, runs on the GPU: CKY over all sentences
of a batch at once. Losses are those of `spacy_lal.loss.parser`, of taggers, and of
predicates and their arguments by BIO tags. On a GPU the transformer multiplies in
bfloat16; with --bfloat16 on a CPU, too, which is quicker where the processor has such
products. The learning rate rises and falls by the clock. At the end, dev sets are
scored by their charts: constituents by label, chains as one, and the best head of each
word, which need be no tree. A run that is stopped goes on where it saved its progress."""

import argparse
import json
import pickle
import random
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

import numpy as np
import torch
from safetensors.numpy import load, save
from torch import Tensor, nn

# the sources, where the library is not installed
sys.path.append(str(Path(__file__).resolve().parents[3]))
from spacy_lal.models.weights.storage import single_weights, stored_weight  # noqa: E402

RISE, LOWEST = 0.05, 0.002  # parts of the time and of the rate
PROGRESS = "progress.pt"  # of a training that is not over, in the output's folder
REPORT_EVERY, SAVE_EVERY = 20, 120  # seconds
AHEAD = 6  # batches that are made from Docs of similar length
LARGE = 1 << 14  # elements of a matrix that travels in 8 bits
SMALL = 64  # elements of an array that travels in single precision
PART = 15 << 20  # bytes of a file
NARROW = 128  # width of a predicate and of a word in the roles' scores
EDGE = 1e9
MARGIN = 2.0  # what a label's own head should add to it
RARE = 10.0  # the largest weight of a label
FIXED = "transformer.embeddings.word"  # word embeddings do not learn
Batch = Dict[str, Any]


# Weights


def pack(state: Mapping[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Large matrices in 8 bits with a scale for each row; the rest in half
    precision."""
    packed: Dict[str, np.ndarray] = {}
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


def read_weights(folder: Path) -> Dict[str, np.ndarray]:
    """Read arrays in single precision."""
    arrays = load(b"".join(path.read_bytes() for path in sorted(folder.glob("part*"))))
    return single_weights(arrays)


# Data


class Docs:
    """The Docs of a file, as arrays with an array of bounds for each kind of row."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self.arrays = {name: file[name] for name in file.files}
        arrays = self.arrays
        self.taggers = [
            name.removeprefix("gold.") for name in arrays if name.startswith("gold.")
        ]
        self.n_hashed = sum(name.startswith("hashed.") for name in arrays)
        self.source = arrays["doc.source"]
        self.size = arrays["doc.tokens"]
        self.longest = np.zeros(len(self.source), dtype=int)
        self.bounds = {}
        for name, counts in self._counts().items():
            self.bounds[name] = np.concatenate([[0], np.cumsum(counts)])
        sents = self.bounds["sent"]
        for i in range(len(self)):
            self.longest[i] = arrays["sent.words"][sents[i] : sents[i + 1]].max(
                initial=1
            )

    def __len__(self) -> int:
        return len(self.source)

    def _counts(self) -> Dict[str, np.ndarray]:
        """How many of each kind of row a Doc has."""
        arrays = self.arrays

        def summed(counts: np.ndarray, owners: np.ndarray) -> np.ndarray:
            return np.add.reduceat(
                np.append(counts, 0), np.cumsum([0, *owners[:-1]])
            ) * (owners > 0)

        predicates = arrays["doc.predicates"]
        return {
            "window": arrays["doc.windows"],
            "piece": summed(arrays["window.pieces"], arrays["doc.windows"]),
            "token": arrays["doc.tokens"],
            "sent": arrays["doc.sents"],
            "word": summed(arrays["sent.words"], arrays["doc.sents"]),
            "cell": summed(arrays["sent.cells"], arrays["doc.sents"]),
            "predicate": predicates,
            "argument": summed(
                arrays.get("predicate.arguments", np.zeros(0, "i4")), predicates
            ),
        }

    def rows(self, name: str, doc: int, of: str) -> np.ndarray:
        """The rows of an array that belong to a Doc."""
        first, last = self.bounds[of][doc], self.bounds[of][doc + 1]
        return (
            self.arrays[name][first:last]
            if name in self.arrays
            else np.zeros((0, 3), "i4")
        )


def groups_of(lengths: Sequence[int]) -> List[List[int]]:
    """Numbers of sequences in at most three groups of similar length, with little
    padding."""
    order = np.argsort(lengths, kind="stable")
    sizes = np.asarray(lengths)[order]
    best: Tuple[float, Tuple[int, ...]] = (np.inf, ())
    places = np.unique(np.linspace(0, len(order), 17).astype(int)[1:-1])
    for first in places:
        for second in places[places > first]:
            bounds = (0, first, second, len(order))
            cost = sum(
                (b - a) * sizes[b - 1] ** 1.5 for a, b in pairwise(bounds) if b > a
            )
            best = min(best, (cost, (int(first), int(second))))
    cuts = [0, *best[1], len(order)]
    return [order[a:b].tolist() for a, b in pairwise(cuts) if b > a]


def collate(docs: Docs, chosen: Sequence[int]) -> Batch:
    """A batch: everything about some Docs, as arrays of one kind of row each."""
    windows: List[np.ndarray] = []
    token_window: List[np.ndarray] = []
    hashed: List[List[np.ndarray]] = [[] for _ in range(docs.n_hashed)]
    gold: Dict[str, List[np.ndarray]] = {name: [] for name in docs.taggers}
    sentences: List[Dict[str, Any]] = []
    predicates: List[Tuple[int, int, int, np.ndarray]] = []
    role_words: List[np.ndarray] = []
    n_tokens = 0
    for doc in chosen:
        lengths = docs.rows("window.pieces", doc, "window")
        bounds = np.cumsum([0, *lengths])
        pieces = docs.rows("piece", doc, "piece")
        tokens = docs.rows("token", doc, "token").astype("i8")
        place = np.searchsorted(bounds, tokens[:, 0], "right") - 1
        token_window.append(
            np.stack(
                [place + len(windows), tokens[:, 0] - bounds[place], tokens[:, 1]], 1
            )
        )
        windows += [pieces[a:b] for a, b in pairwise(bounds)]
        for k, parts in enumerate(hashed):
            parts.append(docs.rows(f"hashed.{k}", doc, "token"))
        for name, parts in gold.items():
            parts.append(docs.rows(f"gold.{name}", doc, "token"))
        words, heads, deprels = (
            docs.rows(name, doc, "word")
            for name in ("word", "word.head", "word.deprel")
        )
        cells, n_cells = (
            docs.rows("cell", doc, "cell"),
            docs.rows("sent.cells", doc, "sent"),
        )
        trees = docs.rows("sent.tree", doc, "sent")
        owner = np.zeros(len(tokens), dtype=int)
        a = c = 0
        for k, n in enumerate(docs.rows("sent.words", doc, "sent")):
            owner[words[a : a + n]] = len(sentences)
            sentences.append(
                {
                    "words": words[a : a + n] + n_tokens,
                    "heads": heads[a : a + n],
                    "deprels": deprels[a : a + n],
                    "cells": cells[c : c + n_cells[k]].astype("i8"),
                    "tree": trees[k],
                }
            )
            a, c = a + n, c + n_cells[k]
        if docs.arrays["doc.has_roles"][doc]:
            role_words.append(np.arange(n_tokens, n_tokens + len(tokens)))
            counts, arguments = (
                docs.rows("predicate.arguments", doc, "predicate"),
                docs.rows("argument", doc, "argument"),
            )
            b = 0
            for token, count in zip(
                docs.rows("predicate", doc, "predicate"), counts, strict=True
            ):
                predicates.append(
                    (
                        int(token) + n_tokens,
                        int(owner[token]),
                        n_tokens,
                        arguments[b : b + count],
                    )
                )
                b += count
        n_tokens += len(tokens)

    batch: Batch = {"n_tokens": n_tokens, "windows": [], "sentences": []}
    base, starts = 0, np.zeros(len(windows), dtype="i8")
    for rows in groups_of([len(window) for window in windows]):
        longest = max(len(windows[row]) for row in rows)
        ids, mask = (
            np.zeros((len(rows), longest), "i8"),
            np.zeros((len(rows), longest), "i8"),
        )
        for k, row in enumerate(rows):
            ids[k, : len(windows[row])], mask[k, : len(windows[row])] = windows[row], 1
            starts[row] = base + k * longest
        base += ids.size
        batch["windows"].append((ids, mask))
    tokens = np.concatenate(token_window)
    counts = tokens[:, 2]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    batch["piece_rows"] = (
        np.repeat(starts[tokens[:, 0]] + tokens[:, 1], counts) + within
    )
    batch["piece_tokens"] = np.repeat(np.arange(n_tokens), counts)
    batch["piece_counts"] = np.maximum(counts, 1).astype("f4")
    batch["hashed"] = [np.concatenate(parts).astype("i8") for parts in hashed]
    batch["gold"] = {
        name: np.concatenate(parts).astype("i8") for name, parts in gold.items()
    }
    for rows in groups_of([len(one["words"]) for one in sentences]):
        batch["sentences"].append(
            _sentence_group([sentences[row] for row in rows], n_tokens)
        )
    batch["predicates"] = _predicate_arrays(predicates, sentences)
    batch["role_words"] = (
        np.concatenate(role_words) if role_words else np.zeros(0, "i8")
    )
    return batch


def _sentence_group(group: List[Dict[str, Any]], n_tokens: int) -> Batch:
    n = np.array([len(one["words"]) for one in group], dtype="i8")
    longest = int(n.max())
    index = np.full((len(group), longest + 2), n_tokens, dtype="i8")
    heads, deprels = (np.full((len(group), longest), -1, dtype="i8") for _ in range(2))
    cells = []
    for k, one in enumerate(group):
        index[k, 1 : n[k] + 1] = one["words"]
        heads[k, : n[k]], deprels[k, : n[k]] = one["heads"], one["deprels"]
        if one["tree"]:
            found = one["cells"]
            cells.append(np.column_stack([np.full(len(found), k), found]))
    return {
        "n": n,
        "index": index,
        "heads": heads,
        "deprels": deprels,
        "trees": np.array([bool(one["tree"]) for one in group]),
        "cells": np.concatenate(cells) if cells else np.zeros((0, 4), "i8"),
    }


def _predicate_arrays(
    predicates: List[Tuple[int, int, int, np.ndarray]], sentences: List[Dict[str, Any]]
) -> Dict[str, np.ndarray]:
    """Predicates' tokens, and the words of their sentences with BIO tags: 0, 1 + 2 role
    (B), 2 + 2 role (I)."""
    longest = max((len(sentences[one[1]]["words"]) for one in predicates), default=1)
    words, tags = (
        np.zeros((len(predicates), longest), "i8"),
        np.full((len(predicates), longest), -1, "i8"),
    )
    for k, (_, sentence, first, arguments) in enumerate(predicates):
        own = sentences[sentence]["words"]
        words[k, : len(own)], tags[k, : len(own)] = own, 0
        for start, end, role in arguments.astype("i8"):
            inside = np.flatnonzero((own >= start + first) & (own < end + first))
            tags[k, inside] = 2 + 2 * role
            tags[k, inside[:1]] = 1 + 2 * role
    return {
        "token": np.array([one[0] for one in predicates], "i8"),
        "words": words,
        "tags": tags,
    }


class Batches(torch.utils.data.IterableDataset):  # type: ignore[type-arg]
    """Endless batches of Docs that are drawn from sources by their weights; each source
    is read to its end in turn."""

    def __init__(
        self,
        docs: Docs,
        weights: Sequence[float],
        words: int,
        seed: int,
    ) -> None:
        self.docs, self.weights, self.words, self.seed = docs, weights, words, seed

    def __iter__(self) -> Iterator[Batch]:
        worker = torch.utils.data.get_worker_info()
        draw = np.random.default_rng([self.seed, 0 if worker is None else worker.id])
        numbers = [
            np.flatnonzero(self.docs.source == k) for k in range(len(self.weights))
        ]
        streams = [self._shuffled(found, draw) for found in numbers]
        shares = np.array(self.weights) / sum(self.weights)
        while True:
            pool, total = [], 0
            while total < AHEAD * self.words:
                doc = next(streams[draw.choice(len(streams), p=shares)])
                pool.append(doc)
                total += self.docs.size[doc]
            pool.sort(key=lambda doc: self.docs.longest[doc])
            batches: List[List[int]] = [[]]
            filled = 0
            for doc in pool:
                if filled >= self.words:
                    batches.append([])
                    filled = 0
                batches[-1].append(doc)
                filled += self.docs.size[doc]
            for k in draw.permutation(len(batches)):
                yield collate(self.docs, batches[k])

    @staticmethod
    def _shuffled(numbers: np.ndarray, draw: np.random.Generator) -> Iterator[int]:
        while True:
            yield from draw.permutation(numbers).tolist()


def to_device(value: Any, device: torch.device) -> Any:
    """Arrays as tensors of a device."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value).to(device, non_blocking=True)
    if isinstance(value, Tensor):  # a DataLoader makes tensors of arrays
        return value.to(device, non_blocking=True)
    if isinstance(value, dict):
        return {key: to_device(one, device) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_device(one, device) for one in value]
    return value


# Networks


class HashedFeatures(nn.Module):
    """spaCy's MultiHashEmbed: sums of four rows of each table, a maxout layer, a layer
    norm."""

    def __init__(self, state: Mapping[str, np.ndarray]) -> None:
        super().__init__()
        tables = [
            state[f"tables.{i}"]
            for i in range(sum(name.startswith("tables.") for name in state))
        ]
        self.tables = nn.ParameterList(
            [nn.Parameter(torch.from_numpy(table)) for table in tables]
        )
        for name in ("weight", "bias", "gain", "shift"):
            self.register_parameter(name, nn.Parameter(torch.from_numpy(state[name])))

    def forward(self, rows: Tensor) -> Tensor:
        """*Shapes:* (n_tokens, n_tables, 4) to (n_tokens, width)."""
        features = [
            nn.functional.embedding(rows[:, i], table).sum(1)
            for i, table in enumerate(self.tables)
        ]
        weight = self.weight.flatten(0, 1)
        pieces = (
            nn.functional.linear(torch.cat(features, 1), weight).unflatten(
                1, self.weight.shape[:2]
            )
            + self.bias
        )
        best = pieces.max(-1).values
        return nn.functional.layer_norm(
            best, best.shape[-1:], self.gain, self.shift, 1e-8
        )


class Part(nn.Module):
    """A component: hashed features beside the transformer's vectors, then an output
    layer or the parser's network."""

    def __init__(
        self,
        config: Dict[str, Any],
        state: Mapping[str, np.ndarray],
        network: Optional[nn.Module],
    ) -> None:
        super().__init__()
        self.kind, self.vectors_first = config["hashed"], config["vectors_first"]
        self.hashed = HashedFeatures(
            {
                k.removeprefix("hashed."): v
                for k, v in state.items()
                if k.startswith("hashed.")
            }
        )
        if network is not None:
            self.network = network
        else:
            weight = torch.from_numpy(state["output.weight"])
            self.output = nn.Linear(weight.shape[1], weight.shape[0])
            self.output.load_state_dict(
                {"weight": weight, "bias": torch.from_numpy(state["output.bias"])}
            )

    def inputs(self, vectors: Tensor, hashed: List[Tensor]) -> Tensor:
        """*Shape:* (n_tokens, width + hashed width)."""
        features = self.hashed(hashed[self.kind])
        return torch.cat(
            [vectors, features] if self.vectors_first else [features, vectors], dim=1
        )


class Roles(nn.Module):
    """Predicates, and their arguments by BIO tags, from the transformer's vectors
    alone."""

    def __init__(self, width: int, n_roles: int) -> None:
        super().__init__()
        self.is_predicate = nn.Linear(width, 2)
        self.predicate, self.word = nn.Linear(width, NARROW), nn.Linear(width, NARROW)
        self.output = nn.Linear(2 * NARROW, 1 + 2 * n_roles)

    def forward(self, vectors: Tensor, predicates: Dict[str, Tensor]) -> Tensor:
        """Scores of tags. *Shape:* (n_predicates, n_words, n_tags)."""
        predicate = self.predicate(vectors[predicates["token"]]).unsqueeze(1)
        word = self.word(vectors)[predicates["words"]]
        return self.output(
            torch.cat([predicate * word, (predicate + word).relu()], dim=-1)
        )


class Pipeline(nn.Module):
    """All that learns."""

    def __init__(
        self, folder: Path, learned: Optional[Path] = None, layers: Optional[int] = None
    ) -> None:
        from transformers import AutoConfig, AutoModel

        super().__init__()
        self.settings = json.loads(
            (folder / "settings.json").read_text(encoding="utf8")
        )
        state = read_weights(folder / "weights")
        if learned is not None:
            found = read_weights(learned / "weights")
            other = {
                name
                for name, value in found.items()
                if name in state and value.shape != state[name].shape
            }
            print(
                "of another shape, not taken:",
                ", ".join(sorted(other)) or "none",
                flush=True,
            )
            state.update(
                {name: value for name, value in found.items() if name not in other}
            )
        config = AutoConfig.from_pretrained(folder)
        config.num_hidden_layers = layers or config.num_hidden_layers
        self.transformer = AutoModel.from_config(
            config, attn_implementation="eager", add_pooling_layer=False
        )
        own = _within(state, "transformer.")
        missing, _ = self.transformer.load_state_dict(
            {k: torch.from_numpy(v) for k, v in own.items()}, strict=False
        )
        if missing := [name for name in missing if "position_ids" not in name]:
            raise ValueError(
                f"{folder}: expected all weights of the transformer, and "
                f"{missing[0]!r} is missing"
            )
        self.parts = nn.ModuleDict()
        for name, one in self.settings["components"].items():
            network = None
            if name == "lal_parser":
                network = _parser_network(folder)
                network.load_state_dict(
                    {
                        k: torch.from_numpy(v)
                        for k, v in _within(state, f"{name}.network.").items()
                    }
                )
            self.parts[name] = Part(one, _within(state, f"{name}."), network)
        self.masked = 0.0
        self.bfloat16 = False
        self.roles = (
            Roles(config.hidden_size, self.settings["n_roles"])
            if self.settings["n_roles"]
            else None
        )

    def state(self) -> Dict[str, np.ndarray]:
        """What learned, by the names of the export."""
        found = {}
        for name, value in self.state_dict().items():
            if not name.startswith(("roles.", FIXED)):
                found[name.removeprefix("parts.")] = value.float().cpu().numpy()
        return found

    def vectors(self, batch: Batch) -> Tensor:
        """The mean of the pieces of each token. *Shape:* (n_tokens, width)."""
        states = []
        for ids, mask in batch["windows"]:
            # a piece may be hidden: the parse of a sentence does not hang on one word
            if self.training:
                hidden = torch.rand(ids.shape, device=ids.device) < self.masked
                special = (
                    (ids == self.settings["first"])
                    | (ids == self.settings["last"])
                    | (mask == 0)
                )
                ids = torch.where(hidden & ~special, self.settings["mask"], ids)
            is_short = self.bfloat16 or ids.is_cuda
            with torch.autocast(ids.device.type, torch.bfloat16, enabled=is_short):
                output = self.transformer(input_ids=ids, attention_mask=mask)
            states.append(output.last_hidden_state.flatten(0, 1).float())
        rows = torch.cat(states)[batch["piece_rows"]]
        summed = rows.new_zeros(batch["n_tokens"], rows.shape[1]).index_add(
            0, batch["piece_tokens"], rows
        )
        return summed / batch["piece_counts"][:, None]


def _within(state: Mapping[str, np.ndarray], start: str) -> Dict[str, np.ndarray]:
    return {
        name.removeprefix(start): value
        for name, value in state.items()
        if name.startswith(start)
    }


def _parser_network(folder: Path) -> nn.Module:
    from spacy_lal.layers import parser_scorers
    from spacy_lal.layers.parser_network import ParserNetwork

    if torch.cuda.is_available():  # it takes all cells at once
        parser_scorers._SPAN_FLOATS = 1 << 29
    return ParserNetwork(*pickle.loads((folder / "network.pickle").read_bytes()))


# Decoding


def best_nodes(scores: Tensor, n: Tensor) -> Tensor:
    """CKY: the nodes of each sentence's best binary tree, 1 or 0, by start and end.
    *Shapes:* scores (batch_size, size, size), n (batch_size,), to (batch_size, size,
    size)."""
    batch_size, size, _ = scores.shape
    left = scores.new_full((batch_size, size, size), -EDGE)  # by start and length
    right = left.clone()  # by end and length
    splits: List[Optional[Tensor]] = [None, None]
    for length in range(1, size):
        value = scores.diagonal(length, 1, 2)
        if length > 1:
            sums = left[:, : size - length, 1:length] + right[
                :, length:, 1:length
            ].flip(-1)
            best, split = sums.max(-1)
            value = value + best
            splits.append(split + 1)
        left[:, : size - length, length] = value
        right[:, length:, length] = value
    nodes = torch.zeros_like(left)  # by start and length
    nodes[:, 0].scatter_(1, n[:, None], 1.0)
    flat = nodes.view(batch_size, -1)
    starts = torch.arange(size, device=n.device)
    for length in range(size - 1, 1, -1):
        chosen, split = nodes[:, : size - length, length], splits[length]
        first = starts[: size - length] * size
        chosen = chosen.clone()
        flat.scatter_add_(1, first + split, chosen)
        flat.scatter_add_(1, first + split * size + length - split, chosen)
    ends = starts[:, None] + starts  # by start and length
    by_end = torch.zeros(batch_size, size, 2 * size, dtype=nodes.dtype, device=n.device)
    return by_end.scatter_(2, ends.expand(batch_size, -1, -1), nodes)[..., :size]


class Decoder:
    """`best_nodes` for sentences of several groups at once, as a CUDA graph for each
    size."""

    def __init__(self) -> None:
        self.graphs: Optional[Dict[Tuple[int, int], Any]] = {}

    def __call__(self, charts: List[Tensor], lengths: List[Tensor]) -> List[Tensor]:
        """charts: *Shapes:* (batch_size, n + 1, n + 1)."""
        n_rows, longest = sum(map(len, charts)), max(chart.shape[1] for chart in charts)
        shape = -(-n_rows // 64) * 64, -(-longest // 16) * 16
        scores = charts[0].new_zeros(shape[0], shape[1], shape[1])
        n = torch.ones(shape[0], dtype=torch.long, device=scores.device)
        first = 0
        for chart, length in zip(charts, lengths, strict=True):
            scores[first : first + len(chart), : chart.shape[1], : chart.shape[2]] = (
                chart
            )
            n[first : first + len(chart)] = length
            first += len(chart)
        nodes = self._run(scores, n) if scores.is_cuda else best_nodes(scores, n)
        found, first = [], 0
        for chart in charts:
            found.append(
                nodes[first : first + len(chart), : chart.shape[1], : chart.shape[2]]
                > 0.5
            )
            first += len(chart)
        return found

    def _run(self, scores: Tensor, n: Tensor) -> Tensor:
        if self.graphs is None:
            return best_nodes(scores, n)
        if scores.shape[:2] not in self.graphs:
            static = scores.clone(), n.clone()
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                best_nodes(*static)
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            try:
                with torch.cuda.graph(graph):
                    output = best_nodes(*static)
            except RuntimeError as error:
                print(f"no CUDA graphs: {error}", flush=True)
                self.graphs = None
                return best_nodes(scores, n)
            self.graphs[scores.shape[:2]] = graph, static, output
        graph, static, output = self.graphs[scores.shape[:2]]
        static[0].copy_(scores)
        static[1].copy_(n)
        graph.replay()
        return output


# Losses


class Scores(NamedTuple):
    """A group of sentences: the output of the parser's network."""

    labels: Tensor
    arcs: Tensor
    deprels: Tensor
    ties: Optional[Tensor]


def parser_scores(part: Part, vectors: Tensor, batch: Batch) -> List[Scores]:
    """The scores of each group of sentences."""
    from spacy_lal.layers.inputs import NetworkInputs

    inputs = part.inputs(vectors, batch["hashed"])
    inputs = torch.cat([inputs, inputs.new_zeros(1, inputs.shape[1])])
    found = []
    for group in batch["sentences"]:
        placed = inputs[group["index"]]
        output = part.network(
            NetworkInputs(group["n"], placed, has_boundary_vectors=False)
        )
        found.append(
            Scores(output.labels, output.arcs, output.deprels, output.label_heads)
        )
    return found


def best_labels(
    scores: List[Scores], batch: Batch, decoder: Decoder, margin: float
) -> List[Tuple[Tensor, Tensor]]:
    """For each group: the nodes of the best trees, and the best label of each cell, 0
    for none. margin: Of labels that are not gold."""
    charts, labels = [], []
    for one, group in zip(scores, batch["sentences"], strict=True):
        chart = one.labels.detach().clone()
        if margin:
            gold = torch.zeros(chart.shape[:3], dtype=torch.long, device=chart.device)
            sentence, start, end, label = group["cells"].T
            gold[sentence, start, end] = label
            chart += margin
            chart.scatter_add_(
                3,
                gold[..., None],
                chart.new_full((1, 1, 1, 1), -margin).expand(*gold.shape, 1),
            )
        chart[torch.arange(len(chart), device=chart.device), 0, group["n"], 0] = -EDGE
        best, label = chart.max(-1)
        charts.append(best)
        labels.append(label)
    nodes = decoder(charts, [group["n"] for group in batch["sentences"]])
    return list(zip(nodes, labels, strict=True))


def rarity_weights(counts: np.ndarray) -> np.ndarray:
    """A weight for each label: the root of how many times rarer it is than the mean
    label, at most `RARE`, and 1 for labels that are more frequent.

    counts (ndarray): How often each label occurs."""
    rarer = counts[counts > 0].mean() / np.maximum(counts, 1)
    return np.clip(np.sqrt(rarer), 1, RARE).astype("f4")


class OwnHeads:
    """What a label's own head adds to its label: each gold constituent has the loss
    softplus(margin - t) of this term t. Constituents of rare labels count more."""

    def __init__(
        self, docs: Docs, first_label: int, weight: float, device: torch.device
    ) -> None:
        """weight (float): Of this loss beside the others."""
        labels = docs.arrays["cell"][:, 2]
        counts = np.bincount(labels[labels >= first_label] - first_label)
        self.first_label = first_label
        self.weights = weight * torch.from_numpy(rarity_weights(counts)).to(device)

    def loss(self, ties: Tensor, cells: Tensor) -> Tensor:
        """Summed over the gold constituents of a group of sentences."""
        sentence, start, end, label = cells[cells[:, 3] >= self.first_label].T
        head = label - self.first_label
        own = ties[sentence, end, head] - ties[sentence, start, head]
        return (self.weights[head] * nn.functional.softplus(MARGIN - own)).sum()


def parser_loss(
    scores: List[Scores],
    batch: Batch,
    decoder: Decoder,
    own_heads: Optional[OwnHeads] = None,
) -> Tensor:
    """The loss of `spacy_lal.loss.parser.ParserLoss`, with its weights in
    configs/lal_trf.cfg, but that of label heads."""
    total: Any = 0.0
    with torch.no_grad():
        found = best_labels(scores, batch, decoder, 1.0)
    for one, group, (nodes, labels) in zip(
        scores, batch["sentences"], found, strict=True
    ):
        chosen = nodes & (labels > 0) & group["trees"][:, None, None]
        best = torch.stack([*chosen.nonzero(as_tuple=True), labels[chosen]])
        gold = group["cells"].T
        picked = one.labels[tuple(torch.cat([best, gold], 1))]
        total = total + picked[: best.shape[1]].sum() - picked[best.shape[1] :].sum()
        heads, deprels = group["heads"], group["deprels"]
        places = torch.arange(one.arcs.shape[1], device=heads.device)
        arcs = one.arcs[:, 1:].masked_fill(
            (places > group["n"][:, None])[:, None], -EDGE
        )
        total = total + 0.5 * nn.functional.cross_entropy(
            arcs.flatten(0, 1), heads.flatten(), ignore_index=-1, reduction="sum"
        )
        known = (heads >= 0) & (deprels >= 0)
        sentence, word = known.nonzero(as_tuple=True)
        if len(sentence):
            rows = one.deprels[sentence, word + 1, heads[known]]
            total = total + 0.5 * nn.functional.cross_entropy(
                rows, deprels[known], reduction="sum"
            )
        if own_heads is not None and one.ties is not None:
            total = total + own_heads.loss(one.ties, group["cells"])
    return total


def losses(
    pipeline: Pipeline, batch: Batch, decoder: Decoder, own_heads: OwnHeads
) -> Dict[str, Tensor]:
    """The losses of a batch, summed over words."""
    vectors = pipeline.vectors(batch)
    found = {}
    for name, part in pipeline.parts.items():
        if name == "lal_parser":
            found[name] = parser_loss(
                parser_scores(part, vectors, batch), batch, decoder, own_heads
            )
        else:
            scores = part.output(part.inputs(vectors, batch["hashed"]))
            loss = nn.functional.cross_entropy(
                scores, batch["gold"][name], ignore_index=-1, reduction="sum"
            )
            found[name] = loss * (0.5 if name == "trainable_lemmatizer" else 1.0)
    if pipeline.roles is not None and len(batch["role_words"]):
        words, predicates = batch["role_words"], batch["predicates"]
        is_predicate = torch.zeros(
            batch["n_tokens"], dtype=torch.long, device=vectors.device
        )
        is_predicate[predicates["token"]] = 1
        loss = nn.functional.cross_entropy(
            pipeline.roles.is_predicate(vectors[words]),
            is_predicate[words],
            reduction="sum",
        )
        if len(predicates["token"]):
            tags = pipeline.roles(vectors, predicates)
            loss = loss + 0.3 * nn.functional.cross_entropy(
                tags.flatten(0, 1),
                predicates["tags"].flatten(),
                ignore_index=-1,
                reduction="sum",
            )
        found["roles"] = loss
    return found


@torch.no_grad()
def evaluate(
    pipeline: Pipeline, path: Path, device: torch.device, words: int
) -> Dict[str, float]:
    """Scores of a dev set, in percent."""
    pipeline.eval()
    docs, decoder = Docs(path), Decoder()
    counts: Dict[str, List[float]] = {}

    def count(name: str, right: Any, of: Any) -> None:
        total = counts.setdefault(name, [0.0, 0.0])
        total[0] += float(right)
        total[1] += float(of)

    order = np.argsort(docs.longest).tolist()
    first = pipeline.settings["first_label"]
    while order:
        chosen, filled = [], 0
        while order and filled < words:
            chosen.append(order.pop())
            filled += docs.size[chosen[-1]]
        batch = to_device(collate(docs, chosen), device)
        vectors = pipeline.vectors(batch)
        for name, part in pipeline.parts.items():
            if name == "lal_parser":
                scores = parser_scores(part, vectors, batch)
                for one, group, (nodes, labels) in zip(
                    scores,
                    batch["sentences"],
                    best_labels(scores, batch, decoder, 0.0),
                    strict=True,
                ):
                    gold = torch.zeros_like(labels)
                    sentence, start, end, label = group["cells"].T
                    gold[sentence, start, end] = label
                    found = (
                        torch.where(nodes, labels, 0) * group["trees"][:, None, None]
                    )
                    count(
                        "const_f",
                        2 * ((found == gold) & (gold >= first)).sum(),
                        (found >= first).sum() + (gold >= first).sum(),
                    )
                    if one.ties is not None:  # of the label's own head
                        sentence, start, end = (found >= first).nonzero(as_tuple=True)
                        head = found[sentence, start, end] - first
                        own = (
                            one.ties[sentence, end, head]
                            - one.ties[sentence, start, head]
                        )
                        count("own_head", (own > 0).sum(), len(own))
                    places = torch.arange(one.arcs.shape[1], device=device)
                    arcs = one.arcs[:, 1:].masked_fill(
                        (places > group["n"][:, None])[:, None], -EDGE
                    )
                    heads, known = arcs.argmax(-1), group["heads"] >= 0
                    rows = torch.arange(len(heads), device=device)[:, None]
                    columns = torch.arange(heads.shape[1], device=device) + 1
                    deprels = (
                        one.deprels[rows, columns, heads].argmax(-1)
                        if one.deprels.shape[-1]
                        else heads * 0
                    )
                    right = (heads == group["heads"]) & known
                    count("uas", right.sum(), known.sum())
                    count(
                        "las",
                        (right & (deprels == group["deprels"])).sum(),
                        known.sum(),
                    )
            else:
                gold = batch["gold"][name]
                scores_of = part.output(part.inputs(vectors, batch["hashed"]))
                count(
                    name,
                    ((scores_of.argmax(-1) == gold) & (gold >= 0)).sum(),
                    (gold >= 0).sum(),
                )
    pipeline.train()
    return {name: 100 * right / max(of, 1.0) for name, (right, of) in counts.items()}


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
    found = torch.load(path, weights_only=True)
    pipeline.load_state_dict(found["pipeline"])
    optimizer.load_state_dict(found["optimizer"])
    return Progress(*found["progress"])


def make_optimizer(
    pipeline: Pipeline, rate: float, encoder_rate: float
) -> torch.optim.Optimizer:
    """AdamW with a rate for each kind of parameter.

    encoder_rate (float): Of the transformer's layers, as a part of `rate`. Its word
        embeddings do not learn; with 0 nothing of it does.
    """
    groups: Dict[float, List[nn.Parameter]] = {}
    for name, parameter in pipeline.named_parameters():
        factor = 1.0
        if name.startswith("transformer."):
            factor = encoder_rate
        elif ".span_scorer.ties." in name:
            factor = 10.0
        is_embedding = name.startswith("transformer.embeddings.")
        parameter.requires_grad_(factor > 0 and not is_embedding)
        if parameter.requires_grad:
            groups.setdefault(factor, []).append(parameter)
    options = [
        {"params": own, "lr": rate * factor, "factor": factor}
        for factor, own in groups.items()
    ]
    on_gpu = next(pipeline.parameters()).is_cuda
    return torch.optim.AdamW(
        options, betas=(0.9, 0.99), weight_decay=0.01, fused=on_gpu
    )


def set_rates(optimizer: torch.optim.Optimizer, rate: float, part: float) -> None:
    """Set the rates at a part of the training, 0 to 1."""
    level = max(LOWEST, min(part / RISE, (1 - part) / (1 - RISE)))
    for group in optimizer.param_groups:
        group["lr"] = rate * group["factor"] * level


class Means:
    """The means of the losses since the last report."""

    def __init__(self) -> None:
        self.sums: Dict[str, Tensor] = {}
        self.steps = 0

    def add(self, found: Mapping[str, Tensor], n_words: int) -> None:
        """Add a step's losses, which are sums over words."""
        self.steps += 1
        for name, loss in found.items():
            self.sums[name] = self.sums.get(name, 0.0) + loss.detach() / n_words

    def take(self) -> str:
        """Print them, and begin again."""
        means = ", ".join(
            f"{name} {float(loss) / self.steps:.3f}" for name, loss in self.sums.items()
        )
        self.sums, self.steps = {}, 0
        return means


def train(pipeline: Pipeline, args: argparse.Namespace) -> Progress:
    """Train until the time is over, or the steps are made; go on from what an
    unfinished run has saved in the output's folder."""
    device = next(pipeline.parameters()).device
    optimizer = make_optimizer(pipeline, args.rate, args.encoder_rate)
    path = args.output / PROGRESS
    earlier = load_progress(path, pipeline, optimizer)
    steps, words = earlier.steps, earlier.words
    docs = Docs(args.folder / "train.npz")
    first_label = pipeline.settings["first_label"]
    own_heads = OwnHeads(docs, first_label, args.label_heads, device)
    decoder, means = Decoder(), Means()
    begin = shown = saved = time.monotonic()
    for batch in _loader(args, docs, pipeline.settings, args.seed + steps):
        seconds = earlier.seconds + time.monotonic() - begin
        part = steps / args.steps if args.steps else seconds / (60 * args.minutes)
        if part >= 1:
            break
        set_rates(optimizer, args.rate, part)
        batch = to_device(batch, device)
        found = losses(pipeline, batch, decoder, own_heads)
        optimizer.zero_grad()
        (sum(found.values()) / batch["n_tokens"]).backward()
        nn.utils.clip_grad_norm_(pipeline.parameters(), 1.0)
        optimizer.step()
        steps, words = steps + 1, words + batch["n_tokens"]
        means.add(found, batch["n_tokens"])
        now = time.monotonic()
        if now - shown > REPORT_EVERY or steps == 1:
            speed = words / max(seconds, 1.0)
            print(
                f"{part:.0%}, step {steps}, {speed:,.0f} words/s, {means.take()}",
                flush=True,
            )
            shown = now
        if now - saved > SAVE_EVERY:
            save_progress(path, pipeline, optimizer, Progress(steps, words, seconds))
            saved = now
    return Progress(steps, words, earlier.seconds + time.monotonic() - begin)


def _loader(
    args: argparse.Namespace, docs: Docs, settings: Mapping[str, Any], seed: int
) -> Iterator[Batch]:
    data = Batches(docs, settings["weights"], args.words, seed)
    prefetch = 4 if args.workers else None
    return iter(
        torch.utils.data.DataLoader(
            data, batch_size=None, num_workers=args.workers, prefetch_factor=prefetch
        )
    )


def report(
    pipeline: Pipeline, args: argparse.Namespace, progress: Progress
) -> Dict[str, Any]:
    """The scores of each dev set, beside how long the training was."""
    device = next(pipeline.parameters()).device
    found: Dict[str, Any] = progress._asdict()
    for path in sorted(args.folder.glob("*.dev.npz")):
        scores = evaluate(pipeline, path, device, args.words)
        found[path.name] = {name: round(value, 2) for name, value in scores.items()}
        print(path.name, found[path.name], flush=True)
    return found


def read_arguments(arguments: Optional[List[str]] = None) -> argparse.Namespace:
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
    add("--masked", type=float, default=0.08, help="part of the pieces that are hidden")
    short = "the transformer multiplies in bfloat16 on a CPU, too"
    add("--bfloat16", action="store_true", help=short)
    add("--words", type=int, default=4000, help="of a batch")
    add("--workers", type=int, default=3, help="processes that make batches")
    add("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def main(arguments: Optional[List[str]] = None) -> int:
    """Train, score, write."""
    args = read_arguments(arguments)
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pipeline = Pipeline(args.folder, args.learned, args.layers).to(device).train()
    pipeline.masked = args.masked
    pipeline.bfloat16 = args.bfloat16
    progress = train(pipeline, args)
    write_weights(pack(pipeline.state()), args.output / "weights")
    found = report(pipeline, args, progress)
    text = json.dumps(found, indent=1)
    (args.output / "report.json").write_text(text, encoding="utf8")
    (args.output / PROGRESS).unlink(missing_ok=True)
    print(
        f"{progress.steps} steps, {progress.words:,} words, {progress.seconds:.0f} s",
        flush=True,
    )
    return 0


if __name__ == "__main__":
    # a processor with AMX multiplies in bfloat16
    torch.set_float32_matmul_precision("medium")
    sys.exit(main())

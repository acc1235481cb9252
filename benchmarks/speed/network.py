"""`speed.py network`: in the reference's order of computation, plain, folded and folded in half precision, at the
published shape with random weights."""

import argparse
from dataclasses import asdict
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from spacy_lal.layers.configs import ParserSizes
from spacy_lal.layers.products import half_precision
from spacy_lal.models.bridge import NetworkModel, iter_pruned, iter_runs, parser_network
from spacy_lal.models.embedding import NetworkBatch, VectorRows
from spacy_lal.models.execution import ExecutionConfig
from spacy_lal.models.features import N_SPECIAL_IDS, SentenceFeatures
from spacy_lal.pipeline.decoders import DecodedParse, make_joint_decoder
from spacy_lal.scores import AnyScores, PrunedScores
from speed.flat_network import compose, read_changes
from speed.limit import GEMM_SIDE
from speed.reference_form import has_reference_form, use_reference_form
from speed.sentences import random_lengths
from speed.timing import add_timing_arguments, alternate, at_least_one, markdown

# The authors' best model: on a transformer's vectors, 3 layers and label attention of 112 heads (reference-parser.md).
PUBLISHED: Dict[str, Any] = {
    "vector_width": 1024,
    "n_tags": 50,
    "hidden_width": 1024,
    "n_layers": 3,
    "n_attn_heads": 8,
    "attn_width": 64,
    "ff_width": 2048,
    "n_label_heads": 112,
    "label_attn_width": 128,
    "label_proj_width": 128,
    "label_feed_forward": "split",
    "span_hidden_width": 250,
    "arc_hidden_width": 1024,
    "deprel_hidden_width": 250,
    "deprel_given_head": False,
    "n_labels": 114,
    "n_deprels": 46,
    "max_positions": 300,
    "scale_label_blocks": False,
}
Scores = Iterator[Tuple[List[int], Sequence[AnyScores]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument("--sentences", type=at_least_one, default=32, help="number of sentences (default: 32)")
    parser.add_argument("--mean-words", type=float, default=24.0, help="their mean length (default: 24)")
    parser.add_argument("--change", nargs="*", default=[], metavar="NAME=VALUE", help="of FlatConfig and ParserSizes")
    parser.add_argument("--threads", type=at_least_one, default=1, help="torch's threads (default: 1)")
    parser.add_argument("--seed", type=int, default=0)
    add_timing_arguments(parser, rounds=5)


def random_batch(sizes: ParserSizes, lengths: Sequence[int], rng: np.random.Generator) -> NetworkBatch:
    """Sentences of random vectors and tags. RAISES (ValueError): The network reads more than that."""
    if sizes.n_words or sizes.n_chars:
        raise ValueError("expected a network that reads vectors and tags, got one that reads words or characters")
    starts = np.cumsum([0, *lengths])
    rows = [np.arange(start, end) for start, end in zip(starts[:-1], starts[1:], strict=True)]
    features = []
    for one in rows:
        tags = rng.integers(N_SPECIAL_IDS, sizes.n_tags, len(one)) if sizes.n_tags else []
        features.append(SentenceFeatures(one, np.array([0, *tags, 1]) if sizes.n_tags else None))
    data = rng.standard_normal((starts[-1], sizes.vector_width), dtype=np.float32)
    return NetworkBatch(features, VectorRows(data, rows, False) if sizes.vector_width else None)


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Time all forms. RETURNS (Dict[str, Any]): See `table`."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    options = {**PUBLISHED, **read_changes(args.change)}
    config, sizes = compose(options)
    lengths = random_lengths(rng, args.sentences, args.mean_words).tolist()
    batch = random_batch(sizes, lengths, rng)
    model, mixed = parser_network(config), parser_network(config, ExecutionConfig(mixed_precision=True))
    model.shims[0].set_sizes(asdict(sizes))  # type: ignore[attr-defined]
    model.shims[0].build()  # type: ignore[attr-defined]
    weights = model.shims[0].to_bytes()
    mixed.shims[0].from_bytes(weights)
    half = half_precision(model.shims[0].device)  # type: ignore[attr-defined]
    runs: Dict[str, Callable[[], Scores]] = {}
    if has_reference_form(config):
        reference = parser_network(config)
        reference.shims[0].from_bytes(weights)
        use_reference_form(reference.shims[0].network)  # type: ignore[attr-defined]
        runs["reference"] = partial(_iter_plain, reference, batch)
    runs["plain"] = partial(_iter_plain, model, batch)
    runs["folded"] = partial(iter_pruned, model, batch)  # type: ignore[assignment]
    runs["mixed_precision"] = partial(iter_pruned, mixed, batch)  # type: ignore[assignment]
    precisions = dict.fromkeys(runs, torch.float32)
    precisions["mixed_precision"] = half
    decode = make_joint_decoder()
    calls: Dict[str, Callable[[], Any]] = {name: partial(_drain, run) for name, run in runs.items()}
    calls.update({f"{name} + decoding": partial(_parse, run, decode) for name, run in runs.items()})
    for precision in dict.fromkeys(precisions.values()):
        left, right = (torch.randn(GEMM_SIDE, GEMM_SIDE).to(precision) for _ in range(2))
        calls[str(precision)] = partial(torch.matmul, left, right)
    seconds = alternate(calls, args.rounds, args.clock)
    peaks = {str(p): 2e-9 * GEMM_SIDE**3 / seconds[str(p)]["least"] for p in precisions.values()}
    parses, scores = _parse(runs["plain"], decode), _pruned(runs["plain"])
    forms = {}
    for name, run in runs.items():
        with FlopCounterMode(display=False) as counter:
            _drain(run)
        gflop = counter.get_total_flops() * 1e-9 / len(lengths)
        others = _parse(run, decode)
        gflops = gflop * len(lengths) / seconds[name]["least"]
        forms[name] = {
            "precision": str(precisions[name]),
            "network_ms": _per_sentence(seconds[name], len(lengths)),
            "with_decoding_ms": _per_sentence(seconds[f"{name} + decoding"], len(lengths)),
            "gflop": gflop,
            "gflops": gflops,
            "share_of_peak": gflops / peaks[str(precisions[name])],
            "largest_difference": largest_difference(scores, _pruned(run)),
            "differing_parses": sum(not _same(parses[i], others[i]) for i in range(len(lengths))),
        }
    return {
        "words": sum(lengths),
        "sentences": len(lengths),
        "parameters": sum(p.numel() for p in model.shims[0].network.parameters()),  # type: ignore[attr-defined]
        "config": options,
        "peak_gflops": peaks,
        "forms": forms,
    }


def _iter_plain(model: NetworkModel, batch: NetworkBatch) -> Scores:
    for indices, scores, _ in iter_runs(model, batch):
        yield indices, scores


def _drain(run: Callable[[], Scores]) -> None:
    for _ in run():
        pass


def _parse(run: Callable[[], Scores], decode: Callable[[Sequence[AnyScores]], List[DecodedParse]]) -> Dict[int, Any]:
    parses: Dict[int, DecodedParse] = {}
    for indices, scores in run():
        parses.update(zip(indices, decode(scores), strict=True))
    return parses


def _per_sentence(seconds: Dict[str, float], n_sentences: int) -> Dict[str, float]:
    return {name: 1e3 * value / n_sentences for name, value in seconds.items()}


def _same(x: DecodedParse, y: DecodedParse) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(x[:3], y[:3], strict=True))


def prune(scores: AnyScores) -> PrunedScores:
    """What a decoder may choose of all scores; pruned ones as they are."""
    if isinstance(scores, PrunedScores):
        return scores
    labels = scores.labels
    if labels.shape[-1] > 2:
        best = labels[..., 2:].max(axis=-1)
        labels = np.stack([labels[..., 0], labels[..., 1], best], axis=-1)
    return PrunedScores(labels, np.zeros(0), scores.arcs, np.zeros(0))


def _pruned(run: Callable[[], Scores]) -> Dict[int, PrunedScores]:
    return {i: prune(one) for indices, scores in run() for i, one in zip(indices, scores, strict=True)}


def largest_difference(plain: Dict[int, PrunedScores], other: Dict[int, PrunedScores]) -> float:
    """The largest difference between the scores of the labels and arcs that a decoder chooses among."""
    largest = 0.0
    for i, one in other.items():
        upper = np.triu_indices(one.n_tokens + 1, 1)
        for x, y in ((one.labels[upper], plain[i].labels[upper]), (one.arcs[1:], plain[i].arcs[1:])):
            largest = max(largest, float(np.abs(x - y).max(initial=0.0)))
    return largest


def table(result: Dict[str, Any]) -> str:
    """Markdown."""
    header = ["network", "network, ms/sentence (least)", "with decoding (least)", "GFLOP/sentence", "of peak"]
    header += ["largest difference", "parses that differ"]
    rows = []
    for name, form in result["forms"].items():
        times = [f"{form[key]['median']:.2f} ({form[key]['least']:.2f})" for key in ("network_ms", "with_decoding_ms")]
        share = f"{100 * form['share_of_peak']:.0f}%"
        differing = f"{form['differing_parses']} of {result['sentences']}"
        title = f"{name}, {form['precision'].removeprefix('torch.')}"
        rows.append([title, *times, f"{form['gflop']:.2f}", share, f"{form['largest_difference']:.1e}", differing])
    peaks = ", ".join(f"{p.removeprefix('torch.')} {value:.0f}" for p, value in result["peak_gflops"].items())
    about = f"{result['sentences']} sentences, {result['words']} words; {result['parameters'] / 1e6:.1f}M parameters"
    return f"{about}; peak of a product of matrices, GFLOP/s: {peaks}\n\n{markdown(header, rows)}"

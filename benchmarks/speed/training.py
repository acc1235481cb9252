"""`speed.py training`: updates of the parser's network on random features, each form in
a process of its own."""

import argparse
import base64
import json
import os
import pickle
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import spacy
import torch
from thinc.api import Model

from spacy_lal.layers.configs import ParserNetworkConfig, ParserSizes
from spacy_lal.loss import parser as loss
from spacy_lal.loss.gold import GoldParse
from spacy_lal.models.batches import (
    N_SPECIAL_IDS,
    NetworkBatch,
    SentenceFeatures,
    VectorRows,
)
from spacy_lal.models.parser import ParserTask, get_network
from spacy_lal.models.torch.network import network_layer
from spacy_lal.pipeline.component import parser_names
from spacy_lal.scores import ParserScores
from spacy_lal.training.optimizer import make_adam
from spacy_lal.trees import SUB_HEAD
from speed.memory import peak_mb, reset_peak, resident_mb
from speed.sentences import random_lengths
from speed.timing import (
    StopWatch,
    add_timing_arguments,
    at_least_one,
    markdown,
    summary,
)

BENCHMARKS = Path(__file__).resolve().parent.parent
STEP, DECODER = "step", "loss: cky"
PARTS = ("forward", "loss", DECODER, "backward", "optimizer")
FORMS = {
    "present": "float32, a sparse gradient of the margin loss",
    "dense": "float32, a gradient for every cell of the charts",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument(
        "--pipeline", default="en_lal_md", help="takes its network's sizes"
    )
    described = "; ".join(f"{name}: {what}" for name, what in FORMS.items())
    parser.add_argument(
        "--forms", nargs="+", choices=FORMS, default=list(FORMS), help=described
    )
    parser.add_argument(
        "--sentences", type=at_least_one, default=40, help="in a batch (default: 40)"
    )
    parser.add_argument(
        "--mean-words", type=float, default=18.0, help="their mean length (default: 18)"
    )
    parser.add_argument(
        "--threads", type=at_least_one, default=1, help="torch's threads (default: 1)"
    )
    parser.add_argument("--seed", type=int, default=0)
    add_timing_arguments(parser, rounds=20)


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Time every form. RETURNS (Dict[str, Any]): See `table`."""
    network = network_of(args.pipeline)
    lengths = random_lengths(
        np.random.default_rng(args.seed), args.sentences, args.mean_words
    ).tolist()
    task = {
        "network": base64.b64encode(pickle.dumps(network)).decode(),
        "lengths": lengths,
    }
    task.update(rounds=args.rounds, clock=args.clock)
    task.update(threads=args.threads, seed=args.seed)
    config = {**asdict(network[0]), **asdict(network[1])}
    forms = {name: _in_process({**task, "form": name}) for name in args.forms}
    return {
        "words": sum(lengths),
        "sentences": len(lengths),
        "config": config,
        "forms": forms,
    }


def network_of(pipeline: str) -> Tuple[ParserNetworkConfig, ParserSizes]:
    """The network of a pipeline's parser, without its weights.

    RAISES (ValueError): The pipeline has no parser.
    """
    nlp = spacy.load(pipeline)
    names = parser_names(nlp)
    if not names:
        raise ValueError(f"{pipeline} has no lal_parser")
    model = nlp.get_pipe(names[0]).model  # type: ignore[attr-defined]
    network = get_network(model)
    return network.config, network.sizes


def random_batch(
    sizes: ParserSizes, lengths: Sequence[int], rng: np.random.Generator
) -> NetworkBatch:
    """Sentences of random vectors and tags. RAISES (ValueError): The network reads more
    than that."""
    if sizes.n_words or sizes.n_chars:
        raise ValueError(
            "expected a network that reads vectors and tags, got one that reads words "
            "or characters"
        )
    starts = np.cumsum([0, *lengths])
    rows = [
        np.arange(start, end)
        for start, end in zip(starts[:-1], starts[1:], strict=True)
    ]
    features = []
    for one in rows:
        tags = (
            rng.integers(N_SPECIAL_IDS, sizes.n_tags, len(one)) if sizes.n_tags else []
        )
        features.append(
            SentenceFeatures(one, np.array([0, *tags, 1]) if sizes.n_tags else None)
        )
    data = rng.standard_normal((starts[-1], sizes.vector_width), dtype=np.float32)
    return NetworkBatch(
        features, VectorRows(data, rows, False) if sizes.vector_width else None
    )


def _in_process(task: Dict[str, Any]) -> Dict[str, Any]:
    # the process finds the folder `speed` where this one has found it
    path = os.pathsep.join(
        filter(None, [str(BENCHMARKS), os.environ.get("PYTHONPATH")])
    )
    command = [sys.executable, __file__, json.dumps(task)]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode:
        raise RuntimeError(
            f"the form {task['form']!r} ended with "
            f"{done.returncode}:\n{done.stderr[-2000:]}"
        )
    return json.loads(done.stdout.splitlines()[-1])


def run_form(task: Dict[str, Any]) -> Dict[str, Any]:
    """Make updates in this process, the same batch again and again: time does not
    depend on what is learned."""
    torch.set_num_threads(task["threads"])
    torch.manual_seed(task["seed"])
    rng = np.random.default_rng(task["seed"])
    config, sizes = pickle.loads(
        base64.b64decode(task["network"])
    )  # written by `measure`
    batch = random_batch(sizes, task["lengths"], rng)
    golds = [random_gold(rng, length, sizes) for length in task["lengths"]]
    model = network_layer("parser_network", ParserTask(config))
    model.shims[0].set_sizes(asdict(sizes))  # type: ignore[attr-defined]
    model.shims[0].build()  # type: ignore[attr-defined]
    dense = task["form"] == "dense"
    optimizer = make_adam(1e-4)
    update(
        model, batch, golds, optimizer, task["clock"], dense
    )  # Adam's moments are made in the first one
    loaded = resident_mb()
    reset_peak()
    rounds = [
        update(model, batch, golds, optimizer, task["clock"], dense)
        for _ in range(task["rounds"])
    ]
    seconds = summary(rounds)
    return {
        "steps_per_second": 1.0 / seconds[STEP]["median"],
        "most_steps_per_second": 1.0 / seconds[STEP]["least"],
        "seconds": seconds,
        "decoder_share": seconds[DECODER]["median"] / seconds[STEP]["median"]
        if DECODER in seconds
        else 0.0,
        "resident_mb": round(loaded),
        "peak_mb": round(peak_mb()),
    }


def update(
    model: Model,
    batch: NetworkBatch,
    golds: List[GoldParse],
    optimizer: Any,
    clock: str,
    dense: bool,
) -> Dict[str, float]:
    """One step.

    dense (bool): Whether gradients are written out as charts, as they were before they
        were sparse.
    RETURNS (Dict[str, float]): Seconds of its parts.
    """
    watch = StopWatch(clock)
    decode = loss.cky

    def timed_cky(*args: Any, **kwargs: Any) -> Any:
        with watch.timed(DECODER):
            return decode(*args, **kwargs)

    loss.cky = timed_cky  # type: ignore[assignment]
    try:
        with watch.timed(STEP):
            with watch.timed("forward"):
                scores, backprop = model(batch, is_train=True)
            with watch.timed("loss"):
                _, d_scores = loss.ParserLoss()(scores, golds)
                if dense:
                    d_scores = [
                        fill_out(*pair) for pair in zip(d_scores, scores, strict=True)
                    ]
            with watch.timed("backward"):
                backprop(d_scores)  # type: ignore[arg-type]
            with watch.timed("optimizer"):
                model.finish_update(optimizer)
    finally:
        loss.cky = decode
    return watch.seconds


def fill_out(gradient: Any, scores: ParserScores) -> ParserScores:
    """A gradient of one sentence whose sparse parts are arrays in the shapes of its
    scores."""
    parts = zip(gradient[:3], scores[:3], strict=True)
    return ParserScores(
        *(d.to_dense(part.shape) if hasattr(d, "to_dense") else d for d, part in parts)
    )


def random_gold(
    rng: np.random.Generator, n_words: int, sizes: ParserSizes
) -> GoldParse:
    """A random binary tree of random labels, and random arcs, which need be no tree for
    the loss."""
    labels = np.zeros((n_words + 1, n_words + 1), dtype=np.int32)
    stack: List[Tuple[int, int]] = [(0, n_words)]
    while stack:
        start, end = stack.pop()
        if (
            end - start > 1 or rng.random() < 0.3
        ):  # a word of three is a constituent by itself
            labels[start, end] = rng.integers(SUB_HEAD, sizes.n_labels)
        if end - start > 1:
            middle = int(rng.integers(start + 1, end))
            stack += [(start, middle), (middle, end)]
    heads = rng.integers(0, n_words + 1, n_words).astype(np.int32)
    return GoldParse(
        labels, heads, rng.integers(0, sizes.n_deprels, n_words).astype(np.int32)
    )


def table(result: Dict[str, Any]) -> str:
    """Markdown."""
    rows = []
    for name, form in result["forms"].items():
        parts = [
            f"{1e3 * form['seconds'].get(part, {}).get('median', 0.0):.1f}"
            for part in PARTS
        ]
        speed = f"{form['steps_per_second']:.2f} ({form['most_steps_per_second']:.2f})"
        rows.append(
            [
                name,
                speed,
                *parts,
                f"{100 * form['decoder_share']:.1f}%",
                form["resident_mb"],
                form["peak_mb"],
            ]
        )
    header = ["form", "steps/s (best)", *(f"{part}, ms" for part in PARTS)]
    header += ["decoder's share of a step", "MB between steps", "MB at most"]
    return (
        f"A step is {result['sentences']} sentences, {result['words']} "
        f"words.\n\n{markdown(header, rows)}"
    )


if __name__ == "__main__":  # the process of one form
    print(json.dumps(run_form(json.loads(sys.argv[1]))))

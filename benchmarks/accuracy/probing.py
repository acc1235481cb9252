"""The probing tasks of Geng et al. (2020) on a treebank: self-attention with and
without a selector.

    python benchmarks/accuracy/probing.py OUT --treebank FOLDER --tasks bigram_shift
    tree_depth --seeds 0 1 python benchmarks/accuracy/probing.py OUT --report

FOLDER holds train.ptb, dev.ptb and dev.conllu. Each network is trained from scratch on
the instances of one task (`probing_tasks.py`) and scored on the instances of the dev
sentences. OUT gets one JSON file for each task, network and seed as soon as it is
scored; present files are not made again. A file also has the baselines (largest class;
majority class of each length), shares of attention by linguistic role and distance, and
the F1 of trees from attention, of the selective layer or the same layer without
selector. `--report` prints tables in Markdown."""

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from accuracy.attention_roles import attention_shares  # noqa: E402
from accuracy.attention_trees import (  # noqa: E402
    attention_tree,
    baseline_tree,
    gold_brackets,
    unlabelled_tree,
)
from accuracy.probing_network import (  # noqa: E402
    Batch,
    ProbingNetwork,
    attention_of,
    make_batch,
    predict,
    train,
    word_ids,
)
from accuracy.probing_tasks import OTHER, Instance, probing_instances, top_classes  # noqa: E402
from spacy_lal.evaluation.evalb import EvalbCounts, score_sentence  # noqa: E402
from spacy_lal.evaluation.evalb_params import COLLINS  # noqa: E402
from spacy_lal.trees import read_brackets, read_conllu  # noqa: E402

TASKS = ("bigram_shift", "tree_depth", "top_constituents", "reordering")
# A network's name -> the options of its selector, and the layer that has it.
NETWORKS: Dict[str, Tuple[Dict[str, Any], int]] = {
    "plain": ({}, 0),
    "hard0": ({"mode": "hard"}, 0),
    "soft0": ({"mode": "soft"}, 0),
    "hard1": ({"mode": "hard"}, 1),
    "hard2": ({"mode": "hard"}, 2),
}
UNLABELLED = replace(COLLINS, labeled=False)


def batches_of(
    instances: Sequence[Instance],
    words: Dict[str, int],
    classes: Sequence[Any],
    size: int,
) -> Tuple[List[Batch], List[Instance]]:
    """Batches of similar length, and the instances in their order."""
    ordered = sorted(instances, key=lambda one: len(one.words))
    starts = range(0, len(ordered), size)
    return [make_batch(ordered[i : i + size], words, classes) for i in starts], ordered


def task_instances(
    args: argparse.Namespace, task: str
) -> Tuple[List[Instance], List[Instance], List[Any]]:
    """Instances of the training and the dev sentences, and the classes; none for two
    places."""
    trees = {
        part: list(read_brackets(args.treebank / f"{part}.ptb"))
        for part in ("train", "dev")
    }
    training = probing_instances(trees["train"], task)
    top = top_classes(training) if task == "top_constituents" else None
    dev = probing_instances(trees["dev"], task, classes=top)
    classes: List[Any] = (
        [] if task == "reordering" else sorted({one.label for one in training})
    )
    if top is not None:
        classes = [*top, OTHER]
    return (
        training[: args.sentences],
        [one for one in dev if not classes or one.label in classes],
        classes,
    )


def baselines(
    training: Sequence[Instance], dev: Sequence[Instance]
) -> Dict[str, float]:
    """Accuracies of the largest class, and of the majority class of each length."""
    everything = Counter(one.label for one in training)
    by_length: Dict[int, Counter] = {}
    for one in training:
        by_length.setdefault(len(one.words), Counter())[one.label] += 1
    largest = everything.most_common(1)[0][0]
    guesses = [
        by_length.get(len(one.words), everything).most_common(1)[0][0] for one in dev
    ]
    n = len(dev)
    return {
        "majority": 100.0 * sum(one.label == largest for one in dev) / n,
        "length_only": 100.0
        * sum(g == one.label for g, one in zip(guesses, dev, strict=True))
        / n,
    }


def accuracies(
    found: torch.Tensor, batches: Sequence[Batch], classes: Sequence[Any]
) -> Dict[str, float]:
    """Accuracy and macro F1 of classes, or accuracies of both places and of the pair;
    times 100."""
    gold = torch.cat([batch.labels for batch in batches])
    if not classes:
        right = found == gold
        names = ("inserted", "original", "both")
        values = [right[:, 0], right[:, 1], right.all(1)]
        return {
            name: 100.0 * value.float().mean().item()
            for name, value in zip(names, values, strict=True)
        }
    ours, scores = found[:, 0], []
    for i in range(len(classes)):
        n_both = int(((ours == i) & (gold == i)).sum())
        n_either = int((ours == i).sum() + (gold == i).sum())
        scores += [2.0 * n_both / n_either] if n_either else []
    return {
        "accuracy": 100.0 * (ours == gold).float().mean().item(),
        "macro_f1": 100.0 * mean(scores),
    }


def attention_report(
    network: ProbingNetwork,
    batches: List[Batch],
    ordered: Sequence[Instance],
    layer: int,
    folder: Path,
) -> Dict[str, Any]:
    """Shares of attention and F1 of trees on dev sentences that no task has changed."""
    trees = list(read_brackets(folder / "dev.ptb"))
    with (folder / "dev.conllu").open(encoding="utf8") as file:
        tags = [list(sentence.pos) for sentence in read_conllu(file)]
    weights = attention_of(network, batches, layer)
    kept = [
        (one, tags[instance.sentence], trees[instance.sentence])
        for one, instance in zip(weights, ordered, strict=True)
        if trees[instance.sentence].leaves() == instance.words
        and len(tags[instance.sentence]) == len(instance.words)
    ]
    shares = attention_shares((one, upos) for one, upos, _ in kept)
    found: Dict[str, Any] = {
        "roles": shares.roles,
        "distances": dict(list(shares.distances.items())[:16]),
    }
    makers = {"attention": lambda one, n: attention_tree(one)}
    for kind in ("right", "left", "balanced", "random"):
        makers[kind] = lambda one, n, kind=kind: baseline_tree(n, kind, seed=n)
    found["trees"] = {name: _tree_f1(kept, make) for name, make in makers.items()}
    return {**found, "n_sentences": len(kept)}


def _tree_f1(kept: Sequence[Tuple[numpy.ndarray, List[str], Any]], make: Any) -> float:
    counts = EvalbCounts()
    for weights, _, tree in kept:
        words, tags = tree.leaves(), [tag for _, tag in tree.pos()]
        gold = unlabelled_tree(words, tags, gold_brackets(tree))
        counts.add(
            score_sentence(
                gold,
                unlabelled_tree(words, tags, make(weights, len(words))),
                UNLABELLED,
            )
        )
    return 100.0 * counts.scores()["const_f"]


def run(task: str, name: str, seed: int, args: argparse.Namespace) -> Dict[str, Any]:
    """Train and score one network."""
    torch.manual_seed(seed)
    selector, layer = NETWORKS[name]
    training, dev, classes = task_instances(args, task)
    words = word_ids(training)
    batches, _ = batches_of(training, words, classes, args.batch)
    dev_batches, ordered = batches_of(dev, words, classes, 128)
    network = ProbingNetwork(
        len(words) + 3, len(classes), args.width, args.layers, selector, layer
    )
    start = time.process_time()
    train(network, batches, args.epochs, args.learn_rate, seed)
    result: Dict[str, Any] = {
        "task": task,
        "network": name,
        "seed": seed,
        "settings": settings(args),
    }
    result["seconds"] = time.process_time() - start
    result["n_train"], result["n_dev"] = len(training), len(dev)
    result["scores"] = accuracies(predict(network, dev_batches), dev_batches, classes)
    if classes:
        result["baselines"] = baselines(training, dev)
        result["attention"] = attention_report(
            network, dev_batches, ordered, layer, args.treebank
        )
    return result


def settings(args: argparse.Namespace) -> Dict[str, Any]:
    """Of a result, apart from its task, network and seed."""
    return {
        name: getattr(args, name)
        for name in ("sentences", "epochs", "width", "layers", "batch", "learn_rate")
    }


def report(folder: Path) -> str:
    """The tables in Markdown: means over seeds, and half of the range."""
    results: Dict[Tuple[str, str], List[Dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        one = json.loads(path.read_text(encoding="utf8"))
        results.setdefault((one["task"], one["network"]), []).append(one)
    parts = []
    for task in TASKS:
        rows = {
            name: results[task, name] for name in NETWORKS if (task, name) in results
        }
        if rows:
            parts += [_score_table(task, rows)]
            parts += (
                [_attention_table(rows)]
                if "attention" in next(iter(rows.values()))[0]
                else []
            )
    return "\n\n".join(parts)


def _spread(values: Sequence[float], digits: int = 2) -> str:
    text = f"{mean(values):.{digits}f}"
    return text + (
        f" ± {(max(values) - min(values)) / 2:.{digits}f}" if len(values) > 1 else ""
    )


def _score_table(task: str, rows: Dict[str, List[Dict[str, Any]]]) -> str:
    first = next(iter(rows.values()))[0]
    names = list(first["scores"])
    lines = [
        f"### {task}\n",
        f"| network | seeds | {' | '.join(names)} | seconds |",
        "|---|--:|" + "--:|" * (len(names) + 1),
    ]
    for name, value in first.get("baselines", {}).items():
        lines.append(f"| {name.replace('_', ' ')} | | {value:.2f} |{' |' * len(names)}")
    for network, found in rows.items():
        cells = [_spread([one["scores"][name] for one in found]) for name in names]
        seconds = mean(one["seconds"] for one in found)
        lines.append(
            f"| {network} | {len(found)} | {' | '.join(cells)} | {seconds:.0f} |"
        )
    return "\n".join(lines)


def _attention_table(rows: Dict[str, List[Dict[str, Any]]]) -> str:
    first = next(iter(rows.values()))[0]["attention"]
    lines = [f"| attention | {' | '.join(rows)} |", "|---|" + "--:|" * len(rows)]
    for role in first["roles"]:
        cells = [
            _spread([one["attention"]["roles"][role] for one in found], 3)
            for found in rows.values()
        ]
        lines.append(f"| to {role} | {' | '.join(cells)} |")
    cells = [
        _spread([one["attention"]["distances"]["1"] for one in found], 3)
        for found in rows.values()
    ]
    lines.append(f"| at distance 1 | {' | '.join(cells)} |")
    for kind in first["trees"]:
        cells = [
            _spread([one["attention"]["trees"][kind] for one in found])
            for found in rows.values()
        ]
        lines.append(
            "| F1 of "
            f"{'trees from attention' if kind == 'attention' else f'{kind} trees'} | "
            f"{' | '.join(cells)} |"
        )
    return "\n".join(lines)


def main(arguments: Optional[List[str]] = None) -> int:
    """Train and score the networks without a result; or print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, help="folder of the results")
    parser.add_argument("--treebank", type=Path, help="folder of the treebank")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument(
        "--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS)
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument(
        "--sentences", type=int, default=10_000, help="most training instances"
    )
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32, help="sentences of a step")
    parser.add_argument("--learn-rate", type=float, default=0.001)
    parser.add_argument(
        "--report", action="store_true", help="print the tables of the present results"
    )
    args = parser.parse_args(arguments)
    if args.report:
        print(report(args.output))
        return 0
    if args.treebank is None:
        parser.error("--treebank is missing")
    args.output.mkdir(parents=True, exist_ok=True)
    for seed in args.seeds:
        for task in args.tasks:
            for name in args.networks:
                path = args.output / f"{task}-{name}-{seed}.json"
                if path.exists() and json.loads(path.read_text(encoding="utf8"))[
                    "settings"
                ] == settings(args):
                    continue
                result = run(task, name, seed, args)
                path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
                print(f"{task}, {name}, seed {seed}: {result['scores']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

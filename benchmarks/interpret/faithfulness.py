"""Are contributions faithful? Label heads are removed, those first that are said to add
most, and random ones.

    OMP_NUM_THREADS=1 python benchmarks/interpret/faithfulness.py en_lal_md
    corpus/dev/ewt.spacy -o faithfulness.json

Contributions rank the heads of each label on every second Doc (gold tokens and sentence
breaks); on the other half, the k first heads of a label are removed (see
`ablation.py`), and k random ones, a random order being the same for all labels and
drawn several times. Printed is a Markdown table of means over the labels that are
frequent in both halves, by k: F1 of the label's constituents, and the mean margin of
its gold constituents (its score less that of the next best label that the span might
bear), which moves before any tree does; in brackets, of how many labels the k first
heads cost more than the mean of k random ones. "Others" is the F1 of the other labels
meanwhile. The last row is without any head: what all heads together are worth. Where
that is nothing, there is nothing to be faithful to.

Exit code 1 where the k first heads do not cost more margin than random ones, in the
mean, at some k."""

import argparse
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence

import numpy as np
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from interpret.ablation import AblatedTreebank, Counts, LabelledSpan  # noqa: E402
from interpret.label_heads import LabelHeads, head_report  # noqa: E402
from spacy_lal.cli.inputs import read_docs  # noqa: E402
from spacy_lal.cli.texts import Source  # noqa: E402
from spacy_lal.pipeline.decoders import make_separate_decoder  # noqa: E402

KS = (0, 1, 2, 4, 8, 16, 32, 64)


class Loss(NamedTuple):
    """What is left of a label. f: of its constituents, percent. others: of the other
    labels. margin: see above."""

    f: float
    others: float
    margin: float


class Curves:
    """Removals in one half of a treebank.

    treebank (AblatedTreebank): The half.
    rankings (Dict[str, List[int]]): For each label, the heads in the order in which
    they are removed."""

    def __init__(
        self, treebank: AblatedTreebank, rankings: Dict[str, List[int]]
    ) -> None:
        self.treebank, self.rankings = treebank, rankings
        self.n_heads = len(treebank.names)
        self.spans: Dict[str, List[LabelledSpan]] = {label: [] for label in rankings}
        for i, tree in enumerate(treebank.trees):
            for start, end, label in sorted(tree):
                if label in rankings:
                    self.spans[label].append((i, start, end, label))

    def first(self, k: int) -> Dict[str, Loss]:
        """For each label, without its k first heads."""
        return {
            label: self._losses(ranking[:k], [label])[label]
            for label, ranking in self.rankings.items()
        }

    def random(self, order: Sequence[int], k: int) -> Dict[str, Loss]:
        """For each label, without the k first heads of any order."""
        return self._losses(order[:k], list(self.rankings))

    def own(self) -> Dict[str, Loss]:
        """For each label that has one, without the head that is called by it."""
        names = self.treebank.names
        return {
            label: self._losses([names.index(label)], [label])[label]
            for label in self.rankings
            if label in names
        }

    def _losses(self, heads: Sequence[int], labels: List[str]) -> Dict[str, Loss]:
        counts = self.treebank.count(heads)
        spans = [span for label in labels for span in self.spans[label]]
        margins = np.split(
            self.treebank.margins(spans, heads),
            np.cumsum([len(self.spans[label]) for label in labels])[:-1],
        )
        return {
            label: Loss(
                100.0 * counts[label].f,
                float(
                    np.mean(
                        [
                            100.0 * counts[other].f
                            for other in self.rankings
                            if other != label
                        ]
                        or [0.0]
                    )
                ),
                float(found.mean()),
            )
            for label, found in zip(labels, margins, strict=True)
        }


def frequent(
    ranked: Sequence[LabelHeads], counts: Dict[str, Counts], n_spans: int, n: int
) -> List[str]:
    """The labels with enough gold constituents in both halves, the most frequent first,
    n at most.

    ranked (Sequence[LabelHeads]): Of the one half; of a label that is never correct
        there, no head is the first.
    counts (Dict[str, Counts]): Of the other.
    """
    enough = [
        one.label for one in ranked if one.counts.correct and one.counts.gold >= n_spans
    ]
    return [
        label for label in enough if label in counts and counts[label].gold >= n_spans
    ][:n]


def measure(
    nlp: Language, golds: List[Doc], args: argparse.Namespace
) -> Dict[str, Any]:
    """All curves, as written to the JSON file."""
    report = head_report(nlp, golds[0::2])
    treebank = AblatedTreebank(
        nlp, golds[1::2], make_separate_decoder() if args.separate else None
    )
    labels = frequent(report.labels, treebank.count(), args.min_spans, args.labels)
    if not labels:
        raise SystemExit(
            f"no label has {args.min_spans} constituents in each half: see --min-spans"
        )
    curves = Curves(
        treebank,
        {one.label: one.ranking for one in report.labels if one.label in labels},
    )
    generator = np.random.default_rng(args.seed)
    orders = [generator.permutation(curves.n_heads).tolist() for _ in range(args.draws)]
    rows = []
    for k in sorted({*(k for k in args.k if k < curves.n_heads), 0, curves.n_heads}):
        # nothing removed, or all: any order will do
        draws = [
            curves.random(order, k)
            for order in (orders if 0 < k < curves.n_heads else orders[:1])
        ]
        first = curves.first(k) if 0 < k < curves.n_heads else draws[0]
        rows.append(
            {
                "k": k,
                "first": _as_dicts(first),
                "random": [_as_dicts(draw) for draw in draws],
            }
        )
    parts = {one.label: one for one in report.labels}
    return {
        "pipeline": args.pipeline,
        "corpus": str(args.corpus),
        "settings": {"separate": args.separate, "draws": args.draws, "seed": args.seed},
        "n_sentences": [report.n_sentences, sum(map(bool, treebank.trees))],
        "n_heads": curves.n_heads,
        "labels": {
            label: {
                "margin": parts[label].margin,
                "tokens": parts[label].tokens,
                "heads": float(parts[label].heads.sum()),
            }
            for label in curves.rankings
        },
        "own": _as_dicts(curves.own()),
        "rows": rows,
    }


def _as_dicts(losses: Dict[str, Loss]) -> Dict[str, Dict[str, float]]:
    return {label: loss._asdict() for label, loss in losses.items()}


class Row(NamedTuple):
    """Means over labels at one k, and of how many labels the first heads cost more than
    random ones."""

    k: str
    n_labels: int
    f: float
    random_f: float
    f_worse: int
    margin: float
    random_margin: float
    margin_worse: int
    others: float


def summary(found: Dict[str, Any]) -> List[Row]:
    """The rows of the table, "own" (the head of a label's name, beside one random head)
    after the one of k = 0."""
    rows = [_row(str(row["k"]), row["first"], row["random"]) for row in found["rows"]]
    one = next((row["random"] for row in found["rows"] if row["k"] == 1), None)
    if found["own"] and one:
        rows.insert(1, _row("own", found["own"], one))
    return rows


def _row(
    k: str, first: Dict[str, Dict[str, float]], draws: List[Dict[str, Dict[str, float]]]
) -> Row:
    means = {
        name: {
            label: float(np.mean([draw[label][name] for draw in draws]))
            for label in first
        }
        for name in ("f", "margin")
    }
    worse = {
        name: sum(first[label][name] < means[name][label] for label in first)
        for name in means
    }
    mean = {
        name: float(np.mean([loss[name] for loss in first.values()]))
        for name in Loss._fields
    }
    random = {
        name: float(np.mean(list(by_label.values())))
        for name, by_label in means.items()
    }
    return Row(
        k,
        len(first),
        mean["f"],
        random["f"],
        worse["f"],
        mean["margin"],
        random["margin"],
        worse["margin"],
        mean["others"],
    )


def table(found: Dict[str, Any]) -> str:
    """The Markdown table."""
    lines = [
        "| heads removed | F1, first | F1, random | | margin, first | margin, random "
        "| | F1, others |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in summary(found):
        compared = row.k not in ("0", str(found["n_heads"]))
        f_worse, margin_worse = (
            f"({n} of {row.n_labels})" if compared else ""
            for n in (row.f_worse, row.margin_worse)
        )
        lines.append(
            f"| {row.k} | {row.f:.2f} | {row.random_f:.2f} | {f_worse} | "
            f"{row.margin:.4f} | {row.random_margin:.4f} | "
            f"{margin_worse} | {row.others:.2f} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("pipeline", help="name or path")
    add("corpus", type=Path, help="a .spacy file with gold constituents")
    add("-o", "--output", type=Path, help="JSON of all labels and draws")
    separate = "constituents by cky: arcs have no say in them"
    add("--separate", action="store_true", help=separate)
    add("--labels", type=int, default=20, help="how many labels at most")
    spans = "gold constituents of a label in each half, at least"
    add("--min-spans", type=int, default=30, help=spans)
    add("--draws", type=int, default=10, help="random orders of heads")
    add("--seed", type=int, default=0)
    add("-k", type=int, nargs="+", default=KS, help="how many heads to remove")
    args = parser.parse_args(arguments)
    if min(args.labels, args.min_spans, args.draws) < 1 or min(args.k) < 0:
        parser.error(
            "--labels, --min-spans and --draws are 1 or more, and no k is below 0"
        )
    nlp = spacy.load(args.pipeline)
    try:
        found = measure(nlp, read_docs(Source(str(args.corpus)), nlp.vocab), args)
    except ValueError as err:
        raise SystemExit(f"{args.pipeline} on {args.corpus}: {err}") from err
    if args.output is not None:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        srsly.write_json(args.output, found)
    n_heads, (n_ranked, n_measured) = found["n_heads"], found["n_sentences"]
    print(
        f"{args.pipeline}: {len(found['labels'])} labels, {n_heads} label heads, "
        f"{args.draws} draws"
    )
    print(f"{n_ranked} sentences for the ranking, {n_measured} for the curve")
    print(f"\n{table(found)}\n")
    shares = [(label["heads"], label["tokens"]) for label in found["labels"].values()]
    print(
        "mean part of a margin: heads {:+.3f}, whole tokens {:+.3f}".format(
            *np.mean(shares, axis=0)
        )
    )
    compared = [
        row for row in summary(found) if row.k not in ("0", "own", str(n_heads))
    ]
    return int(not all(row.margin < row.random_margin for row in compared))


if __name__ == "__main__":
    sys.exit(main())

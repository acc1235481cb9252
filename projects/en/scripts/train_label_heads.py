"""Train label attention and the span scorer of a pipeline a little more, so that each label's own head speaks for it;
all else stays as it is.

    python scripts/train_label_heads.py training/with_roles training/label_heads --read corpus/train/ewt.spacy=0.55 \
        corpus/train/gum.spacy=0.32 --trees corpus/trees/craft.spacy=0.13

With `--turn`, an own head that speaks against its label is turned round first. Beside the losses of
`spacy_lal.loss.parser`, each gold constituent adds softplus(margin - t), t what its label's own head adds to the
label's score. This loss does not fade, while that of `label_heads` is content once the head is ahead of others.
Constituents of rare labels count more. The encoder is read as it parses, in 8 bits.
"""

import argparse
import random
import sys
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import spacy
import torch
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.layers.configs import FIRST_LABEL
from spacy_lal.loss.gold import gold_parses
from spacy_lal.models.batches import embed, get_shim
from spacy_lal.treebanks.corpora import TreebankCorpus

sys.path.append(str(Path(__file__).resolve().parent))
from export_training import source  # noqa: E402
from train_exported import MARGIN, rarity_weights  # noqa: E402

TRAINED = ("label_attention.", "span_scorer.")
RISE = 0.1  # part of the steps in which the rate rises


def label_weights(golds: Sequence[Any], n_heads: int) -> ndarray:
    """The weight of each label head, by how rare its label is."""
    counts = Counter(
        label
        for gold in golds
        if gold.labels is not None
        for label in gold.labels[gold.labels > 0]
    )
    return rarity_weights(np.array([counts[k + FIRST_LABEL] for k in range(n_heads)]))


def labelled_spans(gold: ndarray) -> Tuple[ndarray, ndarray, ndarray]:
    """The starts and ends of the constituents in a chart of label numbers, and the
    heads of their labels."""
    starts, ends = np.nonzero(gold >= FIRST_LABEL)
    return starts, ends, gold[starts, ends] - FIRST_LABEL


def own_head_loss(
    ties: ndarray, gold: ndarray, weights: ndarray, margin: float
) -> Tuple[float, ndarray]:
    """The loss of one sentence, and its gradient. ties: Of fenceposts and heads. gold:
    The chart of label numbers."""
    starts, ends, heads = labelled_spans(gold)
    missing = margin - (ties[ends, heads] - ties[starts, heads])
    gradient = np.zeros_like(ties)
    slope = weights[heads] / (1 + np.exp(-missing))
    np.subtract.at(gradient, (ends, heads), slope)
    np.add.at(gradient, (starts, heads), slope)
    return float((weights[heads] * np.logaddexp(0, missing)).sum()), gradient


def turn_heads(nlp: Language, examples: Iterable[List[Example]]) -> List[int]:
    """Turn round the ties of labels whose own head speaks against them, on average over
    their gold constituents.
    RETURNS (List[int]): Their heads."""
    parser: Any = nlp.get_pipe("lal_parser")
    ties = get_shim(parser.model).network.span_scorer.ties.weight
    sums = np.zeros(len(ties))
    for batch in examples:
        scores, _ = parser.model.layers[-1](
            embed(parser.model, read_by_encoder(nlp, batch), False)[0], True
        )
        for sentence, gold in zip(scores, golds_of(parser, batch), strict=True):
            if gold.labels is not None:
                starts, ends, heads = labelled_spans(gold.labels)
                np.add.at(
                    sums,
                    heads,
                    sentence.ties[ends, heads] - sentence.ties[starts, heads],
                )
    found = np.flatnonzero(sums < 0).tolist()
    with torch.no_grad():
        ties[found] *= -1
    return found


def read_by_encoder(nlp: Language, examples: List[Example]) -> List[Doc]:
    """The Docs, with the vectors that the parser reads."""
    docs = [eg.predicted for eg in examples]
    for name in nlp.pipe_names[: nlp.pipe_names.index("senter")]:
        docs = list(nlp.get_pipe(name).pipe(docs))  # type: ignore[attr-defined]
    return docs


def golds_of(parser: Any, examples: List[Example]) -> List[Any]:
    """The gold parse of each sentence."""
    return [
        gold
        for eg in examples
        for gold in gold_parses(eg, parser._label_vocab, parser._deprel_ids)
    ]


def batches(
    sources: List[Tuple[List[Example], float]], n_words: int
) -> Iterator[List[Example]]:
    """Endless batches of Examples that are drawn from sources by their weights."""
    streams = [cycle(random.sample(examples, len(examples))) for examples, _ in sources]
    while True:
        batch: List[Example] = []
        while sum(len(eg.predicted) for eg in batch) < n_words:
            batch.append(
                next(random.choices(streams, [weight for _, weight in sources])[0])
            )
        yield batch


def train(
    nlp: Language, sources: List[Tuple[List[Example], float]], args: argparse.Namespace
) -> None:
    """Train the parser of a pipeline, in place.

    RAISES (ValueError): Its labels have no heads of their own.
    """
    parser: Any = nlp.get_pipe("lal_parser")
    model, shim = parser.model, get_shim(parser.model)
    if not getattr(shim.config.span_scorer, "label_heads", False):
        raise ValueError(
            "the parser's labels have no heads of their own: expected label_heads of "
            "SpanScorer"
        )
    if args.turn:
        found = turn_heads(nlp, islice(batches(sources, args.words), args.turn))
        names = [parser._label_vocab.strings[head + FIRST_LABEL] for head in found]
        print(f"Turned round: {', '.join(names) or 'no head'}", flush=True)
    weights = label_weights(
        golds_of(parser, sources[0][0]), shim.config.n_label_heads(shim.sizes)
    )
    chosen = []
    for name, parameter in shim.network.named_parameters():
        parameter.requires_grad_(name.startswith(TRAINED))
        chosen += [parameter] if parameter.requires_grad else []
    optimizer = torch.optim.AdamW(
        chosen, lr=args.rate, betas=(0.9, 0.99), weight_decay=0.01
    )
    sums: Dict[str, float] = {}
    for step, examples in zip(
        range(args.steps), batches(sources, args.words), strict=False
    ):
        docs = read_by_encoder(nlp, examples)
        golds = golds_of(parser, examples)
        scores, backprop = model.layers[-1](embed(model, docs, False)[0], True)
        losses, gradients = parser.loss(scores, golds)
        losses["own"] = 0.0
        for sentence, gold, gradient in zip(scores, golds, gradients, strict=True):
            if gold.labels is not None:
                loss, d_ties = own_head_loss(
                    sentence.ties, gold.labels, weights, args.margin
                )
                losses["own"] += args.weight * loss
                gradient.ties[:] += args.weight * d_ties
        backprop(gradients)
        part = step / args.steps
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(
                (part + 1 / args.steps) / RISE, (1 - part) / (1 - RISE)
            )
        n_words = sum(map(len, docs))
        for parameter in chosen:
            parameter.grad /= n_words
        torch.nn.utils.clip_grad_norm_(chosen, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        for name, value in losses.items():
            sums[name] = 0.95 * sums.get(name, value / n_words) + 0.05 * value / n_words
        if step % 20 == 19:
            print(
                f"step {step + 1}: "
                f"{', '.join(f'{k} {v:.3f}' for k, v in sums.items())}",
                flush=True,
            )


def main(arguments: Optional[List[str]] = None) -> int:
    """Load, train, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("pipeline", help="a trained pipeline: name or folder")
    add("output", type=Path, help="folder to write")
    add(
        "--read",
        type=source,
        nargs="+",
        required=True,
        metavar="FILE=WEIGHT",
        help="treebanks",
    )
    add(
        "--trees",
        type=source,
        nargs="+",
        default=[],
        metavar="FILE=WEIGHT",
        help="without heads",
    )
    add("--steps", type=int, default=300)
    add("--words", type=int, default=1500, help="of a batch")
    add("--rate", type=float, default=0.0006, help="the highest learning rate")
    add("--weight", type=float, default=0.1, help="of the loss of own heads")
    add(
        "--margin",
        type=float,
        default=MARGIN,
        help="what an own head should add to its label",
    )
    add(
        "--turn",
        type=int,
        default=0,
        help="batches that show which own heads to turn round; 0: none",
    )
    add("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    spacy.util.fix_random_seed(args.seed)
    try:
        nlp = spacy.load(args.pipeline)
        sources = [
            (list(TreebankCorpus(path)(nlp)), weight) for path, weight in args.read
        ]
        sources += [
            (list(TreebankCorpus(None, path)(nlp)), weight)
            for path, weight in args.trees
        ]
        train(nlp, sources, args)
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    nlp.to_disk(args.output)
    print(f"Wrote {args.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

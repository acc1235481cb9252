"""Train until a given time is over: a pipeline from a config, or a trained one that learns on.

    python scripts/timed_training.py ../../configs/lal_trf.cfg training/clock --minutes 60
        --encoder ../../assets/mpnet-4 --read corpus/train/ewt.spacy=0.6 --trees corpus/trees_only/craft.spacy=0.4

For a machine that is lent by the hour: the learning rate rises for a twentieth of the time, and falls linearly to 0 by
the clock. Each Doc is drawn from one of the sources, by their weights. Sources are `.spacy` files or folders: --read
with all that they have, --trees without heads and deprels. --parsed is a folder of parsed text, whose files may arrive
during the training, from a teacher that runs beside it. A CPU that multiplies bfloat16 matrices does so (bfloat16.py).
"""

import argparse
import random
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import spacy
from bfloat16 import has_bfloat16_products, use_bfloat16_products
from rough_text import make_rough_text
from spacy.language import Language
from spacy.training import Example
from spacy.training.batchers import minibatch_by_padded_size
from spacy.training.initialize import init_nlp
from spacy.util import fix_random_seed, load_config
from thinc.api import Model, require_gpu, set_gpu_allocator

from spacy_lal.training.optimizer import make_adam
from spacy_lal.treebanks.corpora import Augmenter, TreebankCorpus

RISE = 0.05  # of the time
LOWEST = 0.002  # of the rate
ROUGH = (0.08, 0.03, 0.06, 0.06)  # shares of rough_text.py
LOOK = 400  # Docs after which the folder of parsed text is looked into
Source = Tuple[Path, float]


def source(text: str) -> Source:
    """Read FILE=WEIGHT.

    RAISES (argparse.ArgumentTypeError): It has another form, FILE does not exist, or WEIGHT is not above 0.
    """
    path, _, weight = text.rpartition("=")
    try:
        found = Path(path), float(weight)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected FILE=WEIGHT, for example ewt.spacy=0.5, got {text!r}") from None
    if not path or not found[0].exists() or not 0 < found[1] < float("inf"):
        raise argparse.ArgumentTypeError(f"expected FILE=WEIGHT, a path that exists and more than 0, got {text!r}")
    return found


def rate_at(part: float) -> float:
    """The learning rate, as a part of the highest one, when a part of the time is over."""
    return max(LOWEST, min(part / RISE, (1 - part) / (1 - RISE)))


def load(start: Path, args: argparse.Namespace) -> Language:
    """The pipeline to train: initialized from a config with all sources, or loaded from a folder."""
    if start.suffix != ".cfg":
        nlp = spacy.load(start)
        for _, pipe in nlp.pipeline:
            if hasattr(pipe, "tree2label"):  # spaCy's lemmatizer saves the labels, and not which tree has which
                pipe.tree2label = {tree: label for label, tree in enumerate(pipe.cfg["labels"])}
        return nlp
    read = [str(path) for path, _ in args.read]
    changes: Dict[str, Any] = {"paths.train": read, "paths.dev": read, "system.seed": args.seed}
    if args.trees:
        changes["paths.trees_only"] = [str(path) for path, _ in args.trees]
    if args.lang is not None:
        changes["nlp.lang"] = args.lang
    if args.encoder is not None:
        changes["components.transformer.model.name"] = args.encoder
    return init_nlp(load_config(start, overrides=changes, interpolate=False), use_gpu=args.gpu_id)


class Mix:
    """Endless Examples, each from a source that is drawn by weight.

    parsed (Optional[Source]): A folder of parsed text; its files share the weight, from when they are found.
    """

    def __init__(
        self, read: Sequence[Source], trees: Sequence[Source], parsed: Optional[Source], augmenter: Optional[Augmenter]
    ) -> None:
        options: Dict[str, Any] = {"shuffle": True, "augmenter": augmenter}
        self.corpora = [(TreebankCorpus(path, **options), weight) for path, weight in read]
        self.corpora += [(TreebankCorpus(None, path, **options), weight) for path, weight in trees]
        self.parsed, self.options = parsed, options

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """RAISES (ValueError): A source has no `.spacy` file."""
        streams = [_repeat(corpus, nlp) for corpus, _ in self.corpora]
        weights = [weight for _, weight in self.corpora]
        found: Dict[Path, Iterator[Example]] = {}
        while True:
            for path in sorted(self.parsed[0].glob("*.spacy")) if self.parsed else ():
                if path not in found:
                    found[path] = _repeat(TreebankCorpus(path, **self.options), nlp)
            shared = [self.parsed[1] / len(found) for _ in found] if self.parsed else []
            for stream in random.choices([*streams, *found.values()], [*weights, *shared], k=LOOK):
                yield next(stream)


def _repeat(corpus: TreebankCorpus, nlp: Language) -> Iterator[Example]:
    while True:
        yield from corpus(nlp)


def train(nlp: Language, examples: Iterator[Example], args: argparse.Namespace) -> int:
    """Update a pipeline until the time is over. RETURNS (int): The number of steps."""
    factors = {"embeddings.": 0.0, "encoder.": args.encoder_rate, "span_scorer.ties.": 10.0}
    optimizer = make_adam(args.rate, rate_factors=factors, L2=0.01)
    # a frozen transformer gives its vectors to those that learn
    annotates = [name for name in args.freeze if getattr(nlp.get_pipe(name), "listeners", None)]
    losses: Dict[str, float] = {}
    steps = 0
    for batch in minibatch_by_padded_size(examples, args.words, get_length=lambda eg: len(eg.predicted)):
        if not steps:  # by now the treebanks are read
            start = shown = time.monotonic()
        part = (time.monotonic() - start) / (60 * args.minutes)
        if part >= 1:
            break
        optimizer.learn_rate = args.rate * rate_at(part)
        nlp.update(batch, drop=0.1, sgd=optimizer, losses=losses, exclude=args.freeze, annotates=annotates)
        steps += 1
        if time.monotonic() - shown > 30:
            means = ", ".join(f"{name} {loss / steps:.1f}" for name, loss in losses.items())
            print(f"{part:.0%} of the time, step {steps}, mean losses: {means}", flush=True)
            shown = time.monotonic()
    return steps


def main(arguments: Optional[List[str]] = None) -> int:
    """Load, train, save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("start", type=Path, help="a .cfg file, or the folder of a pipeline")
    add("output", type=Path, help="folder to write; must not exist")
    add("--minutes", type=float, required=True, help="how long to train, without loading and saving")
    add("--rate", type=float, default=0.001, help="the highest learning rate")
    add("--encoder-rate", type=float, default=0.2, help="of the encoder's layers, as a part of --rate")
    add("--lang", help="with a config: the language, in place of the config's")
    add("--encoder", help="with a config: name or folder of the encoder")
    add("--read", type=source, nargs="+", default=[], metavar="FILE=WEIGHT", help="treebanks")
    add("--trees", type=source, nargs="+", default=[], metavar="FILE=WEIGHT", help="treebanks, without their heads")
    add("--parsed", type=source, metavar="FOLDER=WEIGHT", help="parsed text")
    add("--rough", action="store_true", help="some text in one case or without punctuation (rough_text.py)")
    add("--words", type=int, default=700, help="most words of a batch, padding included")
    add("--freeze", nargs="+", default=[], metavar="NAME", help="components that do not learn")
    add("--seed", type=int, default=0, help="of weights and of the order")
    add("--gpu-id", type=int, default=-1, help="-1: CPU")
    args = parser.parse_args(arguments)
    try:
        if args.output.exists():
            raise ValueError(f"{args.output} exists: remove it or name another folder")
        if not args.read:
            raise ValueError("expected at least one treebank: --read FILE=WEIGHT")
        if not 0 < args.minutes < float("inf") or args.rate <= 0 or args.words < 1:
            raise ValueError(f"expected more than 0, got {args.minutes=}, {args.rate=}, {args.words=}")
        if args.gpu_id >= 0:
            set_gpu_allocator("pytorch")
            require_gpu(args.gpu_id)
        fix_random_seed(args.seed)
        nlp = load(args.start, args)
        if unknown := sorted({*args.freeze} - {*nlp.pipe_names}):
            raise ValueError(f"--freeze: expected names of {', '.join(nlp.pipe_names)}, got {unknown[0]!r}")
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    if args.gpu_id < 0 and has_bfloat16_products():
        use_bfloat16_products([pipe.model for _, pipe in nlp.pipeline if isinstance(getattr(pipe, "model", 0), Model)])
    augmenter = make_rough_text(*ROUGH) if args.rough else None
    steps = train(nlp, Mix(args.read, args.trees, args.parsed, augmenter)(nlp), args)
    nlp.to_disk(args.output)
    print(f"Wrote {args.output}, after {steps} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())

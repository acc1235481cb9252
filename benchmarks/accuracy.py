"""What is the parser worth? Parsers side by side: same encoder, data, steps and
machine, several seeds.

    python benchmarks/accuracy.py metrics/accuracy.jsonl --steps 8000 --seeds 0 1 \\
        --train corpus/train --dev EWT=corpus/dev/ewt.spacy GUM=corpus/dev/gum.spacy \\
        --components.transformer.model.name NAME_OR_PATH

trains every variant with every seed, scores each on the dev files (gold tokens and
sentence breaks) and prints a Markdown table for each of them. Other options override
the config, as in `spacy train`. A line is added to the output file as soon as a model
is scored; present lines are not made again, so that an interrupted run is simply
repeated.

Every pipeline is encoder, tagger and parser; a senter of the config is left out. The
weights scored are those after the last step, never the best on dev, so training does
not look at dev on the way. """

import argparse
import sys
from pathlib import Path
from typing import List, Optional

import spacy
from accuracy.comparison import Comparison
from accuracy.variants import OTHERS, VARIANTS, base_config
from spacy.cli._util import parse_config_overrides

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Optional[List[str]] = None) -> int:
    """Train, score, print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "output", type=Path, help="file of JSON lines, one for each variant and seed"
    )
    parser.add_argument(
        "--config",
        type=Path,
        default=ROOT / "configs" / "lal_trf.cfg",
        help="config of all variants",
    )
    parser.add_argument(
        "--train", required=True, help="a .spacy file, or a folder of some"
    )
    parser.add_argument(
        "--dev",
        required=True,
        nargs="+",
        metavar="NAME=FILE",
        help=".spacy files to score on",
    )
    parser.add_argument(
        "--variants",
        nargs="+",
        choices=VARIANTS,
        default=[name for name in VARIANTS if name not in OTHERS],
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument(
        "--steps", type=int, required=True, help="training steps, the schedule's end"
    )
    parser.add_argument("--gpu-id", type=int, default=-1)
    args, rest = parser.parse_known_args(arguments)
    if not all("=" in item for item in args.dev):
        parser.error(f"--dev takes NAME=FILE, got {args.dev}")
    if args.gpu_id >= 0:
        spacy.require_gpu(args.gpu_id)
    dev = {name: Path(path) for name, path in (item.split("=", 1) for item in args.dev)}
    overrides = parse_config_overrides(rest)
    settings = {
        **{
            "config": args.config.name,
            "train": args.train,
            "dev": args.dev,
            "steps": args.steps,
        },
        "overrides": overrides,
    }
    base = base_config(
        args.config, args.train, next(iter(dev.values())), args.steps, overrides
    )
    args.output.parent.mkdir(parents=True, exist_ok=True)
    comparison = Comparison(args.output, base, settings, dev, args.gpu_id)
    for seed in args.seeds:
        for name in args.variants:
            comparison.run(name, seed)
    print(comparison.tables(args.variants))
    return 0


if __name__ == "__main__":
    sys.exit(main())

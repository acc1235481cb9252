"""Change how likely a deprel is: add a number to its bias in a pipeline's parser.

    python scripts/shift_deprel.py training/whole expl:subj -2.4

A treebank of questions doubles subjects more often than other text does (Saerens et al.
2002 on priors that differ between training and use). The pipeline is written again; it
must still have its torch transformer, as `export_training.py back` writes it."""

import argparse
import sys
from pathlib import Path
from typing import Any, List, Optional

import spacy
import torch

from spacy_lal.models.parser import get_network


def shift_deprel(folder: Path, deprel: str, amount: float) -> None:
    """Change a pipeline in place.

    amount (float): What is added to the scores of the deprel, in nats.
    RAISES (ValueError): The parser does not know the deprel."""
    nlp = spacy.load(folder)
    parser: Any = nlp.get_pipe("lal_parser")
    deprels = parser.cfg["deprels"]
    if deprel not in deprels:
        raise ValueError(f"expected one of {', '.join(deprels)}, got {deprel!r}")
    with torch.no_grad():
        bias = get_network(parser.model).biaffine_scorer.deprel_bias
        bias[deprels.index(deprel)] += amount
    nlp.to_disk(folder)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("deprel")
    parser.add_argument("amount", type=float)
    args = parser.parse_args(arguments)
    try:
        shift_deprel(args.folder, args.deprel, args.amount)
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

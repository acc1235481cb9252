"""Take the encoder of a trained pipeline, as a folder that transformers loads.

    python scripts/take_encoder.py en_lal_md ../../assets/trained_mpnet

A training that begins from such an encoder has little left to learn but its own heads."""

import argparse
import sys
from pathlib import Path
from typing import Any, List, Optional

import spacy
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from spacy_lal.models.torch.encoder import torch_module


def take_encoder(pipeline: str, folder: Path) -> None:
    """Write the encoder's config, weights and tokenizer.

    pipeline (str): A package or folder, with a component `encoder`.
    RAISES (ValueError): It has none.
    """
    nlp = spacy.load(pipeline)
    if "encoder" not in nlp.pipe_names:
        raise ValueError(
            f"{pipeline}: expected a component 'encoder', got {nlp.pipe_names}"
        )
    pipe: Any = nlp.get_pipe("encoder")
    shim = pipe.model.shims[0]
    torch_module(dict(shim.config), shim.weights).save_pretrained(folder)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(shim.tokenizer), **shim.config["tokenizer"]
    )
    tokenizer.save_pretrained(folder)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="a package or folder")
    parser.add_argument("folder", type=Path, help="to write")
    args = parser.parse_args(arguments)
    try:
        take_encoder(args.pipeline, args.folder)
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    print(f"Wrote {args.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Take the encoder of a trained pipeline, as a folder that transformers loads.

    python scripts/take_encoder.py en_lal_md ../../assets/trained_mpnet

A training that begins from such an encoder has little left to learn but its own heads."""

from pathlib import Path
from typing import Any

import spacy
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast
from treebank import SourceError, run

from spacy_lal.models.torch.encoder import torch_module


def main(pipeline: str, folder: Path) -> None:
    """Write the encoder's config, weights and tokenizer.

    pipeline (str): A package or folder, with a component `encoder`.
    RAISES (SourceError): It has none.
    """
    nlp = spacy.load(pipeline)
    if "encoder" not in nlp.pipe_names:
        reason = f"expected a component 'encoder', got {nlp.pipe_names}"
        raise SourceError(Path(pipeline), 0, reason)
    pipe: Any = nlp.get_pipe("encoder")
    shim = pipe.model.shims[0]
    torch_module(dict(shim.config), shim.weights).save_pretrained(folder)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(shim.tokenizer), **shim.config["tokenizer"]
    )
    tokenizer.save_pretrained(folder)
    print(f"Wrote {folder}")


if __name__ == "__main__":
    run(main)

"""The XLNet of a checkpoint: its config from the shapes of its weights, its tokenizer by name or path.

A checkpoint holds the weights of a transformer from the hub, under the names of `XLNetModel`, without its config or its
vocabulary (reference-parser.md 1.2 and 1.4).
"""

from pathlib import Path
from typing import Any, Mapping

import torch
from spacy_transformers.data_classes import HFObjects
from tokenizers import normalizers
from torch import Tensor
from transformers import AutoTokenizer, XLNetConfig, XLNetModel

from .reader import CheckpointError


def load_xlnet(weights: Mapping[str, Tensor]) -> XLNetModel:
    """An XLNet with a checkpoint's weights, by the names of `XLNetModel`, in evaluation mode. What shapes do not reveal
    is as in the published models: gelu, untied relative biases, layer norm epsilon 1e-12, dropout 0.1.

    RAISES (CheckpointError): Weights are missing, left over, or of another shape; the message lists them.
    """
    try:
        n_pieces, width = weights["word_embedding.weight"].shape
        config = XLNetConfig(
            vocab_size=n_pieces,
            d_model=width,
            n_layer=len({name.split(".")[1] for name in weights if name.startswith("layer.")}),
            n_head=weights["layer.0.rel_attn.q"].shape[1],
            d_inner=len(weights["layer.0.ff.layer_1.weight"]),
            use_mems_eval=False,  # the memory of earlier sequences is not used
        )
        with torch.device("meta"):  # avoids random weights
            model = XLNetModel(config)
        model.load_state_dict({key: value.float() for key, value in weights.items()}, assign=True)
    except (IndexError, KeyError, RuntimeError, ValueError) as error:
        raise CheckpointError(f"the checkpoint's XLNet weights do not fit an XLNet: {error}") from error
    return model.eval()


def load_tokenizer(name: str, *, lower_case: bool = False) -> Any:
    """A tokenizer by its name on the Hugging Face hub, or from a folder: the slow one if it exists, since like the
    authors', only it splits a piece such as "1," within "1,000" a second time.

    RAISES (CheckpointError): It is not found.
    """
    reasons = []
    for use_fast in (False, True):
        try:
            tokenizer = AutoTokenizer.from_pretrained(name, use_fast=use_fast, do_lower_case=lower_case)
            break
        except Exception as error:  # a missing file or package, a bad name, no network: the exceptions differ
            reasons.append(next((line for line in str(error).splitlines() if line.strip()), type(error).__name__))
    else:
        raise CheckpointError(
            f"no tokenizer was found on the Hugging Face hub, or as a folder, by the name {name!r} ({reasons[0]}). "
            "Expected a name or a folder with XLNet's 'spiece.model' or 'tokenizer.json' (--tokenizer); to read it, "
            "pip install 'spacy-lal[xlnet]'"
        )
    if lower_case and tokenizer.is_fast:  # a fast tokenizer follows its file, whatever its arguments
        backend = tokenizer.backend_tokenizer
        steps = [normalizers.Lowercase()] + ([backend.normalizer] if backend.normalizer is not None else [])
        backend.normalizer = normalizers.Sequence(steps)
    return tokenizer


def make_hf_objects(weights: Mapping[str, Tensor], tokenizer_name: str, *, lower_case: bool = False) -> HFObjects:
    """Transformer and tokenizer as spacy-transformers holds them.

    weights (Mapping[str, Tensor]): By the names of `XLNetModel`.
    tokenizer_name (str): A name on the hub, or a folder. lower_case (bool): Whether it lower-cases text.
    RAISES (CheckpointError): Weights or tokenizer are unavailable, or the tokenizer has pieces without a vector.
    """
    tokenizer, transformer = load_tokenizer(tokenizer_name, lower_case=lower_case), load_xlnet(weights)
    if transformer.config.vocab_size not in (len(tokenizer), tokenizer.vocab_size):
        raise CheckpointError(
            f"the tokenizer {tokenizer_name!r} has {len(tokenizer)} pieces, but the checkpoint's XLNet has vectors for "
            f"{transformer.config.vocab_size}: expected the tokenizer that it was trained with"
        )
    transformer.config.return_dict = True
    for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
        if getattr(tokenizer, name) is not None:
            setattr(transformer.config, name, getattr(tokenizer, name))
    file = getattr(tokenizer, "vocab_file", None)  # spacy-transformers stores its contents beside a tokenizer
    return HFObjects(tokenizer, transformer, Path(file).read_bytes() if file else None)

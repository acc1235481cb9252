"""The XLNet of a checkpoint: its config from the shapes of its weights, its tokenizer by name or path.

A checkpoint holds the weights of a transformer from the hub, under the names of `XLNetModel`, without its config or its
vocabulary (reference-parser.md 1.2 and 1.4). Nothing here reads Docs or runs anything.
"""

import re
import warnings
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Optional

import torch
import transformers
from spacy_transformers.data_classes import HFObjects
from tokenizers import normalizers
from torch import Tensor
from transformers import AutoTokenizer, XLNetConfig, XLNetModel

from .names import listed
from .reader import CheckpointError

_LAYER_KEY = re.compile(r"layer\.([0-9]{1,4})\.")


class LoadedTokenizer(NamedTuple):
    """A tokenizer and the contents of its vocabulary file, which spacy-transformers stores beside it, or None."""

    tokenizer: Any
    vocab_file_contents: Optional[bytes]


def xlnet_config(weights: Mapping[str, Tensor]) -> XLNetConfig:
    """The config of an XLNet. Values that shapes do not reveal are those in the published models: gelu, untied relative
    biases, bidirectional, layer norm epsilon 1e-12, dropout 0.1.

    weights (Mapping[str, Tensor]): By the names of `XLNetModel`.
    RETURNS (XLNetConfig): The config.
    RAISES (CheckpointError): A weight with a required shape is missing, or the shapes make no XLNet.
    """

    def shape(key: str, n_axes: int) -> torch.Size:
        if key not in weights or weights[key].dim() != n_axes:
            found = tuple(weights[key].shape) if key in weights else "nothing"
            raise CheckpointError(f"the checkpoint's XLNet: expected 'xlnet.{key}' with {n_axes} axes, got {found}")
        return weights[key].shape

    n_pieces, width = shape("word_embedding.weight", 2)
    _, n_heads, head_width = shape("layer.0.rel_attn.q", 3)
    if n_heads * head_width != width:
        raise CheckpointError(
            f"the checkpoint's XLNet: its {n_heads} heads of width {head_width} do not make up its width of {width}"
        )
    layers = {int(match.group(1)) for match in map(_LAYER_KEY.match, weights) if match}
    if max(layers) >= len(layers):
        raise CheckpointError(
            f"the checkpoint's XLNet: it has a layer {max(layers)}, but weights of {len(layers)} layers: expected all"
        )
    return XLNetConfig(
        vocab_size=n_pieces,
        d_model=width,
        n_layer=len(layers),
        n_head=n_heads,
        d_inner=shape("layer.0.ff.layer_1.weight", 2)[0],
        ff_activation="gelu",
        untie_r=True,
        attn_type="bi",
        layer_norm_eps=1e-12,
        dropout=0.1,
        use_mems_eval=False,  # the memory of earlier sequences is not used
    )


def load_xlnet(weights: Mapping[str, Tensor]) -> XLNetModel:
    """An XLNet with a checkpoint's weights, in evaluation mode.

    weights (Mapping[str, Tensor]): By the names of `XLNetModel`.
    RETURNS (XLNetModel): The model, float32.
    RAISES (CheckpointError): Weights are missing, left over, or of another shape; the message lists them.
    """
    config = xlnet_config(weights)
    with torch.device("meta"):  # avoids random weights
        model = XLNetModel(config)
    wanted = {key: tuple(value.shape) for key, value in model.state_dict().items()}
    problems = {
        "unused": sorted(weights.keys() - wanted.keys()),
        "missing": sorted(wanted.keys() - weights.keys()),
        "of another shape": [
            f"{key} {tuple(weights[key].shape)}, expected {size}"
            for key, size in wanted.items()
            if key in weights and tuple(weights[key].shape) != size
        ],
    }
    if any(problems.values()):
        raise CheckpointError(f"the checkpoint's XLNet weights do not fit an XLNet. {listed(problems)}")
    model.load_state_dict({key: value.float() for key, value in weights.items()}, assign=True)
    return model.eval()


def load_tokenizer(name: str, *, lower_case: bool = False) -> LoadedTokenizer:
    """A tokenizer by its name on the Hugging Face hub, or from a folder.

    The slow one if it exists: like the authors', only it splits a piece such as "1," within "1,000" a second time.

    name (str): Name or path.
    lower_case (bool): Whether text is lower-cased (the authors' `xlnet_do_lower_case`).
    RETURNS (LoadedTokenizer): The tokenizer.
    RAISES (CheckpointError): It is not found, or comes without its vocabulary file.
    WARNS: A SentencePiece tokenizer is read as a fast one, which transformers 5 has alone.
    """
    tokenizer, reasons = None, []
    for use_fast in (False, True):
        try:
            tokenizer = AutoTokenizer.from_pretrained(
                name, use_fast=use_fast, do_lower_case=lower_case, trust_remote_code=False
            )
            break
        except Exception as error:  # a missing file or package, a bad name, no network: the exceptions differ
            reasons.append(next((line for line in str(error).splitlines() if line.strip()), type(error).__name__))
    file = Path(getattr(tokenizer, "vocab_file", None) or name)
    if tokenizer is None or (hasattr(tokenizer, "vocab_file") and not file.is_file()):
        raise CheckpointError(
            f"no whole tokenizer was found on the Hugging Face hub, or as a folder, by the name {name!r} "
            f"({reasons[0] if reasons else 'its vocabulary file is missing'}). Expected a name or a folder with "
            "XLNet's 'spiece.model' or 'tokenizer.json' (--tokenizer); to read it, pip install 'spacy-lal[xlnet]'"
        )
    contents = file.read_bytes() if hasattr(tokenizer, "vocab_file") else None
    if contents is not None and tokenizer.is_fast:
        warnings.warn(
            f"the tokenizer {name!r} was read as a fast one: transformers {transformers.__version__} has no slow "
            "tokenizer for XLNet. The authors' was slow and splits pieces such as '1,' within '1,000' a second "
            "time, so parses of such words can differ. transformers<5 has both",
            stacklevel=2,
        )
    if lower_case and tokenizer.is_fast:  # a fast tokenizer follows its file, whatever its arguments
        backend = tokenizer.backend_tokenizer
        steps = [normalizers.Lowercase()] + ([backend.normalizer] if backend.normalizer is not None else [])
        backend.normalizer = normalizers.Sequence(steps)
    return LoadedTokenizer(tokenizer, contents)


def make_hf_objects(weights: Mapping[str, Tensor], tokenizer_name: str, *, lower_case: bool = False) -> HFObjects:
    """Transformer and tokenizer as spacy-transformers holds them.

    weights (Mapping[str, Tensor]): By the names of `XLNetModel`.
    tokenizer_name (str): A name on the hub, or a folder.
    lower_case (bool): Whether the tokenizer lower-cases text.
    RETURNS (HFObjects): Both.
    RAISES (CheckpointError): Weights or tokenizer are unavailable, or the tokenizer has pieces without a vector.
    """
    tokenizer, contents = load_tokenizer(tokenizer_name, lower_case=lower_case)
    n_vectors = weights["word_embedding.weight"].shape[0] if "word_embedding.weight" in weights else None
    if n_vectors is not None and n_vectors not in (len(tokenizer), tokenizer.vocab_size):
        raise CheckpointError(
            f"the tokenizer {tokenizer_name!r} has {len(tokenizer)} pieces, but the checkpoint's XLNet has vectors for "
            f"{n_vectors}: expected the tokenizer that it was trained with"
        )
    transformer = load_xlnet(weights)
    transformer.config.return_dict = True
    for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
        if getattr(tokenizer, name) is not None:
            setattr(transformer.config, name, getattr(tokenizer, name))
    return HFObjects(tokenizer, transformer, contents)

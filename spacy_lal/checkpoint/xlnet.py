"""XLNet as the LAL parser's authors feed it (docs/explanation/parser.md):
`spacy-lal.WordTransformer.v1`. Each word is split separately, each sentence is a
sequence, and the output is the last piece of each word, with rows for START and
STOP."""

from functools import partial
from pathlib import Path
from typing import Any, Callable, Literal, Mapping, Optional, Sequence

import numpy
import torch
from numpy import ndarray
from spacy.tokens import Doc
from spacy_transformers.data_classes import HFObjects, WordpieceBatch
from spacy_transformers.layers.hf_wrapper import HFWrapper
from spacy_transformers.layers.transformer_model import (
    _convert_transformer_inputs,
    _convert_transformer_outputs,
    huggingface_from_pretrained,
    set_pytorch_transformer,
)
from thinc.api import Model, torch2xp, xp2torch
from thinc.types import Floats2d
from tokenizers import normalizers
from torch import Tensor
from transformers import AutoTokenizer, XLNetConfig, XLNetModel
from transformers.modeling_outputs import BaseModelOutput

from ..annotations import Sentences, sentence_words
from ..models.windows import length_groups
from .errors import CheckpointError

WordTransformerModel = Model[list[Doc], list[Floats2d]]
MAX_BATCH_PIECES = 4096  # that run at once, padding included

BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LCB-": "{",
    "-RCB-": "}",
    "-LSB-": "[",
    "-RSB-": "]",
}
DOUBLE_QUOTES = dict.fromkeys(("``", "''", "«", "»", "“", "”", "„"), '"')
SINGLE_QUOTES = dict.fromkeys(("`", "‘", "’", "‹", "›"), "'")
HPSG_WORDS = {**BRACKETS, **DOUBLE_QUOTES, **SINGLE_QUOTES}
CLEAN_WORDS = {
    "lal": {**HPSG_WORDS, **dict.fromkeys(("–", "—"), "--")},
    "hpsg": HPSG_WORDS,
}


def build_word_transformer(
    name: str,
    tokenizer_config: dict[str, Any] = {},  # noqa: B006
    clean_words: Literal["lal", "hpsg"] = "lal",
    pad_left: bool = False,
) -> WordTransformerModel:
    """A pretrained transformer as the `tok2vec` of a LAL parser: one (n + 2, width)
    array for each sentence of n tokens, with rows for START and STOP, as its attribute
    `sentence_rows` says. Whitespace tokens are left out.

    name (str): Name on the Hugging Face hub, or a path. Read once, when a pipeline is
        initialised; a saved pipeline holds tokenizer, config and weights.
    tokenizer_config (Dict[str, Any]): Settings for the tokenizer, for example
        {"use_fast": false}.
    clean_words ("lal" or "hpsg"): How words are cleaned before they are split: brackets
        unescaped, quotes and dashes plain ("hpsg" keeps dashes), "n't" divided into "n"
        + "'t".
    pad_left (bool): False: [cls] words [sep], right padded. True: words [sep] [cls],
        left padded, and every row holds the next word's vector, as in the authors'
        code. Only for checkpoints trained like this.
    RETURNS (WordTransformerModel): The layer.
    """
    wrapper = HFWrapper(
        HFObjects(None, None, None, dict(tokenizer_config), {}),
        convert_inputs=_convert_transformer_inputs,
        convert_outputs=_convert_transformer_outputs,
    )
    attrs = {
        "name": name,
        "sentence_rows": True,
        "has_transformer": False,
        "set_transformer": set_pytorch_transformer,
        "read_sentences": read_sentences,
        "clean_words": clean_words,
        "pad_left": pad_left,
    }
    return Model(
        "word_transformer",
        forward,
        init=init,
        layers=[wrapper],
        dims={"nO": None},
        attrs=attrs,
    )


def init(
    model: WordTransformerModel,
    X: Optional[list[Doc]] = None,
    Y: Optional[list[Floats2d]] = None,
) -> None:
    """Load tokenizer and transformer by name or path, unless the layer has them
    already."""
    if not model.attrs["has_transformer"]:
        shim: Any = model.layers[0].shims[0]
        settings = dict(shim._hfmodel._init_tokenizer_config)
        objects = huggingface_from_pretrained(model.attrs["name"], settings, {})
        set_pytorch_transformer(model, objects)


def forward(
    model: WordTransformerModel, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Vectors of every sentence, in order; the backward pass fine-tunes the
    transformer."""
    return read_sentences(model, docs, [sentence_words(doc) for doc in docs], is_train)


def read_sentences(
    model: WordTransformerModel,
    docs: list[Doc],
    sentences: Sequence[Sentences],
    is_train: bool,
) -> tuple[list[Floats2d], Callable]:
    """Vectors of every sentence, in order, and the backward pass. sentences
    (Sequence[Sentences]): For each Doc, the words of its sentences or of parts of
    them."""
    if not model.attrs["has_transformer"]:
        raise ValueError(
            "The word transformer has no weights yet: call nlp.initialize(), or load "
            "it from disk"
        )
    texts = [
        [doc[i].text for i in words]
        for doc, of_doc in zip(docs, sentences, strict=True)
        for words in of_doc
    ]
    sequences = _sequences(model, texts)
    numbers = [i for i, words in enumerate(texts) if words]
    lengths = [len(sequences[i][0]) for i in numbers]
    outputs: list[Any] = [model.ops.alloc2f(2, model.get_dim("nO")) for _ in texts]
    runs: list[Any] = []
    for group in length_groups(lengths, MAX_BATCH_PIECES, MAX_BATCH_PIECES):
        batch = [numbers[k] for k in group]
        padded = _padded(model, [sequences[i][0] for i in batch])
        output, backprop_batch = model.layers[0](padded, is_train)
        states = output.last_hidden_state
        for i, vectors in zip(batch, states.detach(), strict=True):
            read = vectors[sequences[i][1]].float()
            outputs[i] = torch2xp(read, ops=model.ops)
        if is_train:
            runs.append((batch, states, backprop_batch))

    def backprop(d_outputs: list[Floats2d]) -> list[Doc]:
        while runs:
            batch, states, backprop_batch = runs.pop()
            d_states: Any = torch.zeros_like(states)
            for i, d_vectors in zip(batch, d_states, strict=True):
                d_vectors[sequences[i][1]] = xp2torch(d_outputs[i]).to(states)
            backprop_batch(BaseModelOutput(last_hidden_state=d_states))
        return docs

    return outputs, backprop


def clean_words(words: Sequence[str], how: str) -> list[str]:
    """The same number of words as the transformer gets them: do, n't are don, 't."""
    cleaned: list[str] = []
    for word in words:
        if word == "n't" and cleaned:
            cleaned[-1] += "n"
            word = "'t"
        cleaned.append(CLEAN_WORDS[how].get(word, word))
    return cleaned


def split_words(
    tokenizer: Any, sentences: Sequence[Sequence[str]]
) -> list[list[list[int]]]:
    """The ids of the pieces of each word, which is split separately; the unknown piece
    for a word without pieces."""
    words = sorted({word for sentence in sentences for word in sentence})
    if not words:
        return [[] for _ in sentences]
    # This call neither truncates nor adds special pieces, so the tokenizer's warning
    # about length would mislead.
    encoded = tokenizer(
        words, add_special_tokens=False, return_attention_mask=False, verbose=False
    )["input_ids"]
    pieces = {
        word: list(ids) or [tokenizer.unk_token_id]
        for word, ids in zip(words, encoded, strict=True)
    }
    return [[pieces[word] for word in sentence] for sentence in sentences]


def _sequences(model: Any, texts: list[list[str]]) -> list[tuple[list[int], ndarray]]:
    """Clean and split: the pieces of each sentence, and the places of those that are
    read."""
    tokenizer = model.layers[0].shims[0]._hfmodel.tokenizer
    cls = tokenizer.cls_token_id
    sep = tokenizer.sep_token_id
    cleaned = [clean_words(words, model.attrs["clean_words"]) for words in texts]
    sequences = []
    for words in split_words(tokenizer, cleaned):
        ends = numpy.cumsum([1, *map(len, words), 1])
        pieces = [piece for word in words for piece in word]
        framed = [cls, *pieces, sep]
        read = ends - 1
        if model.attrs["pad_left"]:
            # read in that order into the same rows, which shifts words by one; the
            # places count from the end
            framed = [*pieces, sep, cls]
            read = numpy.append(read[1:] - 1, ends[-1] - 1) - ends[-1]
        sequences.append((framed, read))
    return sequences


def _padded(model: Any, batch: list[list[int]]) -> WordpieceBatch:
    tokenizer = model.layers[0].shims[0]._hfmodel.tokenizer
    tokenizer.padding_side = "left" if model.attrs["pad_left"] else "right"
    # no advice to pad as the text is split
    tokenizer.deprecation_warnings["Asking-to-pad-a-fast-tokenizer"] = True
    padded = tokenizer.pad({"input_ids": batch}, return_tensors="np")
    mask = padded["attention_mask"].astype("f4")
    return WordpieceBatch([], padded["input_ids"], mask, [], None)


def load_xlnet(weights: Mapping[str, Tensor]) -> XLNetModel:
    """An XLNet with a checkpoint's weights, by the names of `XLNetModel`, in evaluation
    mode. What shapes do not reveal is as in the published models: gelu, untied relative
    biases, layer norm epsilon 1e-12, dropout 0.1.

    RAISES (CheckpointError): Weights are missing, left over, or of another shape; the
        message lists them."""
    try:
        n_pieces, width = weights["word_embedding.weight"].shape
        layers = {key.split(".")[1] for key in weights if key.startswith("layer.")}
        config = XLNetConfig(
            vocab_size=n_pieces,
            d_model=width,
            n_layer=len(layers),
            n_head=weights["layer.0.rel_attn.q"].shape[1],
            d_inner=len(weights["layer.0.ff.layer_1.weight"]),
            use_mems_eval=False,  # the memory of earlier sequences is not used
        )
        with torch.device("meta"):  # avoids random weights
            model = XLNetModel(config)
        single = {key: value.float() for key, value in weights.items()}
        model.load_state_dict(single, assign=True)
    except (IndexError, KeyError, RuntimeError, ValueError) as error:
        raise CheckpointError(
            f"the checkpoint's XLNet weights do not fit an XLNet: {error}"
        ) from error
    return model.eval()


def load_tokenizer(name: str, *, lower_case: bool = False) -> Any:
    """A tokenizer by its name on the Hugging Face hub, or from a folder: the slow one
    if it exists, since like the authors', only it splits a piece such as "1," within
    "1,000" a second time.

    RAISES (CheckpointError): It is not found."""
    load = partial(AutoTokenizer.from_pretrained, name, do_lower_case=lower_case)
    # A missing file or package, a bad name, no network: the exceptions differ.
    try:
        tokenizer = load(use_fast=False)
    except Exception as error:
        try:
            tokenizer = load(use_fast=True)
        except Exception:
            raise CheckpointError(
                "no tokenizer was found on the Hugging Face hub, or as a folder, by "
                f"the name {name!r} ({error}). "
                "Expected a name or a folder with XLNet's 'spiece.model' or "
                "'tokenizer.json' (--tokenizer); to read it, "
                "pip install 'spacy-lal[xlnet]'"
            ) from error
    # a fast tokenizer follows its file, whatever its arguments
    if lower_case and tokenizer.is_fast:
        backend = tokenizer.backend_tokenizer
        steps = [normalizers.Lowercase(), backend.normalizer]
        backend.normalizer = normalizers.Sequence([*filter(None, steps)])
    return tokenizer


def make_hf_objects(
    weights: Mapping[str, Tensor], tokenizer_name: str, *, lower_case: bool = False
) -> HFObjects:
    """Transformer, of weights by the names of `XLNetModel`, and tokenizer, of a name on
    the hub or a folder.

    RAISES (CheckpointError): Weights or tokenizer are unavailable, or the tokenizer has
        pieces without a vector."""
    tokenizer = load_tokenizer(tokenizer_name, lower_case=lower_case)
    transformer = load_xlnet(weights)
    if transformer.config.vocab_size not in (len(tokenizer), tokenizer.vocab_size):
        raise CheckpointError(
            f"the tokenizer {tokenizer_name!r} has {len(tokenizer)} pieces, but the "
            "checkpoint's XLNet has vectors for "
            f"{transformer.config.vocab_size}: expected the tokenizer that it was "
            "trained with"
        )
    # spacy-transformers stores its contents beside a tokenizer
    file = getattr(tokenizer, "vocab_file", None)
    return HFObjects(tokenizer, transformer, Path(file).read_bytes() if file else None)

"""XLNet as the LAL parser's authors feed it (docs/explanation/parser.md):
`spacy-lal.WordTransformer.v1`. Each word is split separately, each sentence is a
sequence, and the output is the last piece of each word, with rows for START and
STOP."""

from pathlib import Path
from typing import (
    Any,
    Callable,
    Iterator,
    Literal,
    Mapping,
    Optional,
    Sequence,
    cast,
)

import numpy
import torch
from numpy import ndarray
from spacy.tokens import Doc
from spacy_transformers.data_classes import HFObjects
from spacy_transformers.layers.hf_wrapper import HFWrapper
from spacy_transformers.layers.transformer_model import huggingface_from_pretrained
from thinc.api import Model, torch2xp, xp2torch
from thinc.types import ArgsKwargs, Floats2d, Floats3d
from tokenizers import normalizers
from torch import Tensor
from transformers import AutoTokenizer, XLNetConfig, XLNetModel

from ..annotations import Sentences, sentence_words
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
    objects = HFObjects(None, None, None, dict(tokenizer_config), {})
    wrapper = HFWrapper(
        objects, convert_inputs=_convert_inputs, convert_outputs=_convert_outputs
    )
    attrs = {
        "name": name,
        "sentence_rows": True,
        "has_transformer": False,
        "set_transformer": set_transformer,
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


def set_transformer(model: WordTransformerModel, hf_objects: HFObjects) -> None:
    """Set the layer's tokenizer and transformer, as `huggingface_from_pretrained`
    returns them."""
    shim: Any = model.layers[0].shims[0]
    shim._hfmodel = hf_objects
    shim._model = hf_objects.transformer
    model.attrs["has_transformer"] = True
    model.set_dim("nO", hf_objects.transformer.config.hidden_size)


def init(
    model: WordTransformerModel,
    X: Optional[list[Doc]] = None,
    Y: Optional[list[Floats2d]] = None,
) -> None:
    """Load tokenizer and transformer by name or path, unless the layer has them
    already."""
    if not model.attrs["has_transformer"]:
        empty = model.layers[0].shims[0]._hfmodel  # type: ignore[attr-defined]
        settings = (
            dict(empty._init_tokenizer_config),
            dict(empty._init_transformer_config),
        )
        set_transformer(
            model, huggingface_from_pretrained(model.attrs["name"], *settings)
        )


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
    width = model.get_dim("nO")
    texts = [
        [doc[i].text for i in words]
        for doc, of_doc in zip(docs, sentences, strict=True)
        for words in of_doc
    ]
    ends = numpy.cumsum([0, *(len(words) + 2 for words in texts)]).tolist()
    output: Any = model.ops.alloc2f(ends[-1], width)
    runs: list[Any] = []
    for ids, mask, sources, targets in _batches(model, texts, ends):
        vectors, backprop_batch = model.layers[0]((ids, mask), is_train)
        output[targets] = vectors.reshape(-1, width)[sources]
        runs.append(
            (vectors.shape, sources, targets, backprop_batch) if is_train else ()
        )

    def backprop(d_rows: list[Floats2d]) -> list[Doc]:
        d_output = model.ops.xp.concatenate(d_rows) if d_rows else output
        while runs:
            shape, sources, targets, backprop_batch = runs.pop()
            d_vectors: Any = model.ops.alloc2f(shape[0] * shape[1], width)
            d_vectors[sources] = d_output[targets]
            backprop_batch(d_vectors.reshape(shape))
        return docs

    return [
        output[start:end] for start, end in zip(ends, ends[1:], strict=False)
    ], backprop


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


def _batches(
    model: Any, texts: list[list[str]], starts: list[int]
) -> Iterator[tuple[ndarray, ...]]:
    """Clean, split and pad; sentences of similar length come together, and those
    without words are left out. starts: the first row of each sentence in the output.
    Yields ids and attention mask, *shape:* (batch_size, n_pieces); the vectors to read
    among the batch_size * n_pieces, and their rows in the output, *shape:*
    (n_read,)."""
    tokenizer = model.layers[0].shims[0]._hfmodel.tokenizer
    pad_left = model.attrs["pad_left"]
    cls = tokenizer.cls_token_id
    sep = tokenizer.sep_token_id
    split = split_words(
        tokenizer, [clean_words(words, model.attrs["clean_words"]) for words in texts]
    )
    sequences = []  # pieces, those of them that are read, the first row
    for words, row in zip(split, starts, strict=False):
        pieces = [piece for word in words for piece in word]
        ends = numpy.cumsum([len(word) for word in words])
        n = len(pieces)
        if (
            words and pad_left
        ):  # read in that order into the same rows, which shifts words by one
            sequences.append(([*pieces, sep, cls], [*(ends - 1), n, n + 1], row))
        elif words:
            sequences.append(([cls, *pieces, sep], [0, *ends, n + 1], row))
    sequences.sort(key=lambda sequence: len(sequence[0]))
    while sequences:
        n_pieces = len(sequences[-1][0])
        size = max(MAX_BATCH_PIECES // n_pieces, 1)
        batch = sequences[-size:]
        sequences = sequences[:-size]
        ids = numpy.full((len(batch), n_pieces), tokenizer.pad_token_id, dtype="int64")
        mask = numpy.zeros(ids.shape, dtype="int64")
        sources: list[int] = []
        targets: list[int] = []
        for k, (pieces, read, row) in enumerate(batch):
            first = n_pieces - len(pieces) if pad_left else 0
            ids[k, first : first + len(pieces)] = pieces
            mask[k, first : first + len(pieces)] = 1
            sources.extend(k * n_pieces + first + place for place in read)
            targets.extend(range(row, row + len(read)))
        yield ids, mask, numpy.array(sources), numpy.array(targets)


def _convert_inputs(
    model: Model, inputs: tuple[ndarray, ndarray], is_train: bool
) -> tuple[ArgsKwargs, Callable]:
    device = model.shims[0]._hfmodel.transformer.device  # type: ignore[attr-defined]
    ids, attention_mask = (torch.from_numpy(array).to(device) for array in inputs)
    kwargs = {"input_ids": ids, "attention_mask": attention_mask}
    return ArgsKwargs(args=(), kwargs=kwargs), lambda d_inputs: []


def _convert_outputs(
    model: Model, inputs_outputs: tuple[Any, Any], is_train: bool
) -> tuple[Floats3d, Callable]:
    hidden = inputs_outputs[1].last_hidden_state

    def backprop(d_vectors: Floats3d) -> ArgsKwargs:
        d_hidden = xp2torch(d_vectors, device=hidden.device).to(hidden.dtype)
        return ArgsKwargs(args=((hidden,),), kwargs={"grad_tensors": (d_hidden,)})

    return cast(Floats3d, torch2xp(hidden.detach().float(), ops=model.ops)), backprop


def load_xlnet(weights: Mapping[str, Tensor]) -> XLNetModel:
    """An XLNet with a checkpoint's weights, by the names of `XLNetModel`, in evaluation
    mode. What shapes do not reveal is as in the published models: gelu, untied relative
    biases, layer norm epsilon 1e-12, dropout 0.1.

    RAISES (CheckpointError): Weights are missing, left over, or of another shape; the
        message lists them."""
    try:
        n_pieces, width = weights["word_embedding.weight"].shape
        config = XLNetConfig(
            vocab_size=n_pieces,
            d_model=width,
            n_layer=len(
                {name.split(".")[1] for name in weights if name.startswith("layer.")}
            ),
            n_head=weights["layer.0.rel_attn.q"].shape[1],
            d_inner=len(weights["layer.0.ff.layer_1.weight"]),
            use_mems_eval=False,  # the memory of earlier sequences is not used
        )
        with torch.device("meta"):  # avoids random weights
            model = XLNetModel(config)
        model.load_state_dict(
            {key: value.float() for key, value in weights.items()}, assign=True
        )
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
    reasons = []
    for use_fast in (False, True):
        try:
            tokenizer = AutoTokenizer.from_pretrained(
                name, use_fast=use_fast, do_lower_case=lower_case
            )
            break
        # A missing file or package, a bad name, no network: the exceptions differ.
        except Exception as error:
            reasons.append(
                next(
                    (line for line in str(error).splitlines() if line.strip()),
                    type(error).__name__,
                )
            )
    else:
        raise CheckpointError(
            "no tokenizer was found on the Hugging Face hub, or as a folder, by the "
            f"name {name!r} ({reasons[0]}). "
            "Expected a name or a folder with XLNet's 'spiece.model' or "
            "'tokenizer.json' (--tokenizer); to read it, "
            "pip install 'spacy-lal[xlnet]'"
        )
    if (
        lower_case and tokenizer.is_fast
    ):  # a fast tokenizer follows its file, whatever its arguments
        backend = tokenizer.backend_tokenizer
        steps = [normalizers.Lowercase()] + (
            [backend.normalizer] if backend.normalizer is not None else []
        )
        backend.normalizer = normalizers.Sequence(steps)
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
    transformer.config.return_dict = True
    for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
        if getattr(tokenizer, name) is not None:
            setattr(transformer.config, name, getattr(tokenizer, name))
    file = getattr(
        tokenizer, "vocab_file", None
    )  # spacy-transformers stores its contents beside a tokenizer
    return HFObjects(tokenizer, transformer, Path(file).read_bytes() if file else None)

"""A transformer that reads a sentence word by word, as the LAL parser's authors feed XLNet (reference-parser.md 1.4).

Differs from spacy-transformers' own layers in its input (treebank escapes undone, each word split into pieces
separately, one sentence a sequence) and its output (the last piece of each word; rows for START and STOP, too).
spacy-transformers loads, fine-tunes and stores it. It is *not* shared between components: no listeners.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Dict, List, Literal, NamedTuple, Optional, Sequence, Tuple, cast

import numpy
import torch
from numpy import ndarray
from spacy.tokens import Doc
from spacy_transformers.data_classes import HFObjects
from spacy_transformers.layers.hf_wrapper import HFWrapper
from spacy_transformers.layers.transformer_model import huggingface_from_pretrained
from thinc.api import Model, torch2xp, xp2torch
from thinc.compat import has_torch_amp
from thinc.types import ArgsKwargs, Floats2d, Floats3d, Ints1d

from ..annotations import Sentences, sentence_words
from ..models.shared_hf_shim import SharedHFShim
from ..models.windows import piece_limit
from .pieces import PieceSequence, cut_sentence, special_pieces, split_words
from .word_cleaning import WORD_CLEANERS

WordTransformerModel = Model[List[Doc], List[Floats2d]]


class PaddedPieces(NamedTuple):
    """Piece sequences as one batch.

    ids (ndarray): Shape: (batch, n_pieces).
    attention_mask (ndarray): Shape: (batch, n_pieces). 1 for pieces, 0 for padding.
    sources (ndarray): Shape: (n_read,). The vectors to read among the batch * n_pieces.
    targets (ndarray): Shape: (n_read,). Their rows in the output, all sentences one after the other.
    """

    ids: ndarray
    attention_mask: ndarray
    sources: ndarray
    targets: ndarray


@dataclass(frozen=True)
class WordTransformerOptions:
    """How a word transformer reads. A record, which thinc leaves out of the saved attrs: the config's options hold, not
    the training's.

    clean_words, pad_left, max_pieces, max_batch_pieces: As for `build_word_transformer`.
    trains_at_once (bool): Whether an update runs all pieces at once.
    """

    clean_words: str
    pad_left: bool
    max_pieces: Optional[int]
    max_batch_pieces: int
    trains_at_once: bool


def build_word_transformer(
    name: str,
    tokenizer_config: Dict[str, Any] = {},  # noqa: B006 (read only; spacy-transformers' own form)
    transformer_config: Dict[str, Any] = {},  # noqa: B006
    clean_words: Literal["lal", "hpsg", "none"] = "lal",
    pad_left: bool = False,
    max_pieces: Optional[int] = 768,
    max_batch_pieces: int = 4096,
    mixed_precision: bool = False,
    grad_scaler_config: Dict[str, Any] = {},  # noqa: B006
) -> WordTransformerModel:
    """A pretrained transformer as the `tok2vec` of a LAL parser: one (n + 2, width) array for each sentence of n
    tokens, with rows for START and STOP, as its attribute `sentence_rows` says. Whitespace tokens are left out.

    name (str): Name on the Hugging Face hub, or a path. Read once, when a pipeline is initialised; a saved pipeline
        holds tokenizer, config and weights.
    tokenizer_config (Dict[str, Any]): Settings for the tokenizer, for example {"use_fast": false}.
    transformer_config (Dict[str, Any]): Settings for the transformer's config.
    clean_words ("lal", "hpsg" or "none"): How words are cleaned before they are split: brackets unescaped, quotes and
        dashes plain ("hpsg" keeps dashes), "n't" divided into "n" + "'t".
    pad_left (bool): False: [cls] words [sep], right padded. True: words [sep] [cls], left padded, and every row holds
        the next word's vector, as in the authors' code (T11). Only for checkpoints trained like this.
    max_pieces (Optional[int]): Longest sequence, special pieces included. Longer sentences are read in overlapping
        windows, where the authors' code fails. None: the transformer's own limit (XLNet: none, but time and memory grow
        with the square).
    max_batch_pieces (int): Most pieces that run at once, padding included.
    mixed_precision (bool): Run in half precision where safe (GPU only).
    grad_scaler_config (Dict[str, Any]): Settings for thinc's gradient scaler.
    RETURNS (WordTransformerModel): The layer.
    RAISES (ValueError): `clean_words` has an unknown value.
    """
    if clean_words not in WORD_CLEANERS:
        raise ValueError(f"clean_words is {clean_words!r}: expected one of {sorted(WORD_CLEANERS)}")
    mixed_precision = mixed_precision and has_torch_amp  # thinc scales gradients for it, which requires a GPU
    objects = HFObjects(None, None, None, dict(tokenizer_config), dict(transformer_config))
    wrapper = HFWrapper(objects, convert_inputs=_convert_inputs, convert_outputs=_convert_outputs)
    wrapper.shims[0] = SharedHFShim(
        objects,
        tokenize=partial(split_words, sentences=[["a"]]),
        mixed_precision=mixed_precision,
        grad_scaler_config=dict(grad_scaler_config),
    )
    attrs = {
        "name": name,
        "sentence_rows": True,
        "has_transformer": False,
        "set_transformer": set_transformer,
        "read_sentences": read_sentences,
        "options": WordTransformerOptions(
            clean_words=clean_words,
            pad_left=pad_left,
            max_pieces=max_pieces,
            max_batch_pieces=max_batch_pieces,
            trains_at_once=mixed_precision,  # a GPU has room for it, and is quicker
        ),
    }
    return Model("word_transformer", forward, init=init, layers=[wrapper], dims={"nO": None}, attrs=attrs)


def set_transformer(model: WordTransformerModel, hf_objects: HFObjects) -> None:
    """Set the layer's tokenizer and transformer, as `huggingface_from_pretrained` returns them."""
    shim = cast(SharedHFShim, model.layers[0].shims[0])
    shim._hfmodel = hf_objects
    shim._model = hf_objects.transformer
    shim.tokenize(hf_objects.tokenizer)
    model.attrs["has_transformer"] = True
    model.set_dim("nO", hf_objects.transformer.config.hidden_size)


def init(model: WordTransformerModel, X: Optional[List[Doc]] = None, Y: Optional[List[Floats2d]] = None) -> None:
    """Load tokenizer and transformer by name or path, unless the layer has them already."""
    if model.attrs["has_transformer"]:
        return
    empty = model.layers[0].shims[0]._hfmodel  # type: ignore[attr-defined]
    tokenizer_config, transformer_config = dict(empty._init_tokenizer_config), dict(empty._init_transformer_config)
    set_transformer(model, huggingface_from_pretrained(model.attrs["name"], tokenizer_config, transformer_config))


def forward(model: WordTransformerModel, docs: List[Doc], is_train: bool) -> Tuple[List[Floats2d], Callable]:
    """Vectors of every sentence, in order; the backward pass fine-tunes the transformer."""
    return read_sentences(model, docs, [sentence_words(doc) for doc in docs], is_train)


def read_sentences(
    model: WordTransformerModel, docs: List[Doc], sentences: Sequence[Sentences], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    """Vectors of every sentence, in order, and the backward pass.

    sentences (Sequence[Sentences]): For each Doc, the words of its sentences or of parts of them.
    """
    if not model.attrs["has_transformer"]:
        raise ValueError("The word transformer has no weights yet: call nlp.initialize(), or load it from disk")
    width = model.get_dim("nO")
    texts = [[doc[i].text for i in words] for doc, found in zip(docs, sentences, strict=True) for words in found]
    ends = numpy.cumsum([len(words) + 2 for words in texts])
    output = model.ops.alloc2f(int(ends[-1]) if len(ends) else 0, width)
    runs = []
    for batch in _batches(model, texts, is_train):
        vectors, backprop_batch = model.layers[0]((batch.ids, batch.attention_mask), is_train)
        sources = model.ops.asarray1i(cast(Ints1d, batch.sources), dtype="int64")
        targets = model.ops.asarray1i(cast(Ints1d, batch.targets), dtype="int64")
        output[targets] = model.ops.reshape2f(vectors, -1, width)[sources]
        if is_train:
            runs.append((vectors.shape, sources, targets, backprop_batch))

    def backprop(d_rows: List[Floats2d]) -> List[Doc]:
        d_output = model.ops.xp.concatenate(d_rows) if d_rows else output
        while runs:
            shape, sources, targets, backprop_batch = runs.pop()
            d_vectors = model.ops.alloc3f(*shape)
            model.ops.reshape2f(d_vectors, -1, width)[sources] = d_output[targets]
            backprop_batch(d_vectors)
        return docs

    return [output[end - len(words) - 2 : end] for words, end in zip(texts, ends.tolist(), strict=True)], backprop


def _batches(model: WordTransformerModel, sentences: List[List[str]], is_train: bool) -> List[PaddedPieces]:
    """Clean, split and pad; sequences of similar length come together. Sentences without words are left out."""
    hf_objects = model.layers[0].shims[0]._hfmodel  # type: ignore[attr-defined]
    tokenizer, transformer = hf_objects.tokenizer, hf_objects.transformer
    options: WordTransformerOptions = model.attrs["options"]
    clean = WORD_CLEANERS[options.clean_words]
    split = split_words(tokenizer, [clean(words) for words in sentences])
    specials = special_pieces(tokenizer)
    limit = piece_limit(tokenizer, transformer, options.max_pieces)
    sequences: List[PieceSequence] = []
    first_row = 0
    for words in split:
        if words:
            sequences.extend(cut_sentence(words, specials, limit, first_row, specials_last=options.pad_left))
        first_row += len(words) + 2
    sequences.sort(key=lambda sequence: len(sequence.ids))
    at_once = is_train and options.trains_at_once
    batches: List[List[PieceSequence]] = []
    for sequence in sequences:
        if not batches or not (at_once or (len(batches[-1]) + 1) * len(sequence.ids) <= options.max_batch_pieces):
            batches.append([])
        batches[-1].append(sequence)
    return [_pad(batch, specials.pad, options.pad_left) for batch in batches]


def _pad(sequences: Sequence[PieceSequence], pad_id: int, pad_left: bool) -> PaddedPieces:
    n_pieces = max(len(sequence.ids) for sequence in sequences)
    ids = numpy.full((len(sequences), n_pieces), pad_id, dtype="int64")
    mask = numpy.zeros(ids.shape, dtype="int64")
    sources: List[int] = []
    targets: List[int] = []
    for k, sequence in enumerate(sequences):
        first = n_pieces - len(sequence.ids) if pad_left else 0
        ids[k, first : first + len(sequence.ids)] = sequence.ids
        mask[k, first : first + len(sequence.ids)] = 1
        sources.extend(k * n_pieces + first + position for position in sequence.positions)
        targets.extend(sequence.rows)
    return PaddedPieces(ids, mask, numpy.array(sources, dtype="int64"), numpy.array(targets, dtype="int64"))


def _convert_inputs(model: Model, inputs: Tuple[ndarray, ndarray], is_train: bool) -> Tuple[ArgsKwargs, Callable]:
    device = model.shims[0]._hfmodel.transformer.device  # type: ignore[attr-defined]
    ids, attention_mask = (torch.from_numpy(array).to(device) for array in inputs)
    kwargs = {"input_ids": ids, "attention_mask": attention_mask}
    return ArgsKwargs(args=(), kwargs=kwargs), lambda d_inputs: []


def _convert_outputs(model: Model, inputs_outputs: Tuple[Any, Any], is_train: bool) -> Tuple[Floats3d, Callable]:
    hidden = inputs_outputs[1].last_hidden_state

    def backprop(d_vectors: Floats3d) -> ArgsKwargs:
        d_hidden = xp2torch(d_vectors, device=hidden.device).to(hidden.dtype)
        return ArgsKwargs(args=((hidden,),), kwargs={"grad_tensors": (d_hidden,)})

    return cast(Floats3d, torch2xp(hidden.detach().float(), ops=model.ops)), backprop

"""`spacy-lal.WordTransformer.v1`: XLNet as the LAL parser's authors feed it, word by word (reference-parser.md 1.4).

Differs from spacy-transformers' own layers in its input (treebank escapes undone, each word split into pieces
separately, one sentence a sequence) and its output (the last piece of each word; rows for START and STOP, too).
spacy-transformers loads, fine-tunes and stores it. It is *not* shared between components: no listeners. Sentences are
read whole, which needs a transformer without a longest sequence.
"""

from typing import Any, Callable, Dict, List, Literal, NamedTuple, Optional, Sequence, Tuple, cast

import numpy
import torch
from numpy import ndarray
from spacy.tokens import Doc
from spacy_transformers.data_classes import HFObjects
from spacy_transformers.layers.hf_wrapper import HFWrapper
from spacy_transformers.layers.transformer_model import huggingface_from_pretrained
from thinc.api import Model, torch2xp, xp2torch
from thinc.types import ArgsKwargs, Floats2d, Floats3d

from ..annotations import Sentences, sentence_words

WordTransformerModel = Model[List[Doc], List[Floats2d]]
MAX_BATCH_PIECES = 4096  # that run at once, padding included

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
DOUBLE_QUOTES = dict.fromkeys(("``", "''", "«", "»", "“", "”", "„"), '"')
SINGLE_QUOTES = dict.fromkeys(("`", "‘", "’", "‹", "›"), "'")
HPSG_WORDS = {**BRACKETS, **DOUBLE_QUOTES, **SINGLE_QUOTES}
CLEAN_WORDS = {"lal": {**HPSG_WORDS, **dict.fromkeys(("–", "—"), "--")}, "hpsg": HPSG_WORDS}


class PieceSequence(NamedTuple):
    """A sentence as pieces.

    ids (List[int]): The pieces, including special ones.
    positions (List[int]): The pieces whose vectors are read, in the order of the sentence's rows: START, the last piece
        of each word, STOP.
    first_row (int): The row of START in the output.
    """

    ids: List[int]
    positions: List[int]
    first_row: int


def build_word_transformer(
    name: str,
    tokenizer_config: Dict[str, Any] = {},  # noqa: B006 (read only; spacy-transformers' own form)
    clean_words: Literal["lal", "hpsg"] = "lal",
    pad_left: bool = False,
) -> WordTransformerModel:
    """A pretrained transformer as the `tok2vec` of a LAL parser: one (n + 2, width) array for each sentence of n
    tokens, with rows for START and STOP, as its attribute `sentence_rows` says. Whitespace tokens are left out.

    name (str): Name on the Hugging Face hub, or a path. Read once, when a pipeline is initialised; a saved pipeline
        holds tokenizer, config and weights.
    tokenizer_config (Dict[str, Any]): Settings for the tokenizer, for example {"use_fast": false}.
    clean_words ("lal" or "hpsg"): How words are cleaned before they are split: brackets unescaped, quotes and dashes
        plain ("hpsg" keeps dashes), "n't" divided into "n" + "'t".
    pad_left (bool): False: [cls] words [sep], right padded. True: words [sep] [cls], left padded, and every row holds
        the next word's vector, as in the authors' code (T11). Only for checkpoints trained like this.
    RETURNS (WordTransformerModel): The layer.
    """
    objects = HFObjects(None, None, None, dict(tokenizer_config), {})
    wrapper = HFWrapper(objects, convert_inputs=_convert_inputs, convert_outputs=_convert_outputs)
    attrs = {
        "name": name,
        "sentence_rows": True,
        "has_transformer": False,
        "set_transformer": set_transformer,
        "read_sentences": read_sentences,
        "clean_words": clean_words,
        "pad_left": pad_left,
    }
    return Model("word_transformer", forward, init=init, layers=[wrapper], dims={"nO": None}, attrs=attrs)


def set_transformer(model: WordTransformerModel, hf_objects: HFObjects) -> None:
    """Set the layer's tokenizer and transformer, as `huggingface_from_pretrained` returns them."""
    shim: Any = model.layers[0].shims[0]
    shim._hfmodel, shim._model = hf_objects, hf_objects.transformer
    model.attrs["has_transformer"] = True
    model.set_dim("nO", hf_objects.transformer.config.hidden_size)


def init(model: WordTransformerModel, X: Optional[List[Doc]] = None, Y: Optional[List[Floats2d]] = None) -> None:
    """Load tokenizer and transformer by name or path, unless the layer has them already."""
    if not model.attrs["has_transformer"]:
        empty = model.layers[0].shims[0]._hfmodel  # type: ignore[attr-defined]
        settings = dict(empty._init_tokenizer_config), dict(empty._init_transformer_config)
        set_transformer(model, huggingface_from_pretrained(model.attrs["name"], *settings))


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
    for ids, mask, sources, targets in _batches(model, texts):
        vectors, backprop_batch = model.layers[0]((ids, mask), is_train)
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


def clean_words(words: Sequence[str], how: str) -> List[str]:
    """The same number of words as the transformer gets them: do, n't are don, 't."""
    cleaned: List[str] = []
    for word in words:
        if word == "n't" and cleaned:
            cleaned[-1] += "n"
            word = "'t"
        cleaned.append(CLEAN_WORDS[how].get(word, word))
    return cleaned


def split_words(tokenizer: Any, sentences: Sequence[Sequence[str]]) -> List[List[List[int]]]:
    """The ids of the pieces of each word, which is split separately; the unknown piece for a word without pieces."""
    words = sorted({word for sentence in sentences for word in sentence})
    if not words:
        return [[] for _ in sentences]
    # This call neither truncates nor adds special pieces, so the tokenizer's warning about length would mislead.
    encoded = tokenizer(words, add_special_tokens=False, return_attention_mask=False, verbose=False)["input_ids"]
    pieces = {word: list(ids) or [tokenizer.unk_token_id] for word, ids in zip(words, encoded, strict=True)}
    return [[pieces[word] for word in sentence] for sentence in sentences]


def make_sequence(
    words: Sequence[List[int]], cls: int, sep: int, first_row: int, *, pad_left: bool = False
) -> PieceSequence:
    """[cls] words [sep] with rows START, words, STOP; or with `pad_left` words [sep] [cls], read in that order into the
    same rows, which shifts words by one (T11)."""
    ends = numpy.cumsum([len(pieces) for pieces in words]).tolist()
    pieces = [piece for word in words for piece in word]
    if pad_left:
        return PieceSequence([*pieces, sep, cls], [*(end - 1 for end in ends), len(pieces), len(pieces) + 1], first_row)
    return PieceSequence([cls, *pieces, sep], [0, *ends, len(pieces) + 1], first_row)


def _batches(model: WordTransformerModel, sentences: List[List[str]]) -> List[Tuple[ndarray, ...]]:
    """Clean, split and pad; sentences of similar length come together, and those without words are left out.

    RETURNS (List[Tuple[ndarray, ...]]): Of each batch: ids and attention mask, *shape:* (batch_size, n_pieces); the
        vectors to read among the batch_size * n_pieces, and their rows in the output, *shape:* (n_read,).
    """
    tokenizer, pad_left = model.layers[0].shims[0]._hfmodel.tokenizer, model.attrs["pad_left"]  # type: ignore[attr-defined]
    split = split_words(tokenizer, [clean_words(words, model.attrs["clean_words"]) for words in sentences])
    rows = numpy.cumsum([0, *(len(words) + 2 for words in split)]).tolist()
    sequences = [
        make_sequence(words, tokenizer.cls_token_id, tokenizer.sep_token_id, row, pad_left=pad_left)
        for words, row in zip(split, rows[:-1], strict=True)
        if words
    ]
    batches: List[List[PieceSequence]] = []
    for one in sorted(sequences, key=lambda sequence: len(sequence.ids)):
        if not batches or (len(batches[-1]) + 1) * len(one.ids) > MAX_BATCH_PIECES:
            batches.append([])
        batches[-1].append(one)
    return [_pad(batch, tokenizer.pad_token_id, pad_left) for batch in batches]


def _pad(sequences: Sequence[PieceSequence], pad_id: int, pad_left: bool) -> Tuple[ndarray, ...]:
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
        targets.extend(range(sequence.first_row, sequence.first_row + len(sequence.positions)))
    return ids, mask, numpy.array(sources, dtype="int64"), numpy.array(targets, dtype="int64")


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

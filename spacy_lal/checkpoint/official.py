"""A checkpoint of the authors -> a spaCy pipeline with our `lal_parser`, ready to be
saved. The file is read as data: `torch.load` runs nothing. The stand-ins below take the
names of the authors' vocabulary class and of NumPy's scalars; any other name is
refused."""

import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

import numpy
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from torch import Tensor

from ..annotations import ROOT_DEPREL
from ..lang import DEFAULT_LANGUAGE
from ..layers.configs import ParserSizes
from ..models.parser import get_network
from ..trees.brackets import unescape_word
from ..trees.spans import SUB_HEAD_LABEL, join_chain
from . import networks
from .errors import CheckpointError

VOCABULARIES = ("tag_vocab", "word_vocab", "label_vocab", "char_vocab", "type_vocab")


class ReferenceVocabulary:
    """The authors' `vocabulary.Vocabulary`: strings (or label tuples) <-> ids, and
    their counts in training data."""

    values: list[Any]
    counts: Mapping[Any, int] = {}


class _Dtype:
    def __init__(self, name: str, align: bool, copy: bool) -> None:
        self.dtype = numpy.dtype(name)

    def __setstate__(self, state: Any) -> None:
        """The state has the byte order, which is little."""


def _scalar(dtype: _Dtype, data: bytes) -> Any:
    return numpy.frombuffer(data, dtype.dtype)[0].item()


ADMITTED = [
    (ReferenceVocabulary, "vocabulary.Vocabulary"),
    (lambda factory: {}, "collections.defaultdict"),  # only existing keys are looked up
    (int, "builtins.int"),
    (int, "__builtin__.int"),
    (int, "__builtin__.long"),
    (_Dtype, "numpy.dtype"),
    (_scalar, "numpy.core.multiarray.scalar"),
    (_scalar, "numpy._core.multiarray.scalar"),
    # bytes, as pickles of protocol 2 make them
    (lambda text, encoding: text.encode("latin1"), "_codecs.encode"),
]


@dataclass(frozen=True)
class Checkpoint:
    """The contents of a checkpoint file: hyperparameters as given, weights under the
    reference's names, and "tag_vocab", "word_vocab", "label_vocab", "char_vocab", and
    "type_vocab" unless the network scores no dependencies."""

    hparams: dict[str, Any]
    state_dict: dict[str, Tensor]
    vocabularies: dict[str, ReferenceVocabulary]


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint of the reference, written by `torch.save`, without running
    anything in it.

    RAISES (CheckpointError): The file is not a checkpoint, is damaged, or names
        anything but tensors, plain containers, NumPy scalars and the vocabulary
        class."""
    try:
        _refuse_compressed(path)
        with torch.serialization.safe_globals(ADMITTED):  # type: ignore[arg-type]
            content = torch.load(path, map_location="cpu", weights_only=True)
        spec = content["spec"]
        vocabularies = {
            name: spec[name]
            for name in VOCABULARIES
            if isinstance(spec.get(name), ReferenceVocabulary)
        }
        weights = content["state_dict"].items()
        detached = {name: tensor.detach() for name, tensor in weights}
        return Checkpoint(dict(spec["hparams"]), detached, vocabularies)
    except Exception as error:  # torch, zipfile and the stand-ins raise many kinds
        reason = str(error).split("WeightsUnpickler error: ")[-1].strip().split("\n")[0]
        raise CheckpointError(
            f"{path}: not a readable checkpoint ({type(error).__name__}: {reason})"
        ) from error


def _refuse_compressed(path: Path) -> None:
    """`torch.save` compresses nothing: an archive that does may fill the memory.

    RAISES (CheckpointError): The file is such an archive.
    """
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            kinds = {entry.compress_type for entry in archive.infolist()}
        if kinds - {zipfile.ZIP_STORED}:
            raise CheckpointError("expected an archive without compression")


SPECIAL_TAGS = ("<START>", "<STOP>", "UNK")
SPECIAL_WORDS = ("<START>", "<STOP>", "<UNK>")
# Stand-ins for special characters: unknown, sentence start, word start, word stop,
# sentence stop. The rest of the vocabulary follows, by codepoint or not
# (docs/explanation/parser.md, Inputs).
SPECIAL_CHARS = ("\0", "\1", "\2", "\3", "\4")
THEIR_ROOT = "root"
UNSUPPORTED = {
    "use_cat": "features side by side",
    "use_bert": "BERT vectors",
    "use_bert_only": "BERT vectors",
    "use_elmo": "ELMo vectors",
    "use_words": "word embeddings, with or without GloVe",
    "bert_transliterate": "transliteration",
}
SUPPORTED = "XLNet vectors (use_xlnet), tags (use_tags) and characters (use_chars_lstm)"
KK_SUPPORTED = (
    "tags (use_tags), words (use_words) and characters (use_chars_lstm, "
    "use_chars_concat)"
)
# The authors' script for their published scores parses 8 sentences at once, and with
# scrambled queries the scores depend on this number.
SCRAMBLED_BATCH_SIZE = 8


def import_pipeline(
    checkpoint: Checkpoint,
    *,
    tokenizer: Optional[str] = None,
    lang: str = DEFAULT_LANGUAGE,
    scrambled_queries: bool = False,
) -> Language:
    """Make a pipeline from a checkpoint: a sentencizer and a parser. Without `use_lal`
    it belongs to the HPSG parser (Zhou & Zhao 2019), which cleans words differently;
    without deprels, to Kitaev & Klein's parser of constituents. tokenizer: Name on the
    Hugging Face hub, or a folder; None for the checkpoint's `xlnet_model`.
    scrambled_queries: Reproduce the authors' batch effect, for their published scores.

    RAISES (CheckpointError): The checkpoint needs unsupported parts, its parts do not
        fit together, or the tokenizer cannot be found. (ImportError): SpaCy lacks the
        language."""
    try:
        return _import(checkpoint, tokenizer, lang, scrambled_queries)
    except CheckpointError:
        raise
    except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"the checkpoint's parts make no network: {type(error).__name__}: {error}"
        ) from error


def _import(
    checkpoint: Checkpoint, tokenizer: Optional[str], lang: str, scrambled_queries: bool
) -> Language:
    is_joint = "type_vocab" in checkpoint.vocabularies
    if scrambled_queries and not is_joint:
        raise CheckpointError(
            "scrambled queries are a fault of label attention, and the checkpoint has "
            "none"
        )
    unsupported = UNSUPPORTED if is_joint else {"use_elmo": "ELMo vectors"}
    refused = [name for name in unsupported if checkpoint.hparams.get(name)]
    if refused:
        named = ", ".join(f"{name} ({unsupported[name]})" for name in refused)
        raise CheckpointError(
            f"the checkpoint's network reads what is not supported: {named}; supported "
            f"are {SUPPORTED if is_joint else KK_SUPPORTED}"
        )
    state_dict = checkpoint.state_dict
    defaults = networks.DEFAULT_HPARAMS if is_joint else networks.KK_DEFAULT_HPARAMS
    hparams = {**defaults, **checkpoint.hparams}
    config, sizes = networks.network_config(
        hparams, state_dict, scrambled_queries=scrambled_queries
    )
    tok2vec: Optional[dict[str, Any]] = None
    hf_objects = None
    if sizes.vector_width:
        tok2vec, hf_objects = _xlnet(checkpoint, hparams, tokenizer)
    model = {
        "@architectures": "spacy-lal.ReferenceParser.v1",
        "tok2vec": tok2vec,
        "hparams": {name: hparams[name] for name in defaults},
        "n_label_heads": sizes.n_label_heads or None,
        "scrambled_queries": scrambled_queries,
    }
    decoder: dict[str, Any] = {"@misc": "spacy-lal.separate_decoder.v1"}
    fixed: list[tuple] = [()]
    if is_joint:
        fixed.append((SUB_HEAD_LABEL,))
        decoder = {
            "@misc": "spacy-lal.joint_decoder.v1",
            "guidelines": False,  # parses are those of the authors' program
            "constituency_weight": float(hparams["const_lada"]),
            "empty_nodes": False,
            "disagreement_cost": None,
        }
    nlp = spacy.blank(lang)
    nlp.add_pipe("sentencizer")
    blocks = {"model": model, "decoder": decoder}
    parser: Any = nlp.add_pipe("lal_parser", config=blocks)
    if hf_objects is not None:
        layer = parser.model.layers[0]
        layer.attrs["set_transformer"](layer, hf_objects)
    sample = Doc(nlp.vocab, words=["."])
    labels = _label_data(checkpoint, sizes, fixed)
    parser.initialize(lambda: [Example(sample, sample)], nlp=nlp, labels=labels)
    weights = networks.convert_state_dict(state_dict, config, sizes)
    get_network(parser.model).load_state_dict(weights)
    if scrambled_queries:
        nlp.batch_size = nlp.config["nlp"]["batch_size"] = SCRAMBLED_BATCH_SIZE
    return nlp


def _xlnet(
    checkpoint: Checkpoint, hparams: dict[str, Any], tokenizer: Optional[str]
) -> tuple[dict[str, Any], Any]:
    """The block of the word transformer, its tokenizer and weights."""
    from .xlnet import make_hf_objects

    prefix = networks.TRANSFORMER_PREFIX
    xlnet = {
        key.removeprefix(prefix): value
        for key, value in checkpoint.state_dict.items()
        if key.startswith(prefix)
    }
    name = hparams["xlnet_model"]
    lower_case = bool(hparams["xlnet_do_lower_case"])
    objects = make_hf_objects(xlnet, tokenizer or name, lower_case=lower_case)
    is_fast = bool(objects.tokenizer.is_fast)
    block = {
        "@architectures": "spacy-lal.WordTransformer.v1",
        "name": name,
        "tokenizer_config": {"use_fast": is_fast, "do_lower_case": lower_case},
        "clean_words": "lal" if "use_lal" in checkpoint.hparams else "hpsg",
        "pad_left": bool(hparams["pad_left"]),
    }
    return block, objects


def _label_data(
    checkpoint: Checkpoint, sizes: ParserSizes, fixed: Sequence[tuple]
) -> dict[str, list[Any]]:
    """The checkpoint's vocabularies as `LALParser.initialize` takes them, in the
    checkpoint's order, without the chains `fixed`. The deprel `root` becomes spaCy's
    ROOT. Words become raw text: `-LRB-` is `(`, unless that is in the vocabulary,
    too."""
    n_labels = sizes.n_labels + len(fixed) - 2
    expected: dict[str, Any] = {
        "tag": (sizes.n_tags, SPECIAL_TAGS),
        "word": (sizes.n_words, SPECIAL_WORDS),
        "char": (sizes.n_chars, SPECIAL_CHARS),
        "type": (sizes.n_deprels, ()),
        "label": (n_labels, tuple(fixed)),
    }
    ours: dict[str, list[Any]] = {}
    for kind, (size, special) in expected.items():
        values = checkpoint.vocabularies[f"{kind}_vocab"].values if size else []
        begin = tuple(values[: len(special)])
        fits = len(set(values)) == len(values) == size
        if not fits or (size and begin != special):
            raise CheckpointError(
                f"{kind}_vocab has {len(values)} entries and begins with {begin}; "
                f"expected {size} different ones, as there are weights, and {special}"
            )
        ours[kind] = values[len(begin) :]
    counts = checkpoint.vocabularies["word_vocab"].counts
    raw = [unescape_word(word) for word in ours["word"]]
    n_raw = Counter(raw)
    root = THEIR_ROOT if ROOT_DEPREL in ours["type"] else ROOT_DEPREL
    return {
        "constituents": [join_chain(chain) for chain in ours["label"]],
        "deprels": [root if name == THEIR_ROOT else name for name in ours["type"]],
        "tags": ours["tag"],
        "chars": ours["char"],
        "words": [
            raw_word if raw_word and n_raw[raw_word] == 1 else word
            for word, raw_word in zip(ours["word"], raw, strict=True)
        ],
        "word_counts": [max(0, counts.get(word, 0)) for word in ours["word"]],
    }

"""A checkpoint of the authors -> a spaCy pipeline with our `lal_parser`, ready to be saved.

The pipeline is made from its config, like any other; then it gets the checkpoint's labels and weights. Parts that
`spacy-lal.ReferenceParser.v1` cannot build are refused by name. *Not* here: files, except the tokenizer's.
"""

from collections import Counter
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import ROOT_DEPREL
from ..models.features import N_SPECIAL_CHARS, N_SPECIAL_IDS
from ..models.parser import get_network
from .blocks import model_blocks
from .convert import LoadedNetwork, load_network
from .hparams import DEFAULT_HPARAMS, checked_hparams, model_name
from .kitaev_klein import is_kitaev_klein, load_constituents
from .reader import Checkpoint, CheckpointError
from .records import quoted
from .word_transformer import set_transformer
from .xlnet import make_hf_objects

SPECIAL_TAGS = ("<START>", "<STOP>", "UNK")
SPECIAL_WORDS = ("<START>", "<STOP>", "<UNK>")
# Stand-ins for special characters: unknown, sentence start, word start, word stop, sentence stop. The rest of the
# vocabulary follows, by codepoint or not (reference-parser.md 1.5).
SPECIAL_CHARS = ("\0", "\1", "\2", "\3", "\4")
THEIR_ROOT = "root"
UNSUPPORTED = {
    "use_bert": "BERT vectors",
    "use_bert_only": "BERT vectors",
    "use_elmo": "ELMo vectors",
    "use_words": "word embeddings, with or without GloVe",
    "bert_transliterate": "transliteration",
}
SUPPORTED = "XLNet vectors (use_xlnet), tags (use_tags) and characters (use_chars_lstm)"
MAX_ENTRY_LENGTH = 200  # characters of a label, deprel or tag
MAX_WORD_LENGTH = 10_000  # characters of a word
# The authors' script for their published scores parses 8 sentences at once, and with scrambled queries the scores
# depend on this number.
SCRAMBLED_BATCH_SIZE = 8


class ImportedPipeline(NamedTuple):
    """A pipeline made from a checkpoint.

    nlp (Language): A sentencizer, and the parser.
    reads_tags (bool): Whether the parser reads `token.tag_`, and so needs a tagger before it.
    tags (List[str]): The tags in the parser's vocabulary.
    transformer (Optional[str]): The name of its transformer, if any.
    n_constituents, n_deprels (int): Numbers of its labels.
    """

    nlp: Language
    reads_tags: bool
    tags: List[str]
    transformer: Optional[str]
    n_constituents: int
    n_deprels: int


def import_pipeline(
    checkpoint: Checkpoint, *, tokenizer: Optional[str] = None, lang: str = "en", scrambled_queries: bool = False
) -> ImportedPipeline:
    """Make a pipeline from a checkpoint.

    checkpoint (Checkpoint): From `read_checkpoint`. Without `use_lal` it belongs to the HPSG parser (Zhou & Zhao 2019),
        which cleans words differently; without deprels, to Kitaev & Klein's parser of constituents (2018).
    tokenizer (Optional[str]): Name on the Hugging Face hub, or a folder; None for the checkpoint's `xlnet_model`.
    lang (str): The language whose tokenisation the pipeline has.
    scrambled_queries (bool): Reproduce the authors' batch effect, for their published scores.
    RETURNS (ImportedPipeline): The pipeline and facts for its user.
    RAISES (CheckpointError): The checkpoint needs unsupported parts, its parts do not fit together, or the tokenizer
        cannot be found. (ImportError): SpaCy lacks the language.
    """
    if is_kitaev_klein(checkpoint):
        return _import_constituents(checkpoint, lang=lang, scrambled_queries=scrambled_queries)
    return _import_joint(checkpoint, tokenizer=tokenizer, lang=lang, scrambled_queries=scrambled_queries)


def _import_joint(
    checkpoint: Checkpoint, *, tokenizer: Optional[str], lang: str, scrambled_queries: bool
) -> ImportedPipeline:
    """A pipeline from a checkpoint of the LAL or the HPSG parser, whose network is a `spacy-lal.ReferenceParser.v1`."""
    _refuse_unsupported(checkpoint.hparams)
    hparams = checked_hparams(checkpoint.hparams, checkpoint.state_dict)
    loaded = load_network(checkpoint, scrambled_queries=scrambled_queries)
    sizes = loaded.network.sizes
    label_data = _label_data(loaded)
    tok2vec = transformer = None
    hf_objects = None
    if sizes.vector_width:
        if not loaded.transformer:
            raise CheckpointError(
                "the checkpoint has no 'xlnet.*' weights, though its network reads the vectors of a transformer "
                "(use_xlnet): expected a checkpoint that holds them, as the authors' do"
            )
        transformer, lower_case = model_name(hparams, tokenizer), bool(hparams["xlnet_do_lower_case"])
        hf_objects = make_hf_objects(loaded.transformer, tokenizer or transformer, lower_case=lower_case)
        tok2vec = {
            "@architectures": "spacy-lal.WordTransformer.v1",
            "name": transformer,
            "tokenizer_config": {"use_fast": bool(hf_objects.tokenizer.is_fast), "do_lower_case": lower_case},
            "clean_words": "lal" if "use_lal" in checkpoint.hparams else "hpsg",
            "pad_left": bool(hparams["pad_left"]),
        }
    nlp = spacy.blank(lang, config={"nlp": {"batch_size": SCRAMBLED_BATCH_SIZE}} if scrambled_queries else {})
    nlp.add_pipe("sentencizer")
    decoder = {
        "@misc": "spacy-lal.joint_decoder.v1",
        "constituency_weight": loaded.constituency_weight,
        "empty_nodes": False,
    }
    model = {
        "@architectures": "spacy-lal.ReferenceParser.v1",
        "tok2vec": tok2vec,
        "hparams": {name: hparams[name] for name in DEFAULT_HPARAMS},
        "n_label_heads": sizes.n_label_heads or None,
        "scrambled_queries": scrambled_queries,
    }
    parser: Any = nlp.add_pipe("lal_parser", config={"model": model, "decoder": decoder})
    if hf_objects is not None:
        set_transformer(parser.model.layers[0], hf_objects)
    sample = Doc(nlp.vocab, words=["."])
    parser.initialize(lambda: [Example(sample, sample)], nlp=nlp, labels=label_data)
    get_network(parser.model).load_state_dict(loaded.network.state_dict())
    return ImportedPipeline(
        nlp, sizes.n_tags > 0, label_data["tags"], transformer, len(loaded.labels), len(loaded.deprels)
    )


def _import_constituents(checkpoint: Checkpoint, *, lang: str, scrambled_queries: bool) -> ImportedPipeline:
    """A pipeline from a checkpoint of Kitaev & Klein's parser, whose network is a `spacy-lal.LALParser.v1`."""
    if scrambled_queries:
        raise CheckpointError("scrambled queries are a fault of label attention, and the checkpoint's network has none")
    loaded = load_constituents(checkpoint)
    label_data = _label_data(loaded)
    nlp = spacy.blank(lang)
    nlp.add_pipe("sentencizer")
    model = {**model_blocks(loaded.network.config), "tok2vec": None}
    decoder = {"@misc": "spacy-lal.separate_decoder.v1"}
    parser: Any = nlp.add_pipe("lal_parser", config={"model": model, "decoder": decoder})
    sample = Doc(nlp.vocab, words=["."])
    parser.initialize(lambda: [Example(sample, sample)], nlp=nlp, labels=label_data)
    get_network(parser.model).load_state_dict(loaded.network.state_dict())
    return ImportedPipeline(nlp, loaded.network.sizes.n_tags > 0, label_data["tags"], None, len(loaded.labels), 0)


def _refuse_unsupported(hparams: Mapping[str, Any]) -> None:
    """Refuse inputs that we do not build; the message names them and the supported ones."""
    refused = [f"{name} ({what})" for name, what in UNSUPPORTED.items() if hparams.get(name)]
    if refused:
        raise CheckpointError(
            f"the checkpoint's network reads what is not supported: {', '.join(refused)}; supported are {SUPPORTED}"
        )


def _label_data(loaded: LoadedNetwork) -> Dict[str, List[Any]]:
    """The checkpoint's vocabularies as `LALParser.initialize` takes them, in the checkpoint's order.

    The deprel `root` becomes spaCy's ROOT, as everywhere on our Docs; it is `root` again in CoNLL-U.
    """
    _require_first("tag", loaded.tags, SPECIAL_TAGS)
    _require_first("word", loaded.words if loaded.word_counts else [], SPECIAL_WORDS)
    _require_first("character", loaded.chars, SPECIAL_CHARS)
    if len(loaded.chars) != loaded.network.sizes.n_chars:
        raise CheckpointError(
            f"char_vocab has {len(loaded.chars)} entries, but the weights are for {loaded.network.sizes.n_chars}"
        )
    deprels = loaded.deprels
    if ROOT_DEPREL not in deprels:
        deprels = [ROOT_DEPREL if deprel == THEIR_ROOT else deprel for deprel in deprels]
    data: Dict[str, List[Any]] = {
        "constituents": loaded.labels,
        "deprels": deprels,
        "tags": loaded.tags[N_SPECIAL_IDS:],
        "chars": loaded.chars[N_SPECIAL_CHARS:],
        "words": loaded.words[N_SPECIAL_IDS:] if loaded.word_counts else [],
    }
    for name, values in data.items():
        counts = Counter(values)
        most = MAX_WORD_LENGTH if name == "words" else MAX_ENTRY_LENGTH
        printable = name not in ("chars", "words")
        strange = [value for value, n in counts.items() if n > 1 or not _is_entry(value, most, printable=printable)]
        if strange:
            raise CheckpointError(
                f"the checkpoint's {name}: expected different strings of at most {most} characters, but "
                f"not (only) once: {', '.join(map(quoted, strange[:5]))}"
            )
    return {**data, "word_counts": list(loaded.word_counts[N_SPECIAL_IDS:])}


def _is_entry(value: Any, most: int, *, printable: bool) -> bool:
    if not isinstance(value, str) or not 0 < len(value) <= most:
        return False
    return value.isprintable() if printable else not any("\ud800" <= char <= "\udfff" for char in value)


def _require_first(kind: str, values: List[str], expected: tuple) -> None:
    if values and tuple(values[: len(expected)]) != expected:
        raise CheckpointError(
            f"the checkpoint's {kind} vocabulary begins with {', '.join(map(quoted, values[: len(expected)]))}; "
            f"expected {', '.join(map(quoted, expected))}"
        )

"""What networks read of Docs: sentences, their ids and vectors, and how sentences run
together. NumPy on the host; vectors stay on thinc's device. *Not* here: networks."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Optional

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import Sentences, sentence_words
from ..layers.pair_features import ParseArrays
from .vectors import listeners, predict_rows, require_vectors, rows_of_docs

# First ids of the vocabularies of tags and words (docs/explanation/parser.md), before
# the treebank's own.
START_ID = 0
STOP_ID = 1
UNKNOWN_ID = 2
N_SPECIAL_IDS = 3
# First ids of the character vocabulary. The unknown character is also the padding.
UNKNOWN_CHAR = 0
SENTENCE_START_CHAR = 1
WORD_START_CHAR = 2
WORD_STOP_CHAR = 3
SENTENCE_STOP_CHAR = 4
N_SPECIAL_CHARS = 5
START_CHARS = (WORD_START_CHAR, *[SENTENCE_START_CHAR] * 3, WORD_STOP_CHAR)
STOP_CHARS = (WORD_START_CHAR, *[SENTENCE_STOP_CHAR] * 3, WORD_STOP_CHAR)

# Most chart cells, (n + 1)^2 of each sentence with padding, that are scored at once.
MAX_BATCH_CELLS = 16384
# Charts of very short sentences are small, but their label attention is not: no
# sentence counts as shorter than this.
MIN_CHART_SIDE = 32


class SentenceFeatures(NamedTuple):
    """The features of one sentence of n tokens, apart from vectors. None: the network
    does not read them.

    rows: The sentence's rows among the batch's tokens, all Docs one after the other.
        *Shape:* (n,).
    tag_ids, word_ids: START, tokens, STOP. *Shape:* (n + 2,).
    chars: n + 2 sequences of character ids, each with its word marks."""

    rows: ndarray
    tag_ids: Optional[ndarray] = None
    chars: Optional[Sequence[Sequence[int]]] = None
    word_ids: Optional[ndarray] = None

    @property
    def length(self) -> int:
        """Number of tokens, START and STOP not counted."""
        return len(self.rows)


class VectorRows(NamedTuple):
    """Vectors of a whole batch, (n_rows, width), on thinc's device: an array, or
    `JoinedRows`; and the numbers of each sentence's rows, (n,), or (n + 2,) where they
    include START and STOP (`has_boundaries`)."""

    data: Any
    rows: list[ndarray]
    has_boundaries: bool = False


class NetworkBatch(NamedTuple):
    """The input of a parser's network; pruned (bool): whether pruned labels
    suffice."""

    features: list[SentenceFeatures]
    vectors: Optional[VectorRows]
    pruned: bool = False

    @property
    def lengths(self) -> list[int]:
        """The words of each sentence."""
        return [sentence.length for sentence in self.features]


class RolesBatch(NamedTuple):
    """The input of a network of semantic roles; the lists have one item for each
    sentence. heads: For the syntax head, from 0; a root is its own head, -1 is unknown.
    *Shapes:* (n,). deprel_heads: Heads for which deprels are scored. None: deprels are
    not scored. predicates: The words that are predicates, ascending. None: the
    network's own, which have at least the probability `threshold`."""

    vectors: VectorRows
    heads: Optional[list[ndarray]] = None
    deprel_heads: Optional[list[ndarray]] = None
    predicates: Optional[list[ndarray]] = None
    threshold: float = 0.5
    parses: Optional[list[ParseArrays]] = None

    @property
    def lengths(self) -> list[int]:
        """The words of each sentence."""
        return [len(rows) for rows in self.vectors.rows]


def sub_batches(lengths: Sequence[int]) -> list[list[int]]:
    """Numbers of sentences of similar length that run together. Empty sentences are
    left out."""
    batches: list[list[int]] = []
    with_words = [i for i, length in enumerate(lengths) if length]
    for i in sorted(with_words, key=lengths.__getitem__):
        side = lengths[i] + 1
        n_cells = side * max(side, MIN_CHART_SIDE)
        fits = batches and (len(batches[-1]) + 1) * n_cells <= MAX_BATCH_CELLS
        if not fits:
            batches.append([])
        batches[-1].append(i)
    return batches


def pad_arrays(
    arrays: Sequence[Optional[ndarray]],
    shape: tuple[int, ...],
    dtype: str = "float32",
    fill: int = 0,
) -> ndarray:
    """Arrays of sentences as one array of a batch; None leaves its place empty."""
    padded = numpy.full(shape, fill, dtype=dtype)
    for place, array in zip(padded, arrays, strict=False):
        if array is not None and array.size:
            place[tuple(slice(size) for size in array.shape)] = array
    return padded


# Features


@dataclass(frozen=True)
class ReadingOptions:
    """Features of words that `sentence_features` reads. A record, since thinc saves
    attributes of plain types. In training, a word of count c is the unknown word with
    probability 1 / (1 + c)."""

    use_tags: bool = False
    use_chars: bool = False
    max_word_length: int = 64
    use_words: bool = False


def sentence_features(
    options: Optional[ReadingOptions] = None,
) -> Model[list[Doc], list[SentenceFeatures]]:
    """A layer without weights from Docs to features of sentences. Its vocabularies are
    attributes, saved with it."""
    attrs = {
        "options": options or ReadingOptions(),
        "tags": [],
        "chars": [],
        "words": [],
        "word_counts": [],
    }
    return Model("sentence_features", _forward, attrs=attrs)


def _forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[SentenceFeatures], Callable]:
    sentences = [sentence_words(doc) for doc in docs]
    features = read_features(model, docs, sentences, is_train)
    return features, lambda d_features: []


def read_features(
    model: Model, docs: list[Doc], sentences: Sequence[Sentences], is_train: bool
) -> list[SentenceFeatures]:
    """The features of the sentences of each Doc, or of parts of them. In training, rare
    words may be dropped."""
    tables = _Tables(model, is_train)
    features = []
    offset = 0
    for doc, doc_sentences in zip(docs, sentences, strict=True):
        features += [tables.read(doc, words, offset) for words in doc_sentences]
        offset += len(doc)
    if (
        tables.tags
        and any(sentence.length for sentence in features)
        and not any(doc.has_annotation("TAG") for doc in docs)
    ):
        warnings.warn(
            "The parser reads part-of-speech tags (token.tag_), and none of these Docs "
            "has any: every word gets the unknown tag, and parses suffer. Add a tagger "
            "before the parser.",
            stacklevel=4,
        )
    return features


class _Tables:
    """From strings to ids, by the vocabularies of `sentence_features`; None where the
    network does not read them."""

    def __init__(self, model: Model, is_train: bool) -> None:
        attrs = model.attrs
        options: ReadingOptions = attrs["options"]
        self.tags = self.chars = self.words = None
        if options.use_tags:
            self.tags = _id_table(tuple(attrs["tags"]), N_SPECIAL_IDS)
        if options.use_chars:
            self.chars = _id_table(tuple(attrs["chars"]), N_SPECIAL_CHARS)
        if options.use_words:
            self.words = _id_table(tuple(attrs["words"]), N_SPECIAL_IDS)
        self.counts = numpy.array([*[0] * N_SPECIAL_IDS, *attrs["word_counts"]])
        self.is_train = is_train
        self.max_word_length = options.max_word_length
        self.spellings: dict[str, tuple[int, ...]] = {}

    def read(self, doc: Doc, words: Sequence[int], offset: int) -> SentenceFeatures:
        """The features of some words of a Doc. offset (int): Its first row."""
        tags = chars = ids = None
        if self.tags is not None:
            tags = _framed([self.tags.get(doc[i].tag_, UNKNOWN_ID) for i in words])
        if self.chars is not None:
            spellings = [self.spelling(doc[i].text) for i in words]
            chars = [START_CHARS, *spellings, STOP_CHARS]
        if self.words is not None:
            ids = _framed([self.words.get(doc[i].text, UNKNOWN_ID) for i in words])
            if self.is_train:
                is_rare = numpy.random.random(len(ids)) < 1.0 / (1.0 + self.counts[ids])
                ids = numpy.where(is_rare & (ids >= N_SPECIAL_IDS), UNKNOWN_ID, ids)
        rows = numpy.array(words, dtype="int64") + offset
        return SentenceFeatures(rows, tags, chars, ids)

    def spelling(self, word: str) -> tuple[int, ...]:
        """The ids of a word's characters between the two word marks; the middle of a
        longer word is left out."""
        if word not in self.spellings:
            letters = word
            if len(word) > self.max_word_length:
                n_last = self.max_word_length // 2
                letters = word[: self.max_word_length - n_last] + word[-n_last:]
            table = self.chars or {}
            ids = [table.get(char, UNKNOWN_CHAR) for char in letters]
            self.spellings[word] = (WORD_START_CHAR, *ids, WORD_STOP_CHAR)
        return self.spellings[word]


@lru_cache(maxsize=16)  # a vocabulary of words is large; the tables are never changed
def _id_table(values: tuple[str, ...], n_special: int) -> dict[str, int]:
    return {value: i for i, value in enumerate(values, start=n_special)}


def _framed(ids: list[int]) -> ndarray:
    return numpy.array([START_ID, *ids, STOP_ID], dtype="int64")


# Vectors


def get_shim(model: Model) -> Any:
    """The shim of a network's model, a `NetworkShim`. By position, not by reference:
    thinc's `Model.copy` loses references."""
    return model.layers[-1].shims[0]


def get_config(model: Model) -> Any:
    """Everything of a network's model but the sizes that come from data: a
    `ParserNetworkConfig` or a `RolesNetworkConfig`."""
    return get_shim(model).config


def embed(
    model: Model,
    docs: list[Doc],
    is_train: bool,
    sentences: Optional[Sequence[Sentences]] = None,
) -> tuple[NetworkBatch, Callable]:
    """Features and vectors of sentences, or of parts of them, and the backward pass of
    `VectorRows.data`."""
    *tok2vecs, reader, _ = model.layers
    if sentences is None:
        sentences = [sentence_words(doc) for doc in docs]
    features = read_features(reader, docs, sentences, is_train)
    # Docs without tokens have no sentences; spaCy's tok2vecs fail on a batch without
    # tokens.
    if not tok2vecs or not any(map(len, docs)):
        return NetworkBatch(features, None), lambda d_data: []
    tok2vec = tok2vecs[0]
    if not is_train:
        require_vectors(listeners(tok2vec), docs)
    read = tok2vec.attrs.get("read_sentences")
    if read is None and not is_train:
        data = predict_rows(tok2vec, docs)
        vectors = _vector_rows(model, features, docs, data)
        return NetworkBatch(features, vectors), lambda d_data: []
    if read is None:
        arrays, backprop_arrays = tok2vec(docs, is_train)
    else:
        arrays, backprop_arrays = read(tok2vec, docs, sentences, is_train)
    vectors = _vector_rows(model, features, docs, rows_of_docs(model, arrays))
    ends = numpy.cumsum([len(array) for array in arrays]).tolist()

    def backprop(d_data: Floats2d) -> list[Doc]:
        # spacy-transformers gives an empty Doc a width of 0
        d_arrays = [
            d_data[end - len(array) : end]
            if len(array)
            else model.ops.alloc2f(*array.shape)
            for array, end in zip(arrays, ends, strict=True)
        ]
        return backprop_arrays(d_arrays)

    return NetworkBatch(features, vectors), backprop


def _vector_rows(
    model: Model, features: list[SentenceFeatures], docs: list[Doc], data: Any
) -> VectorRows:
    """The rows of all sentences, checked.

    RAISES (ValueError): There are other rows than expected, or of another width."""
    of_sentences = bool(model.layers[0].attrs.get("sentence_rows"))
    expected = sum(map(len, docs))
    kind = "one for each token"
    if of_sentences:
        ends = numpy.cumsum([sentence.length + 2 for sentence in features])
        expected = ends[-1]
        kind = "one more for START and STOP of each sentence"
    n_rows, width = data.shape
    if n_rows != expected:
        raise ValueError(f"The tok2vec gave {n_rows} rows; expected {expected}: {kind}")
    if width != get_shim(model).cfg["vector_width"]:
        raise ValueError(
            f"The tok2vec gave vectors of width {width}; the network was made for "
            f"{get_shim(model).cfg['vector_width']}"
        )
    if not of_sentences:
        return VectorRows(data, [sentence.rows for sentence in features])
    rows = numpy.split(numpy.arange(expected), ends[:-1])
    return VectorRows(data, rows, has_boundaries=True)


def init(model: Model, X: Optional[list[Doc]] = None, Y: Any = None) -> None:
    """Initialise the tok2vec, if any, and make the network with fresh weights.

    RAISES (ValueError): Sizes are unknown."""
    *tok2vecs, _, _ = model.layers
    shim = get_shim(model)
    if not shim.cfg:
        raise ValueError(
            "sizes are unknown: call set_vocabularies or set_sizes before initialize"
        )
    for tok2vec in tok2vecs:
        tok2vec.initialize(X=X)
        width = tok2vec.maybe_get_dim("nO")
        if not width:
            arrays = tok2vec.predict(X) if X else []
            widths = [array.shape[1] for array in arrays if len(array)]
            if not widths:
                raise ValueError(
                    f"the width of the tok2vec '{tok2vec.name}' is unknown: "
                    "expected a Doc with tokens"
                )
            width = max(widths)
        shim.set_sizes({"vector_width": width})
    shim.build()

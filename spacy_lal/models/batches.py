"""What networks read of Docs: sentences, their ids and vectors, and how sentences run
together. NumPy on the host; vectors stay on thinc's device. *Not* here: networks."""

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import Sentences, sentence_words
from ..layers.pair_features import ParseArrays
from .vectors import Tok2Vec, require_vectors

# First ids of the vocabularies of tags and words (docs/explanation/parser.md), before
# the treebank's own.
START_ID, STOP_ID, UNKNOWN_ID = 0, 1, 2
N_SPECIAL_IDS = 3
# First ids of the character vocabulary (docs/explanation/parser.md). The unknown
# character is also the padding.
(
    UNKNOWN_CHAR,
    SENTENCE_START_CHAR,
    WORD_START_CHAR,
    WORD_STOP_CHAR,
    SENTENCE_STOP_CHAR,
) = range(5)
N_SPECIAL_CHARS = 5
START_CHARS = (
    WORD_START_CHAR,
    SENTENCE_START_CHAR,
    SENTENCE_START_CHAR,
    SENTENCE_START_CHAR,
    WORD_STOP_CHAR,
)
STOP_CHARS = (
    WORD_START_CHAR,
    SENTENCE_STOP_CHAR,
    SENTENCE_STOP_CHAR,
    SENTENCE_STOP_CHAR,
    WORD_STOP_CHAR,
)

MAX_BATCH_CELLS = 65536  # most chart cells, (n + 1)^2 of each sentence with padding, that are scored at once
# Charts of very short sentences are small, but their label attention is not: no
# sentence counts as shorter than this.
MIN_CHART_SIDE = 32


class SentenceFeatures(NamedTuple):
    """The features of one sentence of n tokens, apart from vectors. None: the network
    does not read them. rows:
    *Shape:* (n,). The sentence's rows among the batch's tokens, all Docs one after the
    other. tag_ids, word_ids:
    *Shape:* (n + 2,). START, tokens, STOP. chars: n + 2 sequences of character ids,
    each with its word marks."""

    rows: ndarray
    tag_ids: Optional[ndarray] = None
    chars: Optional[List[Sequence[int]]] = None
    word_ids: Optional[ndarray] = None

    @property
    def length(self) -> int:
        """Number of tokens, START and STOP not counted."""
        return len(self.rows)


class VectorRows(NamedTuple):
    """Vectors of a whole batch, (n_rows, width), on thinc's device, and the numbers of
    each sentence's rows, (n,), or (n + 2,) where they include START and STOP
    (`has_boundaries`)."""

    data: Floats2d
    rows: List[ndarray]
    has_boundaries: bool = False


class NetworkBatch(NamedTuple):
    """The input of a parser's network; pruned (bool): whether `PrunedScores`
    suffice."""

    features: List[SentenceFeatures]
    vectors: Optional[VectorRows]
    pruned: bool = False

    @property
    def lengths(self) -> List[int]:
        """The words of each sentence."""
        return [one.length for one in self.features]


class RolesBatch(NamedTuple):
    """The input of a network of semantic roles; the lists have one item for each
    sentence. heads: For the syntax head, from 0; a root is its own head, -1 is unknown.
    *Shapes:* (n,). deprel_heads: Heads for which deprels are scored. None: deprels are
    not scored. predicates: The words that are predicates, ascending. None: the
    network's own, which have at least the probability `threshold`."""

    vectors: VectorRows
    heads: Optional[List[ndarray]] = None
    deprel_heads: Optional[List[ndarray]] = None
    predicates: Optional[List[ndarray]] = None
    threshold: float = 0.5
    parses: Optional[List[ParseArrays]] = None

    @property
    def lengths(self) -> List[int]:
        """The words of each sentence."""
        return [len(rows) for rows in self.vectors.rows]


def sub_batches(lengths: Sequence[int]) -> List[List[int]]:
    """Numbers of sentences of similar length that run together. Empty sentences are
    left out."""
    batches: List[List[int]] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if lengths[i] == 0:
            continue
        n_cells = (lengths[i] + 1) * max(lengths[i] + 1, MIN_CHART_SIDE)
        if not batches or (len(batches[-1]) + 1) * n_cells > MAX_BATCH_CELLS:
            batches.append([])
        batches[-1].append(i)
    return batches


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
) -> Model[List[Doc], List[SentenceFeatures]]:
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
    model: Model, docs: List[Doc], is_train: bool
) -> Tuple[List[SentenceFeatures], Callable]:
    return read_sentences(
        model, docs, [sentence_words(doc) for doc in docs], is_train
    ), lambda d_features: []


def read_sentences(
    model: Model,
    docs: List[Doc],
    sentences: Sequence[Sentences],
    is_train: bool = False,
) -> List[SentenceFeatures]:
    """The features of the sentences of each Doc, or of parts of them. In training, rare
    words may be dropped."""
    attrs = model.attrs
    options: ReadingOptions = attrs["options"]
    tag_table = (
        _id_table(tuple(attrs["tags"]), N_SPECIAL_IDS) if options.use_tags else None
    )
    char_table = (
        _id_table(tuple(attrs["chars"]), N_SPECIAL_CHARS) if options.use_chars else None
    )
    word_table = (
        _id_table(tuple(attrs["words"]), N_SPECIAL_IDS) if options.use_words else None
    )
    counts = (
        numpy.array([*[0] * N_SPECIAL_IDS, *attrs["word_counts"]])
        if is_train and options.use_words
        else None
    )
    spellings: Dict[str, Tuple[int, ...]] = {}
    features = []
    offset = 0
    for doc, doc_sentences in zip(docs, sentences, strict=True):
        for tokens in doc_sentences:
            tag_ids = word_ids = None
            chars: Optional[List[Sequence[int]]] = None
            if tag_table is not None:
                tag_ids = _framed_ids(
                    [tag_table.get(doc[i].tag_, UNKNOWN_ID) for i in tokens]
                )
            if char_table is not None:
                words = [doc[i].text for i in tokens]
                for word in words:
                    if word not in spellings:
                        spellings[word] = _char_ids(
                            word, char_table, options.max_word_length
                        )
                chars = [START_CHARS, *(spellings[word] for word in words), STOP_CHARS]
            if word_table is not None:
                word_ids = _framed_ids(
                    [word_table.get(doc[i].text, UNKNOWN_ID) for i in tokens]
                )
                if counts is not None:
                    dropped = numpy.random.random(len(word_ids)) < 1.0 / (
                        1.0 + counts[word_ids]
                    )
                    word_ids[dropped & (word_ids >= N_SPECIAL_IDS)] = UNKNOWN_ID
            features.append(
                SentenceFeatures(
                    numpy.array(tokens, dtype="int64") + offset,
                    tag_ids,
                    chars,
                    word_ids,
                )
            )
        offset += len(doc)
    if (
        tag_table
        and any(one.length for one in features)
        and not any(doc.has_annotation("TAG") for doc in docs)
    ):
        warnings.warn(
            "The parser reads part-of-speech tags (token.tag_), and none of these Docs has any: every word gets the "
            "unknown tag, and parses suffer. Add a tagger before the parser.",
            stacklevel=3,
        )
    return features


@lru_cache(maxsize=16)  # a vocabulary of words is large; the tables are never changed
def _id_table(values: Tuple[str, ...], n_special: int) -> Dict[str, int]:
    return {value: i for i, value in enumerate(values, start=n_special)}


def _framed_ids(ids: List[int]) -> ndarray:
    return numpy.array([START_ID, *ids, STOP_ID], dtype="int64")


def _char_ids(
    word: str, table: Dict[str, int], max_word_length: int
) -> Tuple[int, ...]:
    """The ids of a word's characters between the two word marks; the middle of a longer
    word is left out."""
    if len(word) > max_word_length:
        n_last = max_word_length // 2
        word = word[: max_word_length - n_last] + word[-n_last:]
    return (
        WORD_START_CHAR,
        *(table.get(char, UNKNOWN_CHAR) for char in word),
        WORD_STOP_CHAR,
    )


# Vectors


def get_tok2vec(model: Model) -> Optional[Tok2Vec]:
    """The tok2vec of a network's model, if any."""
    # By position, not by reference: thinc's `Model.copy` loses references.
    return model.layers[0] if len(model.layers) == 3 else None


def get_shim(model: Model) -> Any:
    """The shim of a network's model, a `NetworkShim`."""
    return model.layers[-1].shims[0]


def embed(
    model: Model,
    docs: List[Doc],
    is_train: bool,
    sentences: Optional[Sequence[Sentences]] = None,
) -> Tuple[NetworkBatch, Callable]:
    """Features and vectors of sentences, or of parts of them, and the backward pass of
    `VectorRows.data`."""
    reader = model.layers[-2]
    features = (
        reader(docs, is_train)[0]
        if sentences is None
        else read_sentences(reader, docs, sentences, is_train)
    )
    tok2vec = get_tok2vec(model)
    # Docs without tokens have no sentences; spaCy's tok2vecs fail on a batch without
    # tokens.
    if tok2vec is None or not any(len(doc) for doc in docs):
        return NetworkBatch(features, None), lambda d_data: []
    if not is_train:
        require_vectors(tok2vec, docs)
    if sentences is not None and "read_sentences" in tok2vec.attrs:
        arrays, backprop_arrays = tok2vec.attrs["read_sentences"](
            tok2vec, docs, sentences, is_train
        )
    else:
        arrays, backprop_arrays = tok2vec(docs, is_train)
    vectors = _vector_rows(
        model, features, docs, arrays, bool(tok2vec.attrs.get("sentence_rows"))
    )
    ends = numpy.cumsum([len(array) for array in arrays]).tolist()

    def backprop(d_data: Floats2d) -> List[Doc]:
        # Arrays without rows may have any width: spacy-transformers gives an empty Doc
        # a width of 0.
        d_arrays = [
            d_data[end - len(array) : end]
            if len(array)
            else model.ops.alloc2f(*array.shape)
            for array, end in zip(arrays, ends, strict=True)
        ]
        return backprop_arrays(d_arrays)

    return NetworkBatch(features, vectors), backprop


def _vector_rows(
    model: Model,
    features: List[SentenceFeatures],
    docs: List[Doc],
    arrays: List[Floats2d],
    sentence_rows: bool,
) -> VectorRows:
    expected = (
        [one.length + 2 for one in features]
        if sentence_rows
        else [len(doc) for doc in docs]
    )
    if [len(array) for array in arrays] != expected:
        kind = (
            "one more for START and STOP of each sentence"
            if sentence_rows
            else "one for each token of each Doc"
        )
        raise ValueError(
            f"The tok2vec gave {[len(array) for array in arrays]} rows; expected {expected}: {kind}"
        )
    data = [model.ops.asarray2f(array) for array in arrays if len(array)]
    width = get_shim(model).cfg["vector_width"]
    flat = model.ops.xp.concatenate(data) if data else model.ops.alloc2f(0, width)
    if flat.shape[1] != width:
        raise ValueError(
            f"The tok2vec gave vectors of width {flat.shape[1]}; the network was made for {width}"
        )
    rows = [one.rows for one in features]
    if sentence_rows:
        firsts = numpy.cumsum([0, *expected])
        rows = [
            numpy.arange(first, first + n_rows)
            for first, n_rows in zip(firsts[:-1], expected, strict=True)
        ]
    return VectorRows(flat, rows, sentence_rows)


def init(model: Model, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    """Initialise the tok2vec, if any, and make the network with fresh weights.
    RAISES
    (ValueError): Sizes are unknown."""
    shim, tok2vec = get_shim(model), get_tok2vec(model)
    if not shim.cfg:
        raise ValueError(
            'sizes are unknown: call model.attrs["set_vocabularies"] or ["set_sizes"] before initialize'
        )
    if tok2vec is not None:
        tok2vec.initialize(X=X)
        width = tok2vec.maybe_get_dim("nO")
        if width is None and X:
            width = max(
                (array.shape[1] for array in tok2vec.predict(X) if len(array)),
                default=None,
            )
        if not width:
            raise ValueError(
                f"the width of the tok2vec '{tok2vec.name}' is unknown: expected a Doc with tokens"
            )
        shim.set_sizes({"vector_width": width})
    shim.build()

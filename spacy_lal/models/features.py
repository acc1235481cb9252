"""Docs to sentences, and sentences to rows, tag ids, word ids and character ids.

A Thinc layer without weights and without gradient. It does *not* make vectors: a `tok2vec` does.
Everything here is numpy on the host; `bridge.py` pads it and moves it to the device.
"""

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model

from ..annotations import Sentences, sentence_words

# First ids of the vocabularies of tags and words (reference-parser.md 1.1), before the treebank's own.
START_ID, STOP_ID, UNKNOWN_ID = 0, 1, 2
N_SPECIAL_IDS = 3
# First ids of the character vocabulary (reference-parser.md 1.5). The unknown character is also the padding.
UNKNOWN_CHAR, SENTENCE_START_CHAR, WORD_START_CHAR, WORD_STOP_CHAR, SENTENCE_STOP_CHAR = range(5)
N_SPECIAL_CHARS = 5

START_CHARS = (WORD_START_CHAR, SENTENCE_START_CHAR, SENTENCE_START_CHAR, SENTENCE_START_CHAR, WORD_STOP_CHAR)
STOP_CHARS = (WORD_START_CHAR, SENTENCE_STOP_CHAR, SENTENCE_STOP_CHAR, SENTENCE_STOP_CHAR, WORD_STOP_CHAR)


class SentenceFeatures(NamedTuple):
    """The features of one sentence of n tokens, apart from vectors. Whitespace tokens are left out.

    rows (ndarray): Shape: (n,). The sentence's rows among the batch's tokens, all Docs one after the other.
    tag_ids (Optional[ndarray]): Shape: (n + 2,). START, tokens, STOP. None where the network reads no tags.
    word_ids (Optional[ndarray]): Shape: (n + 2,). None where the network reads no words.
    chars (Optional[List[Sequence[int]]]): n + 2 sequences of character ids, each with its word marks. None where the
        network reads no characters.
    """

    rows: ndarray
    tag_ids: Optional[ndarray] = None
    chars: Optional[List[Sequence[int]]] = None
    word_ids: Optional[ndarray] = None

    @property
    def length(self) -> int:
        """Number of tokens, START and STOP not counted."""
        return len(self.rows)


FeaturesModel = Model[List[Doc], List[SentenceFeatures]]


@dataclass(frozen=True)
class ReadingOptions:
    """Features of words that `sentence_features` reads. A record, which thinc leaves out of the saved attrs: the
    config's options hold, not the training's.

    use_tags (bool): Look up `token.tag_`; a tag outside the vocabulary is the unknown tag. Warns if a batch has no tags
        at all.
    use_chars (bool): Look up the characters of `token.text`.
    max_word_length (int): Most characters to read of a token. The middle of a longer token is left out.
    use_words (bool): Look up `token.text`; a word outside the vocabulary is the unknown word.
    drop_rare (bool): In training, a word of count c is the unknown word with probability 1 / (1 + c), drawn by NumPy
        for each token.
    RAISES (ValueError): `max_word_length` is out of range.
    """

    use_tags: bool = False
    use_chars: bool = False
    max_word_length: int = 64
    use_words: bool = False
    drop_rare: bool = False

    def __post_init__(self) -> None:
        if self.max_word_length < 2:
            raise ValueError(
                f"max_word_length is {self.max_word_length}: expected at least 2 (a first and a last character)"
            )


def sentence_features(options: Optional[ReadingOptions] = None) -> FeaturesModel:
    """A layer from Docs to one `SentenceFeatures` for each sentence, in order.

    Its vocabularies are the attributes `tags`, `chars` and `words`: lists, saved with the model. `word_counts` has the
    number of each word in the training data.

    options (Optional[ReadingOptions]): The features to read; None for words alone, without any.
    RETURNS (FeaturesModel): The layer.
    """
    attrs = {"options": options or ReadingOptions(), "tags": [], "chars": [], "words": [], "word_counts": []}
    return Model("sentence_features", forward, attrs=attrs)


def forward(model: FeaturesModel, docs: List[Doc], is_train: bool) -> Tuple[List[SentenceFeatures], Callable]:
    """Look up the features of each sentence. The backward pass does nothing."""

    def backprop(d_features: object) -> List[Doc]:
        return []

    return read_sentences(model, docs, [sentence_words(doc) for doc in docs], is_train), backprop


def read_sentences(
    model: FeaturesModel, docs: List[Doc], sentences: Sequence[Sentences], is_train: bool = False
) -> List[SentenceFeatures]:
    """The features of each sentence.

    sentences (Sequence[Sentences]): For each Doc, the words of its sentences or of parts of them.
    is_train (bool): Whether rare words may be dropped.
    """
    attrs = model.attrs
    options: ReadingOptions = attrs["options"]
    tag_table = _id_table(tuple(attrs["tags"]), N_SPECIAL_IDS) if options.use_tags else None
    char_table = _id_table(tuple(attrs["chars"]), N_SPECIAL_CHARS) if options.use_chars else None
    word_table = _id_table(tuple(attrs["words"]), N_SPECIAL_IDS) if options.use_words else None
    counts = numpy.array([*[0] * N_SPECIAL_IDS, *attrs["word_counts"]]) if is_train and options.drop_rare else None
    spellings: Dict[str, Tuple[int, ...]] = {}
    features = []
    offset = 0
    for doc, doc_sentences in zip(docs, sentences, strict=True):
        for tokens in doc_sentences:
            tag_ids = word_ids = None
            chars: Optional[List[Sequence[int]]] = None
            if tag_table is not None:
                tag_ids = _framed_ids([tag_table.get(doc[i].tag_, UNKNOWN_ID) for i in tokens])
            if char_table is not None:
                words = [doc[i].text for i in tokens]
                for word in words:
                    if word not in spellings:
                        spellings[word] = _char_ids(word, char_table, options.max_word_length)
                chars = [START_CHARS, *(spellings[word] for word in words), STOP_CHARS]
            if word_table is not None:
                word_ids = _framed_ids([word_table.get(doc[i].text, UNKNOWN_ID) for i in tokens])
                word_ids = word_ids if counts is None else _drop_rare(word_ids, counts)
            features.append(SentenceFeatures(numpy.array(tokens, dtype="int64") + offset, tag_ids, chars, word_ids))
        offset += len(doc)
    if tag_table and any(one.length for one in features) and not any(doc.has_annotation("TAG") for doc in docs):
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
    """START, the ids, STOP. *Shape:* (n + 2,)"""
    return numpy.array([START_ID, *ids, STOP_ID], dtype="int64")


def _drop_rare(word_ids: ndarray, counts: ndarray) -> ndarray:
    """The ids with rare words made unknown at random: 1 / (1 + count) of each word's tokens."""
    dropped = numpy.random.random(len(word_ids)) < 1.0 / (1.0 + counts[word_ids])
    return numpy.where(dropped & (word_ids >= N_SPECIAL_IDS), UNKNOWN_ID, word_ids)


def _char_ids(word: str, table: Dict[str, int], max_word_length: int) -> Tuple[int, ...]:
    """The ids of a word's characters between the two word marks; the middle of a longer word is left out."""
    if len(word) > max_word_length:
        n_last = max_word_length // 2
        word = word[: max_word_length - n_last] + word[-n_last:]
    return (WORD_START_CHAR, *(table.get(char, UNKNOWN_CHAR) for char in word), WORD_STOP_CHAR)

"""Docs to sentences and ids: whitespace, unknown values, long words."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_lal.annotations import sentence_words
from spacy_lal.models.batches import (
    SENTENCE_START_CHAR,
    START_ID,
    STOP_ID,
    UNKNOWN_CHAR,
    UNKNOWN_ID,
    WORD_START_CHAR,
    WORD_STOP_CHAR,
    ReadingOptions,
    sentence_features,
    sub_batches,
)

VOCAB = spacy.blank("en").vocab


def make_doc(words, starts, tags=None):
    return Doc(
        VOCAB,
        words=words,
        tags=tags,
        sent_starts=[i in starts for i in range(len(words))],
    )


def test_whitespace_tokens_are_left_out():
    doc = make_doc(["\n", "a", " ", "b", "\n\n", "c", "\t"], {0, 4, 6})
    assert sentence_words(doc) == [[1, 3], [5], []]
    assert sentence_words(Doc(VOCAB)) == []


def test_rows_count_over_all_docs():
    docs = [make_doc(["a", "\n", "b"], {0}), Doc(VOCAB), make_doc(["c", "d"], {0, 1})]
    features = sentence_features().predict(docs)
    assert [one.rows.tolist() for one in features] == [[0, 2], [3], [4]]
    assert [one.length for one in features] == [2, 1, 1]
    assert all(one.tag_ids is None and one.chars is None for one in features)


def test_without_sentence_boundaries_the_error_says_what_to_add():
    with pytest.raises(ValueError, match="no sentence boundaries.*sentencizer"):
        sentence_features().predict([Doc(VOCAB, words=["a", "b"])])


def test_tags_and_their_unknown():
    model = sentence_features(ReadingOptions(use_tags=True))
    model.attrs["tags"] = ["DT", "NN"]
    (one,) = model.predict(
        [make_doc(["the", "\n", "dog", "ran"], {0}, tags=["DT", "_SP", "NN", "XX"])]
    )
    assert one.tag_ids.tolist() == [START_ID, 3, 4, UNKNOWN_ID, STOP_ID]
    (one,) = model.predict([make_doc(["never", "tagged"], {0})])
    assert one.tag_ids.tolist() == [START_ID, UNKNOWN_ID, UNKNOWN_ID, STOP_ID]


def test_characters_and_their_unknown():
    model = sentence_features(ReadingOptions(use_chars=True))
    model.attrs["chars"] = ["a", "b"]
    (one,) = model.predict([make_doc(["ab", "a\N{PILE OF POO}"], {0})])
    assert one.chars[0][:2] == (WORD_START_CHAR, SENTENCE_START_CHAR)
    assert one.chars[1] == (WORD_START_CHAR, 5, 6, WORD_STOP_CHAR)
    assert one.chars[2] == (WORD_START_CHAR, 5, UNKNOWN_CHAR, WORD_STOP_CHAR)
    assert len(one.chars) == 4


def test_a_table_of_code_points_gives_code_points():
    # The authors' form where all characters are below 256: the id is the code point.
    model = sentence_features(ReadingOptions(use_chars=True))
    model.attrs["chars"] = [chr(i) for i in range(5, 256)]
    (one,) = model.predict([make_doc(["Az\u00e9\u4e2d"], {0})])
    assert one.chars[1] == (WORD_START_CHAR, 65, 122, 233, UNKNOWN_CHAR, WORD_STOP_CHAR)


def test_options_come_from_the_config_and_vocabularies_from_the_file():
    trained = sentence_features(ReadingOptions(use_words=True))
    trained.attrs.update(words=["a"], word_counts=[1])
    model = sentence_features(
        ReadingOptions(use_words=True, max_word_length=5)
    ).from_bytes(trained.to_bytes())
    assert model.attrs["words"] == ["a"] and model.attrs["options"].max_word_length == 5


def test_of_a_long_word_both_ends_are_read():
    model = sentence_features(ReadingOptions(use_chars=True, max_word_length=5))
    model.attrs["chars"] = list("abcdef")
    (one,) = model.predict([make_doc(["abc" + "x" * 1000 + "ef"], {0})])
    assert one.chars[1] == (WORD_START_CHAR, 5, 6, 7, 9, 10, WORD_STOP_CHAR)


def test_memory_of_a_sub_batch():
    """16,384 cells of charts, at least 32 a row: 4 sentences of 63 words, 256 of one
    word."""
    assert [len(batch) for batch in sub_batches([63] * 5)] == [4, 1]
    assert [len(batch) for batch in sub_batches([1] * 257)] == [256, 1]
    assert sub_batches([0, 500, 0, 600]) == [[1], [3]]

"""Gold parses on the predicted tokens: what carries over, and what is masked."""

import numpy as np
import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_lal.annotations import SPANS_KEY, set_sentence_starts
from spacy_lal.loss.gold import copy_sentence_starts, gold_parses
from spacy_lal.trees import LabelVocab

NLP = English()
LABELS = LabelVocab(["S", "NP", "VP", "PP", "S::VP"])
DEPRELS = {"ROOT": 0, "nsubj": 1, "obj": 2, "det": 3}
WORDS, HEADS, DEPS = (
    ["She", "sees", "a", "dog"],
    [1, 1, 3, 1],
    ["nsubj", "ROOT", "det", "obj"],
)
SPANS = [(0, 4, "S"), (0, 1, "NP"), (1, 4, "VP"), (2, 4, "NP")]


def make_reference(words=WORDS, heads=HEADS, deps=DEPS, spans=SPANS, sent_starts=None):
    doc = Doc(NLP.vocab, words=words, heads=heads, deps=deps, sent_starts=sent_starts)
    if spans is not None:
        doc.spans[SPANS_KEY] = [
            Span(doc, start, end, label=label) for start, end, label in spans
        ]
    return doc


def golds_of(reference, words=None, starts=None, labels=LABELS):
    predicted = Doc(NLP.vocab, words=words or [t.text for t in reference])
    eg = Example(predicted, reference)
    if starts is None:
        copy_sentence_starts(eg)
    else:
        set_sentence_starts(predicted, starts)
    return gold_parses(eg, labels, DEPRELS)


def spans_of(gold, labels=LABELS):
    return {
        (i, j, labels.strings[gold.labels[i, j]])
        for i, j in zip(*np.nonzero(gold.labels), strict=True)
    }


def test_same_tokens():
    (gold,) = golds_of(make_reference())
    assert spans_of(gold) == set(SPANS)
    assert gold.heads.tolist() == [2, 0, 4, 2]
    assert gold.deprels.tolist() == [1, 0, 3, 2]
    assert gold.labels.dtype == gold.heads.dtype == gold.deprels.dtype == np.int32


def test_sub_head_spans_are_added():
    (gold,) = golds_of(
        make_reference(
            ["A", "B", "V"], [1, 2, 2], ["det", "obj", "ROOT"], [(0, 3, "S")]
        )
    )
    assert spans_of(gold) == {(0, 3, "S"), (0, 2, "<H>")}


def test_only_trees_or_only_dependencies():
    (gold,) = golds_of(
        make_reference(heads=None, deps=None, sent_starts=[True, False, False, False])
    )
    assert spans_of(gold) == set(SPANS)
    assert gold.heads.tolist() == gold.deprels.tolist() == [-1] * 4
    (gold,) = golds_of(make_reference(spans=None))
    assert gold.labels is None and gold.heads.tolist() == [2, 0, 4, 2]


def test_unseen_labels_are_masked():
    (gold,) = golds_of(make_reference(spans=[(0, 4, "XYZ")]))
    assert gold.labels is None
    (gold,) = golds_of(make_reference(deps=["nsubj", "ROOT", "what", "obj"]))
    assert gold.deprels.tolist() == [1, 0, -1, 2]


def test_unseen_labels_are_named():
    unknown = set()
    reference = make_reference(
        spans=[(0, 4, "XYZ")], deps=["nsubj", "ROOT", "what", "obj"]
    )
    gold_parses(Example(reference.copy(), reference), LABELS, DEPRELS, unknown)
    assert unknown == {"XYZ", "what"}


def test_a_sentence_under_no_constituent_is_masked():
    (gold,) = golds_of(make_reference(spans=[(1, 4, "VP")]))
    assert gold.labels is None


def test_split_tokens_carry_over_and_merged_ones_are_masked():
    reference = make_reference(["I", "see", "cannot", "dog"], HEADS, DEPS)
    (gold,) = golds_of(reference, ["I", "see", "can", "not", "dog"])
    assert spans_of(gold) == {(0, 5, "S"), (0, 1, "NP"), (1, 5, "VP"), (2, 5, "NP")}
    assert gold.heads.tolist() == [
        2,
        0,
        5,
        5,
        2,
    ]  # each part of a word has its head, as in spaCy
    reference = make_reference(["I", "see", "can", "not"], HEADS, DEPS)
    (gold,) = golds_of(reference, ["I", "see", "cannot"])
    assert spans_of(gold) == {(0, 3, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "NP")}
    assert gold.heads.tolist() == [2, 0, -1]
    (gold,) = golds_of(reference, ["I", "seecan", "not"])
    assert gold.labels is None


def test_words_without_a_gold_head_are_masked():
    words = ["The", "old", "cat", "sleeps", "e-", "mail"]
    reference = make_reference(
        words, [0, 1, 3, 3, 4, 5], ["", "", "nsubj", "ROOT", "", ""], spans=None
    )
    (same,) = golds_of(reference, starts=[0])
    (other,) = golds_of(reference, [*words[:4], "e-mail"], starts=[0])
    assert same.heads.tolist() == [-1, -1, 4, 0, -1, -1] and same.deprels.tolist() == [
        -1,
        -1,
        1,
        0,
        -1,
        -1,
    ]
    assert other.heads.tolist() == [-1, -1, 4, 0, -1] and other.deprels.tolist() == [
        -1,
        -1,
        1,
        0,
        -1,
    ]


def test_whitespace_tokens_are_no_words():
    predicted = Doc(NLP.vocab, words=["She", "\n", "sees", " ", "a", "dog"])
    eg = Example(predicted, make_reference())
    copy_sentence_starts(eg)
    (gold,) = gold_parses(eg, LABELS, DEPRELS)
    assert spans_of(gold) == set(SPANS)
    assert gold.heads.tolist() == [2, 0, 4, 2]


def test_sentence_boundaries_of_the_prediction_are_kept():
    first, second = golds_of(make_reference(), starts=[0, 2])
    assert first.labels is None and second.labels is None
    assert first.heads.tolist() == [2, 0] and second.heads.tolist() == [2, -1]


def two_sentences(**kwargs):
    spans = SPANS + [(start + 4, end + 4, label) for start, end, label in SPANS]
    heads = HEADS + [head + 4 for head in HEADS]
    return make_reference(
        WORDS * 2, kwargs.get("heads", heads), kwargs.get("deps", DEPS * 2), spans
    )


def test_several_sentences():
    golds = golds_of(two_sentences())
    assert [spans_of(gold) for gold in golds] == [set(SPANS)] * 2
    assert [gold.heads.tolist() for gold in golds] == [[2, 0, 4, 2]] * 2


def test_outermost_constituents_may_stand_anywhere_in_the_group():
    spans = [(0, 1, "NP"), (1, 4, "VP"), (2, 4, "NP"), (0, 4, "S")]
    (gold,) = golds_of(make_reference(heads=None, deps=None, spans=spans))
    assert spans_of(gold) == set(SPANS)


@pytest.mark.parametrize("heads", [HEADS, None])
def test_no_boundaries_on_the_prediction_is_an_error(heads):
    eg = Example(
        Doc(NLP.vocab, words=WORDS), make_reference(heads=heads, deps=heads and DEPS)
    )
    with pytest.raises(ValueError, match="sentencizer"):
        gold_parses(eg, LABELS, DEPRELS)


def test_crossing_constituents_are_named():
    reference = make_reference(spans=[(0, 4, "S"), (0, 2, "NP"), (1, 4, "VP")])
    with pytest.raises(
        ValueError,
        match=r"two that cross: \(0, 2, 'NP'\) and \(1, 4, 'VP'\), in 'She sees a dog",
    ):
        golds_of(reference)

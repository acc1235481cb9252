"""Label attention of Docs and sentences: alone, in a batch, beside a parse; and what has none."""

import numpy as np
import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc
from tiny_pipeline import SENTENCES

from spacy_lal.interpret import label_attention, parse_with_attention


def test_one_for_each_sentence(nlp, doc):
    attentions = label_attention(nlp, doc)
    labels = tuple(nlp.get_pipe("lal_parser").label_data["constituents"])
    assert len(attentions) == 2
    for attention, sentence in zip(attentions, SENTENCES, strict=True):
        assert attention.tokens == ("<START>", *sentence["words"], "<STOP>")
        assert attention.heads == labels
        assert attention.weights.dtype == np.float32
        assert attention.weights.shape == (len(labels), len(attention.tokens))
        assert (attention.weights >= 0).all()
        assert attention.weights.sum(1) == pytest.approx(1.0, abs=1e-5)


def test_records_are_the_cells(nlp, doc):
    attention = label_attention(nlp, doc)[1]
    records = attention.records()
    assert len(records) == attention.weights.size
    row, column = 1, 3
    record = records[row * len(attention.tokens) + column]
    assert record == {
        "head": attention.heads[row],
        "position": column,
        "token": "person",
        "weight": float(attention.weights[row, column]),
    }


def test_a_span_stands_for_its_sentence(nlp, doc):
    first, second = label_attention(nlp, doc)
    sents = list(doc.sents)
    for span, expected in ((sents[0], first), (sents[1], second), (doc[11:12], second)):
        found = label_attention(nlp.get_pipe("lal_parser"), span)
        assert found.tokens == expected.tokens
        assert np.array_equal(found.weights, expected.weights)


@pytest.mark.parametrize("model", [{}, {"label_query_per_token": True}, {"factored": False, "n_label_heads": 3}])
def test_alone_as_in_a_batch_and_beside_a_parse(model):
    nlp = tiny_nlp(2, **model)
    docs = [tiny_doc(nlp, [i]) for i in (0, 1, 1, 0)]
    parsed = list(parse_with_attention(nlp, [doc.copy() for doc in docs], batch_size=3))
    for doc, (other, (beside,)) in zip(docs, parsed, strict=True):
        (alone,) = label_attention(nlp, doc)
        assert alone.tokens == beside.tokens and alone.heads == beside.heads
        assert np.allclose(alone.weights, beside.weights, atol=1e-6)
        assert beside.weights.sum(1) == pytest.approx(1.0, abs=1e-5)
        expected = nlp(doc)
        assert [t.head.i for t in other] == [t.head.i for t in expected]
        assert [str(s) for s in other.spans["constituents"]] == [str(s) for s in expected.spans["constituents"]]


def test_parsing_returns_no_attention_afterwards(nlp):
    parser = nlp.get_pipe("lal_parser")
    before = dict(parser.model.attrs)
    results = parse_with_attention(parser, [tiny_doc(nlp), tiny_doc(nlp, []), tiny_doc(nlp, [1])])
    doc, attentions = next(results)
    assert dict(parser.model.attrs) == before
    assert len(attentions) == 2 and len(doc.spans["constituents"])
    assert [len(attentions) for _, attentions in results] == [0, 1]
    assert parser.model.predict([tiny_doc(nlp)])[0].attention is None


def test_words_are_those_of_the_parse_when_a_later_component_merges_them():
    nlp = tiny_nlp(0)
    nlp.add_pipe("lal_parser_tests_merge")
    ((doc, (attention,)),) = parse_with_attention(nlp, [tiny_doc(nlp, [1])])
    assert doc[0].text == "Select the"
    assert attention.tokens[1:3] == ("Select", "the")


def test_a_doc_that_is_replaced_is_missed():
    nlp = tiny_nlp(0)
    nlp.add_pipe("lal_parser_tests_copy")
    with pytest.raises(ValueError, match="has replaced the Doc 'Select the"):
        list(parse_with_attention(nlp, [tiny_doc(nlp, [1])]))


@spacy.Language.component("lal_parser_tests_merge")
def merge_two(doc: Doc) -> Doc:
    """Make the first two tokens one."""
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
    return doc


@spacy.Language.component("lal_parser_tests_copy")
def copy_doc(doc: Doc) -> Doc:
    """Give another Doc back."""
    return doc.copy()


def test_sentences_without_words_have_no_attention(nlp):
    doc = Doc(nlp.vocab, words=["\n", "Select", "this"], sent_starts=[True, True, False])
    empty, attention = label_attention(nlp, doc)
    assert empty.tokens == ("<START>", "<STOP>") and not empty.weights.any()
    assert attention.tokens == ("<START>", "Select", "this", "<STOP>")
    ((_, (beside, _)),) = parse_with_attention(nlp, [doc])
    assert beside.tokens == empty.tokens and not beside.weights.any()
    assert label_attention(nlp, Doc(nlp.vocab)) == []


def test_heads_that_are_not_as_many_as_labels_have_numbers():
    nlp = tiny_nlp(0, n_label_heads=3)
    (attention,) = label_attention(nlp, tiny_doc(nlp, [0]))
    assert attention.heads == ("head 0", "head 1", "head 2")


def test_a_model_without_label_attention():
    nlp = tiny_nlp(0, label_attention=False)
    with pytest.raises(ValueError, match="'lal_parser' is a model without label attention"):
        label_attention(nlp, tiny_doc(nlp))
    with pytest.raises(ValueError, match="without label attention"):
        next(parse_with_attention(nlp, [tiny_doc(nlp)]))


def test_heads_that_are_joined_have_attention_all_the_same():
    nlp = tiny_nlp(0, label_combine_as_self=True)
    (attention,) = label_attention(nlp, tiny_doc(nlp, [0]))
    assert attention.weights.sum(1) == pytest.approx(1.0, abs=1e-5)

"""Label attention of Docs and sentences; and what has none."""

import numpy as np
import pytest
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc
from tiny_pipeline import SENTENCES

from spacy_lal.interpret import label_attention


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


def test_sentences_without_words_have_no_attention(nlp):
    doc = Doc(
        nlp.vocab, words=["\n", "Select", "this"], sent_starts=[True, True, False]
    )
    empty, attention = label_attention(nlp, doc)
    assert empty.tokens == ("<START>", "<STOP>") and not empty.weights.any()
    assert attention.tokens == ("<START>", "Select", "this", "<STOP>")
    assert label_attention(nlp, Doc(nlp.vocab)) == []


def test_heads_that_are_not_as_many_as_labels_have_numbers():
    nlp = tiny_nlp(0, n_label_heads=3)
    (attention,) = label_attention(nlp, tiny_doc(nlp, [0]))
    assert attention.heads == ("head 0", "head 1", "head 2")


def test_a_model_without_label_attention():
    nlp = tiny_nlp(0, label_attention=False)
    with pytest.raises(
        ValueError, match="'lal_parser' is a model without label attention"
    ):
        label_attention(nlp, tiny_doc(nlp))

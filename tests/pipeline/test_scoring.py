"""What every explanation needs: a parser, a sentence, words."""

import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc

from spacy_lal.interpret import (
    arc_margins,
    best_labels,
    constituent_margins,
    label_attention,
)
from spacy_lal.pipeline import scoring


@pytest.fixture(scope="module")
def nlp():
    return tiny_nlp()


@pytest.fixture()
def doc(nlp):
    """The two sentences, parsed; a whitespace token stands within the first."""
    return nlp(tiny_doc(nlp, space_after=3))


def test_no_parser(doc):
    empty = spacy.blank("en")
    with pytest.raises(ValueError, match="one lal_parser, .* or the component; got "):
        best_labels(empty, doc[0:1])
    empty.add_pipe("sentencizer")
    with pytest.raises(ValueError, match="got sentencizer"):
        best_labels(empty, doc[0:1])


def test_several_parsers(doc):
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", name="one")
    nlp.add_pipe("lal_parser", name="two")
    with pytest.raises(
        ValueError, match="one lal_parser, .* or the component; got one, two"
    ):
        label_attention(nlp, doc)


def test_an_untrained_parser(doc):
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser")
    with pytest.raises(ValueError, match="trained or loaded"):
        label_attention(nlp, doc)


def test_neither_pipeline_nor_component(doc):
    with pytest.raises(
        ValueError, match="expected a pipeline with one lal_parser, .*got str"
    ):
        label_attention("en_lal_md", doc)


def test_no_sentence_boundaries(nlp):
    doc = Doc(nlp.vocab, words=["She", "sees", "it"])
    for explain, what in (
        (label_attention, doc),
        (label_attention, doc[0:1]),
        (best_labels, doc[0:1]),
    ):
        with pytest.raises(ValueError, match="the Doc has no sentence boundaries"):
            explain(nlp, what)


def test_a_span_across_sentences(nlp, doc):
    with pytest.raises(
        ValueError, match=r"\(tokens 7:11\) crosses a sentence boundary"
    ):
        best_labels(nlp, doc[7:11])


def test_spans_without_words(nlp, doc):
    for span in (doc[4:5], doc[3:3]):
        with pytest.raises(ValueError, match="has no words in it"):
            best_labels(nlp, span)


def test_long_sentences_are_refused(nlp, monkeypatch):
    monkeypatch.setattr(scoring, "MAX_LENGTH", 6)
    doc = nlp(tiny_doc(nlp, [0]))
    for explain in (constituent_margins, arc_margins, label_attention):
        with pytest.raises(
            ValueError, match="expected a sentence of at most 6 words, got 8"
        ):
            explain(nlp, doc)

"""Explanations of the bundled pipeline. A checkout without packages/en_lal_md-* has nothing to test here."""

from pathlib import Path

import pytest
import spacy

from spacy_lal.interpret import (
    arc_margins,
    constituent_contributions,
    constituent_margins,
    label_attention,
    parse_with_attention,
    span_marginals,
)

NAME = "en_lal_md"
__test__ = any((Path(__file__).resolve().parents[2] / "packages").glob(f"{NAME}-*"))  # what pytest asks a module
TEXTS = ["The old cat sleeps on the mat. She gave him a book, didn't she?", "We did not see the dog that barked."]


def test_real_sentences():
    nlp = spacy.load(NAME)
    labels = tuple(nlp.get_pipe("lal_parser").label_data["constituents"])
    for doc, attentions in parse_with_attention(nlp, TEXTS):
        for beside, alone in zip(attentions, label_attention(nlp, doc), strict=True):
            assert beside.heads == labels and beside.tokens == alone.tokens
            assert abs(beside.weights - alone.weights).max() < 1e-4
            assert beside.weights.sum(1) == pytest.approx(1.0, abs=1e-4)
        parts, margins = constituent_contributions(nlp, doc), constituent_margins(nlp, doc)
        assert len(parts) == len(margins) > 4
        for one, margin in zip(parts, margins, strict=True):
            assert one.total == pytest.approx(one.score, abs=1e-4)
            assert margin[:3] == (one.start, one.end, one.label) and margin.margin >= 0.0
        assert len(arc_margins(nlp, doc)) == len(doc)
        for sent in doc.sents:
            assert span_marginals(nlp, sent).probabilities.sum() == pytest.approx(2 * len(sent) - 1)

"""Margins and alternative labels of parsed Docs; that margins are exact is shown in test_search.py."""

import numpy as np
import pytest
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc, Span

from spacy_lal.annotations import get_constituents
from spacy_lal.interpret import arc_margins, best_labels, constituent_margins
from spacy_lal.interpret.search import Search

SEPARATE = {"@misc": "spacy-lal.separate_decoder.v1", "arcs": "mst"}


def test_best_labels(nlp, doc):
    parser = nlp.get_pipe("lal_parser")
    (scores, _) = parser.model.predict([doc])
    strings = ["", "<H>", *parser.label_data["constituents"]]
    for span, (i, j) in ((doc[2:4], (2, 4)), (doc[1:3], (1, 3)), (doc[5:7], (4, 6))):
        found = best_labels(parser, span, k=len(strings))
        assert sorted(found) == sorted(zip(strings, scores.labels[i, j].tolist(), strict=True)) or np.allclose(
            [one.score for one in found], sorted(scores.labels[i, j].tolist(), reverse=True), atol=1e-5
        )
        assert best_labels(parser, span, k=2) == found[:2]
        assert len(best_labels(parser, span)) == 5
    assert best_labels(nlp, doc[2:4], k=1)[0].label == "NP"
    with pytest.raises(ValueError, match="expected at least 1, got 0"):
        best_labels(nlp, doc[2:4], k=0)


@pytest.mark.parametrize("decoder", [None, SEPARATE], ids=["joint", "separate"])
def test_margins_are_of_the_parse(decoder):
    nlp = tiny_nlp(12, decoder=decoder)
    parser = nlp.get_pipe("lal_parser")
    doc = nlp(tiny_doc(nlp, space_after=3))
    words = [[0, 1, 2, 3, 5, 6, 7, 8], [9, 10, 11, 12, 13]]
    expected = [
        (words[s][i], words[s][j - 1] + 1, label)
        for s, sentence in enumerate(get_constituents(doc))
        for i, j, label in sentence
    ]
    margins = constituent_margins(nlp, doc)
    assert [margin[:3] for margin in margins] == expected
    assert all(margin.margin >= 0.0 for margin in margins)

    arcs = arc_margins(nlp, doc)
    tokens = [token for token in doc if not token.is_space]
    assert [(arc.dependent, arc.head) for arc in arcs] == [(token.i, token.head.i) for token in tokens]
    assert all(arc.margin >= 0.0 for arc in arcs)

    (first, second) = parser.model.predict([doc])
    search = Search(parser.decoder, second)
    best, spans = search.best_spans()
    others = search.scores_without_labels(spans)
    of_second = [best - other for other in others]
    assert [m.margin for m in margins[-len(spans) :]] == pytest.approx(of_second, abs=1e-4)


def test_a_span_stands_for_its_sentence(nlp, doc):
    every, second = constituent_margins(nlp, doc), constituent_margins(nlp, doc[10:11])
    assert second == [margin for margin in every if margin.start >= 9]
    assert len(arc_margins(nlp, doc[10:11])) == 5


def test_the_doc_is_not_changed(nlp, doc):
    before = doc.to_bytes()
    constituent_margins(nlp, doc)
    arc_margins(nlp, doc)
    best_labels(nlp, doc[0:1])
    assert doc.to_bytes() == before


def test_docs_and_sentences_without_words(nlp):
    assert constituent_margins(nlp, nlp(Doc(nlp.vocab))) == []
    doc = nlp(Doc(nlp.vocab, words=["\n", "She"], sent_starts=[True, True]))
    assert arc_margins(nlp, doc) == [(1, 1, float("inf"))]


def test_no_parse(nlp):
    doc = tiny_doc(nlp)
    with pytest.raises(ValueError, match="the Doc has no parse"):
        constituent_margins(nlp, doc)
    with pytest.raises(ValueError, match="the Doc has no parse .no heads"):
        arc_margins(nlp, doc)


def test_the_parse_of_another_model(nlp, doc):
    constituents = list(doc.spans["constituents"])
    doc.spans["constituents"] = constituents[:-1]
    with pytest.raises(ValueError, match="by another model .* in sentence 1 .* only the Doc has the constituents"):
        constituent_margins(nlp, doc)
    assert arc_margins(nlp, doc)
    doc.spans["constituents"] = [*constituents[:-1], Span(doc, 0, 1, "XP")]
    with pytest.raises(ValueError, match="which knows no label .*XP"):
        constituent_margins(nlp, doc)
    doc.spans["constituents"] = constituents
    doc[3].head = doc[5]
    with pytest.raises(ValueError, match="parsed by another model .* in sentence 0 .* only the Doc has the arcs"):
        arc_margins(nlp, doc)
    assert constituent_margins(nlp, doc)

"""What the page shows of a text, without a page."""

import json

import pytest
import spacy
from interpret.tiny_parser import tiny_nlp
from spacy.tokens import Doc

from spacy_lal.app.explained import MAX_EXPLAINED, MAX_TEXT, ExplainedSentence, Explainer
from spacy_lal.export import read_sentences
from spacy_lal.interpret import arc_margins, best_labels, constituent_margins, span_marginals


def test_a_text_is_cut_into_sentences(nlp):
    sentences = Explainer(nlp).explain(" She sees\na dog.  \n \nGo on!")
    assert [sentence.text for sentence in sentences] == ["She sees a dog.", "Go on!"]
    assert sentences[0].words == ("She", "sees", "a", "dog", ".")
    assert Explainer(nlp).explain("") == Explainer(nlp).explain(" \n") == []


def test_pipelines_that_can_not_be_asked():
    with pytest.raises(ValueError, match="no lal_parser"):
        Explainer(spacy.blank("en"))


def test_too_long_a_text(nlp):
    with pytest.raises(ValueError, match=f"at most {MAX_TEXT} characters, got {MAX_TEXT + 1}"):
        Explainer(nlp).explain("a" * (MAX_TEXT + 1))


def test_a_report_holds_what_interpret_says(nlp, sentence):
    doc = nlp("She sees a dog in the park. Select the person driving.")
    sent = next(doc.sents)
    margins, arcs, marginals = constituent_margins(nlp, sent), arc_margins(nlp, sent), span_marginals(nlp, sent)
    assert margins
    for start, end, label, margin in margins:  # words are tokens in this text
        report = sentence.report(start, end)
        assert (report.label, report.margin) == (label, pytest.approx(margin, abs=1e-4))
        assert report.probability == pytest.approx(marginals.constituents[start, end])
        assert [one[:2] for one in report.alternatives] == best_labels(nlp, doc[start:end])
        assert report.parts.label == label and report.parts.total == pytest.approx(report.parts.score, abs=1e-4)
        assert report.text == doc[start:end].text and not report.notes
    whole = sentence.report(0, len(sent))
    assert [(one.word, one.head) for one in whole.arcs] == [(sent.root.text, "")]
    assert whole.arcs[0].margin == pytest.approx(arcs[sent.root.i].margin, abs=1e-4)


def test_a_span_that_is_no_constituent(sentence):
    n = len(sentence.words)
    spans = {(one.start, one.end) for one in sentence.constituents}
    start, end = next((i, j) for i in range(n) for j in range(i + 2, n + 1) if (i, j) not in spans)
    report = sentence.report(start, end)
    assert (report.label, report.margin) == ("", None)
    assert report.alternatives and 0 < report.probability < 1
    assert report.parts.label == next(one.label for one in report.alternatives if one.label not in ("", "<H>"))


def test_spans_count_words_not_whitespace(nlp):
    (sentence,) = Explainer(nlp).explain("She sees\n\na dog.")
    assert sentence.report(1, 4).text == "sees a dog"
    assert sentence.report(2, 4).arcs[0].word in ("a", "dog")


@pytest.mark.parametrize("span", [(0, 0), (3, 2), (-1, 2), (0, 9)])
def test_spans_that_are_not_there(sentence, span):
    with pytest.raises(ValueError, match="within 0:8, got"):
        sentence.report(*span)


@pytest.mark.parametrize("value", [None, [1], [0, 9], ["0", "1"], [0.0, 1.0], [True, 2], "01", {"start": 0}])
def test_a_browser_may_send_anything(sentence, value):
    assert sentence.checked_span(value) is None
    assert sentence.checked_span([0, 8]) == (0, 8)


def test_long_sentences_are_shown_and_not_explained(nlp):
    (sentence,) = Explainer(nlp).explain("the " * MAX_EXPLAINED + "cat")
    report = sentence.report(0, 2)
    assert "at most 150 words are explained; this has 151" in report.notes[0]
    assert (report.margin, report.alternatives, report.parts) == (None, [], None)
    assert "<svg" in sentence.tree((0, 2))


def test_what_a_pipeline_does_not_give_is_said():
    nlp = tiny_nlp(steps=1, label_attention=False)
    nlp.add_pipe("sentencizer", first=True)
    (sentence,) = Explainer(nlp).explain("She sees a dog.")
    report = sentence.report(0, 2)
    assert report.parts is None and report.alternatives
    assert len(report.notes) == 1 and "without label attention" in report.notes[0]
    assert "without label attention" in sentence.picture("attention")


def test_files(sentence):
    assert sentence.brackets.startswith("(") and "(X dog)" in sentence.brackets
    assert sentence.brackets in sentence.conllu
    files = {suffix: content for _, suffix, content in sentence.files}
    assert list(files) == ["svg", "ptb", "conllu", "json"]
    assert files["ptb"] == sentence.brackets + "\n" and files["conllu"] == sentence.conllu
    assert json.loads(files["json"])["text"] == sentence.text
    assert "lal-parse" in files["svg"]


def test_files_of_what_is_there(nlp):
    doc = Doc(nlp.vocab, words=["Go", "on"], heads=[0, 0], deps=["ROOT", "prt"])
    files = ExplainedSentence(Explainer(nlp), next(read_sentences(doc))).files
    assert [suffix for _, suffix, _ in files] == ["svg", "conllu", "json"]


def test_nothing_is_computed_twice(sentence, monkeypatch):
    report, picture = sentence.report(0, 8), sentence.picture("attention")
    monkeypatch.setattr("spacy_lal.app.explained.best_labels", None)
    monkeypatch.setattr("spacy_lal.app.explained.draw", None)
    assert sentence.report(0, 8) is report
    assert sentence.picture("attention") is picture

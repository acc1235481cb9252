"""Which head is which label: parts that add up to margins, words that can be counted by hand."""

import benchmark_programs
import numpy as np
import pytest
from interpret.gold_docs import gold_docs, without_trees
from interpret.tiny_parser import tiny_nlp
from spacy.tokens import Doc, Span

from spacy_lal.interpret import best_labels, label_attention

with benchmark_programs.program("interpret/label_heads") as _program:
    head_report = _program.head_report


@pytest.fixture(scope="module")
def nlp():
    return tiny_nlp()


@pytest.fixture(scope="module")
def report(nlp):
    return head_report(nlp, gold_docs(nlp), k=1000)


@pytest.mark.parametrize("model", [{}, {"whole_tokens": True}], ids=str)
def test_parts_add_up_to_the_mean_margin(model):
    nlp = tiny_nlp(**model)
    golds = gold_docs(nlp)
    margins = {}
    for gold in golds:
        doc = nlp(Doc(nlp.vocab, words=[token.text for token in gold], sent_starts=[i == 0 for i in range(len(gold))]))
        found = {(span.start, span.end, span.label_) for span in doc.spans["constituents"]}
        for span in gold.spans["constituents"]:
            if (span.start, span.end, span.label_) in found:
                scores = {one.label: one.score for one in best_labels(nlp, doc[span.start : span.end], 1000)}
                if len(span) == len(doc):
                    del scores[""]
                own = scores.pop(span.label_)
                margins.setdefault(span.label_, []).append(own - max(scores.values()))
    labels = [one for one in head_report(nlp, golds).labels if one.counts.correct]
    assert {one.label: one.counts.correct for one in labels} == {label: len(some) for label, some in margins.items()}
    for one in labels:
        assert one.margin == pytest.approx(np.mean(margins[one.label]), abs=1e-4)
        assert one.margin == pytest.approx(one.bias + one.tokens + one.heads.sum())
        assert (one.tokens != 0.0) == ("whole_tokens" in model)


def test_labels(nlp, report):
    labels = nlp.get_pipe("lal_parser").label_data["constituents"]
    assert {one.label for one in report.labels} == set(labels)
    golds = [one.counts.gold for one in report.labels]
    assert golds == sorted(golds, reverse=True) and report.labels[0].label == "NP" and golds[0] == 5
    for one in report.labels:
        assert one.own == labels.index(one.label)
        if one.counts.correct:
            assert sorted(one.ranking) == list(range(len(labels)))
            assert np.all(np.diff(one.heads[one.ranking]) <= 0)
            assert one.ranking[one.own_rank - 1] == one.own


def test_sentences_without_trees_do_not_count(nlp, report):
    first, second = gold_docs(nlp)
    both = Doc.from_docs([first, second])
    both.spans["constituents"] = [Span(both, span.start, span.end, span.label) for span in first.spans["constituents"]]
    found = head_report(nlp, [without_trees(nlp.vocab), both, Doc(nlp.vocab)])
    assert found.n_sentences == 1 and report.n_sentences == 2
    assert [one.counts for one in found.labels] == [one.counts for one in head_report(nlp, [first]).labels]
    with pytest.raises(ValueError, match="expected Docs with gold constituents .*, got 1 without"):
        head_report(nlp, [without_trees(nlp.vocab)])


def test_a_label_that_is_never_right():
    nlp = tiny_nlp(0)
    report = head_report(nlp, gold_docs(nlp))
    never = [one for one in report.labels if not one.counts.correct]
    assert never
    for one in never:
        assert one.ranking == [] and one.own_rank is None
        assert one.margin == one.bias == one.tokens == 0.0 and not one.heads.any()
    records = {record["label"]: record for record in report.records()["labels"]}
    assert records[never[0].label]["correct"] == 0 and records[never[0].label]["top"] == []


def test_own_heads(report):
    ranks = [one.own_rank for one in report.labels if one.own_rank]
    n = len(report.heads)
    for k in (1, 3, n):
        assert report.own_head_share(k) == pytest.approx(sum(rank <= k for rank in ranks) / len(ranks))
        assert report.chance(k) == k / n
    assert report.own_head_share(n) == report.chance(n) == report.chance(n + 5) == 1.0


def test_heads_that_are_not_as_many_as_labels():
    nlp = tiny_nlp(n_label_heads=7)
    report = head_report(nlp, gold_docs(nlp))
    assert [head.name for head in report.heads] == [f"head {i}" for i in range(7)]
    assert all(one.own is None and one.own_rank is None for one in report.labels)
    assert report.own_head_share(3) is None
    assert report.records()["labels"][0]["own_head"] is None


def test_words_of_a_head(nlp, report):
    attention = label_attention(nlp, gold_docs(nlp)[0])[0].weights
    for head in report.heads:
        words = {word.word: word for word in head.words}
        assert sum(word.share for word in head.words) == pytest.approx(1.0, abs=1e-5)
        assert sum(word.even for word in head.words) == pytest.approx(1.0)
        assert words["the"].even == pytest.approx((1 / 10 + 1 / 7) / 2)  # once in each sentence; two ends besides
        assert words["a"].share == pytest.approx(attention[head.number, 3] / 2, abs=1e-6)
        assert words["<START>"].even == words["<STOP>"].even == words["."].even == words["the"].even
        excess = [word.share - word.even for word in head.words]
        assert excess == sorted(excess, reverse=True)


def test_how_much_is_kept(nlp):
    report = head_report(nlp, gold_docs(nlp), k=2)
    assert all(len(head.words) == 2 and len(head.labels) <= 2 for head in report.heads)
    with pytest.raises(ValueError, match="expected at least 1, got 0"):
        head_report(nlp, gold_docs(nlp), k=0)

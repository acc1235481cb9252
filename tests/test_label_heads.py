"""Which head is which label: parts that add up to margins."""

import benchmark_programs
import numpy as np
import pytest
from interpret.tiny_parser import tiny_nlp
from spacy.tokens import Doc
from tiny_pipeline import make_examples

from spacy_lal.interpret import best_labels

with benchmark_programs.program("interpret/label_heads") as _program:
    head_report = _program.head_report


@pytest.fixture(scope="module")
def nlp():
    return tiny_nlp()


@pytest.mark.parametrize("model", [{}, {"whole_tokens": True}], ids=str)
def test_parts_add_up_to_the_mean_margin(model):
    nlp = tiny_nlp(**model)
    golds = [eg.reference for eg in make_examples(nlp)]
    margins = {}
    for gold in golds:
        doc = nlp(
            Doc(
                nlp.vocab,
                words=[token.text for token in gold],
                sent_starts=[i == 0 for i in range(len(gold))],
            )
        )
        found = {
            (span.start, span.end, span.label_) for span in doc.spans["constituents"]
        }
        for span in gold.spans["constituents"]:
            if (span.start, span.end, span.label_) in found:
                scores = {
                    one.label: one.score
                    for one in best_labels(nlp, doc[span.start : span.end], 1000)
                }
                if len(span) == len(doc):
                    del scores[""]
                own = scores.pop(span.label_)
                margins.setdefault(span.label_, []).append(own - max(scores.values()))
    labels = [one for one in head_report(nlp, golds).labels if one.counts.correct]
    assert {one.label: one.counts.correct for one in labels} == {
        label: len(some) for label, some in margins.items()
    }
    for one in labels:
        assert one.margin == pytest.approx(np.mean(margins[one.label]), abs=1e-4)
        assert one.margin == pytest.approx(one.bias + one.tokens + one.heads.sum())
        assert (one.tokens != 0.0) == ("whole_tokens" in model)

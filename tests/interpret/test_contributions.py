"""Contributions of label heads: they add up, in every shape of model; and what cannot
be attributed is refused."""

import numpy as np
import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc, Span

from spacy_lal.annotations import get_constituents
from spacy_lal.interpret import (
    constituent_contributions,
    contributions,
    label_contributions,
)

SHAPES = {
    "plain": {},
    "unfactored": {"factored": False},
    "label unfactored": {"label_factored": False},
    "whole tokens": {"whole_tokens": True},
    "own heads alone": {
        "whole_tokens": True,
        "spans_from_tokens": True,
        "label_ties": True,
        "span_own_projections": True,
    },
    "own projections": {"span_own_projections": True, "label_own_projection": True},
    "ties": {"label_ties": True},
    "unscaled": {
        "scale_label_blocks": False,
        "label_proj_width": 5,
        "n_label_heads": 7,
    },
}


@pytest.mark.parametrize("name", SHAPES)
def test_parts_add_up(name):
    nlp = tiny_nlp(0, **SHAPES[name])
    doc = nlp(tiny_doc(nlp, space_after=3))
    parser = nlp.get_pipe("lal_parser")
    charts = [scores.labels for scores in parser.model.predict([doc])]
    found = constituent_contributions(nlp, doc)
    sentences = get_constituents(doc)
    assert [one.label for one in found] == [
        label for sentence in sentences for *_, label in sentence
    ]
    assert found
    for one in found:
        assert one.bias + one.tokens + one.heads.sum() == pytest.approx(one.score)
        assert (one.tokens != 0.0) == ("whole_tokens" in SHAPES[name])
    single = contributions(nlp, doc[found[-1].start : found[-1].end])
    assert single.label == found[-1].label and np.allclose(
        single.heads, found[-1].heads
    )
    first = [one for one in found if one.end <= 9]
    for one, (start, end, label) in zip(first, sentences[0], strict=True):
        label_id = parser.label_data["constituents"].index(label) + 2
        assert one.score == pytest.approx(
            float(charts[0][start, end, label_id]), abs=1e-5
        )


def test_every_label_of_any_span(nlp, doc):
    labels = nlp.get_pipe("lal_parser").label_data["constituents"]
    found = label_contributions(nlp, doc[1:3])  # no constituent
    assert [one.label for one in found] == ["<H>", *labels]
    for one in found[:2]:
        alone = contributions(nlp, doc[1:3], one.label)
        assert alone.score == pytest.approx(one.score, abs=1e-6) and np.allclose(
            alone.heads, one.heads
        )


def test_names_and_the_largest_parts(nlp, doc):
    (one, *_) = constituent_contributions(nlp, doc)
    labels = tuple(nlp.get_pipe("lal_parser").label_data["constituents"])
    assert (one.start, one.end) == (0, 9) and one.names == labels
    top = one.top(3)
    assert len(top) == 3
    sizes = [abs(value) for _, value in one.top(len(labels))]
    assert sizes == sorted(map(abs, one.heads.tolist()), reverse=True)
    assert dict(one.top(len(labels))) == dict(
        zip(labels, one.heads.tolist(), strict=True)
    )


def test_a_span_around_whitespace_is_the_span_of_its_words(nlp, doc):
    assert doc[4].is_space
    with_space, without = (
        contributions(nlp, doc[2:5], "NP"),
        contributions(nlp, doc[2:4], "NP"),
    )
    assert with_space.score == without.score and (with_space.start, with_space.end) == (
        2,
        4,
    )


def test_the_parse_of_another_model(nlp, doc):
    doc.spans["constituents"] = [Span(doc, 2, 4, "XP")]
    with pytest.raises(ValueError, match="labels of another model, XP"):
        constituent_contributions(nlp, doc)


@pytest.mark.parametrize(
    "label, why", [("", "always 0"), ("XP", "none of the parser's labels")]
)
def test_labels_that_have_no_parts(nlp, doc, label, why):
    with pytest.raises(ValueError, match=f"got {label!r}, .*{why}"):
        contributions(nlp, doc[0:1], label)


@pytest.mark.parametrize(
    "model, message", [({"label_attention": False}, "without label attention")]
)
def test_models_whose_scores_are_not_of_heads(model, message):
    nlp = tiny_nlp(0, **model)
    doc = nlp(tiny_doc(nlp))
    for explain in (contributions, label_contributions, constituent_contributions):
        with pytest.raises(ValueError, match=message):
            explain(nlp, doc[0:8])


def test_a_parser_of_dependencies_alone(nlp):
    from spacy.training import Example

    arcs_only = spacy.blank("en")
    arcs_only.add_pipe(
        "lal_parser", config={"model": nlp.get_pipe_config("lal_parser")["model"]}
    )
    gold = Doc(
        arcs_only.vocab, words=["She", "sees"], heads=[1, 1], deps=["nsubj", "ROOT"]
    )
    arcs_only.initialize(lambda: [Example(gold.copy(), gold)])
    doc = arcs_only(
        Doc(arcs_only.vocab, words=["She", "sees"], sent_starts=[True, False])
    )
    with pytest.raises(ValueError, match="scores no constituents"):
        contributions(arcs_only, doc[0:1], "NP")

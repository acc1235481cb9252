"""Margins against the enumeration of trees, and alternative labels of spans."""

from functools import partial

import numpy as np
import pytest
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc, Span

from spacy_lal.annotations import get_constituents
from spacy_lal.interpret import (
    arc_margins,
    best_labels,
    constituent_margins,
    iter_best_trees,
    k_best,
)

JOINT = {
    "@misc": "spacy-lal.joint_decoder.v1",
    "disagreement_cost": None,
    "deprel_weight": 0.0,
}
SEPARATE = {"@misc": "spacy-lal.separate_decoder.v1", "arcs": "mst"}


def test_best_labels(nlp, doc):
    parser = nlp.get_pipe("lal_parser")
    (scores, _) = parser.model.predict([doc])
    strings = ["", "<H>", *parser.label_data["constituents"]]
    for span, (i, j) in ((doc[2:4], (2, 4)), (doc[1:3], (1, 3)), (doc[5:7], (4, 6))):
        found = best_labels(parser, span, k=len(strings))
        assert sorted(found) == sorted(
            zip(strings, scores.labels[i, j].tolist(), strict=True)
        ) or np.allclose(
            [one.score for one in found],
            sorted(scores.labels[i, j].tolist(), reverse=True),
            atol=1e-5,
        )
        assert best_labels(parser, span, k=2) == found[:2]
        assert len(best_labels(parser, span)) == 5
    assert best_labels(nlp, doc[2:4], k=1)[0].label == "NP"
    with pytest.raises(ValueError, match="crosses a sentence boundary"):
        best_labels(nlp, doc)  # a Doc stands for all of its tokens
    for k in (0, -1, 1.5, float("nan"), True, None, "3"):
        for ask in (
            partial(best_labels, span=doc[2:4]),
            partial(k_best, sentence=doc[2:4]),
        ):
            with pytest.raises(
                ValueError, match="^k: expected an integer of at least 1, got "
            ):
                ask(nlp, k=k)


@pytest.mark.parametrize(
    "decoder",
    [JOINT, {**JOINT, "deprel_weight": 2.0}, SEPARATE],
    ids=["joint", "deprels", "separate"],
)
def test_margins_are_gaps_to_the_best_tree_without(decoder):
    nlp = tiny_nlp(12, decoder=decoder)
    doc = nlp(
        Doc(
            nlp.vocab,
            words=["Select", "the", "\n", "person"],
            sent_starts=[True, False, False, False],
        )
    )
    best, constituents, arcs = (
        next(iter_best_trees(nlp, doc)),
        constituent_margins(nlp, doc),
        arc_margins(nlp, doc),
    )
    assert [one[:3] for one in constituents] == best.constituents
    assert [(one.dependent, one.head) for one in arcs] == list(
        zip((0, 1, 3), best.heads, strict=True)
    )
    for one in constituents:
        gap = next(
            tree.gap
            for tree in iter_best_trees(nlp, doc)
            if one[:3] not in tree.constituents
        )
        assert one.margin == pytest.approx(gap, abs=1e-4)
    if decoder is not SEPARATE:
        for i, arc in enumerate(arcs):
            gap = next(
                tree.gap
                for tree in iter_best_trees(nlp, doc)
                if tree.heads[i] != arc.head
            )
            assert arc.margin == pytest.approx(gap, abs=1e-4)


def test_margins_count_constituents_that_the_heads_contradict():
    nlp = tiny_nlp(decoder={**JOINT, "disagreement_cost": 0.0})
    doc = nlp(tiny_doc(nlp))
    assert [one.label for one in constituent_margins(nlp, doc)] == [
        label for sentence in get_constituents(doc) for *_, label in sentence
    ]
    assert all(
        one.margin >= 0.0
        for one in [*constituent_margins(nlp, doc), *arc_margins(nlp, doc)]
    )


def test_the_doc_is_not_changed(nlp, doc):
    before = doc.to_bytes()
    constituent_margins(nlp, doc)
    arc_margins(nlp, doc)
    best_labels(nlp, doc[0:1])
    assert doc.to_bytes() == before


def test_no_parse(nlp):
    doc = tiny_doc(nlp)
    with pytest.raises(ValueError, match="got no parse"):
        constituent_margins(nlp, doc)
    with pytest.raises(ValueError, match="the Doc has no parse .no heads"):
        arc_margins(nlp, doc)


def test_an_edited_parse(nlp, doc):
    doc.spans["constituents"] = [*doc.spans["constituents"], Span(doc, 12, 14, "NP")]
    assert (12, 14, "NP", 0.0) in constituent_margins(
        nlp, doc
    )  # no part of the best tree
    doc.spans["constituents"] = [Span(doc, 0, 1, "XP")]
    with pytest.raises(ValueError, match="labels of another model, XP"):
        constituent_margins(nlp, doc)

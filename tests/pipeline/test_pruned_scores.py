"""Parsing with pruned scores: the same parses as with all of them, by the weights of
the moment."""

from functools import partial

import pytest
import torch
from tiny_pipeline import TEXTS, make_bert, make_nlp, parses, train

from spacy_lal.models.parser import get_network
from spacy_lal.pipeline.decoders import make_joint_decoder, make_separate_decoder


@pytest.fixture(scope="module")
def nlp(tmp_path_factory):
    return train(make_nlp(make_bert(tmp_path_factory.mktemp("bert") / "bert")))


def parse(nlp):
    return parses(nlp.pipe(TEXTS))


@pytest.mark.parametrize(
    "decoder",
    [
        make_joint_decoder(),
        make_joint_decoder(empty_nodes=False),
        make_joint_decoder(disagreement_cost=0.1),
        make_joint_decoder(deprel_weight=2.0),
        make_separate_decoder(),
        make_separate_decoder("mst"),
    ],
)
def test_parses_are_those_of_all_scores(nlp, decoder, monkeypatch):
    parser = nlp.get_pipe("lal_parser")
    monkeypatch.setattr(parser, "decoder", decoder)
    pruned = parse(nlp)
    monkeypatch.setattr(parser, "iter_scores", partial(all_scores, parser.iter_scores))
    assert parse(nlp) == pruned


def all_scores(iter_scores, docs, *, pruned, sentences):
    return iter_scores(docs, pruned=False, sentences=sentences)


def pruned_arcs(parser, doc):
    ((_, scores),) = parser.iter_scores([doc], pruned=True)
    return scores[0].arcs


def all_arcs(parser, doc):
    return parser.model.predict([doc])[0].arcs


def test_scores_follow_the_weights(nlp):
    parser, doc = nlp.get_pipe("lal_parser"), nlp("She sees a dog.")
    before = pruned_arcs(parser, doc)
    shim = parser.model.layers[-1].shims[0]
    train(nlp, steps=1)  # thinc's optimizer changes weights behind torch's back
    doc = nlp("She sees a dog.")
    after = pruned_arcs(parser, doc)
    assert (
        abs(after - before).max() > 1e-4
        and abs(after - all_arcs(parser, doc)).max() < 3e-5
    )

    weight = get_network(parser.model).biaffine_scorer.arc_bilinear
    with torch.no_grad():
        weight.mul_(2.0)
    assert abs(pruned_arcs(parser, doc) - all_arcs(parser, doc)).max() < 3e-5
    with parser.model.use_params(
        {(shim.id, "biaffine_scorer.arc_bilinear"): torch.zeros_like(weight).numpy()}
    ):
        assert not pruned_arcs(parser, doc).any()
    assert pruned_arcs(parser, doc).any()

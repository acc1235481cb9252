"""The folded network says the same as the plain one."""

import numpy
import pytest
import torch
from layers.test_parser_network import LENGTHS, OPTIONS, build, make_inputs

from spacy_lal.layers.folded_network import FoldedNetwork
from spacy_lal.layers.scorers import deprel_features

UNFOLDED = {"query_per_token", "combine_as_self"}


@pytest.mark.parametrize("name", OPTIONS)
def test_which_label_attention_folds(name):
    attention = build(name).label_attention
    assert attention is None or (attention.fold is None) is (name in UNFOLDED)


@pytest.mark.parametrize("lengths", [LENGTHS, [7]])
@pytest.mark.parametrize("name", OPTIONS)
def test_its_scores_are_the_best_of_the_plain_network(name, lengths):
    network = build(name)
    inputs = make_inputs(network, lengths)
    plain, form = network(inputs, return_attention=True), FoldedNetwork(network)
    folded = form(inputs)
    form.deprel_weights = None  # as on a GPU
    all_deprels = form(inputs)
    for row, n in enumerate(inputs.lengths.tolist()):
        side = slice(n + 1)
        if network.span_scorer is not None:
            labels = plain.labels[row, side, side]
            assert torch.allclose(folded.labels[row, side, side, :2], labels[..., :2], atol=3e-5)
            assert torch.allclose(folded.labels[row, side, side, 2], labels[..., 2:].amax(-1), atol=3e-5)
            upper = torch.ones(n + 1, n + 1, dtype=torch.bool).triu(1)
            assert torch.equal(folded.label_ids[row, side, side][upper], labels[..., 2:].argmax(-1)[upper].short() + 2)
        else:
            assert not folded.labels.numel()
        if network.biaffine_scorer is not None:
            assert torch.allclose(folded.arcs[row, side, side], plain.arcs[row, side, side], atol=3e-5)
            deprels = plain.deprels[row, side, side] if network.biaffine_scorer.given_head else plain.deprels[row, side]
            if network.biaffine_scorer.given_head:
                assert torch.equal(all_deprels.deprel_ids[row, side, side].long(), deprels.argmax(-1))
                heads = numpy.random.default_rng(row).integers(0, n + 1, n).astype("int32")
                chosen = deprels[range(1, n + 1), heads].argmax(-1)
                assert folded.deprel_features.choose([row], [heads])[0].tolist() == chosen.tolist()
                assert not folded.deprel_ids.numel()
            else:
                assert torch.equal(folded.deprel_ids[row, side].long(), deprels.argmax(-1))
                assert folded.deprel_features is None
        else:
            assert not folded.deprel_ids.numel()
        if network.label_attention is not None:
            assert torch.allclose(folded.label_attention[row], plain.label_attention[row], atol=3e-5)


@pytest.mark.parametrize("name", ["default", "feed_forward_split", "whole_tokens", "deprel_alone"])
def test_bfloat16_products_are_near(name):
    network = build(name)
    inputs = make_inputs(network, LENGTHS)
    exact, rough = FoldedNetwork(network)(inputs), FoldedNetwork(network, torch.bfloat16)(inputs)
    for one, other in ((exact.labels[..., 2], rough.labels[..., 2]), (exact.arcs, rough.arcs)):
        assert one.dtype == other.dtype == torch.float32
        assert 0 < (one - other).abs().mean() < 0.05 * one.abs().mean()


def test_deprels_of_a_batch_are_those_of_its_sentences(monkeypatch):
    network = build("default")
    inputs = make_inputs(network, LENGTHS)
    heads = [numpy.random.default_rng(n).integers(0, n + 1, n).astype("int32") for n in LENGTHS]
    choose = FoldedNetwork(network)(inputs).deprel_features.choose
    alone = [choose([row], [one])[0] for row, one in enumerate(heads)]
    rows = [2, 0, 3]
    monkeypatch.setattr(deprel_features, "_CHUNK_HEADS", 3)
    for row, ids in zip(rows, choose(rows, [heads[row] for row in rows]), strict=True):
        assert ids.dtype == numpy.int32 and ids.tolist() == alone[row].tolist()
    assert choose([], []) == [] and choose([1], [heads[1][:0]])[0].tolist() == []


def test_it_keeps_the_weights_it_was_made_of():
    network = build("default")
    inputs = make_inputs(network, [7])
    folded = FoldedNetwork(network)
    before = folded(inputs).arcs
    torch.nn.init.zeros_(network.label_attention.query["content"])
    assert not torch.equal(FoldedNetwork(network)(inputs).arcs, before)


def test_long_sentences_in_pieces_that_fit_the_cache(monkeypatch):
    network = build("whole_tokens")
    inputs = make_inputs(network, LENGTHS)
    whole = FoldedNetwork(network)(inputs)
    for module in ("folded_network", "span_scorer"):
        monkeypatch.setattr(f"spacy_lal.layers.{module}._CHUNK_FLOATS", 70)
    cut = FoldedNetwork(network)(inputs)
    assert numpy.allclose(cut.deprel_features.heads, whole.deprel_features.heads, atol=1e-5)
    for one, other in zip(cut[:5], whole[:5], strict=True):
        assert torch.allclose(one.float(), other.float(), atol=1e-5)


def test_dropout_stays_off():
    network = build("feed_forward_split")
    inputs = make_inputs(network, LENGTHS)
    folded = FoldedNetwork(network)
    before = folded(inputs)
    network.train()
    for one, other in zip(folded(inputs)[:5], before[:5], strict=True):
        assert torch.equal(one, other)

"""The stack of layers; a layer without a folded form runs as it is, in a folded network too."""

import copy

import pytest
import torch
from layers.test_parser_network import LENGTHS, build, make_inputs

from spacy_lal.layers.encoders.configs import EncoderConfig, SelfAttentionLayerConfig
from spacy_lal.layers.folded_network import FoldedNetwork
from spacy_lal.layers.label_attention import LabelAttention


class Neighbours(torch.nn.Module):
    """A layer of somebody else: no `fold`, dropout, and a mask that it must be given."""

    def __init__(self, width):
        super().__init__()
        self.mix = torch.nn.Linear(width, width)
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, inputs, padding):
        inputs = inputs.masked_fill(padding.unsqueeze(-1), 0.0)
        mean = inputs.sum(1, keepdim=True) / (~padding).sum(1)[:, None, None]
        return self.dropout(inputs + self.mix(mean).tanh())


class PlainLabelAttention(LabelAttention):
    """Label attention without a folded form."""

    fold = None


def test_layers_in_order():
    narrow, wide = SelfAttentionLayerConfig(repeat=2, n_heads=2), SelfAttentionLayerConfig(n_heads=3, factored=False)
    encoder = EncoderConfig((narrow, wide)).build(8)
    assert [layer.attention.n_heads for layer in encoder.layers] == [2, 2, 3]
    assert encoder.layers[0].attention is not encoder.layers[1].attention
    inputs, padding = torch.randn(2, 4, 8), torch.zeros(2, 4, dtype=torch.bool)
    expected = inputs
    for layer in encoder.eval().layers:
        expected = layer(expected, padding)
    assert torch.equal(encoder(inputs, padding), expected)
    assert torch.equal(EncoderConfig().build(8)(inputs, padding), inputs)


def without_fold(network, part):
    """A copy of a network in which a part has no folded form."""
    network = copy.deepcopy(network)
    if part in ("encoder", "both"):
        torch.manual_seed(1)
        layer = Neighbours(network.config.hidden_width).eval()
        assert not hasattr(layer, "fold")
        network.encoder.layers.insert(1, layer)
    if part in ("label attention", "both"):
        network.label_attention.__class__ = PlainLabelAttention
    return network


@pytest.mark.parametrize("lengths", [LENGTHS, [7]])
@pytest.mark.parametrize("part", ["encoder", "label attention", "both"])
@pytest.mark.parametrize("name", ["default", "whole_tokens", "feed_forward_per_label", "ties"])
def test_a_layer_without_a_folded_form(name, part, lengths):
    folding = build(name)
    network = without_fold(folding, part)
    inputs = make_inputs(network, lengths)
    plain, folded = network(inputs, return_attention=True), FoldedNetwork(network)(inputs)
    for row, n in enumerate(lengths):
        side, upper = slice(n + 1), torch.ones(n + 1, n + 1, dtype=torch.bool).triu(1)
        labels = plain.labels[row, side, side]
        assert torch.allclose(folded.labels[row, side, side, 2], labels[..., 2:].amax(-1), atol=3e-5)
        assert torch.equal(folded.label_ids[row, side, side][upper], labels[..., 2:].argmax(-1)[upper].short() + 2)
        assert torch.allclose(folded.arcs[row, side, side], plain.arcs[row, side, side], atol=3e-5)
        deprels = plain.deprels[row, side, side].argmax(-1)
        heads = torch.arange(n).int().numpy()
        chosen = folded.deprel_features.choose([row], [heads])[0].tolist()
        assert chosen == deprels[range(1, n + 1), range(n)].tolist()
        assert torch.allclose(folded.label_attention[row], plain.label_attention[row], atol=3e-5)
    same = torch.allclose(folded.arcs, FoldedNetwork(folding)(inputs).arcs, atol=3e-5)
    assert same is (part == "label attention")


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
def test_its_dropout_stays_off(precision):
    network = without_fold(build("default"), "both")
    inputs = make_inputs(network, LENGTHS)
    folded = FoldedNetwork(network, precision)
    before = folded(inputs)
    network.train()
    for one, other in zip(folded(inputs)[:5], before[:5], strict=True):
        assert torch.equal(one, other)

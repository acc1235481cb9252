"""Vectors from outside: several layers are mixed, dropout, and what is refused."""

import pytest
import torch

from spacy_lal.layers.input_configs import InputSizes, Vectors
from spacy_lal.layers.inputs import NetworkInputs


def build(width=4, vector_width=6, **options):
    torch.manual_seed(0)
    return Vectors(**options).build(width, InputSizes(vector_width=vector_width))


def inputs(vector_width=6, bounded=True):
    torch.manual_seed(1)
    rows = torch.randn(2, 5, vector_width)
    return NetworkInputs(torch.tensor([3, 2]), vectors=rows, has_boundary_vectors=bounded)


def test_equal_layers_are_averaged_at_first():
    layer, batch = build(mix_layers=3, learned_boundaries=False), inputs()
    expected = layer.projection(batch.vectors.unflatten(-1, (3, 2)).mean(-2))
    assert torch.allclose(layer(batch), expected, atol=1e-6)


def test_the_mix_is_a_learned_softmax():
    layer, batch = build(mix_layers=2, learned_boundaries=False), inputs()
    with torch.no_grad():
        layer.mix.copy_(torch.tensor([0.0, 20.0]))
    assert torch.allclose(layer(batch), layer.projection(batch.vectors[..., 3:]), atol=1e-5)
    layer(batch).square().sum().backward()
    assert layer.mix.grad.abs().sum() > 0


def test_learned_boundaries_are_mixed_like_words():
    layer, batch = build(mix_layers=2), inputs(bounded=False)
    start = layer.projection(layer.boundaries[0].unflatten(-1, (2, 3)).mean(0))
    assert torch.allclose(layer(batch)[:, 0], start.expand(2, -1), atol=1e-6)


def test_one_layer_has_no_mix():
    assert [name for name, _ in build().named_parameters()] == ["boundaries", "projection.weight"]


def test_layers_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match="mix_layers: expected .* divides the width of the vectors, 6, got 4"):
        build(mix_layers=4)


def test_dropout_of_elements_and_of_features():
    layer = build(width=200, vector_width=200, vector_dropout=0.5, dropout=0.5, learned_boundaries=False).train()
    batch = inputs(200)
    kept = layer(batch) != 0
    assert torch.equal(kept.all(1), kept.any(1)) and not torch.equal(kept[0], kept[1])
    layer.dropout.rate = 0.0
    assert not torch.equal(layer(batch), layer(batch))
    layer.eval()
    assert torch.equal(layer(batch), layer.projection(batch.vectors))

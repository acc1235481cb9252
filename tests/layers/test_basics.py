"""Dropout, the layer norm and the feed-forward layer: shares, masks, formulas,
gradients."""

import pytest
import torch

from spacy_lal.layers.basics import ElementDropout, FeatureDropout, StdNorm, std_norm


def test_features_are_dropped_for_a_whole_sentence():
    torch.manual_seed(0)
    dropout = FeatureDropout(0.5).train()
    output = dropout(torch.ones(4, 6, 200))
    assert set(output.unique().tolist()) == {0.0, 2.0}
    assert torch.equal(
        output, output[:, :1].expand_as(output)
    )  # the same at every position
    assert not torch.equal(output[0], output[1])  # another mask for another sentence
    assert 0.4 < output.bool().float().mean() < 0.6


@pytest.mark.parametrize("rate", [0.1, 0.33, 0.9])
def test_elements_are_dropped_one_by_one(rate):
    torch.manual_seed(0)
    inputs = torch.ones(301, 333, requires_grad=True)
    output = ElementDropout(rate).train()(inputs)
    kept = output.detach() != 0
    assert kept.float().mean().item() == pytest.approx(1 - rate, abs=0.01)
    assert output.max().item() == pytest.approx(1 / (1 - rate), rel=1e-3)
    assert output.mean().item() == pytest.approx(1.0, abs=0.05)
    assert not torch.equal(kept[0], kept[1])
    output.sum().backward()
    assert torch.equal(inputs.grad, output.detach())


def plain_norm(inputs, gain, bias):
    mean = inputs.mean(-1, keepdim=True)
    return (
        gain * (inputs - mean) / (inputs.std(-1, keepdim=True, unbiased=True) + 1e-3)
        + bias
    )


def test_gradient():
    tensors = [torch.randn(3, 4, 6), torch.randn(6), torch.randn(6)]
    ours, plain = ([t.double().requires_grad_() for t in tensors] for _ in range(2))
    weights = torch.randn(3, 4, 6).double()
    (std_norm(*ours) * weights).sum().backward()
    (plain_norm(*plain) * weights).sum().backward()
    for left, right in zip(ours, plain, strict=True):
        assert torch.allclose(left.grad, right.grad, atol=1e-10)
    assert torch.autograd.gradcheck(std_norm, ours)


def test_constant_row_gives_the_bias_and_finite_gradients():
    inputs = torch.full((2, 4), 3.0, requires_grad=True)
    norm = StdNorm(4)
    output = norm(inputs)
    output.sum().backward()
    assert torch.equal(output, torch.zeros(2, 4))
    assert torch.isfinite(inputs.grad).all()

"""The layer norm: its formula, and its gradient by hand against autograd's."""

import pytest
import torch

from spacy_lal.layers.basics import StdNorm, std_norm


def plain_norm(inputs, gain, bias):
    mean = inputs.mean(-1, keepdim=True)
    return gain * (inputs - mean) / (inputs.std(-1, keepdim=True, unbiased=True) + 1e-3) + bias


@pytest.mark.parametrize("shape", [(5, 8), (2, 3, 4, 2), (1, 7)])
def test_formula(shape):
    inputs, gain, bias = torch.randn(shape), torch.randn(shape[-1]), torch.randn(shape[-1])
    assert torch.allclose(std_norm(inputs, gain, bias), plain_norm(inputs, gain, bias), atol=1e-5)


def test_gradient():
    tensors = [torch.randn(3, 4, 6), torch.randn(6), torch.randn(6)]
    ours, plain = ([t.double().requires_grad_() for t in tensors] for _ in range(2))
    weights = torch.randn(3, 4, 6).double()
    (std_norm(*ours) * weights).sum().backward()
    (plain_norm(*plain) * weights).sum().backward()
    for left, right in zip(ours, plain, strict=True):
        assert torch.allclose(left.grad, right.grad, atol=1e-10)
    assert torch.autograd.gradcheck(std_norm, ours)


def test_small_spread_keeps_epsilon():
    inputs = torch.tensor([[1.0, 1.001, 0.999]])
    gain, bias = torch.ones(3), torch.zeros(3)
    assert torch.allclose(std_norm(inputs, gain, bias), plain_norm(inputs, gain, bias), atol=1e-4)


def test_constant_row_gives_the_bias_and_finite_gradients():
    inputs = torch.full((2, 4), 3.0, requires_grad=True)
    norm = StdNorm(4)
    output = norm(inputs)
    output.sum().backward()
    assert torch.equal(output, torch.zeros(2, 4))
    assert torch.isfinite(inputs.grad).all()


def test_width_one_is_returned_unchanged():
    inputs = torch.randn(4, 1)
    assert torch.equal(StdNorm(1)(inputs), inputs)

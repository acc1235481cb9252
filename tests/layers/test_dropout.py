"""Dropout: shares, scales, masks, and silence in evaluation."""

import pytest
import torch

from spacy_lal.layers.basics import ElementDropout, FeatureDropout


def test_features_are_dropped_for_a_whole_sentence():
    torch.manual_seed(0)
    dropout = FeatureDropout(0.5).train()
    output = dropout(torch.ones(4, 6, 200))
    assert set(output.unique().tolist()) == {0.0, 2.0}
    assert torch.equal(output, output[:, :1].expand_as(output))  # the same at every position
    assert not torch.equal(output[0], output[1])  # another mask for another sentence
    assert 0.4 < output.bool().float().mean() < 0.6


def test_add_is_dropout_plus_residual():
    dropout = FeatureDropout(0.3).train()
    inputs, residual = torch.randn(2, 3, 5), torch.randn(2, 3, 5)
    torch.manual_seed(1)
    expected = residual + dropout(inputs)
    torch.manual_seed(1)
    assert torch.allclose(dropout.add(inputs, residual), expected)


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


def test_seed_decides():
    outputs = []
    for _ in range(2):
        torch.manual_seed(7)
        outputs.append(ElementDropout(0.5).train()(torch.ones(9, 7)))
    assert torch.equal(*outputs)


@pytest.mark.parametrize("kind", [FeatureDropout, ElementDropout])
def test_nothing_happens_in_evaluation_or_at_rate_zero(kind):
    inputs = torch.randn(2, 3, 4)
    assert kind(0.5).eval()(inputs) is inputs
    assert kind(0.0).train()(inputs) is inputs


@pytest.mark.parametrize("kind", [FeatureDropout, ElementDropout])
@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_impossible_rates_are_refused(kind, rate):
    with pytest.raises(ValueError, match="dropout rate"):
        kind(rate)

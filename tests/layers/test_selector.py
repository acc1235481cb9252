"""The selector: choices, weights and gradients. Properties of reference-encoders.md, D."""

import math

import pytest
import torch
from layers.attention_layers import (
    N_WORDS,
    WIDTH,
    make_inputs,
    make_padding,
)

from spacy_lal.layers.configs import SelectorConfig
from spacy_lal.layers.encoder import SelectiveSoftmax, Selector, Window, forbidden_pairs

PARTS = {"factored": {"content": 6, "position": 6}, "unfactored": {"all": WIDTH}}
MODES = ("hard", "soft", "sample")
ON_EMPTY = ("all", "nothing")
KEEP, DROP = 1e4, -1e4


def make_selector(parts="factored", training=True, **options):
    selector = Selector(SelectorConfig(**options), PARTS[parts], n_heads=3, width=4).train(training)
    with torch.no_grad():
        for parameter in selector.parameters():
            parameter.normal_(std=0.5)
    return selector


def random_pairs(n_words=N_WORDS, seed=0, dtype=torch.float64):
    """Logits, scores and the mask of a batch; 3 heads."""
    generator = torch.Generator().manual_seed(seed)
    shape = (len(n_words), 3, max(n_words) + 2, max(n_words) + 2)
    logits, scores = (torch.randn(shape, generator=generator, dtype=dtype) for _ in range(2))
    return logits, 2.0 * scores, forbidden_pairs(make_padding(n_words), Window(3))


@pytest.mark.parametrize("parts", PARTS)
def test_scores_by_the_formula(parts):
    selector, inputs = make_selector(parts), make_inputs([3, 5])
    expected = torch.zeros(2, 3, 7, 7)
    for part, features in zip(PARTS[parts], inputs.split(list(PARTS[parts].values()), dim=-1), strict=True):
        query, key = (
            torch.einsum("bpw,hwd->bhpd", features, weight[part]) + bias[part][:, None, :]
            for weight, bias in ((selector.query, selector.query_bias), (selector.key, selector.key_bias))
        )
        expected += query @ key.transpose(2, 3)
    assert torch.allclose(selector(inputs), expected, atol=1e-5)


def test_frequencies_follow_the_probability():  # D10
    scores = torch.tensor([-2.0, -0.5, 0.0, 1.0, 3.0])
    selector = make_selector()
    draws = selector.choose(scores.expand(40_000, 1, 1, 5)).values.mean((0, 1, 2))
    assert torch.allclose(draws, scores.sigmoid(), atol=0.012)  # five standard deviations


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("on_empty", ON_EMPTY)
def test_sure_choices(mode, on_empty):  # D9
    logits, _, forbidden = random_pairs()
    selector = make_selector(mode=mode, on_empty=on_empty)
    softmax = SelectiveSoftmax(selector.config.on_empty, 0.0)
    plain = logits.masked_fill(forbidden, -math.inf).softmax(-1)
    everything = softmax(logits, forbidden, selector.choose(torch.full_like(logits, KEEP)))
    assert torch.allclose(everything, plain, atol=1e-5 if on_empty == "nothing" else 0.0)
    nothing = softmax(logits, forbidden, selector.choose(torch.full_like(logits, DROP)))
    if on_empty == "nothing":
        assert not nothing.any()
    else:
        assert torch.allclose(nothing, plain, atol=1e-12)


@pytest.mark.parametrize("on_empty", ON_EMPTY)
@pytest.mark.parametrize("mode", MODES)
def test_gradients_by_the_formula(mode, on_empty):  # D10
    logits, scores, forbidden = random_pairs([2, 1, 4])
    scores[0, 0, 1] = -3.0  # a row without a key
    noise = torch.zeros_like(scores)
    selector = make_selector(mode=mode, on_empty=on_empty)
    selector.sample_noise = lambda scores: noise
    logits.requires_grad_(), scores.requires_grad_()
    weights = SelectiveSoftmax(selector.config.on_empty, 0.0)(logits, forbidden, selector.choose(scores))
    gradient = torch.randn_like(weights)
    weights.backward(gradient)

    allowed = (~forbidden).expand_as(logits).double()
    probability = (scores.detach() if mode == "soft" else scores.detach() / 0.5).sigmoid()
    slope = probability * (1.0 - probability) / (1.0 if mode == "soft" else 0.5)
    chosen = ((probability > 0.5).double() if mode == "hard" else probability).mul_(allowed)
    empty = (chosen == 0.0).all(-1, keepdim=True)
    logit, choice = logits.detach().clone().requires_grad_(), chosen.clone().requires_grad_()
    epsilon = 1e-6 if on_empty == "nothing" else 0.0
    exponents = logit.exp() * choice
    expected = exponents / (exponents.sum(-1, keepdim=True) + epsilon)
    rows = ~empty if on_empty != "nothing" else torch.ones_like(empty)
    (expected.masked_fill(~rows, 0.0) * gradient).nan_to_num().sum().backward()
    rows = rows.expand_as(logits)
    assert torch.allclose(weights[rows], expected[rows], atol=1e-12)
    assert torch.allclose(logits.grad[rows], logit.grad[rows], atol=1e-10)
    assert torch.allclose(scores.grad[rows], (choice.grad * slope * allowed)[rows], rtol=1e-8, atol=1e-10)
    if on_empty != "nothing":
        assert not scores.grad[empty.expand_as(scores)].any()

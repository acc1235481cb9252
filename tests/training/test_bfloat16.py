import copy

import pytest
import spacy
import torch
from thinc.api import Model, PyTorchShim, PyTorchWrapper

from spacy_lal.layers.scorers.biaffine_scorer import BiaffineScorer
from spacy_lal.layers.scorers.span_scorer import SpanScorer
from spacy_lal.training import bfloat16
from spacy_lal.training.bfloat16 import has_bfloat16_products, use_bfloat16_products


def layers():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2))


def test_training_is_near_and_prediction_is_equal():
    exact = layers()
    module = copy.deepcopy(exact)
    assert use_bfloat16_products([PyTorchWrapper(module)]) == 2
    inputs = torch.randn(5, 32)
    outputs, expected = module(inputs), exact(inputs)
    assert outputs.dtype == torch.float32
    assert not torch.equal(outputs, expected)
    torch.testing.assert_close(outputs, expected, rtol=0, atol=0.03)
    for one in (outputs, expected):
        one.square().sum().backward()
    for parameter, other in zip(module.parameters(), exact.parameters(), strict=True):
        assert parameter.dtype == parameter.grad.dtype == torch.float32
        torch.testing.assert_close(parameter.grad, other.grad, rtol=0, atol=0.05 * float(other.grad.abs().max()))
    assert torch.equal(module.eval()(inputs), exact.eval()(inputs))
    assert list(module.state_dict()) == list(exact.state_dict())


class Scorers(torch.nn.Module):
    """Both scorers of a parser, whose layers multiply by themselves."""

    def __init__(self):
        super().__init__()
        self.spans = SpanScorer(input_width=8, hidden_width=16, n_labels=4)
        self.arcs = BiaffineScorer(input_width=8, arc_width=6, deprel_width=5, n_deprels=3, dropout=0.0)

    def forward(self, fenceposts):
        return self.spans(fenceposts, torch.tensor([3, 4])), *self.arcs(fenceposts)


def test_scorers_that_multiply_by_themselves():
    torch.manual_seed(0)
    exact = Scorers()
    module = copy.deepcopy(exact)
    use_bfloat16_products([PyTorchWrapper(module)])
    fenceposts = torch.randn(2, 5, 8)
    found, expected = module(fenceposts), exact(fenceposts)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == torch.float32
        assert not torch.equal(one, other)
        torch.testing.assert_close(one, other, rtol=0, atol=0.05)
    for charts in (found, expected):
        sum(chart.square().sum() for chart in charts).backward()
    for parameter, other in zip(module.parameters(), exact.parameters(), strict=True):
        assert parameter.grad.dtype == torch.float32
        torch.testing.assert_close(parameter.grad, other.grad, rtol=0, atol=0.05 * float(other.grad.abs().max()))
    module.eval(), exact.eval()
    for one, other in zip(module(fenceposts), exact(fenceposts), strict=True):
        assert torch.equal(one, other)
    assert list(module.state_dict()) == list(exact.state_dict())


def test_layers_of_all_depths_once():
    module = torch.nn.Linear(4, 4)
    shims = [PyTorchShim(module), PyTorchShim(torch.nn.Sequential(module, torch.nn.Dropout()))]
    nested = Model("outer", lambda *_: None, layers=[Model("inner", lambda *_: None, shims=shims)])
    assert use_bfloat16_products([nested, nested]) == 1


@pytest.mark.parametrize("able", [True, False])
def test_the_callback_changes_a_pipeline_once_and_only_where_it_pays(able, monkeypatch):
    calls = []
    monkeypatch.setattr(bfloat16, "has_bfloat16_products", lambda: able)
    monkeypatch.setattr(bfloat16, "use_bfloat16_products", calls.append)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    tagger = nlp.add_pipe("tagger")
    callback = spacy.registry.resolve({"it": {"@callbacks": "spacy-lal.bfloat16_products.v1"}})["it"]
    for step in range(3):
        callback(nlp, {"step": step})
    assert calls == ([[tagger.model]] if able else [])


def test_it_can_be_told_of_this_machine():
    assert isinstance(has_bfloat16_products(), bool)

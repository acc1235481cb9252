"""The span scorer: its chart against the plain formula, and the gradient that is computed again against autograd's."""

import pytest
import torch

from spacy_lal.layers import scorers
from spacy_lal.layers.scorers import SpanScorer


def plain_chart(scorer, fenceposts, lengths):
    """reference-parser.md 1.11, with the tensor that the scorer avoids."""
    ends, starts = torch.broadcast_tensors(fenceposts[:, None], fenceposts[:, :, None])  # [start, end]
    own_ends = scorer.hidden.in_features > fenceposts.shape[-1]
    spans = torch.cat([ends, -starts], dim=-1) if own_ends else ends - starts
    scores = scorer.output(scorer.norm(scorer.hidden(spans)).relu())
    scores = torch.cat([torch.zeros_like(scores[..., :1]), scores], dim=-1)
    places = torch.arange(fenceposts.shape[1])
    real = (places[:, None] < places) & (places <= lengths[:, None, None])
    return scores * real.unsqueeze(-1)


@pytest.fixture(params=[False, True], ids=["difference", "separate_endpoints"])
def case(request):
    torch.manual_seed(0)
    scorer = SpanScorer(input_width=6, hidden_width=5, n_labels=4, separate_endpoints=request.param).double()
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter)
    return scorer, torch.randn(3, 6, 6).double(), torch.tensor([2, 5, 1])


def test_chart(case):
    scorer, fenceposts, lengths = case
    chart = scorer(fenceposts, lengths)
    assert torch.allclose(chart, plain_chart(scorer, fenceposts, lengths))
    assert not chart[..., 0].any()
    assert not chart[0, 2:, 3:].any()  # beyond the first sentence


@pytest.mark.parametrize("chunk_floats", [12, 1 << 21])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_gradient_equals_autograd(case, share, chunk_floats, monkeypatch):
    monkeypatch.setattr(scorers, "_SPAN_FLOATS", chunk_floats)
    scorer, fenceposts, lengths = case
    grads = torch.randn(3, 6, 6, 4).double() * (torch.rand(3, 6, 6, 1) < share)
    results = []
    for chart_of in (scorer, lambda *args: plain_chart(scorer, *args)):
        inputs = fenceposts.clone().requires_grad_()
        scorer.zero_grad()
        chart_of(inputs, lengths).backward(grads)
        results.append([inputs.grad, *(p.grad.clone() for p in scorer.parameters())])
    for ours, plain in zip(*results, strict=True):
        assert torch.allclose(ours, plain, atol=1e-10)


def test_sparse_gradient_equals_dense(case):
    """Of cells that are named twice, that are in no sentence, and of the empty label, too."""
    scorer, fenceposts, lengths = case
    chart = scorer(fenceposts.requires_grad_(), lengths)
    leaves = [fenceposts, *scorer.parameters()]
    indices = torch.randint(0, 4, (4, 60)) + torch.tensor([[0], [0], [2], [0]])
    indices[0] %= 3
    grad = torch.sparse_coo_tensor(indices, torch.randn(60).double(), chart.shape, check_invariants=True)
    nothing = torch.sparse_coo_tensor(indices[:, :0], torch.zeros(0).double(), chart.shape, check_invariants=True)
    for named in (grad, grad * 0.0, nothing):
        ours = torch.autograd.grad(chart, leaves, named, retain_graph=True)
        dense = torch.autograd.grad(chart, leaves, named.to_dense(), retain_graph=True)
        for one, other in zip(ours, dense, strict=True):
            assert torch.allclose(one, other, atol=1e-10)
        assert bool(ours[0].any()) == (named is grad)


def test_gradcheck(case):
    scorer, fenceposts, lengths = case
    inputs = fenceposts[:, :4].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: scorer(x, lengths.clamp(max=3)), inputs)


def test_empty_sentences(case):
    scorer, _, _ = case
    chart = scorer(torch.randn(2, 1, 6).double().requires_grad_(), torch.tensor([0, 0]))
    assert chart.shape == (2, 1, 1, 4) and not chart.any()
    chart.sum().backward()

"""The scorers of arcs, deprels and spans against their formulas."""

import pytest
import torch

from spacy_lal.checkpoint.layers import ReferenceBiaffineScorerConfig
from spacy_lal.layers import parser_scorers
from spacy_lal.layers.configs import (
    BiaffineScorerConfig,
    FencepostLayout,
    SpanScorerConfig,
)
from spacy_lal.layers.parser_scorers import SpanScorer, build_biaffine_scorer

LAYOUT = FencepostLayout(1, 6)


@pytest.fixture
def fenceposts():
    torch.manual_seed(0)
    return torch.randn(2, 4, 6)


@pytest.mark.parametrize("given_head", [True, False])
def test_formulas(fenceposts, given_head):
    config = BiaffineScorerConfig if given_head else ReferenceBiaffineScorerConfig
    scorer = build_biaffine_scorer(config(5, 3, dropout=0.0), LAYOUT, 7)
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter)
    arcs, deprels = scorer(fenceposts)
    assert arcs.shape == (2, 4, 4)
    assert deprels.shape == ((2, 4, 4, 7) if given_head else (2, 4, 7))
    for rows, arc, deprel in zip(fenceposts, arcs, deprels, strict=True):
        a, b = scorer.arc_head(rows).relu(), scorer.arc_dependent(rows).relu()
        p, q = scorer.deprel_head(rows).relu(), scorer.deprel_dependent(rows).relu()
        one = torch.ones(1)
        for d in range(4):
            for h in range(4):
                expected = (
                    torch.cat([a[h], one])
                    @ scorer.arc_bilinear
                    @ torch.cat([b[d], one])
                )
                assert torch.allclose(arc[d, h], expected, atol=1e-4)
                if not given_head and h != d:
                    continue
                linear = (
                    scorer.deprel_from_head @ p[h]
                    + scorer.deprel_from_dependent @ q[d]
                    + scorer.deprel_bias
                )
                expected = (
                    torch.einsum("i,rij,j->r", p[h], scorer.deprel_bilinear, q[d])
                    + linear
                )
                assert torch.allclose(
                    deprel[d, h] if given_head else deprel[d], expected, atol=1e-4
                )


def plain_chart(scorer, fenceposts, lengths):
    """Mrini et al. 2020, Eq. 5 and 6, with the tensor that the scorer avoids."""
    ends, starts = torch.broadcast_tensors(
        fenceposts[:, None], fenceposts[:, :, None]
    )  # [start, end]
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
    config = SpanScorerConfig(5, separate_endpoints=request.param)
    scorer = SpanScorer(config, LAYOUT, n_labels=4).double()
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter)
    return scorer, torch.randn(3, 6, 6).double(), torch.tensor([2, 5, 1])


def test_chart(case):
    scorer, fenceposts, lengths = case
    chart, _ = scorer(fenceposts, lengths)
    assert torch.allclose(chart, plain_chart(scorer, fenceposts, lengths))
    assert not chart[..., 0].any()
    assert not chart[0, 2:, 3:].any()  # beyond the first sentence


@pytest.mark.parametrize("chunk_floats", [12, 1 << 21])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_gradient_equals_autograd(case, share, chunk_floats, monkeypatch):
    monkeypatch.setattr(parser_scorers, "_SPAN_FLOATS", chunk_floats)
    scorer, fenceposts, lengths = case
    grads = torch.randn(3, 6, 6, 4).double() * (torch.rand(3, 6, 6, 1) < share)
    results = []
    for chart_of in (
        lambda *args: scorer(*args)[0],
        lambda *args: plain_chart(scorer, *args),
    ):
        inputs = fenceposts.clone().requires_grad_()
        scorer.zero_grad()
        chart_of(inputs, lengths).backward(grads)
        results.append([inputs.grad, *(p.grad.clone() for p in scorer.parameters())])
    for ours, plain in zip(*results, strict=True):
        assert torch.allclose(ours, plain, atol=1e-10)


def test_gradcheck(case):
    scorer, fenceposts, lengths = case
    inputs = fenceposts[:, :4].clone().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda x: scorer(x, lengths.clamp(max=3))[0], inputs
    )


def test_empty_sentences(case):
    scorer, _, _ = case
    inputs = torch.randn(2, 1, 6).double().requires_grad_()
    chart, _ = scorer(inputs, torch.tensor([0, 0]))
    assert chart.shape == (2, 1, 1, 4) and not chart.any()
    chart.sum().backward()

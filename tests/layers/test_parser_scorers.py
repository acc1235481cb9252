"""The scorers of arcs, deprels and spans against their formulas, and their sparse
gradients."""

import pytest
import torch

from spacy_lal.checkpoint.layers import ReferenceBiaffineScorer
from spacy_lal.layers import parser_scorers
from spacy_lal.layers.parser_scorers import BiaffineScorer, SpanScorer


@pytest.fixture
def fenceposts():
    torch.manual_seed(0)
    return torch.randn(2, 4, 6)


@pytest.mark.parametrize("given_head", [True, False])
def test_formulas(fenceposts, given_head):
    scorer = (BiaffineScorer if given_head else ReferenceBiaffineScorer)(
        6, 5, 3, 7, dropout=0.0
    )
    assert scorer.given_head is given_head
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


@pytest.mark.parametrize(
    "half, chunk_floats", [(False, 1 << 18), (False, 50), (True, 1 << 18)]
)
def test_sparse_gradient_of_deprels_equals_dense(
    fenceposts, half, chunk_floats, monkeypatch
):
    monkeypatch.setattr(parser_scorers, "_PAIR_FLOATS", chunk_floats)
    scorer = BiaffineScorer(6, 5, 3, 7, dropout=0.0)
    fenceposts.requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
        deprels = scorer(fenceposts)[1]
    leaves = [
        fenceposts,
        *scorer.deprel_head.parameters(),
        *scorer.deprel_dependent.parameters(),
    ]
    leaves += [
        scorer.deprel_bilinear,
        scorer.deprel_from_head,
        scorer.deprel_from_dependent,
        scorer.deprel_bias,
    ]
    # a head with two dependents, and a pair that is named twice
    indices = torch.tensor([[0, 0, 0, 1, 1], [1, 2, 3, 1, 1], [2, 0, 2, 3, 3]])
    grad = torch.sparse_coo_tensor(
        indices,
        torch.randn(5, 7).to(deprels.dtype),
        deprels.shape,
        check_invariants=True,
    )
    ours = torch.autograd.grad(deprels, leaves, grad, retain_graph=True)
    dense = torch.autograd.grad(deprels, leaves, grad.to_dense())
    for one, other in zip(ours, dense, strict=True):
        assert one.any() and torch.allclose(one, other, atol=0.05 if half else 1e-5)


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
    scorer = SpanScorer(
        input_width=6, hidden_width=5, n_labels=4, separate_endpoints=request.param
    ).double()
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
    monkeypatch.setattr(parser_scorers, "_SPAN_FLOATS", chunk_floats)
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


def test_sparse_gradient_of_spans_equals_dense(case):
    """Of cells that are named twice, that are in no sentence, and of the empty label,
    too."""
    scorer, fenceposts, lengths = case
    chart = scorer(fenceposts.requires_grad_(), lengths)
    leaves = [fenceposts, *scorer.parameters()]
    indices = torch.randint(0, 4, (4, 60)) + torch.tensor([[0], [0], [2], [0]])
    indices[0] %= 3
    grad = torch.sparse_coo_tensor(
        indices, torch.randn(60).double(), chart.shape, check_invariants=True
    )
    nothing = torch.sparse_coo_tensor(
        indices[:, :0], torch.zeros(0).double(), chart.shape, check_invariants=True
    )
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

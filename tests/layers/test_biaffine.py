"""The biaffine scorer against its formulas, pair by pair."""

import pytest
import torch

from spacy_lal.checkpoint.layers import ReferenceBiaffineScorer
from spacy_lal.layers import scorers
from spacy_lal.layers.scorers import BiaffineScorer


@pytest.fixture
def fenceposts():
    torch.manual_seed(0)
    return torch.randn(2, 4, 6)


@pytest.mark.parametrize("given_head", [True, False])
def test_formulas(fenceposts, given_head):
    scorer = (BiaffineScorer if given_head else ReferenceBiaffineScorer)(6, 5, 3, 7, dropout=0.0)
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
                expected = torch.cat([a[h], one]) @ scorer.arc_bilinear @ torch.cat([b[d], one])
                assert torch.allclose(arc[d, h], expected, atol=1e-4)
                if not given_head and h != d:
                    continue
                linear = scorer.deprel_from_head @ p[h] + scorer.deprel_from_dependent @ q[d] + scorer.deprel_bias
                expected = torch.einsum("i,rij,j->r", p[h], scorer.deprel_bilinear, q[d]) + linear
                assert torch.allclose(deprel[d, h] if given_head else deprel[d], expected, atol=1e-4)


@pytest.mark.parametrize("half, chunk_floats", [(False, 1 << 18), (False, 50), (True, 1 << 18)])
def test_sparse_gradient_equals_dense(fenceposts, half, chunk_floats, monkeypatch):
    monkeypatch.setattr(scorers, "_PAIR_FLOATS", chunk_floats)
    scorer = BiaffineScorer(6, 5, 3, 7, dropout=0.0)
    fenceposts.requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
        deprels = scorer(fenceposts)[1]
    leaves = [fenceposts, *scorer.deprel_head.parameters(), *scorer.deprel_dependent.parameters()]
    leaves += [scorer.deprel_bilinear, scorer.deprel_from_head, scorer.deprel_from_dependent, scorer.deprel_bias]
    # a head with two dependents, and a pair that is named twice
    indices = torch.tensor([[0, 0, 0, 1, 1], [1, 2, 3, 1, 1], [2, 0, 2, 3, 3]])
    grad = torch.sparse_coo_tensor(indices, torch.randn(5, 7).to(deprels.dtype), deprels.shape, check_invariants=True)
    ours = torch.autograd.grad(deprels, leaves, grad, retain_graph=True)
    dense = torch.autograd.grad(deprels, leaves, grad.to_dense())
    for one, other in zip(ours, dense, strict=True):
        assert one.any() and torch.allclose(one, other, atol=0.05 if half else 1e-5)

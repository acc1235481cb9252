"""The biaffine scorer against its formulas, pair by pair."""

import pytest
import torch

from spacy_lal.layers.biaffine_scorer import BiaffineScorer


@pytest.fixture
def fenceposts():
    torch.manual_seed(0)
    return torch.randn(2, 4, 6)


@pytest.mark.parametrize("given_head", [True, False])
def test_formulas(fenceposts, given_head):
    scorer = BiaffineScorer(6, 5, 3, 7, given_head, dropout=0.0)
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


def test_dropout_only_in_training(fenceposts):
    scorer = BiaffineScorer(6, 5, 3, 7, True, dropout=0.33).eval()
    assert torch.equal(scorer(fenceposts)[0], scorer(fenceposts)[0])
    scorer.train()
    assert not torch.equal(scorer(fenceposts)[0], scorer(fenceposts)[0])

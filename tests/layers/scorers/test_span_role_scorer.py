"""Scores of roles for ranges of a parse. What a component learns with them: tests/pipeline/test_span_roles.py."""

import numpy as np
import torch

from spacy_lal.layers.pair_features import SentenceParse
from spacy_lal.layers.roles_configs import SpanRoleScorerConfig

SIZES = {"vectors_width": 4, "predicate_width": 3, "hidden_width": 8, "product_width": 2, "feature_width": 4}


def make_parse(n: int) -> SentenceParse:
    """Flat: every word depends on the first."""
    ids = np.arange(n, dtype="uint64")
    whole = np.array([[0, n]], dtype="int64")
    return SentenceParse(np.zeros(n, dtype="int64"), ids, ids, ids, ids > n, whole, ids[:1])


def test_half_precision():
    """As `mixed_precision` on a GPU: products come in half precision, sums stay as they are."""
    torch.manual_seed(0)
    scorer = SpanRoleScorerConfig(n_rows=50, **SIZES).build(6, 5, 7).eval()
    vectors, positions = torch.randn(2, 4, 6), torch.randn(2, 4, 5)
    rows, parses = torch.tensor([[0, 1], [1, 2]]), [make_parse(4), make_parse(3)]
    whole = scorer(vectors, positions, rows, parses).spans
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = scorer(vectors, positions, rows, parses).spans
    assert half.dtype == whole.dtype and (half != whole).any()
    torch.testing.assert_close(half, whole, atol=0.05, rtol=0.05)

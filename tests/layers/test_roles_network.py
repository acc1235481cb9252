"""The network of semantic roles: a sentence alone and in a batch, sources of heads,
masks, records."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from spacy_lal.layers.pair_features import ParseArrays
from spacy_lal.layers.role_scorers import SpanRoleScorer
from spacy_lal.layers.roles_configs import (
    PredicateScorerConfig,
    RoleScorerConfig,
    RolesEncoderConfig,
    RolesetScorerConfig,
    RolesNetworkConfig,
    RolesSizes,
    SpanRoleScorerConfig,
    SyntaxConfig,
)
from spacy_lal.layers.roles_network import RolesInputs, RolesNetwork, clamped_heads

SIZES = RolesSizes(vector_width=6, n_tags=7, n_rolesets=5, n_deprels=4)
ENCODER = RolesEncoderConfig(n_layers=3, n_heads=2, head_width=4, ff_width=9)


def make(heads="own", sizes=SIZES, seed=0, **changes):
    torch.manual_seed(seed)
    config = RolesNetworkConfig(
        ENCODER,
        PredicateScorerConfig(hidden_width=5),
        RoleScorerConfig(6, 7),
        SyntaxConfig(heads=heads, arc_width=5, deprel_width=3),
        RolesetScorerConfig(),
    )
    network = RolesNetwork(replace(config, **changes), sizes).eval()
    with torch.no_grad():
        for parameter in (
            network.parameters()
        ):  # bilinear maps begin at zero, which would hide mistakes
            parameter.normal_(std=0.4)
    return network


def inputs(lengths, seed=1, **more):
    generator = torch.Generator().manual_seed(seed)
    seq_len = max(lengths)
    vectors = torch.randn(len(lengths), seq_len, 6, generator=generator)
    return RolesInputs(torch.tensor(lengths), vectors, threshold=0.3, **more)


@pytest.mark.parametrize("heads", ["own", "doc", "none"])
def test_a_sentence_has_the_same_scores_alone_and_in_a_batch(heads):
    network = make(heads)
    batch = inputs(
        [7, 3, 1],
        heads=torch.tensor(
            [[1, 1, 1, 1, 1, 1, 1], [0, 0, 1, -1, -1, -1, -1], [0, *[-1] * 6]]
        ),
    )
    together = network(batch)
    for i, n in enumerate([7, 3, 1]):
        alone = network(
            batch._replace(
                lengths=batch.lengths[i : i + 1],
                vectors=batch.vectors[i : i + 1, :n],
                heads=batch.heads[i : i + 1, :n],
            )
        )
        mine = together.rows[:, 0] == i
        assert torch.equal(together.rows[mine][:, 1], alone.rows[:, 1])
        torch.testing.assert_close(together.predicates[i, :n], alone.predicates[0])
        torch.testing.assert_close(together.tags[mine][:, :n], alone.tags)
        torch.testing.assert_close(together.rolesets[mine], alone.rolesets)
        if heads == "own":
            torch.testing.assert_close(together.arcs[i, :n, :n], alone.arcs[0])


def test_the_weights_of_own_heads_serve_the_docs_heads():
    own, doc = make("own"), make("doc")
    doc.load_state_dict(own.state_dict())
    gold = torch.tensor([[1, 1, 0, 2]])
    predicates = torch.tensor([[True, False, True, False]])
    torch.testing.assert_close(
        own(inputs([4], heads=gold, predicates=predicates)).tags,
        doc(inputs([4], heads=gold, predicates=predicates)).tags,
    )
    free = own(inputs([4], predicates=predicates)).tags
    assert (
        free - doc(inputs([4], heads=gold, predicates=predicates)).tags
    ).abs().max() > 1e-3
    other = doc(
        inputs([4], heads=torch.tensor([[0, 0, 0, 0]]), predicates=predicates)
    ).tags
    assert (free - other).abs().max() > 1e-3


def test_a_network_trained_without_arcs_has_none_of_its_own():
    assert make("doc", replace(SIZES, n_deprels=0)).head_scorer is None
    with pytest.raises(
        ValueError, match='heads = "own" needs a network with arcs of its own'
    ):
        make("own", replace(SIZES, n_deprels=0))


def test_known_heads_get_all_weight_and_others_their_scores():
    scores = torch.randn(1, 3, 3)
    weights = clamped_heads(torch.tensor([[1, -1, 2]]), scores).softmax(-1)
    assert torch.equal(weights[0, 0], torch.tensor([0.0, 1.0, 0.0]))
    assert torch.equal(weights[0, 2], torch.tensor([0.0, 0.0, 1.0]))
    torch.testing.assert_close(weights[0, 1], scores[0, 1].softmax(-1))
    assert torch.equal(clamped_heads(torch.tensor([[-1, -1]])), torch.zeros(1, 2, 2))


def test_no_gradient_reaches_the_arcs_through_clamped_heads():
    network = make("own").train()
    gold = torch.tensor([[1, 1, 0, 2]])
    predicates = torch.tensor([[True, False, True, False]])
    network(inputs([4], heads=gold, predicates=predicates)).tags.sum().backward()
    assert network.head_scorer.arc_bilinear.grad is None
    assert network.role_scorer.bilinear.grad is not None


def test_predicates_given_or_found():
    network = make()
    given = torch.tensor([[False, True, True], [True, False, True]])
    out = network(inputs([3, 2], predicates=given))
    assert out.rows.tolist() == [[0, 1], [0, 2], [1, 0]]  # flags on padding are ignored
    found = network(inputs([3, 2])._replace(threshold=0.0))
    assert found.rows.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]
    none = network(inputs([3, 2], predicates=torch.zeros(2, 3, dtype=torch.bool)))
    assert none.tags.shape == (0, 3, 7)


def test_the_probability_of_a_predicate_sums_joint_labels():
    network = make(sizes=replace(SIZES, n_predicate_labels=5, n_other_labels=3))
    scores = torch.randn(4, 5)
    torch.testing.assert_close(
        network.predicate_probabilities(scores), scores.softmax(-1)[:, 3:].sum(-1)
    )


def test_parts_that_do_not_fit_are_named():
    with pytest.raises(
        ValueError,
        match="predicate_scorer.layer: expected a layer below n_layers = 3, got 3",
    ):
        make(predicate_scorer=PredicateScorerConfig(layer=3))
    with pytest.raises(
        ValueError,
        match="syntax.attention_layer: expected a layer below n_layers = 3, got 4",
    ):
        make(syntax=SyntaxConfig(attention_layer=4))


# Roles of ranges of a parse. What a component learns with them:
# tests/pipeline/test_span_roles.py

SPAN_SIZES = {"vectors_width": 4, "predicate_width": 3, "hidden_width": 8}


def make_parse(n: int) -> ParseArrays:
    """Flat: every word depends on the first."""
    ids = np.arange(n, dtype="uint64")
    whole = np.array([[0, n]], dtype="int64")
    return ParseArrays(
        np.zeros(n, dtype="int64"), ids, ids, ids, ids > n, ids > n, whole, ids[:1]
    )


def test_half_precision():
    """As `mixed_precision` on a GPU: products come in half precision, sums stay as they
    are."""
    torch.manual_seed(0)
    scorer = SpanRoleScorer(
        SpanRoleScorerConfig(n_rows=50, **SPAN_SIZES), 6, 5, 3
    ).eval()
    vectors, positions = torch.randn(2, 4, 6), torch.randn(2, 4, 5)
    rows, parses = torch.tensor([[0, 1], [1, 2]]), [make_parse(4), make_parse(3)]
    whole = scorer(vectors, positions, rows, parses).spans
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = scorer(vectors, positions, rows, parses).spans
    assert half.dtype == whole.dtype and (half != whole).any()
    torch.testing.assert_close(half, whole, atol=0.05, rtol=0.05)

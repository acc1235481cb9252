"""The network of semantic roles in NumPy: the scores of the torch network, alone and in
any batch."""

from dataclasses import asdict

import numpy
import pytest
import torch

from spacy_lal.layers.pair_features import ParseArrays
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
from spacy_lal.models.batches import RolesBatch, VectorRows
from spacy_lal.models.roles import RolesTask
from spacy_lal.models.torch.network import NetworkShim, network_layer

SPANS = SpanRoleScorerConfig(7, 6, 9, n_rows=50)
FORMS = {
    "ranges": {"role_scorer": SPANS},
    "late_predicates": {"role_scorer": SPANS, "layer": 2},
    "no_rolesets": {"role_scorer": SPANS, "roleset_scorer": None},
}
LENGTHS = [5, 0, 8, 1, 3]


def make_model(
    role_scorer,
    roleset_scorer=RolesetScorerConfig(),  # noqa: B008
    timing=False,
    layer=0,
    heads="none",
):  # noqa: B008
    config = RolesNetworkConfig(
        RolesEncoderConfig(
            n_layers=3, n_heads=2, head_width=4, ff_width=9, timing=timing
        ),
        PredicateScorerConfig(layer, hidden_width=5),
        role_scorer,
        SyntaxConfig(heads=heads, arc_width=5, deprel_width=3),
        roleset_scorer,
    )
    model = network_layer("roles_network", RolesTask(config))
    model.shims[0].set_sizes(
        asdict(
            RolesSizes(vector_width=6, n_tags=7, n_rolesets=5 if roleset_scorer else 0)
        )
    )
    model.shims[0].build()
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.shims[0].network.parameters():
            parameter.normal_(std=0.5)
    return model


def make_parse(n, rng):
    heads = numpy.minimum(rng.integers(0, max(n, 1), n), numpy.arange(n))
    ids = [rng.integers(1, 9, n).astype("u8") for _ in range(3)]
    spans = numpy.array([(0, n)] if n else [], dtype="i8").reshape(-1, 2)
    is_passive = rng.random(n) < 0.5
    is_comma = numpy.zeros(n, dtype=bool)
    labels = numpy.ones(len(spans), "u8")
    return ParseArrays(heads, *ids, is_passive, is_comma, spans, labels)


def make_batch(predicates=None, lengths=LENGTHS):
    rng = numpy.random.default_rng(0)
    ends = numpy.cumsum(lengths)
    rows = [numpy.arange(end - n, end) for end, n in zip(ends, lengths, strict=True)]
    vectors = VectorRows(rng.normal(size=(ends[-1], 6)).astype("f4"), rows)
    return RolesBatch(
        vectors,
        predicates=predicates,
        threshold=0.05,
        parses=[make_parse(n, rng) for n in lengths],
    )


def check_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.shape == other.shape and one.dtype == other.dtype
            numpy.testing.assert_allclose(one, other, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize(
    "predicates", [None, [[0, 4], [], [], [0], [2]]], ids=["own", "given"]
)
@pytest.mark.parametrize("name", FORMS)
def test_scores(name, predicates, monkeypatch):
    model = make_model(**FORMS[name])
    given = (
        None
        if predicates is None
        else [numpy.array(one, dtype="i8") for one in predicates]
    )
    batch = make_batch(given)
    found = model.predict(batch)
    assert sum(len(one.rows) for one in found) > 2
    for i in range(len(LENGTHS)):
        vectors = batch.vectors._replace(rows=[batch.vectors.rows[i]])
        alone = batch._replace(
            vectors=vectors, parses=[batch.parses[i]], predicates=given and [given[i]]
        )
        check_equal(model.predict(alone)[0], found[i])
    monkeypatch.setattr(NetworkShim, "inference", None)
    for one, other in zip(found, model.predict(batch), strict=True):
        check_equal(one, other)


@pytest.mark.parametrize(
    "parts",
    [{"heads": "doc"}, {"timing": True}, {"role_scorer": RoleScorerConfig(6, 7)}],
)
def test_others_run_in_torch(parts):
    model = make_model(**{"role_scorer": SPANS, **parts})
    assert model.shims[0].inference is None
    assert len(model.predict(make_batch())) == len(LENGTHS)

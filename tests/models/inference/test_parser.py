"""The parser's network in NumPy: the scores of the torch network, in any batch, and
which networks have the form."""

from dataclasses import asdict

import numpy
import pytest
import torch
from small_blocks import network_config
from thinc.api import fix_random_seed

from spacy_lal.models.batches import NetworkBatch, SentenceFeatures, VectorRows
from spacy_lal.models.inference.parser import has_numpy_form
from spacy_lal.models.parser import ParserTask, encode_sentence
from spacy_lal.models.torch.network import NetworkShim, iter_scores, network_layer
from spacy_lal.scores import choose_deprels

BASE = {
    "n_layers": 0,
    "n_labels": 6,
    "n_deprels": 4,
    "n_label_heads": 4,
    "span_hidden_width": 9,
    "arc_hidden_width": 7,
    "factored": False,
    "label_factored": False,
}
FORMS = {
    "plain": {},
    "as_bundled": {
        "label_own_projection": True,
        "whole_tokens": True,
        "label_ties": True,
        "span_own_projections": True,
    },
    "shared_projection": {"whole_tokens": True, "label_ties": True},
    "arcs_from_tokens": {
        "label_own_projection": True,
        "whole_tokens": True,
        "arcs_from_tokens": True,
    },
    "own_heads_alone": {
        **{
            "label_own_projection": True,
            "whole_tokens": True,
            "label_ties": True,
            "span_own_projections": True,
        },
        **{"arcs_from_tokens": True, "spans_from_tokens": True},
    },
    "no_label_attention": {"label_attention": False},
    "tokens_alone": {"label_attention": False, "whole_tokens": True},
    "trees_alone": {"n_deprels": 0},
    "dependencies_alone": {"n_labels": 0},
    "two_labels": {"n_labels": 2},
    "few_positions": {"max_positions": 4},
}
NO_FORM = {
    "encoder": {"n_layers": 1},
    "characters": {"n_chars": 9},
    "tags": {"n_tags": 5},
    "concatenated_positions": {"factored": True},
    "factored_label_attention": {"label_factored": True},
}
LENGTHS = [3, 0, 9, 1, 6, 9]


def make_model(name):
    fix_random_seed(1)
    config, sizes = network_config(**{**BASE, **FORMS[name]})
    model = network_layer("parser_network", ParserTask(config))
    model.shims[0].set_sizes(asdict(sizes))
    model.shims[0].build()
    for parameter in model.shims[0].network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return model


def make_batch(lengths=LENGTHS, pruned=False):
    rng = numpy.random.default_rng(0)
    ends = numpy.cumsum(lengths)
    rows = [numpy.arange(end - n, end) for end, n in zip(ends, lengths, strict=True)]
    data = rng.normal(size=(ends[-1], 6)).astype("f4")
    features = [SentenceFeatures(numpy.arange(n)) for n in lengths]
    return NetworkBatch(features, VectorRows(data, rows, False), pruned)


def in_torch(model, batch, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(NetworkShim, "inference", None)
        return model.predict(batch)


@pytest.mark.parametrize("name", FORMS)
def test_all_scores(name, monkeypatch):
    model, batch = make_model(name), make_batch()
    assert model.shims[0].inference is not None
    for one, other in zip(
        model.predict(batch), in_torch(model, batch, monkeypatch), strict=True
    ):
        for array, expected in zip(one[:3], other[:3], strict=True):
            assert (
                array.shape == expected.shape
                and array.dtype == expected.dtype
                and array.flags.c_contiguous
            )
            numpy.testing.assert_allclose(array, expected, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("name", FORMS)
def test_pruned_scores_are_the_best_of_all(name):
    model = make_model(name)
    found = {}
    for indices, scores in iter_scores(model, make_batch(pruned=True)):
        for i, pruned in zip(indices, scores, strict=True):
            heads = pruned.arcs[1:].argmax(1).astype("i4")
            found[i] = (pruned, heads, choose_deprels(pruned, heads))
    for i, full in enumerate(model.predict(make_batch())):
        pruned, heads, deprels = found[i]
        numpy.testing.assert_allclose(pruned.arcs, full.arcs, atol=1e-5)
        assert deprels.tolist() == choose_deprels(full, heads).tolist()
        for start, end in zip(*numpy.triu_indices(LENGTHS[i] + 1, 1), strict=True):
            if full.labels.size:
                numpy.testing.assert_allclose(
                    pruned.labels[start, end, :2],
                    full.labels[start, end, :2],
                    atol=1e-5,
                )
            if full.labels.shape[-1] > 2:
                assert (
                    pruned.label_ids[start, end]
                    == full.labels[start, end, 2:].argmax() + 2
                )
                assert (
                    abs(
                        pruned.labels[start, end, 2] - full.labels[start, end, 2:].max()
                    )
                    < 1e-5
                )


@pytest.mark.parametrize("name", FORMS)
def test_alone_as_in_any_batch(name):
    model, batch = make_model(name), make_batch()
    together = model.predict(batch)
    for i, n in enumerate(LENGTHS):
        vectors = batch.vectors._replace(rows=[batch.vectors.rows[i]])
        (alone,) = model.predict(
            NetworkBatch([SentenceFeatures(numpy.arange(n))], vectors)
        )
        for one, other in zip(alone[:3], together[i][:3], strict=True):
            numpy.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("name", FORMS)
def test_what_scorers_read(name, monkeypatch):
    model, batch = make_model(name), make_batch()
    found = encode_sentence(model.shims[0], batch, 2)
    monkeypatch.setattr(NetworkShim, "inference", None)
    for one, other in zip(
        found, encode_sentence(model.shims[0], batch, 2), strict=True
    ):
        assert (one is None) == (other is None)
        if one is not None:
            numpy.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("name", NO_FORM)
def test_networks_without_the_form(name):
    config, _ = network_config(**{**BASE, **NO_FORM[name]})
    assert not has_numpy_form(config)

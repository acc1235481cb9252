"""Sub-batches, padding, and the late-made network's shim."""

import copy

import numpy
import pytest
import torch
from flat_config import FlatConfig
from hypothesis import given
from hypothesis import strategies as st
from thinc.api import Adam, fix_random_seed
from thinc.compat import has_torch_amp
from tiny_network import network_config

from spacy_lal.models.bridge import parser_network
from spacy_lal.models.embedding import NetworkBatch, VectorRows
from spacy_lal.models.execution import ExecutionConfig
from spacy_lal.models.features import SentenceFeatures
from spacy_lal.models.sub_batches import MIN_CHART_SIDE, batch_sentences

SIZES = {"n_labels": 5, "n_deprels": 4, "vector_width": 6, "n_label_heads": 3}
NO_DROPOUT = {name: 0.0 for name in FlatConfig.__dataclass_fields__ if name.endswith("_dropout")}


def unbuilt(**settings):
    return parser_network(network_config(**settings)[0])


def make_network(**settings):
    model = unbuilt(**settings)
    model.shims[0].set_sizes(SIZES)
    model.shims[0].build()
    return model


def make_batch(lengths, seed=0):
    rng = numpy.random.default_rng(seed)
    ends = numpy.cumsum(lengths)
    rows = [numpy.arange(end - n, end) for end, n in zip(ends, lengths, strict=True)]
    data = rng.normal(size=(sum(lengths), 6)).astype("float32")
    return NetworkBatch([SentenceFeatures(one) for one in rows], VectorRows(data, rows, False))


@given(st.lists(st.integers(0, 80), max_size=60), st.integers(1, 5000))
def test_sub_batches_hold_each_sentence_once_and_little_padding(lengths, max_batch_cells):
    batches = batch_sentences(lengths, max_batch_cells)
    assert sorted(i for batch in batches for i in batch) == [i for i, n in enumerate(lengths) if n]
    for batch in batches:
        longest = max(lengths[i] for i in batch) + 1
        assert len(batch) == 1 or len(batch) * longest * max(longest, MIN_CHART_SIDE) <= max_batch_cells


@pytest.mark.parametrize("max_batch_cells", [1, 300, 100_000])
def test_scores_do_not_depend_on_sub_batches(max_batch_cells):
    model = make_network()
    batch = make_batch([3, 0, 9, 1, 4, 0, 7])
    expected = model.predict(batch)
    model.attrs["execution"] = ExecutionConfig(max_batch_cells=max_batch_cells)
    for one, other in zip(model.predict(batch), expected, strict=True):
        for a, b in zip(one[:3], other[:3], strict=True):
            assert a.shape == b.shape and a.dtype == numpy.float32 and a.flags.c_contiguous
            assert numpy.allclose(a, b, atol=1e-5)


def test_gradients_do_not_depend_on_sub_batches():
    model = make_network(**NO_DROPOUT)
    batch = make_batch([3, 0, 9, 1])
    results = []
    for max_batch_cells in (1, 100_000):
        model.attrs["execution"] = ExecutionConfig(max_batch_cells=max_batch_cells)
        scores, backprop = model.begin_update(batch)
        d_data = backprop([one._replace(labels=one.labels * 0.1) for one in scores])
        network = model.shims[0].network
        results.append([d_data, *(p.grad.numpy().copy() for p in network.parameters())])
        network.zero_grad()
    for one, other in zip(*results, strict=True):
        assert numpy.abs(one).max() > 0
        assert numpy.allclose(one, other, atol=1e-4)


def test_missing_gradients_are_zeros():
    model = make_network()
    scores, backprop = model.begin_update(make_batch([3, 2]))
    nothing = numpy.zeros((0, 0, 0), dtype="float32")
    d_data = backprop([one._replace(labels=nothing, arcs=one.arcs * 0, deprels=one.deprels * 0) for one in scores])
    assert not d_data.any()
    scores, backprop = model.begin_update(make_batch([3, 2]))
    assert backprop([one._replace(labels=None) for one in scores]).any()
    with pytest.raises(ValueError, match="gradients of 1 sentences, expected 2"):
        model.begin_update(make_batch([3, 2]))[1](scores[:1])


@pytest.mark.parametrize("lengths", [[4], [4, 2]])
def test_scores_may_be_written_over(lengths):
    model = make_network(**NO_DROPOUT)
    gradients = []
    for value in (None, numpy.nan):
        scores, backprop = model.begin_update(make_batch(lengths))
        d_scores = [
            one._replace(**{name: numpy.ones_like(getattr(one, name)) for name in one._fields[:3]}) for one in scores
        ]
        if value is not None:
            for one in scores:
                for array in one[:3]:
                    array[:] = value
        gradients.append(backprop(d_scores))
    assert numpy.array_equal(*gradients)


@pytest.mark.parametrize("sizes", [{"n_labels": 0}, {"n_deprels": 0}, {"n_labels": 0, "n_deprels": 0}])
def test_scorers_that_are_not_there(sizes):
    model = unbuilt()
    model.shims[0].set_sizes({**SIZES, **sizes})
    model.shims[0].build()
    scores, backprop = model.begin_update(make_batch([2, 0]))
    for n, one in zip((2, 0), scores, strict=True):
        assert one.labels.shape == ((0, 0, 0) if sizes.get("n_labels") == 0 else (n + 1, n + 1, 5))
        assert one.arcs.shape == (n + 1, n + 1)
        assert one.deprels.shape == ((n + 1, 0) if sizes.get("n_deprels") == 0 else (n + 1, n + 1, 4))
    assert backprop(scores).shape == (2, 6)


def test_the_scrambled_network_runs_a_batch_as_it_comes():
    model = make_network(scrambled_queries=True)
    batch = make_batch([3, 9, 1])
    model.attrs["execution"] = ExecutionConfig(max_batch_cells=1)
    alone = [model.predict(make_batch([n]))[0] for n in (3, 9, 1)]
    together = model.predict(batch)
    assert not numpy.allclose(alone[0].labels, together[0].labels, atol=1e-3)


def test_attention_only_when_asked_for():
    model = make_network()
    batch = make_batch([3, 0])
    assert [one.attention for one in model.predict(batch)] == [None, None]
    attention = [one.attention for one in model.predict(batch._replace(return_attention=True))]
    assert [one.shape for one in attention] == [(3, 5), (3, 2)]
    assert numpy.allclose(attention[0].sum(1), 1.0, atol=1e-5)


@pytest.mark.skipif(has_torch_amp, reason="without a GPU")
def test_half_precision_in_training_is_for_a_gpu():
    gradients = []
    for mixed_precision in (False, True):
        fix_random_seed(0)
        execution = ExecutionConfig(mixed_precision=mixed_precision)
        model = parser_network(network_config(**NO_DROPOUT)[0], execution)
        model.shims[0].set_sizes(SIZES)
        model.shims[0].build()
        assert model.shims[0].mixed_precision == mixed_precision
        scores, backprop = model.begin_update(make_batch([3, 2]))
        gradients.append(backprop(scores))
    assert gradients[0].any() and numpy.array_equal(*gradients)


def test_averages_are_used_and_given_back():
    model = make_network()
    optimizer = Adam(0.05, use_averages=True)
    batch = make_batch([3, 2])
    for _ in range(3):
        scores, backprop = model.begin_update(batch)
        backprop(scores)
        model.finish_update(optimizer)
    before = model.predict(batch)[0].labels
    with model.use_params(optimizer.averages):
        averaged = model.predict(batch)[0].labels
        saved = model.to_bytes()
    assert not numpy.allclose(before, averaged, atol=1e-4)
    assert numpy.array_equal(before, model.predict(batch)[0].labels)
    other = unbuilt().from_bytes(saved)
    assert numpy.array_equal(other.predict(batch)[0].labels, averaged)


def test_a_shim_without_network():
    shim = unbuilt().shims[0]
    shim.finish_update(Adam(0.1))
    shim.to_device("cpu", -1)
    with shim.use_params({}):
        pass
    with pytest.raises(ValueError, match="no weights yet"):
        shim.network  # noqa: B018
    loaded = unbuilt().shims[0].from_bytes(shim.to_bytes())
    assert loaded.cfg == {} and loaded.copy().cfg == {}
    for copied in (copy.deepcopy(shim), shim.copy()):
        copied.set_sizes(SIZES)
        copied.build()
        assert copied.network.config == network_config()[0]


def test_other_sizes_drop_the_network():
    model = make_network()
    network = model.shims[0].network
    model.shims[0].set_sizes(SIZES)
    assert model.shims[0].network is network
    model.shims[0].set_sizes({"n_labels": 6})
    with pytest.raises(ValueError, match="no weights yet"):
        model.predict(make_batch([2]))


def test_weights_of_another_architecture_are_refused():
    saved = make_network().to_bytes()
    with pytest.raises(ValueError, match="do not fit the network of the config"):
        unbuilt(n_layers=2).from_bytes(saved)


def test_rates_come_from_the_config_and_sizes_from_the_file():
    saved = make_network(embedding_dropout=0.1).to_bytes()
    model = unbuilt(embedding_dropout=0.4).from_bytes(saved)
    network = model.shims[0].network
    assert network.config.inputs.dropout == network.inputs.dropout.rate == 0.4
    assert (network.sizes.n_labels, network.sizes.n_deprels) == (5, 4)


def test_thinc_seeds_the_weights():
    states = []
    for _ in range(2):
        fix_random_seed(3)
        states.append(make_network().shims[0].network.state_dict())
    assert all(torch.equal(a, b) for a, b in zip(states[0].values(), states[1].values(), strict=True))

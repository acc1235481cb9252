"""Sub-batches, padding, gradients, and the late-made network's shim."""

import numpy
import pytest
import safetensors.numpy
import srsly
from hypothesis import given
from hypothesis import strategies as st
from small_blocks import NAMES, network_config
from thinc.api import Adam

from spacy_lal.models import batches
from spacy_lal.models.batches import (
    MIN_CHART_SIDE,
    NetworkBatch,
    SentenceFeatures,
    VectorRows,
    sub_batches,
)
from spacy_lal.models.parser import ParserTask
from spacy_lal.models.torch.network import network_layer
from spacy_lal.models.weights.storage import stored_weight

SIZES = {"n_labels": 5, "n_deprels": 4, "vector_width": 6, "n_label_heads": 3}
NO_DROPOUT = {name: 0.0 for name in NAMES if name.endswith("_dropout")}


def unbuilt(**settings):
    return network_layer("parser_network", ParserTask(network_config(**settings)[0]))


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
    return NetworkBatch(
        [SentenceFeatures(one) for one in rows], VectorRows(data, rows, False)
    )


@given(st.lists(st.integers(0, 80), max_size=60))
def test_sub_batches_hold_each_sentence_once_and_little_padding(lengths):
    found = sub_batches([9 * length for length in lengths])
    assert sorted(i for batch in found for i in batch) == [
        i for i, n in enumerate(lengths) if n
    ]
    for batch in found:
        longest = max(9 * lengths[i] for i in batch) + 1
        assert (
            len(batch) == 1
            or len(batch) * longest * max(longest, MIN_CHART_SIDE)
            <= batches.MAX_BATCH_CELLS
        )


@pytest.mark.parametrize("max_batch_cells", [1, 300, 100_000])
def test_scores_do_not_depend_on_sub_batches(max_batch_cells, monkeypatch):
    model = make_network()
    batch = make_batch([3, 0, 9, 1, 4, 0, 7])
    expected = model.predict(batch)
    monkeypatch.setattr(batches, "MAX_BATCH_CELLS", max_batch_cells)
    for one, other in zip(model.predict(batch), expected, strict=True):
        for a, b in zip(one[:3], other[:3], strict=True):
            assert (
                a.shape == b.shape and a.dtype == numpy.float32 and a.flags.c_contiguous
            )
            assert numpy.allclose(a, b, atol=1e-5)


def test_gradients_do_not_depend_on_sub_batches(monkeypatch):
    model = make_network(**NO_DROPOUT)
    batch = make_batch([3, 0, 9, 1])
    results = []
    for max_batch_cells in (1, 100_000):
        monkeypatch.setattr(batches, "MAX_BATCH_CELLS", max_batch_cells)
        scores, backprop = model.begin_update(batch)
        d_data = backprop([one._replace(labels=one.labels * 0.1) for one in scores])
        network = model.shims[0].network
        results.append([d_data, *(p.grad.numpy().copy() for p in network.parameters())])
        network.zero_grad()
    for one, other in zip(*results, strict=True):
        assert numpy.abs(one).max() > 0
        assert numpy.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize(
    "sizes", [{"n_labels": 0}, {"n_deprels": 0}, {"n_labels": 0, "n_deprels": 0}]
)
def test_scorers_that_are_not_there(sizes):
    model = unbuilt()
    model.shims[0].set_sizes({**SIZES, **sizes})
    model.shims[0].build()
    scores, backprop = model.begin_update(make_batch([2, 1]))
    for n, one in zip((2, 1), scores, strict=True):
        assert one.labels.shape == (
            (0, 0, 0) if sizes.get("n_labels") == 0 else (n + 1, n + 1, 5)
        )
        assert one.arcs.shape == (n + 1, n + 1)
        assert one.deprels.shape == (
            (n + 1, 0) if sizes.get("n_deprels") == 0 else (n + 1, n + 1, 4)
        )
    assert backprop(scores).shape == (3, 6)


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


def test_weights_of_another_architecture_are_refused():
    saved = make_network().to_bytes()
    model = unbuilt(n_layers=2).from_bytes(saved)
    with pytest.raises(ValueError, match="do not fit the network of the config"):
        model.predict(make_batch([2]))


NUMPY = {  # a network with a NumPy form
    "n_layers": 0,
    "n_label_heads": 3,
    "factored": False,
    "label_factored": False,
}


def test_a_loaded_network_is_arrays_until_it_learns():
    saved = make_network(**NUMPY, **NO_DROPOUT).to_bytes()
    model = unbuilt(**NUMPY, **NO_DROPOUT).from_bytes(saved)
    shim, batch = model.shims[0], make_batch([3, 0, 5])
    before = model.predict(batch)
    assert shim._model is None and model.to_bytes() == saved
    assert numpy.array_equal(model.copy().predict(batch)[0].labels, before[0].labels)
    scores, backprop = model.begin_update(batch)
    assert shim._model is not None and numpy.allclose(
        scores[0].labels, before[0].labels, atol=1e-5
    )
    assert model.to_bytes() == saved
    backprop([one._replace(label_heads=None) for one in scores])
    model.finish_update(Adam(0.1))
    assert not numpy.allclose(
        model.predict(batch)[0].labels, before[0].labels, atol=1e-3
    )


def test_weights_that_are_stored_in_8_bits_multiply_in_8_bits():
    model = make_network(**NUMPY, **NO_DROPOUT)
    shim, batch = model.shims[0], make_batch([3, 5])
    assert not shim.inference.int8
    content = srsly.msgpack_loads(shim.to_bytes())
    rounded = {}
    for name, weight in shim.weights.items():
        rounded.update(stored_weight(name, weight, bits=8))
    content["state"] = safetensors.numpy.save(rounded)
    shim.from_bytes(srsly.msgpack_dumps(content))
    assert shim.inference.int8
    found = model.predict(batch)
    scores, backprop = model.begin_update(batch)  # torch has the same weights
    for one, other in zip(found, scores, strict=True):
        size = numpy.abs(other.arcs).max()
        numpy.testing.assert_allclose(one.arcs, other.arcs, atol=0.03 * size)
        assert not numpy.array_equal(one.arcs, other.arcs)
    assert not shim.inference.int8  # of a module that has learnt


def test_an_update_has_dropout_and_a_prediction_has_none():
    model = make_network(
        **NUMPY, residual_dropout=0.5, embedding_dropout=0.5, biaffine_dropout=0.5
    )
    batch = make_batch([4])
    first, second = (model.begin_update(batch)[0][0].arcs for _ in range(2))
    assert not numpy.allclose(first, second, atol=1e-4)
    assert not any(part.training for part in model.shims[0].network.modules())
    assert numpy.array_equal(model.predict(batch)[0].arcs, model.predict(batch)[0].arcs)

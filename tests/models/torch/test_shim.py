"""Threads that share a torch module: prediction leaves its mode alone, an update has
dropout."""

from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import spacy
import torch
from thinc.api import Adam, PyTorchGradScaler
from tiny_pipeline import TEXTS, make_bert, transformer_config

from spacy_lal.models.torch import transformer as transformer_module
from spacy_lal.models.torch.bilstm_encoder import build_bilstm_encoder

LONG = " ".join(TEXTS)
DROPOUT = {"hidden_dropout_prob": 0.5, "attention_probs_dropout_prob": 0.5}


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "model")


def make_docs():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    return [nlp(LONG), nlp(TEXTS[0])]


def make_transformer(bert, **settings):
    config = transformer_config(bert)["model"]
    spans = spacy.registry.resolve({"get_spans": config["get_spans"]})["get_spans"]
    model = transformer_module.build_transformer(
        config["name"], spans, transformer_config=dict(DROPOUT), **settings
    )
    model.initialize()
    return model


def hidden(model, output):
    """All numbers of an output as one array."""
    if hasattr(output, "doc_data"):
        return numpy.concatenate(
            [data.model_output.last_hidden_state.ravel() for data in output.doc_data]
        )
    return numpy.concatenate([array.ravel() for array in output])


def shim_of(model):
    (shim,) = [shim for node in model.walk() for shim in node.shims]
    return shim


@pytest.fixture(params=["transformer", "bilstm"])
def model(request, bert):
    """With much dropout."""
    if request.param == "transformer":
        return make_transformer(bert)
    lstm = build_bilstm_encoder(6, depth=3, dropout=0.5)
    lstm.initialize()
    return lstm


@pytest.fixture
def inputs(model):
    if model.name != "with_padded(bilstm)":
        return make_docs()
    rng = numpy.random.default_rng(0)
    return [rng.normal(size=(n, 6)).astype("f4") for n in (5, 3)]


def is_training(model):
    return [part.training for part in shim_of(model)._model.modules()]


def test_a_prediction_within_another_one_changes_nothing(model, inputs, monkeypatch):
    """What threads do by chance, in a certain order: one has begun to predict, and
    another one does all of it."""
    expected = hidden(model, model.predict(inputs))
    network = shim_of(model)._model
    first = next(part for part in network.modules() if not list(part.children()))
    forward, results = first.forward, []

    def forward_and_predict(*args, **kwargs):
        if not results:
            results.append(None)
            with ThreadPoolExecutor(1) as pool:
                results[0] = pool.submit(
                    lambda: hidden(model, model.predict(inputs))
                ).result()
        return forward(*args, **kwargs)

    monkeypatch.setattr(first, "forward", forward_and_predict)
    outer = hidden(model, model.predict(inputs))
    assert len(results) == 1
    numpy.testing.assert_array_equal(results[0], expected)
    numpy.testing.assert_array_equal(outer, expected)


def update(model, output, backprop):
    if hasattr(output, "doc_data"):
        backprop(
            output.unsplit_by_doc(
                [[data.model_output.last_hidden_state] for data in output.doc_data]
            )
        )
    else:
        backprop([numpy.ones_like(array) for array in output])


def test_an_update_has_dropout(model, inputs):
    expected = hidden(model, model.predict(inputs))
    some, others = (hidden(model, model.begin_update(inputs)[0]) for _ in range(2))
    assert not numpy.allclose(some, expected) and not numpy.allclose(some, others)
    numpy.testing.assert_array_equal(hidden(model, model.predict(inputs)), expected)


def learn(shim, optimizer, **options):
    """A step with gradients of 1."""
    for parameter in shim._model.parameters():
        parameter.grad = torch.ones_like(parameter)
    shim.finish_update(optimizer, **options)


def test_a_skipped_update_drops_the_gradients(model, inputs):
    shim = shim_of(model)
    before = hidden(model, model.predict(inputs))
    learn(shim, Adam(0.1), skip=True)
    numpy.testing.assert_array_equal(hidden(model, model.predict(inputs)), before)
    assert not any(parameter.grad.any() for parameter in shim._model.parameters())
    learn(shim, Adam(0.1))
    assert not numpy.allclose(hidden(model, model.predict(inputs)), before, atol=1e-3)


def test_averages_are_used_and_given_back(model, inputs):
    optimizer = Adam(0.1, use_averages=True)
    for _ in range(3):
        learn(shim_of(model), optimizer)
    before = hidden(model, model.predict(inputs))
    with model.use_params(optimizer.averages):
        averaged = hidden(model, model.predict(inputs))
        saved = shim_of(model).to_bytes()
    assert not numpy.allclose(before, averaged, atol=1e-3)
    numpy.testing.assert_array_equal(hidden(model, model.predict(inputs)), before)
    shim_of(model).from_bytes(saved)
    numpy.testing.assert_array_equal(hidden(model, model.predict(inputs)), averaged)


def test_gradients_of_two_passes_add_up_in_half_precision(bert, monkeypatch):
    """thinc's scaler works on a GPU alone: here it scales on a CPU."""
    model, inputs = make_transformer(bert), make_docs()
    monkeypatch.setattr(
        PyTorchGradScaler,
        "_scale_tensor",
        lambda self, tensor, *args: tensor.mul_(self._scale),
    )
    shim, found = shim_of(model), []
    for n_passes in (1, 2):
        shim._grad_scaler = PyTorchGradScaler(enabled=True)
        shim._model.zero_grad()
        for _ in range(n_passes):
            torch.manual_seed(0)
            output, backprop = model.begin_update(inputs)
            update(model, output, backprop)
        found.append(
            [one.grad for one in shim._model.parameters() if one.grad is not None]
        )
    assert any(one.any() for one in found[0])
    for some, others in zip(*found, strict=True):
        torch.testing.assert_close(2 * some, others, rtol=1e-3, atol=1e-5)


def test_a_copy_has_moments_of_its_own(model):
    shim, optimizer = shim_of(model), Adam(0.1)
    for one in (shim, shim.copy()):
        learn(one, optimizer)
    assert len({key for key, _ in optimizer.nr_update}) == 2 and set(
        optimizer.nr_update.values()
    ) == {1}


def test_a_step_keeps_the_tensors(model):
    """New ones would be views of the old ones, a chain that grows with every step."""
    parameter = next(shim_of(model)._model.parameters())
    data, before = parameter.data_ptr(), parameter.detach().clone()
    learn(shim_of(model), Adam(0.1))
    assert parameter.data_ptr() == data and not torch.equal(parameter, before)


def test_gradient_checkpoints_see_the_same_dropout(bert):
    """The backward pass runs the layers a second time: in evaluation mode they would
    not drop what they dropped."""
    gradients = []
    for checkpointing in (False, True):
        model = make_transformer(bert)
        if checkpointing:
            model.transformer.gradient_checkpointing_enable({"use_reentrant": False})
        torch.manual_seed(0)
        output, backprop = model.begin_update(make_docs())
        update(model, output, backprop)
        gradients.append(
            [one.grad for one in model.transformer.parameters() if one.grad is not None]
        )
    assert len(gradients[0]) > 10
    for some, others in zip(*gradients, strict=True):
        torch.testing.assert_close(some, others)


def test_an_update_that_fails_leaves_evaluation_mode_behind(bert, monkeypatch):
    model = make_transformer(bert)
    monkeypatch.setattr(model.transformer.encoder, "forward", None)
    with pytest.raises(TypeError):
        model.begin_update(make_docs())
    assert not any(is_training(model))
    assert shim_of(model)._model is model.transformer


def test_a_fast_tokenizer_needs_no_change_at_the_first_call(bert):
    """A change while another thread uses it is an error: "Already borrowed"."""
    model = make_transformer(bert)
    tokenizer = shim_of(model)._hfmodel.tokenizer
    assert tokenizer.is_fast
    tokenizer._tokenizer.enable_truncation(10)  # as some models on the hub come
    tokenizer._tokenizer.no_padding()
    model.from_bytes(model.to_bytes())
    backend = shim_of(model)._hfmodel.tokenizer._tokenizer
    before = backend.padding, backend.truncation
    model.predict(make_docs())
    assert (backend.padding, backend.truncation) == before

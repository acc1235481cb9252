"""Optimizers, gradients and random numbers go from one process to another, where layers have other ids."""

import io
import random
from typing import Any, Dict, List

import numpy
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from thinc.api import Adam, Linear, Optimizer, fix_random_seed

from spacy_lal.training import train_state

SMALL = {"hidden_width": 8, "label_attention": None}


def make_pipeline() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("lal_parser", config={"model": SMALL})
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def make_examples(nlp: Language) -> List[Example]:
    words = ["She", "sleeps", "."]
    settings: Dict[str, Any] = {"tags": ["PRP", "VBZ", "."], "sent_starts": [True, False, False]}
    gold = Doc(nlp.vocab, words=words, heads=[1, 1, 1], deps=["nsubj", "ROOT", "punct"], **settings)
    gold.spans["constituents"] = [Span(gold, 0, 3, "S"), Span(gold, 0, 1, "NP"), Span(gold, 1, 2, "VP")]
    return [Example(Doc(nlp.vocab, words=words, sent_starts=settings["sent_starts"]), gold)]


def through_a_file(state: Any) -> Any:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def make_optimizer() -> Optimizer:
    return Adam(0.01, use_averages=True, L2=0.1, grad_clip=1.0)


def weights(nlp: Language) -> Dict[str, numpy.ndarray]:
    """Copies of all parameters, by the names that they are stored under."""
    found = {}
    for place, holder in train_state.owners(nlp):
        if hasattr(holder, "param_names"):
            found.update({f"{place}/{name}": holder.get_param(name).copy() for name in holder.param_names})
        elif holder._model is not None:
            found.update({f"{place}/{n}": p.detach().numpy().copy() for n, p in holder._model.named_parameters()})
    return found


@pytest.fixture
def pipelines() -> List[Language]:
    """Two with the same weights: trained for three steps, and a copy that is not the same layers."""
    nlp = make_pipeline()
    optimizer = make_optimizer()
    for _ in range(3):
        nlp.update(make_examples(nlp), sgd=optimizer, drop=0.0)
    copy = make_pipeline().from_bytes(nlp.to_bytes())
    gradients = through_a_file(train_state.get_gradient_state(nlp))
    state = through_a_file(train_state.get_optimizer_state(nlp, optimizer))
    nlp._optimizer, copy._optimizer = optimizer, make_optimizer()
    train_state.set_optimizer_state(copy, copy._optimizer, state)
    train_state.set_gradient_state(copy, gradients)
    return [nlp, copy]


def test_keys_differ_and_names_do_not(pipelines: List[Language]):
    first, second = (train_state.parameter_keys(nlp) for nlp in pipelines)
    assert sorted(first.values()) == sorted(second.values())
    assert not set(first) & set(second)
    assert any("shim" in name for name in first.values()) and any("shim" not in name for name in first.values())


def test_state_is_carried_over(pipelines: List[Language]):
    first, second = (train_state.get_optimizer_state(nlp, nlp._optimizer) for nlp in pipelines)
    assert first["nr_update"] == second["nr_update"] and set(first["nr_update"].values()) == {3}
    for field in ("mom1", "mom2", "averages"):
        assert set(first[field]) == set(first["nr_update"])
        for name, value in first[field].items():
            assert torch.equal(value, second[field][name])
            assert value.abs().sum() > 0 or "bias" in name or name.endswith("/b")


def test_next_step_is_the_same(pipelines: List[Language]):
    before = weights(pipelines[0])
    for nlp in pipelines:
        fix_random_seed(1)  # for dropout
        nlp.update(make_examples(nlp), sgd=nlp._optimizer)
    first, second = (weights(nlp) for nlp in pipelines)
    assert {name for name in first if not numpy.array_equal(first[name], second[name])} == set()
    assert any(not numpy.array_equal(first[name], before[name]) for name in first)


def test_gradients_of_zero(pipelines: List[Language]):
    """A component that learns nothing in a step is moved by momentum, where it has learned before, and only there."""
    fresh = make_pipeline().from_bytes(pipelines[0].to_bytes())
    fresh._optimizer = make_optimizer()
    train_state.set_optimizer_state(
        fresh, fresh._optimizer, train_state.get_optimizer_state(pipelines[0], pipelines[0]._optimizer)
    )
    before = weights(fresh)
    for nlp in (*pipelines, fresh):
        for _, pipe in nlp.pipeline:
            pipe.finish_update(nlp._optimizer)
    first, second, without = (weights(nlp) for nlp in (*pipelines, fresh))
    assert {name for name in first if not numpy.array_equal(first[name], second[name])} == set()
    assert all(not numpy.array_equal(first[name], before[name]) for name in first if name.endswith(("/W", "weight")))
    assert all(numpy.array_equal(without[name], before[name]) for name in without)


def test_radam_buffer():
    nlp = make_pipeline()
    optimizer = Optimizer(0.01, use_radam=True)
    for _ in range(7):
        nlp.update(make_examples(nlp), sgd=optimizer)
    state = through_a_file(train_state.get_optimizer_state(nlp, optimizer))
    restored = Optimizer(0.01, use_radam=True)
    train_state.set_optimizer_state(nlp, restored, state)
    assert restored._radam_buffer == optimizer._radam_buffer
    assert any(None not in row for row in restored._radam_buffer)


def test_parameters_outside_of_the_pipeline():
    nlp = make_pipeline()
    optimizer = make_optimizer()
    stranger = Linear(2, 2).initialize()
    stranger.inc_grad("W", stranger.ops.alloc2f(2, 2))
    stranger.finish_update(optimizer)
    with pytest.raises(ValueError, match="no component's model holds"):
        train_state.get_optimizer_state(nlp, optimizer)


def test_parameters_that_the_pipeline_lacks(pipelines: List[Language]):
    state = train_state.get_optimizer_state(pipelines[0], pipelines[0]._optimizer)
    with pytest.raises(ValueError, match="the pipeline lacks .* such as lal_parser/"):
        pipelines[1].remove_pipe("lal_parser")
        train_state.set_optimizer_state(pipelines[1], make_optimizer(), state)


def draw() -> List[float]:
    return [random.random(), random.gauss(0, 1), numpy.random.normal(), numpy.random.rand(), torch.rand(1).item()]


def test_random_state():
    random.gauss(0, 1)  # each generator of normal numbers keeps the second of a pair
    numpy.random.normal()
    state = through_a_file(train_state.get_random_state())
    expected = draw()
    assert draw() != expected
    train_state.set_random_state(state)
    assert draw() == expected


def test_gradient_scales():
    nlp = make_pipeline()
    state = train_state.get_gradient_state(nlp)
    (place,) = (place for place in state["scalers"] if place.startswith("lal_parser"))
    state["scalers"][place] = (torch.full((1,), 512.0), torch.full((1,), 7, dtype=torch.int))
    train_state.set_gradient_state(nlp, through_a_file(state))
    again = train_state.get_gradient_state(nlp)["scalers"][place]
    assert [value.item() for value in again] == [512.0, 7]

"""Vectors of words at once, against the layers that they stand for."""

import numpy
import pytest
import spacy
from spacy.ml.models import MultiHashEmbed
from spacy.tokens import Doc
from thinc.api import fix_random_seed

from spacy_lal.models.word_features import build_word_features

NLP = spacy.blank("en")
TEXTS = ["She sees 12 dogs.", "", "   ", "Dogs", "The dogs of the dog-lover: 3.14!"]
ATTRS = [["SHAPE"], ["SHAPE", "SUFFIX"], ["LOWER", "SHAPE", "PREFIX", "NORM"]]


def make_both(attrs):
    rows = [50 + 7 * k for k in range(len(attrs))]
    model = build_word_features(8, attrs, rows)
    layers = MultiHashEmbed(8, attrs, rows, include_static_vectors=False)
    fix_random_seed(0)
    model.initialize(X=[NLP(TEXTS[0])])
    for node in model.walk():
        for name in node.param_names:
            size = node.get_param(name).shape
            node.set_param(name, numpy.random.normal(size=size).astype("f4"))
    layers.from_bytes(model.to_bytes())
    return model, layers


@pytest.mark.parametrize("attrs", ATTRS)
def test_the_vectors_of_the_layers(attrs):
    model, layers = make_both(attrs)
    docs = [NLP(text) for text in TEXTS]
    found = model.predict(docs)
    for one, expected in zip(found, layers.predict(docs), strict=True):
        assert one.dtype == expected.dtype == numpy.float32
        numpy.testing.assert_allclose(one, expected, atol=1e-5)
    (alone,) = model.copy().predict([docs[-1]])
    numpy.testing.assert_allclose(alone, found[-1], atol=1e-6)
    assert [one.shape for one in model.predict([Doc(NLP.vocab)])] == [(0, 8)]


def test_it_learns_as_the_layers_do():
    model, layers = make_both(ATTRS[1])
    docs = [NLP(TEXTS[0])]
    for one in (model, layers):
        (vectors,), backprop = one.begin_update(docs)
        backprop([numpy.ones_like(vectors)])
    for node, other in zip(model.walk(), layers.walk(), strict=True):
        for name in node.param_names:
            gradient = node.get_grad(name)
            assert gradient.any() or name == "b"
            numpy.testing.assert_array_equal(gradient, other.get_grad(name))


def test_packages_store_weights_in_integers():
    model, _ = make_both(ATTRS[1])
    docs = [NLP(text) for text in TEXTS]
    expected = model.predict(docs)
    n_bytes = len(model.to_bytes())
    model._func.store(model)
    stored = model.to_bytes()
    assert len(stored) < 0.6 * n_bytes
    model._func.store(model)
    assert model.to_bytes() == stored
    again = build_word_features(8, ATTRS[1], [50, 57]).from_bytes(stored)
    assert again.to_bytes() == stored
    found = again.predict(docs)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == numpy.float32
        numpy.testing.assert_allclose(one, other, atol=0.1)
    for one, other in zip(model.copy().predict(docs), found, strict=True):
        numpy.testing.assert_array_equal(one, other)
    restored = build_word_features(8, ATTRS[1], [50, 57]).from_bytes(again.to_bytes())
    numpy.testing.assert_array_equal(restored.predict(docs)[0], found[0])


def test_weights_in_integers_learn():
    model, _ = make_both(ATTRS[1])
    model._func.store(model)
    (vectors,), backprop = model.begin_update([NLP(TEXTS[0])])
    backprop([numpy.ones_like(vectors)])
    for node in model.walk():
        for name in node.param_names:
            assert node.get_param(name).dtype == numpy.float32
            assert node.get_grad(name).shape == node.get_param(name).shape

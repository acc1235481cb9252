"""spaCy's tagger model, with an output layer that packages store in 8 bits."""

import pickle

import numpy
import pytest
import spacy
from spacy.ml.models import build_tagger_model
from thinc.api import Adam, fix_random_seed

from spacy_lal.models.tagger import build_tagger
from spacy_lal.models.word_features import build_word_features

NLP = spacy.blank("en")
DOCS = [NLP("She sees 12 dogs."), NLP(""), NLP("Dogs")]


def make(build, normalize=False):
    fix_random_seed(0)
    features = build_word_features(8, ["SHAPE", "SUFFIX"], [50, 60])
    model = build(features, 40, normalize)
    model.initialize(X=DOCS)
    draw = numpy.random.default_rng(0)
    layer = model.get_ref("output_layer")
    layer.set_param("W", draw.normal(size=(40, 8)).astype("f4"))
    return model


@pytest.mark.parametrize("normalize", [False, True])
def test_the_scores_of_spacys_model(normalize):
    model, layers = make(build_tagger, normalize), make(build_tagger_model, normalize)
    layers.get_ref("output_layer").attrs["softmax_temperature"] = 2.0
    model.get_ref("output_layer").attrs["softmax_temperature"] = 2.0
    for found, expected in zip(model.predict(DOCS), layers.predict(DOCS), strict=True):
        assert found.shape == expected.shape
        numpy.testing.assert_allclose(found, expected, atol=1e-5)


def test_it_scores_with_the_weights_of_the_moment():
    model, other = make(build_tagger), make(build_tagger)
    model.predict(DOCS)
    output = other.get_ref("output_layer")
    output.set_param("W", 2 * output.get_param("W"))
    model.from_bytes(other.to_bytes())
    (expected, _, _) = other.predict(DOCS)
    numpy.testing.assert_array_equal(model.predict(DOCS)[0], expected)
    copied = pickle.loads(pickle.dumps(model))
    numpy.testing.assert_array_equal(copied.predict(DOCS)[0], expected)
    optimizer = Adam(0.1)
    for _ in range(2):  # an optimizer changes weights in place
        scores, backprop = model.begin_update(DOCS)
        before = model.predict(DOCS)[0]
        backprop([numpy.ones_like(one) for one in scores])
        model.finish_update(optimizer)
        assert numpy.abs(model.predict(DOCS)[0] - before).max() > 0.01


def test_a_stored_output_layer_is_smaller_and_scores_alike():
    model, expected = make(build_tagger), make(build_tagger).predict(DOCS)
    layer = model.get_ref("output_layer")
    model._func.store(model)
    assert layer.get_param("W").dtype == numpy.int8
    again = make(build_tagger).from_bytes(model.to_bytes())
    for found, one in zip(again.predict(DOCS), expected, strict=True):
        assert found.dtype == numpy.float32
        numpy.testing.assert_allclose(found, one, atol=0.1)
    scores, backprop = model.begin_update(DOCS)
    backprop([numpy.ones_like(one) for one in scores])
    assert layer.get_param("W").dtype == numpy.float32
    assert layer.get_grad("W").shape == (40, 8)

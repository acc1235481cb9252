"""spaCy's tagger model, with an output layer that packages store in 8 bits."""

import numpy
import spacy
from spacy.ml.models import build_tagger_model
from thinc.api import fix_random_seed

from spacy_lal.models.stored_layers import store
from spacy_lal.models.tagger import LARGE, build_tagger
from spacy_lal.models.word_features import build_word_features

NLP = spacy.blank("en")
DOCS = [NLP("She sees 12 dogs."), NLP(""), NLP("Dogs")]


def make(build):
    fix_random_seed(0)
    model = build(build_word_features(8, ["SHAPE", "SUFFIX"], [50, 60]), nO=40)
    model.initialize(X=DOCS)
    draw = numpy.random.default_rng(0)
    layer = model.get_ref("output_layer")
    layer.set_param("W", draw.normal(size=(40, 8)).astype("f4"))
    return model


def test_the_scores_of_spacys_model():
    model, layers = make(build_tagger), make(build_tagger_model)
    for found, expected in zip(model.predict(DOCS), layers.predict(DOCS), strict=True):
        numpy.testing.assert_array_equal(found, expected)


def test_a_stored_output_layer_is_smaller_and_scores_alike():
    model, expected = make(build_tagger), make(build_tagger).predict(DOCS)
    layer = model.get_ref("output_layer")
    store(layer, LARGE)
    assert layer.get_param(LARGE).dtype == numpy.int8
    again = make(build_tagger).from_bytes(model.to_bytes())
    for found, one in zip(again.predict(DOCS), expected, strict=True):
        assert found.dtype == numpy.float32
        numpy.testing.assert_allclose(found, one, atol=0.1)
    scores, backprop = model.begin_update(DOCS)
    backprop([numpy.ones_like(one) for one in scores])
    assert layer.get_param(LARGE).dtype == numpy.float32
    assert layer.get_grad(LARGE).shape == (40, 8)

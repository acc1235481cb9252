"""Hash embeddings without thinc's combinators: the same numbers to the bit, and thinc for all other layers."""

import numpy
import pytest
import spacy
from spacy.ml import CharacterEmbed
from spacy.ml.models import MultiHashEmbed

from spacy_lal.models.joined_tok2vec import build_joined_tok2vec
from spacy_lal.models.quick_embed import predict_embedding

DOCS = ["The old cat sleeps.", "", "Yes", "Costs: $4.50 (see http://x.y)!"]


@pytest.fixture(scope="module")
def docs():
    nlp = spacy.blank("en")
    return [nlp(text) for text in DOCS]


def embedding(attrs, docs, width=16, rows=50):
    model = MultiHashEmbed(width, attrs, [rows] * len(attrs), include_static_vectors=False)
    model.initialize(X=docs)
    for node in model.walk():
        if node.name == "layernorm":  # its fresh weights change nothing
            node.set_param("G", numpy.linspace(0.5, 2.0, width, dtype="float32"))
            node.set_param("b", numpy.linspace(-1.0, 1.0, width, dtype="float32"))
    return model


@pytest.mark.parametrize("attrs", [["SHAPE", "SUFFIX"], ["LOWER", "SHAPE", "PREFIX", "SUFFIX"]])
@pytest.mark.parametrize("places", [[0], [0, 1, 2, 3], [1, 3, 1]])
def test_the_same_vectors_as_the_layer(docs, attrs, places):
    model = embedding(attrs, docs)
    some = [docs[i] for i in places]
    found, expected = predict_embedding(model, some), model.predict(some)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        numpy.testing.assert_array_equal(one, other)


def test_other_layers_are_left_to_thinc(docs):
    for model in (
        embedding(["SHAPE"], docs),
        CharacterEmbed(width=8, rows=20, nM=4, nC=2, include_static_vectors=False),
    ):
        model.initialize(X=docs)
        assert predict_embedding(model, docs) is None
    assert predict_embedding(embedding(["SHAPE", "SUFFIX"], docs), [docs[1]]) is None


def test_a_joined_tok2vec_learns_by_thinc_and_predicts_the_same(docs):
    joined = build_joined_tok2vec(embedding(["SHAPE", "SUFFIX"], docs))
    joined.initialize(X=docs)
    in_training, _ = joined.begin_update(docs)
    for one, other in zip(joined.predict(docs), in_training, strict=True):
        numpy.testing.assert_array_equal(one, other)

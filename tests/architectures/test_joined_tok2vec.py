import numpy
import pytest
import spacy
from spacy.ml.models import MultiHashEmbed
from thinc.api import Model

from spacy_lal.architectures.joined_tok2vec import build_joined_tok2vec

DOCS = ["The old cat sleeps.", "Yes", ""]


@pytest.fixture
def docs():
    nlp = spacy.blank("en")
    return [nlp(text) for text in DOCS]


def embedding(attr, width):
    return MultiHashEmbed(width, [attr], [50], include_static_vectors=False)


def recorder(width):
    """A tok2vec of zeros that keeps the gradients it is given; an empty Doc has an array without width, as those of
    spacy-transformers have."""
    seen = []

    def forward(model, docs, is_train):
        return [model.ops.alloc2f(len(doc), width if len(doc) else 0) for doc in docs], lambda d: seen.append(d) or docs

    return Model("recorder", forward), seen


def test_vectors_stand_side_by_side(docs):
    first, second = embedding("NORM", 8), embedding("SHAPE", 4)
    joined = build_joined_tok2vec(first, second)
    joined.initialize(X=docs)
    assert joined.get_dim("nO") == 12
    for whole, left, right in zip(joined.predict(docs), first.predict(docs), second.predict(docs), strict=True):
        numpy.testing.assert_array_equal(whole, numpy.concatenate([left, right], axis=1))


def test_each_part_gets_its_share_of_the_gradient(docs):
    (first, seen_first), (second, seen_second) = recorder(3), recorder(2)
    joined = build_joined_tok2vec(first, second)
    outputs, backprop = joined.begin_update(docs)
    gradients = [numpy.arange(array.size, dtype="float32").reshape(array.shape) for array in outputs]
    assert backprop(gradients) == docs
    for gradient, left, right in zip(gradients, seen_first[0], seen_second[0], strict=True):
        numpy.testing.assert_array_equal(left, gradient[:, :3])
        numpy.testing.assert_array_equal(right, gradient[:, 3:])


def test_a_width_that_a_part_does_not_tell_is_not_told(docs):
    joined = build_joined_tok2vec(recorder(3)[0], embedding("SHAPE", 4))
    joined.initialize(X=docs)
    assert joined.maybe_get_dim("nO") is None


def test_none_is_an_error():
    with pytest.raises(ValueError, match="at least one tok2vec"):
        build_joined_tok2vec()

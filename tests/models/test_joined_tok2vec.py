import gc

import numpy
import pytest
import spacy
from spacy.ml.models import MultiHashEmbed
from spacy.util import registry
from spacy_transformers.data_classes import TransformerData, WordpieceBatch
from spacy_transformers.pipeline_component import install_extensions
from thinc.api import Model, Ragged
from transformers.utils import ModelOutput

from spacy_lal.models import joined_tok2vec
from spacy_lal.models.joined_tok2vec import build_joined_tok2vec

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


def listener_and_counts():
    """A listener with mean pooling as spacy-transformers builds it, and the sizes of the batches that it pools."""
    pooling = registry.get("layers", "reduce_mean.v1")()
    counts, reduce_mean = [], pooling._func
    pooling._func = lambda model, ragged, is_train: counts.append(len(ragged)) or reduce_mean(model, ragged, is_train)
    build = registry.get("architectures", "spacy-transformers.TransformerListener.v1")
    model = build(pooling=pooling, grad_factor=1.0, upstream="transformer")
    model.get_ref("listener").set_dim("nO", 4)
    return model, counts


def with_output(doc, seed):
    """The Doc with a transformer's output of 4 numbers for each token: two pieces, or one for the first token."""
    lengths = numpy.full(len(doc), 2, dtype="int32")
    lengths[:1] = 1
    states = numpy.random.default_rng(seed).random((1, int(lengths.sum()), 4), dtype="float32")
    align = Ragged(numpy.arange(lengths.sum(), dtype="int32"), lengths)
    output = ModelOutput(last_hidden_state=states)
    install_extensions()
    doc._.trf_data = TransformerData(wordpieces=WordpieceBatch.empty(), model_output=output, align=align)
    return doc


def test_components_share_the_pooled_output_of_a_transformer(docs):
    docs = [with_output(doc, i) for i, doc in enumerate(docs[:2])]
    (listener, counts), (other, other_counts) = listener_and_counts(), listener_and_counts()
    alone, _ = listener_and_counts()
    first, second = build_joined_tok2vec(listener), build_joined_tok2vec(other)
    expected = [array.copy() for array in alone.predict(docs)]
    assert_equal_arrays(first.predict(docs), expected)
    assert_equal_arrays(second.predict(docs), expected)
    assert len(counts) == 1 and not other_counts
    assert_equal_arrays(second.predict(docs[:1]), expected[:1])
    assert_equal_arrays(second.predict(docs[::-1]), expected[::-1])
    assert len(other_counts) == 2
    with_output(docs[0], 7)  # the transformer has run again
    assert_equal_arrays(second.predict(docs), alone.predict(docs))
    assert not numpy.array_equal(second.predict(docs)[0], expected[0]) and len(other_counts) == 3


def test_pooled_vectors_are_kept_no_longer_than_the_output(docs):
    doc = with_output(docs[0], 1)
    listener, _ = listener_and_counts()
    first = build_joined_tok2vec(listener).predict([doc])
    vectors = joined_tok2vec._pooled.last.vectors
    assert_equal_arrays(first, vectors)
    doc._.trf_data = None
    gc.collect()
    assert vectors == []


def assert_equal_arrays(some, others):
    for one, other in zip(some, others, strict=True):
        numpy.testing.assert_array_equal(one, other)

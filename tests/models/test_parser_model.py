"""`spacy-lal.LALParser.v1`: from the config to scores, gradients and bytes."""

import numpy
import pytest
import spacy
from small_blocks import parser_block, small_parser
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Config, Model

from spacy_lal.models.batches import get_config
from spacy_lal.models.parser import get_network, set_vocabularies

SMALL = {
    "hidden_width": 16,
    "n_layers": 1,
    "n_attn_heads": 2,
    "attn_width": 4,
    "ff_width": 8,
    "label_attn_width": 4,
    "label_proj_width": 4,
    "span_hidden_width": 6,
    "arc_hidden_width": 6,
    "deprel_hidden_width": 6,
    "char_width": 4,
}
RATES = (
    "attention",
    "embedding",
    "relu",
    "residual",
    "tag",
    "position",
    "char",
    "biaffine",
)
NO_DROPOUT = {f"{name}_dropout": 0.0 for name in RATES}
EMBED = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 8,
    "depth": 1,
    "embed_size": 50,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
}
HASH_EMBED = Config(
    {"model": parser_block(EMBED, use_tags=True, hidden_width=16, attn_width=4)}
).to_str()
VOCAB = spacy.blank("en").vocab


def make_doc(words, starts=(0,)):
    return Doc(VOCAB, words=words, sent_starts=[i in starts for i in range(len(words))])


def make_docs():
    """Three sentences with words, one of whitespace only, one Doc without tokens."""
    first = make_doc(["the", "dog", "\n", "ran", ".", " ", "it", "barked"], {0, 5, 6})
    return [first, Doc(VOCAB), make_doc(["\n", "all", "of", "us", "saw", "it"])]


def initialized(model, docs=None):
    chars = list("abcdehinorstu.")
    set_vocabularies(model, n_labels=6, n_deprels=4, tags=["DT", "NN"], chars=chars)
    return model.initialize(X=docs or make_docs())


def token_table(n_rows, width=5, seed=0):
    """A tok2vec whose output is a parameter: one row for each token of the batch."""

    def forward(model, docs, is_train):
        table, ends = model.get_param("E"), numpy.cumsum([len(doc) for doc in docs])

        def backprop(d_rows):
            model.inc_grad("E", numpy.concatenate([row for row in d_rows if len(row)]))
            return ["from the table"]

        return [
            table[end - len(doc) : end] for doc, end in zip(docs, ends, strict=True)
        ], backprop

    table = (
        numpy.random.default_rng(seed).normal(size=(n_rows, width)).astype("float32")
    )
    return Model("table", forward, params={"E": table}, dims={"nO": width})


def assert_same_scores(some, others, atol=1e-5):
    for one, other in zip(some, others, strict=True):
        for a, b in zip(one[:3], other[:3], strict=True):
            assert a.shape == b.shape
            assert numpy.allclose(a, b, atol=atol)


def test_builds_from_the_config():
    model = registry.resolve(Config().from_str(HASH_EMBED))["model"]
    inputs = get_config(model).inputs
    assert inputs.reads("tags") and not inputs.reads("words")
    scores = initialized(model).predict(make_docs())
    assert [one.n_tokens for one in scores] == [4, 0, 2, 5]
    assert scores[0].labels.shape == (5, 5, 6) and scores[0].deprels.shape == (5, 5, 4)
    assert scores[1].labels.shape == (0, 0, 0) and scores[1].arcs.shape == (1, 1)
    assert not any(one.labels[..., :1].any() for one in scores)


def test_every_weight_has_a_gradient():
    model = small_parser(**SMALL, n_label_heads=5)
    scores, backprop = initialized(model).begin_update(make_docs())
    assert scores[0].deprels.shape == (5, 5, 4)
    assert backprop(scores) == []
    assert all(p.grad is not None for p in get_network(model).parameters())


def test_label_heads_follow_the_labels():
    for n_label_heads, n_labels, expected in (
        (None, 6, 4),
        (None, 2, 1),
        (None, 0, 1),
        (9, 6, 9),
    ):
        model = small_parser(**SMALL, n_label_heads=n_label_heads)
        set_vocabularies(model, n_labels=n_labels, n_deprels=3)
        model.initialize()
        assert get_network(model).label_attention.n_label_heads == expected


def test_gradient_of_the_vectors_by_finite_differences():
    docs = make_docs()
    n_rows = sum(len(doc) for doc in docs)
    tok2vec = token_table(n_rows)
    model = initialized(small_parser(tok2vec, **SMALL, **NO_DROPOUT, use_chars=False))
    get_network(model).double().register_forward_pre_hook(
        lambda _, args: (args[0]._replace(vectors=args[0].vectors.double()),)
    )
    rng = numpy.random.default_rng(1)
    scores, backprop = model.begin_update(docs)
    weights = [
        one._replace(
            **{k: rng.normal(size=getattr(one, k).shape) for k in one._fields[:3]}
        )
        for one in scores
    ]
    assert backprop(weights) == ["from the table"]
    gradient = tok2vec.get_grad("E")
    whitespace = [
        i
        for i, token in enumerate(token for doc in docs for token in doc)
        if token.is_space
    ]
    assert len(whitespace) == 3 and not gradient[whitespace].any()

    def loss():
        return sum(
            float((a * b).sum())
            for one, w in zip(model.predict(docs), weights, strict=True)
            for a, b in zip(one[:3], w[:3], strict=True)
        )

    table = tok2vec.get_param("E")
    for row, column in [(0, 0), (1, 3), (3, 2), (7, 4), (9, 1), (13, 0)]:
        kept = table[row, column]
        sides = []
        for step in (1e-4, -1e-4):
            table[row, column] = kept + step
            sides.append(loss())
        table[row, column] = kept
        assert (sides[0] - sides[1]) / 2e-4 == pytest.approx(
            gradient[row, column], rel=2e-2, abs=2e-2
        )


def test_a_sentence_alone_is_the_sentence_in_any_batch():
    docs = make_docs()
    model = initialized(registry.resolve(Config().from_str(HASH_EMBED))["model"])
    alone = [one for doc in docs for one in model.predict([doc])]
    assert_same_scores(model.predict(docs), alone)
    assert_same_scores(model.predict(docs * 3), alone * 3)
    assert model.predict([]) == [] and model.predict([Doc(VOCAB)]) == []


def test_bytes_need_no_vocabularies():
    model = initialized(registry.resolve(Config().from_str(HASH_EMBED))["model"])
    loaded = registry.resolve(Config().from_str(HASH_EMBED))["model"].from_bytes(
        model.to_bytes()
    )
    assert loaded.layers[-2].attrs["tags"] == ["DT", "NN"]
    assert_same_scores(loaded.predict(make_docs()), model.predict(make_docs()), atol=0)
    assert loaded.to_bytes() == model.to_bytes()


def test_what_a_tok2vec_gives_is_checked():
    model = initialized(small_parser(token_table(14), **SMALL))
    with pytest.raises(ValueError, match="gave 14 rows; expected 28"):
        model.predict(make_docs() * 2)
    model.layers[0] = token_table(14, width=7)
    with pytest.raises(ValueError, match="width 7; the network was made for 5"):
        model.predict(make_docs())

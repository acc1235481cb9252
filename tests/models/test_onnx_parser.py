"""The parser's network in ONNX Runtime beside torch: the same scores, or nearly; and where torch must run."""

import builtins
import pickle

import numpy
import pytest
import spacy
from small_blocks import small_parser
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Adam, Config, fix_random_seed
from tiny_network import TOK2VEC

from spacy_lal.layers.configs import BiaffineScorerConfig, FencepostsConfig, LabelAttentionConfig
from spacy_lal.layers.folded_network import FoldedNetwork
from spacy_lal.layers.input_configs import EncoderConfig, make_input_layer, make_vectors
from spacy_lal.models.execution import ExecutionConfig
from spacy_lal.models.onnx_parser import OnnxNetwork
from spacy_lal.models.parser import build_lal_parser, listening

VOCAB = spacy.blank("en").vocab
SHIPPED = {
    **{"factored": False, "label_own_projection": True, "label_ties": True},
    **{"whole_tokens": True, "span_own_projections": True},
}
FAMILIES = {
    "shipped": SHIPPED,
    "defaults": {},
    "content and position apart": {"label_factored": False, "max_positions": 3},
    "no label attention": {"label_attention": False},
    "whole tokens alone": {"label_attention": False, "whole_tokens": True},
    "arcs from tokens": {**SHIPPED, "arcs_from_tokens": True},
    "odd blocks": {**SHIPPED, "label_proj_width": 5, "span_own_projections": False, "label_ties": False},
}


def make_docs():
    words = ["the", "dog", "\n", "ran", ".", " ", "it", "barked"]
    first = Doc(VOCAB, words=words, sent_starts=[i in (0, 5) for i in range(8)])
    long = Doc(VOCAB, words="all of us saw it when the dog ran".split(), sent_starts=[i == 0 for i in range(9)])
    return [first, Doc(VOCAB), long, Doc(VOCAB, words=["Stop"])]


def make_model(runtime="torch", *, n_labels=6, n_deprels=4, n_layers=0, **options):
    tok2vec = registry.resolve(Config().from_str("[model]" + TOK2VEC))["model"]
    settings = {"use_chars": False, "hidden_width": 12, "label_attn_width": 6, **options}
    model = small_parser(tok2vec, runtime=runtime, n_layers=n_layers, **settings)
    model.attrs["set_vocabularies"](model, n_labels=n_labels, n_deprels=n_deprels)
    return model


def both(runtime, **options):
    """Two models of the same weights, in torch and in a runtime."""
    fix_random_seed(0)
    plain, quick = make_model(**options), make_model(runtime, **options)
    plain.initialize(X=make_docs())
    network = plain.attrs["get_network"](plain)
    for norm in (network.inputs.norm, getattr(network.label_attention, "norm", None)):
        if norm is not None:  # fresh norms have no effect
            norm.gain.data.uniform_(0.5, 1.5)
            norm.bias.data.uniform_(-0.5, 0.5)
    quick.from_bytes(plain.to_bytes())
    return plain, quick


def best(model, docs):
    found = {}
    for indices, scores in model.attrs["iter_scores"](model, docs, pruned=True):
        found.update(zip(indices, scores, strict=True))
    return [found[i] for i in range(len(found))]


def folded(model):
    return model.layers[-1].shims[0].folded


def heads_of(n_words):
    return numpy.random.default_rng(n_words).integers(0, n_words + 1, n_words).astype("int32")


def assert_same(some, others, atol):
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        assert one.labels.shape == other.labels.shape and numpy.allclose(one.labels, other.labels, atol=atol)
        assert numpy.allclose(one.arcs, other.arcs, atol=atol)
        heads = heads_of(one.n_tokens)
        assert one.has_deprels == other.has_deprels
        assert one.best_deprels(heads).tolist() == other.best_deprels(heads).tolist()
        if hasattr(one, "label_ids"):
            assert one.label_ids.tolist() == other.label_ids.tolist() and one.label_ids.dtype == other.label_ids.dtype


@pytest.mark.parametrize("family", FAMILIES)
def test_single_precision_equals_torch(family):
    plain, quick = both("onnx", **FAMILIES[family])
    assert isinstance(folded(plain), FoldedNetwork) and isinstance(folded(quick), OnnxNetwork)
    assert_same(best(plain, make_docs()), best(quick, make_docs()), 1e-4)


@pytest.mark.parametrize("sizes", [{"n_labels": 0}, {"n_deprels": 0}])
def test_one_tree_alone(sizes):
    plain, quick = both("onnx", **SHIPPED, **sizes)
    assert_same(best(plain, make_docs()), best(quick, make_docs()), 1e-4)


def test_the_attention_of_label_heads():
    plain, quick = both("onnx", **SHIPPED)
    found = []
    for model in (plain, quick):
        scores = []
        with listening(model, lambda docs, sentences, heard, scores=scores: scores.extend(heard)):
            best(model, make_docs())
        found.append([one.attention for one in scores])
    assert len(found[0]) == len(found[1]) == 4
    for one, other in zip(*found, strict=True):
        assert one.shape == other.shape and numpy.allclose(one, other, atol=1e-5)


def test_eight_bits_are_near_and_a_sentence_alone_is_as_in_a_batch():
    plain, quick = both("onnx-int8", **SHIPPED, span_hidden_width=40, arc_hidden_width=30)
    expected, found = best(plain, make_docs()), best(quick, make_docs())
    arcs, others = (numpy.concatenate([one.arcs.ravel() for one in scores]) for scores in (expected, found))
    assert 1e-5 < numpy.abs(arcs - others).mean() / arcs.std() < 0.1
    alone = [one for doc in make_docs() for one in best(quick, [doc])]
    assert_same(alone, found, 1e-5)


def test_never_after_an_update():
    plain, quick = both("onnx", **SHIPPED)
    docs = make_docs()
    best(quick, docs)
    for model in (plain, quick):
        fix_random_seed(1)  # of dropout
        scores, backprop = model.begin_update(docs)
        backprop([one._replace(labels=one.labels * 0 + 1.0) for one in scores])
        model.finish_update(Adam(0.01))
    assert isinstance(folded(quick), FoldedNetwork)
    assert_same(best(plain, docs), best(quick, docs), 1e-4)


def test_a_copy_runs_too():
    plain, quick = both("onnx", **SHIPPED)
    expected = best(quick, make_docs())
    network = pickle.loads(pickle.dumps(folded(quick)))
    shim = quick.layers[-1].shims[0]
    shim._folded = (network, shim._folded[1])
    assert_same(best(quick, make_docs()), expected, 0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_layers": 1}, "in which the encoder has no layers"),
        ({"use_chars": True}, "in which the input layer reads vectors alone"),
        ({"label_ff_width": 8}, "without a feed-forward network"),
        ({"n_labels": 2}, "in which there is a constituent label"),
    ],
)
def test_unknown_networks_are_named(options, message):
    _, quick = both("onnx", **options)
    with pytest.raises(ValueError, match=message):
        best(quick, make_docs())


def test_halves_of_more_than_label_blocks_are_refused():
    tok2vec = registry.resolve(Config().from_str("[model]" + TOK2VEC))["model"]
    model = build_lal_parser(
        tok2vec,
        label_attention=LabelAttentionConfig(),
        span_scorer=None,
        biaffine_scorer=BiaffineScorerConfig(),
        inputs=make_input_layer(make_vectors()),
        encoder=EncoderConfig(),
        fenceposts=FencepostsConfig(halves="even_odd"),
        hidden_width=12,
        execution=ExecutionConfig(runtime="onnx"),
    )
    model.attrs["set_vocabularies"](model, n_labels=0, n_deprels=4)
    model.initialize(X=make_docs())
    with pytest.raises(ValueError, match="in which fenceposts have the halves of label blocks"):
        best(model, make_docs())


def test_contradictions():
    with pytest.raises(ValueError, match="runtime to be one of torch, onnx, onnx-int8, got 'jax'"):
        make_model("jax")
    with pytest.raises(ValueError, match="expected mixed_precision = false, got true"):
        make_model("onnx", mixed_precision=True)


def test_a_missing_package_is_told_and_torch_runs(monkeypatch, recwarn):
    plain, quick = both("onnx", **SHIPPED)
    import_module = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "onnxruntime":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return import_module(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert_same(best(quick, make_docs()), best(plain, make_docs()), 0.0)
    best(quick, make_docs())
    told = [str(w.message) for w in recwarn if "spacy-lal[fast]" in str(w.message)]
    assert len(told) == 1 and "The parser's network runs in torch" in told[0]

"""`spacy-lal.LALParser.v1`, whose flat arguments say the same as the blocks of `spacy-lal.LALParser.v3`; and `v2`,
which has the options of one block beside the others."""

from dataclasses import fields
from inspect import signature

import numpy
import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Config, fix_random_seed
from tiny_network import network_config
from tiny_pipeline import make_examples

from spacy_lal.checkpoint.parser_v1 import FlatConfig, build_lal_parser_v1
from spacy_lal.models.execution import ExecutionConfig

V1, V2, V3 = (f"spacy-lal.LALParser.v{i}" for i in (1, 2, 3))
VOCAB = spacy.blank("en").vocab
CHARS, VECTORS = {"@misc": "spacy-lal.CharLSTM.v1"}, {"@misc": "spacy-lal.Vectors.v1"}
LAYER, NO_ENCODER = {"@misc": "spacy-lal.SelfAttentionLayer.v1"}, {"@misc": "spacy-lal.NoEncoder.v1"}
TOK2VEC = {
    **{"@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, "width": 8, "depth": 1},
    **{"embed_size": 50, "window_size": 1, "maxout_pieces": 2, "subword_features": True},
}


def inputs(*features, **options):
    return {"@misc": "spacy-lal.InputLayer.v1", "*": {f"feature{i}": one for i, one in enumerate(features)}, **options}


def encoder(*layers):
    return {"@misc": "spacy-lal.Encoder.v1", "*": {f"layer{i}": one for i, one in enumerate(layers)}}


def attention(**options):
    return {"@misc": "spacy-lal.LabelAttention.v1", **options}


def fenceposts(**options):
    return {"@misc": "spacy-lal.Fenceposts.v1", **options}


def spans(**options):
    return {"@misc": "spacy-lal.SpanScorer.v1", **options}


def biaffine(**options):
    return {"@misc": "spacy-lal.BiaffineScorer.v1", **options}


# Flat arguments, and the blocks that say the same.
FAMILIES = {
    "defaults": ({}, {}),
    "tok2vec": ({"tok2vec": TOK2VEC}, {"tok2vec": TOK2VEC}),
    "vectors alone": (
        {"tok2vec": TOK2VEC, "use_chars": False},
        {"tok2vec": TOK2VEC, "inputs": inputs(VECTORS)},
    ),
    "all inputs": (
        {"tok2vec": TOK2VEC, "use_tags": True, "tag_dropout": 0.1, "char_width": 6, "char_dropout": 0.3},
        {
            "tok2vec": TOK2VEC,
            "inputs": inputs(
                {"@misc": "spacy-lal.Tags.v1", "dropout": 0.1}, {**CHARS, "char_width": 6, "dropout": 0.3}, VECTORS
            ),
        },
    ),
    "input layer": (
        {"max_positions": 3, "position_dropout": 0.1, "embedding_dropout": 0.0, "max_word_length": 2},
        {"inputs": inputs({**CHARS, "max_word_length": 2}, max_positions=3, position_dropout=0.1, dropout=0.0)},
    ),
    "not factored": (
        {"factored": False},
        {
            "inputs": inputs(CHARS, join="sum"),
            "encoder": encoder({**LAYER, "repeat": 2, "factored": False}),
            "label_attention": attention(factored=False),
        },
    ),
    "label attention not factored": ({"label_factored": False}, {"label_attention": attention(factored=False)}),
    "no label attention": ({"label_attention": False}, {"label_attention": None}),
    "no label attention, not factored": (
        {"label_attention": False, "factored": False},
        {
            "inputs": inputs(CHARS, join="sum"),
            "encoder": encoder({**LAYER, "repeat": 2, "factored": False}),
            "label_attention": None,
        },
    ),
    "encoder": (
        {
            **{"n_layers": 3, "n_attn_heads": 2, "attn_width": 6, "ff_width": 10, "hidden_width": 16},
            **{"attention_dropout": 0.1, "relu_dropout": 0.0, "residual_dropout": 0.3},
        },
        {
            "hidden_width": 16,
            "encoder": encoder(
                {
                    **{**LAYER, "repeat": 3, "n_heads": 2, "attn_width": 6, "ff_width": 10},
                    **{"attention_dropout": 0.1, "relu_dropout": 0.0, "residual_dropout": 0.3},
                }
            ),
            "label_attention": attention(attention_dropout=0.1),
        },
    ),
    "no encoder": ({"n_layers": 0}, {"encoder": NO_ENCODER}),
    "label attention": (
        {"n_label_heads": 7, "label_attn_width": 6, "label_proj_width": 5, "label_residual_dropout": True},
        {"label_attention": attention(n_heads=7, attn_width=6, proj_width=5, residual_dropout=0.2)},
    ),
    "feed-forward": ({"label_feed_forward": "per_label"}, {"label_attention": attention(ff_width=32)}),
    "feed-forward of a width": (
        {"label_feed_forward": "per_label", "label_ff_width": 6},
        {"label_attention": attention(ff_width=6)},
    ),
    "own projections": ({"label_own_projection": True}, {"label_attention": attention(per_head_projection=True)}),
    "not scaled": ({"scale_label_blocks": False}, {"fenceposts": fenceposts(scale_label_blocks=False)}),
    "whole tokens": ({"whole_tokens": True}, {"fenceposts": fenceposts(token_skip=True)}),
    "only whole tokens": (
        {"whole_tokens": True, "label_attention": False},
        {"fenceposts": fenceposts(token_skip=True), "label_attention": None},
    ),
    "arcs from tokens": (
        {"whole_tokens": True, "arcs_from_tokens": True},
        {"fenceposts": fenceposts(token_skip=True), "biaffine_scorer": biaffine(from_tokens=True)},
    ),
    "ties": ({"label_ties": True}, {"span_scorer": spans(label_heads=True)}),
    "scorers": (
        {
            **{"span_hidden_width": 9, "span_own_projections": True, "arc_hidden_width": 7},
            **{"deprel_hidden_width": 6, "biaffine_dropout": 0.1},
        },
        {
            "span_scorer": spans(hidden_width=9, separate_endpoints=True),
            "biaffine_scorer": biaffine(arc_width=7, deprel_width=6, dropout=0.1),
        },
    ),
    "as bundled": (
        {
            **{"tok2vec": TOK2VEC, "use_chars": False, "n_layers": 0, "factored": False, "label_proj_width": 8},
            **{"label_own_projection": True, "label_ties": True, "whole_tokens": True, "span_own_projections": True},
        },
        {
            "tok2vec": TOK2VEC,
            "inputs": inputs(VECTORS, join="sum"),
            "encoder": NO_ENCODER,
            "label_attention": attention(proj_width=8, factored=False, per_head_projection=True),
            "fenceposts": fenceposts(token_skip=True),
            "span_scorer": spans(separate_endpoints=True, label_heads=True),
        },
    ),
    "the model": (
        {"max_batch_cells": 40, "runtime": "torch"},
        {"execution": {"@misc": "spacy-lal.Execution.v1", "mixed_precision": False, "max_batch_cells": 40}},
    ),
}


def make_docs():
    words = ["the", "dog", "\n", "ran", ".", " ", "it", "barked"]
    tags = ["DT", "NN", "", "VB", ".", "", "PR", "NN"]
    first = Doc(VOCAB, words=words, tags=tags, sent_starts=[i in (0, 5) for i in range(8)])
    last = Doc(VOCAB, words="all of us saw it".split(), tags=["DT"] * 5, sent_starts=[i == 0 for i in range(5)])
    return [first, Doc(VOCAB), last]


def make_model(config):
    """Through the text of a config, as it is in a file."""
    filled = registry.fill(Config({"model": config}))
    model = registry.resolve(Config().from_str(Config(filled).to_str()))["model"]
    model.attrs["set_vocabularies"](
        model, n_labels=6, n_deprels=4, tags=["DT", "NN", "VB"], chars=sorted(set("thedogranitbkusw."))
    )
    return model


def both_models(family):
    flat, blocks = FAMILIES[family]
    required = {"label_attention": attention(), "span_scorer": spans(), "biaffine_scorer": biaffine()}
    return make_model({"@architectures": V1, **flat}), make_model({"@architectures": V3, **required, **blocks})


@pytest.mark.parametrize("family", FAMILIES)
def test_blocks_give_the_same_scores_as_flat_arguments(family):
    first, second = both_models(family)
    docs = make_docs()
    fix_random_seed(0)
    first.initialize(X=docs)
    second.from_bytes(first.to_bytes())
    networks = [model.attrs["get_network"](model) for model in (first, second)]
    assert networks[0].config == networks[1].config
    assert first.layers[-1].attrs == second.layers[-1].attrs
    for one, other in zip(first.predict(docs), second.predict(docs), strict=True):
        for a, b in zip(one[:3], other[:3], strict=True):
            assert a.shape == b.shape and numpy.array_equal(a, b)
        assert one.n_tokens == 0 or (one.labels.any() and one.arcs.any() and one.deprels.any())
    best = [dict(list_pruned(model, docs)) for model in (first, second)]
    assert best[0] == best[1]


def list_pruned(model, docs):
    for indices, scores in model.attrs["iter_scores"](model, docs, pruned=True):
        for i, one in zip(indices, scores, strict=True):
            yield i, (one.labels.tolist(), one.arcs.tolist())


def test_equal_seeds_give_equal_weights():
    """Blocks are built in the same order, whichever version of the architecture names them."""
    weights = []
    for model in both_models("all inputs"):
        fix_random_seed(0)
        model.initialize(X=make_docs())
        weights.append(model.attrs["get_network"](model).state_dict())
    assert list(weights[0]) == list(weights[1])
    assert all((weights[0][key] == weights[1][key]).all() for key in weights[0])


def test_every_flat_argument_is_in_a_family():
    """Those that only the reference has are compared with it in tests/test_checkpoint.py."""
    reference = {"concatenate_features", "deprel_given_head"}
    reference |= {"label_query_per_token", "label_combine_as_self", "scrambled_queries"}
    used = {name for flat, _ in FAMILIES.values() for name in flat}
    assert (
        used - {"tok2vec", "mixed_precision", "max_batch_cells", "runtime"}
        == set(FlatConfig.__dataclass_fields__) - reference
    )


def test_the_signature_lists_the_arguments_and_their_defaults():
    parameters = signature(build_lal_parser_v1).parameters
    flat = {field.name: field.default for field in fields(FlatConfig)}
    assert {name: parameters[name].default for name in flat} == flat
    assert list(parameters)[:4] == ["tok2vec", "mixed_precision", "max_batch_cells", "runtime"]
    assert set(parameters) == {*flat, "tok2vec", "mixed_precision", "max_batch_cells", "runtime"}
    filled = registry.fill({"model": {"@architectures": V1}})["model"]
    assert {name: filled[name] for name in flat} == flat


RUNNING = {"mixed_precision": False, "max_batch_cells": 40, "runtime": "onnx"}


def test_the_second_version_has_the_options_of_the_block_beside_the_others():
    block = {"label_attention": attention(), "span_scorer": spans(), "biaffine_scorer": biaffine()}
    names = [list(signature(registry.get("architectures", name)).parameters) for name in (V2, V3)]
    assert set(names[0]) == {*names[1], *RUNNING} - {"execution"}
    second = make_model({"@architectures": V2, **block, **RUNNING})
    third = make_model({"@architectures": V3, **block, "execution": {"@misc": "spacy-lal.Execution.v1", **RUNNING}})
    assert second.layers[-1].attrs == third.layers[-1].attrs == {"execution": ExecutionConfig(**RUNNING)}
    fix_random_seed(0)
    second.initialize(X=make_docs())
    third.from_bytes(second.to_bytes())
    assert second.to_bytes() == third.to_bytes()
    with pytest.raises(ValueError, match="max_batch_cell"):
        make_model({"@architectures": V2, **block, "max_batch_cell": 40})


@pytest.mark.parametrize("version", [V1, V2])
def test_the_config_decides_how_saved_weights_run(version):
    """Not the config that they were trained with."""
    block = {"label_attention": attention(), "span_scorer": spans(), "biaffine_scorer": biaffine()}
    config = {"@architectures": version, **(block if version == V2 else {})}
    trained, loaded = make_model(config), make_model({**config, "max_batch_cells": 7})
    trained.initialize(X=make_docs())
    loaded.from_bytes(trained.to_bytes())
    assert loaded.layers[-1].attrs["execution"].max_batch_cells == 7


@pytest.mark.parametrize(
    "change, message",
    [
        ({"vector_width": 0}, "nothing to read"),
        ({"hidden_width": 7}, "hidden_width: expected a positive even integer .* got 7"),
        ({"hidden_width": 8.0}, "hidden_width: expected .* got 8.0"),
        ({"n_attn_heads": 0}, "n_heads: expected an integer of at least 1, got 0"),
        ({"n_layers": -1}, "repeat: expected an integer of at least 1, got -1"),
        ({"label_feed_forward": "both"}, "label_feed_forward: expected one of .* got 'both'"),
        ({"label_feed_forward": "per_label", "label_combine_as_self": True}, "no label blocks"),
        ({"label_ties": True, "label_combine_as_self": True}, "label_heads = true requires label attention"),
        ({"label_feed_forward": "split", "n_label_heads": 1}, "'split' needs more than"),
        ({"label_proj_width": 1}, "proj_width of label attention: expected an integer of at least 2, got 1"),
        ({"arcs_from_tokens": True}, "from_tokens = true requires fenceposts with token_skip = true"),
        ({"concatenate_features": True, "n_words": 5, "n_tags": 5, "hidden_width": 20}, "evenly"),
        ({"biaffine_dropout": 1.0}, r"dropout: expected a dropout rate in \[0, 1\), got 1.0"),
    ],
)
def test_flat_arguments_that_make_no_network(change, message):
    network_config()
    with pytest.raises(ValueError, match=message):
        network_config(**change)


def test_label_heads_that_follow_the_labels_are_many_enough_until_labels_are_known():
    """Whether halves of blocks can be split depends on the number of labels."""
    model = build_lal_parser_v1(label_feed_forward="split", hidden_width=16, label_proj_width=4)
    model.attrs["set_vocabularies"](model, n_labels=3, n_deprels=2, chars=["a"])
    with pytest.raises(ValueError, match="'split' needs more than hidden_width / 2 = 8 features, got .* = 4"):
        model.initialize()
    model.attrs["set_vocabularies"](model, n_labels=5, n_deprels=2, chars=["a"])
    model.initialize()
    assert model.attrs["get_network"](model).label_attention.output_width == 12


def test_odd_widths_of_factored_features_are_rounded_down():
    """As the reference does it: each part gets half. Saved configs may have such widths."""
    odd, even = (FlatConfig(attn_width=n, ff_width=n, label_attn_width=n).compose(reads_vectors=False) for n in (7, 6))
    assert odd == even
    whole = FlatConfig(attn_width=7, label_attn_width=7, factored=False).compose(reads_vectors=False)
    assert (whole.encoder.layers[0].attn_width, whole.label_attention.attn_width) == (7, 7)


def test_label_heads_that_are_projected_together_train():
    fix_random_seed(0)
    sizes = {"hidden_width": 32, "n_layers": 1, "n_attn_heads": 2, "attn_width": 8, "ff_width": 32}
    rates = ("attention_dropout", "relu_dropout", "residual_dropout", "char_dropout", "biaffine_dropout")
    model = {"@architectures": V1, "label_combine_as_self": True, **sizes, **dict.fromkeys(rates, 0.0)}
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("lal_parser", config={"model": model})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.005
    losses = [nlp.update(examples, sgd=optimizer)["lal_parser"]]
    while losses[-1] > 0.05 and len(losses) < 120:
        losses.append(nlp.update(examples, sgd=optimizer)["lal_parser"])
    assert not parser.model.attrs["get_network"](parser.model).label_attention.has_blocks
    assert losses[0] > 5.0 and losses[-1] <= 0.05, losses

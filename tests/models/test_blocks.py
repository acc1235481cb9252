"""`spacy-lal.LALParser.v1` in the config system: blocks, their order, overrides, and
what is refused."""

import pytest
import spacy
from spacy.util import load_config, load_model_from_config, registry
from thinc.api import Config
from tiny_pipeline import make_examples

from spacy_lal.layers.configs import (
    BiaffineScorerConfig,
    FencepostsConfig,
    LabelAttentionConfig,
    SpanScorerConfig,
)
from spacy_lal.layers.input_configs import CharLSTM, Tags
from spacy_lal.models.parser import build_lal_parser, get_network, set_vocabularies

BLOCKS = """
[components]

[components.lal_parser]
factory = "lal_parser"

[components.lal_parser.model]
@architectures = "spacy-lal.LALParser.v1"
tok2vec = null
hidden_width = 16

[components.lal_parser.model.inputs]
@misc = "spacy-lal.InputLayer.v1"
dropout = 0.1

[components.lal_parser.model.inputs.*.zeta]
@misc = "spacy-lal.Tags.v1"

[components.lal_parser.model.inputs.*.alpha]
@misc = "spacy-lal.CharLSTM.v1"
char_width = 4

[components.lal_parser.model.encoder]
@misc = "spacy-lal.Encoder.v1"

[components.lal_parser.model.encoder.*.self_attention]
@misc = "spacy-lal.SelfAttentionLayer.v1"
n_heads = 2
attn_width = 4
ff_width = 8

[components.lal_parser.model.encoder.*.again]
@misc = "spacy-lal.SelfAttentionLayer.v1"
repeat = 2
n_heads = 3
attn_width = 4
ff_width = 8

[components.lal_parser.model.label_attention]
@misc = "spacy-lal.LabelAttention.v1"
attn_width = 4

[components.lal_parser.model.span_scorer]
@misc = "spacy-lal.SpanScorer.v1"

[components.lal_parser.model.biaffine_scorer]
@misc = "spacy-lal.BiaffineScorer.v1"
"""
NLP = f"""
[nlp]
lang = "en"
pipeline = ["lal_parser"]
{BLOCKS}"""
REQUIRED = {
    "label_attention": LabelAttentionConfig(),
    "span_scorer": SpanScorerConfig(),
    "biaffine_scorer": BiaffineScorerConfig(),
}
PARTS = {
    *(
        "InputLayer",
        "CharConcat",
        "CharLSTM",
        "Tags",
        "Vectors",
        "Words",
        "Encoder",
        "NoEncoder",
        "SelfAttentionLayer",
    ),
    *("LabelAttention", "Fenceposts", "SpanScorer", "BiaffineScorer"),
}


def config_of(model):
    """The record behind a model that has no network yet."""
    return model.layers[-1].shims[0].config


def parts_of(text):
    return config_of(
        registry.resolve(Config().from_str(text))["components"]["lal_parser"]["model"]
    )


def test_blocks_become_records():
    config = parts_of(BLOCKS)
    assert config.hidden_width == 16 and config.inputs.dropout == 0.1
    assert config.inputs.features == (Tags(), CharLSTM(char_width=4))
    assert [(layer.repeat, layer.n_heads) for layer in config.encoder.layers] == [
        (1, 2),
        (2, 3),
    ]
    assert config.label_attention == LabelAttentionConfig(attn_width=4)
    assert (config.fenceposts, config.span_scorer) == (
        FencepostsConfig(),
        SpanScorerConfig(),
    )
    assert config.biaffine_scorer == BiaffineScorerConfig()


def test_blocks_stay_in_order_in_a_saved_pipeline(tmp_path):
    nlp = load_model_from_config(Config().from_str(NLP), auto_fill=True)
    nlp.config.to_disk(tmp_path / "config.cfg")
    loaded = load_model_from_config(load_config(tmp_path / "config.cfg"))
    one, other = (
        config_of(pipeline.get_pipe("lal_parser").model) for pipeline in (nlp, loaded)
    )
    assert one == other == parts_of(BLOCKS)
    nlp.add_pipe("sentencizer", first=True)  # rewrites the config
    assert (
        config_of(load_model_from_config(nlp.config).get_pipe("lal_parser").model)
        == one
    )


def test_overrides(tmp_path):
    path = tmp_path / "config.cfg"
    path.write_text(NLP, encoding="utf8")
    overrides = {
        "encoder.*.self_attention.n_heads": 5,
        "inputs.*.alpha.char_width": 7,
        "label_attention.proj_width": 6,
        "hidden_width": 8,
    }
    prefix = "components.lal_parser.model."
    config = load_config(
        path, overrides={prefix + name: value for name, value in overrides.items()}
    )
    nlp = load_model_from_config(config, auto_fill=True)
    found = config_of(nlp.get_pipe("lal_parser").model)
    assert [layer.n_heads for layer in found.encoder.layers] == [5, 3]
    assert (
        found.inputs.features[1].char_width,
        found.label_attention.proj_width,
        found.hidden_width,
    ) == (7, 6, 8)


@pytest.mark.parametrize("name", ["span_scorer", "biaffine_scorer"])
def test_a_parser_of_one_kind_of_tree(name):
    model = build_lal_parser(**{**REQUIRED, name: None})
    set_vocabularies(model, n_labels=5, n_deprels=3, chars=["a"])
    model.initialize()
    network = get_network(model)
    assert getattr(network, name) is None
    assert network.span_scorer is not None or network.biaffine_scorer is not None


@pytest.mark.parametrize(
    "line, wrong, message",
    [
        (
            "hidden_width = 16",
            "hidden_width = 15",
            "hidden_width: expected an even integer .* got 15",
        ),
        (
            "n_heads = 2",
            "n_heads = 0",
            "n_heads: expected a number of at least 1, got 0",
        ),
        (
            "dropout = 0.1",
            "dropout = 1.0",
            r"dropout: expected a rate in \[0, 1\), got 1.0",
        ),
        (
            "spacy-lal.Tags.v1",
            "spacy-lal.CharLSTM.v1",
            "each kind once, got chars, chars",
        ),
        ("spacy-lal.Tags.v1", "spacy-lal.Vectors.v1", "None as the tok2vec"),
        ("char_width = 4", "char_widht = 4", "char_widht"),
    ],
)
def test_a_wrong_config_is_refused_with_the_option(line, wrong, message):
    assert line in BLOCKS
    with pytest.raises(ValueError, match=f"(?s){message}"):
        load_model_from_config(
            Config().from_str(NLP.replace(line, wrong, 1)), auto_fill=True
        )


@pytest.mark.parametrize(
    "name", ["label_attention", "span_scorer", "biaffine_scorer", "tok2vec"]
)
def test_a_part_that_is_null_is_left_out_of_the_components_default(name):
    nlp = spacy.blank("en")
    parser = nlp.add_pipe(
        "lal_parser",
        config={"model": {"@architectures": "spacy-lal.LALParser.v1", name: None}},
    )
    config = config_of(parser.model)
    parts = {part: getattr(config, part) for part in REQUIRED}
    parts["tok2vec"] = None if len(parser.model.layers) == 2 else parser.model.layers[0]
    assert [part for part, value in parts.items() if value is None] == [name]
    assert nlp.config["components"]["lal_parser"]["model"][name] is None


@pytest.mark.parametrize("with_encoder", [True, False])
def test_a_pipeline_of_blocks_trains_and_comes_back(with_encoder, tmp_path):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    misc = {name: {"@misc": f"spacy-lal.{name}.v1"} for name in PARTS}
    layers = {**misc["Encoder"], "*": {"only": misc["SelfAttentionLayer"]}}
    model = {
        "@architectures": "spacy-lal.LALParser.v1",
        "tok2vec": None,
        "hidden_width": 16,
        "encoder": layers if with_encoder else misc["NoEncoder"],
        "label_attention": misc["LabelAttention"],
        "span_scorer": misc["SpanScorer"],
        "biaffine_scorer": misc["BiaffineScorer"],
    }
    nlp.add_pipe("lal_parser", config={"model": model})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    losses = []
    for _ in range(10):
        losses.append({})
        nlp.update(examples, sgd=optimizer, losses=losses[-1])
    assert losses[-1]["lal_parser"] < losses[0]["lal_parser"]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert (
        loaded.config["components"]["lal_parser"]
        == nlp.config["components"]["lal_parser"]
    )
    docs = [example.reference for example in examples]
    before, after = (
        pipeline.get_pipe("lal_parser").model.predict(docs)
        for pipeline in (nlp, loaded)
    )
    for one, other in zip(before, after, strict=True):
        assert (one.labels == other.labels).all() and (one.arcs == other.arcs).all()

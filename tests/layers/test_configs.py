"""Options that make no network are refused where they are set, by name, with the value
and what was expected."""

from dataclasses import replace

import pytest
from small_blocks import network_config

from spacy_lal.layers.configs import (
    BiaffineScorerConfig,
    EncoderConfig,
    LabelAttentionConfig,
    SelectorConfig,
    SelfAttentionLayerConfig,
    SpanScorerConfig,
)
from spacy_lal.layers.input_configs import (
    CharConcat,
    CharLSTM,
    InputLayerConfig,
    Tags,
    Vectors,
)

INPUTS = {
    "features": (Tags(),),
    "join": "concat",
    "max_positions": 9,
    "position_dropout": 0.0,
    "dropout": 0.0,
}
RATE = "a rate in [0, 1)"


@pytest.mark.parametrize(
    "record, name, value, expected",
    [
        (Tags, "dropout", 1.0, RATE),
        (CharLSTM, "max_word_length", 1, "a number of at least 2"),
        (CharConcat, "char_width", 0, "a number of at least 1"),
        (Vectors, "vector_dropout", -0.1, RATE),
        (InputLayerConfig, "max_positions", 0, "a number of at least 1"),
        (SelfAttentionLayerConfig, "window", -2, "a number of at least 0"),
        (SelectorConfig, "width", 0, "a number of at least 1"),
        (SelectorConfig, "temperature", 0.0, "a number above 0"),
        (SelectorConfig, "temperature", float("inf"), "a number above 0"),
        (LabelAttentionConfig, "proj_width", 1, "a number of at least 2"),
        (SpanScorerConfig, "hidden_width", 0, "a number of at least 1"),
        (BiaffineScorerConfig, "dropout", 1, RATE),
    ],
)
def test_a_wrong_option_is_named(record, name, value, expected):
    sound = INPUTS if record is InputLayerConfig else {}
    record(**sound)
    with pytest.raises(ValueError) as error:
        record(**{**sound, name: value})
    assert str(error.value) == f"{name}: expected {expected}, got {value!r}"


def with_options(part, **options):
    """A tiny network with one of its parts changed."""
    return lambda config: replace(
        config, **{part: replace(getattr(config, part), **options)}
    )


def without(*parts, then=lambda config: config):
    return lambda config: then(replace(config, **dict.fromkeys(parts)))


POSITION_QUERIES = SelfAttentionLayerConfig(queries="positions", factored=False)
CONTRADICTIONS = {
    "odd_width": (
        lambda config: replace(config, hidden_width=7),
        "hidden_width: expected an even .* got 7",
    ),
    "nothing_to_read": (
        with_options("inputs", features=()),
        "each kind once, got nothing to read",
    ),
    "two_of_a_kind": (
        with_options("inputs", features=(Tags(), Vectors(), Tags(0.1))),
        "each kind once, got tags, vectors, tags",
    ),
    "nothing_to_say": (
        without("span_scorer", "biaffine_scorer"),
        "without span_scorer and biaffine_scorer has nothing to score: expected one "
        "of them",
    ),
    "label_heads_without_label_attention": (
        without("label_attention", then=with_options("span_scorer", label_heads=True)),
        "label_heads = true requires label attention with a head for each of 1 labels",
    ),
    "half_of_an_odd_width": (
        lambda config: without(
            "label_attention", then=with_options("fenceposts", halves="even_odd")
        )(replace(with_options("inputs", join="sum")(config), hidden_width=9)),
        "the width of encoded tokens: expected an even integer .* got 9",
    ),
    "position_queries_factored": (
        lambda config: SelfAttentionLayerConfig(queries="positions"),
        'queries = "positions" requires factored = false, got factored = true',
    ),
    "position_queries_of_concatenated_positions": (
        lambda config: replace(config, encoder=EncoderConfig((POSITION_QUERIES,))),
        'queries = "positions" requires join = "sum" of the inputs, got join = '
        "'concat'",
    ),
    "factored_attention_of_odd_width": (
        lambda config: SelfAttentionLayerConfig(attn_width=33),
        "attn_width: expected an even integer .with factored = true.*, got 33",
    ),
    "from_tokens_without_token_skip": (
        with_options("biaffine_scorer", from_tokens=True),
        "from_tokens = true requires fenceposts with token_skip = true",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions(name):
    config, _ = network_config()
    change, message = CONTRADICTIONS[name]
    with pytest.raises(ValueError, match=message):
        change(config)

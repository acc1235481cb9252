"""Options that make no network are refused where they are set, by name, with the value and what was expected."""

from dataclasses import fields, replace

import pytest
from tiny_network import network_config

from spacy_lal.checkpoint.layers import (
    ConcatenatedInputsConfig,
    ReferenceBiaffineScorerConfig,
    ReferenceLabelAttentionConfig,
)
from spacy_lal.layers.configs import (
    BiaffineScorerConfig,
    FencepostsConfig,
    LabelAttentionConfig,
    ParserSizes,
    SpanScorerConfig,
)
from spacy_lal.layers.input_configs import (
    CharConcat,
    CharLSTM,
    EncoderConfig,
    InputLayerConfig,
    SelectorConfig,
    SelfAttentionLayerConfig,
    Tags,
    Vectors,
    Words,
)
from spacy_lal.layers.parser_network import ParserNetwork

RATE, FLAG, NUMBER = r"a dropout rate in [0, 1)", "true or false", "a finite number"
INPUTS = {"features": (Tags(),), "join": "concat", "max_positions": 9, "position_dropout": 0.0, "dropout": 0.0}
SOUND = {record: {} for record in (CharLSTM, CharConcat, Tags, Words, Vectors, EncoderConfig)}
SOUND.update({record: {} for record in (SelfAttentionLayerConfig, SelectorConfig)})
SOUND.update({record: {} for record in (LabelAttentionConfig, ReferenceLabelAttentionConfig, FencepostsConfig)})
SOUND.update({record: {} for record in (SpanScorerConfig, BiaffineScorerConfig, ReferenceBiaffineScorerConfig)})
SOUND.update(dict.fromkeys((InputLayerConfig, ConcatenatedInputsConfig), INPUTS))


def at_least(number):
    return f"an integer of at least {number}"


ATTENTION = {
    "n_heads": [(0, at_least(1)), (2.0, at_least(1))],
    "attn_width": [(1, at_least(2)), (8.0, at_least(2))],
    "proj_width": [(1, at_least(2)), (None, at_least(2))],
    "factored": [(1, FLAG)],
    "per_head_projection": [("no", FLAG)],
    "ff_width": [(-1, at_least(0)), (True, at_least(0))],
    "attention_dropout": [(1, RATE), (-0.1, RATE)],
    "residual_dropout": [(1.5, RATE), ("0.1", RATE)],
}
INPUT_LAYER = {
    "features": [(["tags"], "a tuple of WordFeature"), (("tags",), "a tuple of WordFeature")],
    "join": [("product", "one of 'concat', 'sum'"), (None, "one of 'concat', 'sum'")],
    "max_positions": [(0, at_least(1)), (9.0, at_least(1))],
    "position_dropout": [(1.0, RATE)],
    "dropout": [(-1, RATE), (True, RATE)],
    "position_scale": [(0.0, "a positive number, or null"), ("1", "a positive number, or null")],
}
BIAFFINE = {
    "arc_width": [(0, at_least(1)), (1.5, at_least(1))],
    "deprel_width": [(0, at_least(1)), ("8", at_least(1))],
    "from_tokens": [(None, FLAG)],
    "dropout": [(1.0, RATE)],
}
WRONG = {
    CharLSTM: {
        "char_width": [(0, at_least(1))],
        "max_word_length": [(1, at_least(2))],
        "dropout": [(1.0, RATE)],
        "output_dropout": [(-1, RATE)],
        "alphabet": [("latin", "one of 'frequent', 'codepoints'")],
    },
    CharConcat: {
        "char_width": [(0, at_least(1)), (8.0, at_least(1))],
        "dropout": [(1.0, RATE)],
        "alphabet": [(None, "one of 'frequent', 'codepoints'")],
    },
    Tags: {"dropout": [(1.0, RATE), (None, RATE)]},
    Words: {"dropout": [(-0.5, RATE)], "drop_rare": [(1, FLAG)]},
    Vectors: {
        "learned_boundaries": [(0, FLAG)],
        "mix_layers": [(0, at_least(1)), (1.5, at_least(1))],
        "vector_dropout": [(1.0, RATE)],
        "dropout": [("0", RATE)],
    },
    InputLayerConfig: INPUT_LAYER,
    ConcatenatedInputsConfig: INPUT_LAYER,
    EncoderConfig: {"layers": [((8,), "a tuple of EncoderLayer"), (2, "a tuple of")]},
    SelfAttentionLayerConfig: {
        "repeat": [(0, at_least(1))],
        "n_heads": [(0, at_least(1)), (False, at_least(1))],
        "attn_width": [(1, at_least(2))],
        "ff_width": [(1, at_least(2))],
        "factored": [(None, FLAG)],
        "attention_dropout": [(1.0, RATE)],
        "relu_dropout": [(2, RATE)],
        "residual_dropout": [(-0.1, RATE)],
        "queries": [("words", "one of 'features', 'positions'"), (None, "one of 'features', 'positions'")],
        "window": [(-1, at_least(0)), (None, at_least(0)), (2.0, at_least(0))],
        "relaxed_window": [(1, FLAG)],
        "selector": [("hard", "a block spacy-lal.Selector.v1 or null"), (True, "a block spacy-lal.Selector.v1 or")],
    },
    SelectorConfig: {
        "mode": [("firm", "one of 'hard', 'soft', 'sample'"), (None, "one of 'hard', 'soft', 'sample'")],
        "temperature": [(0.0, NUMBER + " greater than 0"), (-1, NUMBER), (float("inf"), NUMBER), ("1", NUMBER)],
        "on_empty": [("none", "one of 'all', 'self', 'nothing'")],
        "bounded": [(0, FLAG)],
        "width": [(0, at_least(1)), (8.0, at_least(1))],
    },
    LabelAttentionConfig: ATTENTION,
    ReferenceLabelAttentionConfig: {
        **ATTENTION,
        "query_per_token": [(1, FLAG)],
        "combine_as_self": [("", FLAG)],
        "scrambled_queries": [(None, FLAG)],
        "shared_feed_forward": [("both", "one of 'none', 'joint', 'split'")],
        "shared_ff_width": [(-1, at_least(0))],
        "relu_dropout": [(1.0, RATE)],
        "ff_residual_dropout": [(1.0, RATE)],
    },
    FencepostsConfig: {
        "halves": [("thirds", "one of None, 'label_blocks', 'even_odd', 'first_second', 'none'")],
        "token_skip": [(1, FLAG)],
        "scale_label_blocks": [(0.5, FLAG)],
    },
    SpanScorerConfig: {
        "hidden_width": [(0, at_least(1)), (8.0, at_least(1))],
        "separate_endpoints": [("yes", FLAG)],
        "label_heads": [(2, FLAG)],
    },
    BiaffineScorerConfig: BIAFFINE,
    ReferenceBiaffineScorerConfig: BIAFFINE,
}
CASES = [
    pytest.param(record, name, value, expected, id=f"{record.__name__}-{name}-{value!r}")
    for record, options in WRONG.items()
    for name, values in options.items()
    for value, expected in values
]


@pytest.mark.parametrize("record, name, value, expected", CASES)
def test_a_wrong_option_is_named(record, name, value, expected):
    record(**SOUND[record])
    with pytest.raises(ValueError) as error:
        record(**{**SOUND[record], name: value})
    message = str(error.value)
    assert message.split(":")[0].split(" of ")[0] == name
    assert f"expected {expected}" in message and message.endswith(f"got {value!r}")


def test_no_option_goes_unchecked():
    assert set(WRONG) == set(SOUND)
    for record, options in WRONG.items():
        assert set(options) == {field.name for field in fields(record)}, record


def with_options(part, **options):
    """A tiny network with one of its parts changed."""
    return lambda config: replace(config, **{part: replace(getattr(config, part), **options)})


def without(*parts, then=lambda config: config):
    return lambda config: then(replace(config, **dict.fromkeys(parts)))


POSITION_QUERIES = SelfAttentionLayerConfig(queries="positions", factored=False)
LABEL_BLOCKS = 'halves = "label_blocks" requires label attention, and there is none'
SPLIT = {"shared_feed_forward": "split", "shared_ff_width": 8, "attn_width": 4, "proj_width": 2}
CONTRADICTIONS = {
    "odd_width": (lambda config: replace(config, hidden_width=7), "hidden_width: expected a positive even .* got 7"),
    "real_width": (lambda config: replace(config, hidden_width=8.0), "hidden_width: expected an integer .* got 8.0"),
    "nothing_to_read": (with_options("inputs", features=()), "nothing to read: expected at least one word feature"),
    "two_of_a_kind": (with_options("inputs", features=(Tags(), Vectors(), Tags(0.1))), "once, got tags, vectors, tags"),
    "char_lstm_of_odd_width": (
        lambda config: replace(with_options("inputs", features=(CharLSTM(),))(config), hidden_width=6),
        "output width of CharLSTM: expected a positive even integer .* got 3",
    ),
    "nothing_to_say": (
        without("span_scorer", "biaffine_scorer"),
        "without span_scorer and biaffine_scorer has nothing to score: expected one of them",
    ),
    "label_heads_without_label_attention": (
        without("label_attention", then=with_options("span_scorer", label_heads=True)),
        "label_heads = true requires label attention with a block for each label head",
    ),
    "label_blocks_without_label_attention": (
        without("label_attention", then=with_options("fenceposts", halves="label_blocks")),
        LABEL_BLOCKS,
    ),
    "label_blocks_that_are_mixed": (
        lambda config: with_options("fenceposts", halves="label_blocks")(
            replace(config, label_attention=ReferenceLabelAttentionConfig(n_heads=3, combine_as_self=True))
        ),
        LABEL_BLOCKS,
    ),
    "label_attention_unread": (
        with_options("fenceposts", halves="none", token_skip=True),
        'halves = "none" leaves label attention unread',
    ),
    "fenceposts_of_nothing": (with_options("fenceposts", halves="none"), "expected token_skip = true"),
    "half_of_an_odd_width": (
        lambda config: without("label_attention", then=with_options("fenceposts", halves="even_odd"))(
            replace(with_options("inputs", join="sum")(config), hidden_width=9)
        ),
        "the width of encoded tokens: expected a positive even integer .* got 9",
    ),
    "relaxed_window_without_window": (
        lambda config: SelfAttentionLayerConfig(relaxed_window=True),
        "relaxed_window = true requires a window: expected window of at least 1, got 0",
    ),
    "position_queries_factored": (
        lambda config: SelfAttentionLayerConfig(queries="positions"),
        'queries = "positions" requires factored = false, got factored = true',
    ),
    "position_queries_of_concatenated_positions": (
        lambda config: replace(config, encoder=EncoderConfig((POSITION_QUERIES,))),
        'queries = "positions" requires join = "sum" of the inputs, got join = \'concat\'',
    ),
    "selector_too_narrow": (
        lambda config: SelfAttentionLayerConfig(selector=SelectorConfig(width=1)),
        "width of the selector: expected an even integer with factored = true .*, got 1",
    ),
    "factored_attention_of_odd_width": (
        lambda config: SelfAttentionLayerConfig(attn_width=33),
        "attn_width: expected an even integer with factored = true .*, got 33",
    ),
    "factored_feed_forward_of_odd_width": (
        lambda config: SelfAttentionLayerConfig(ff_width=7),
        "ff_width: expected an even integer with factored = true .*, got 7",
    ),
    "factored_label_attention_of_odd_width": (
        lambda config: LabelAttentionConfig(attn_width=9),
        "attn_width of label attention: expected an even integer with factored = true .*, got 9",
    ),
    "from_tokens_without_token_skip": (
        with_options("biaffine_scorer", from_tokens=True),
        "from_tokens = true requires fenceposts with token_skip = true",
    ),
    "combine_as_self_and_blocks": (
        lambda config: ReferenceLabelAttentionConfig(combine_as_self=True, ff_width=4),
        "combine_as_self leaves no label blocks",
    ),
    "split_of_too_little": (
        lambda config: replace(config, label_attention=ReferenceLabelAttentionConfig(n_heads=2, **SPLIT)),
        "'split' needs more than hidden_width / 2 = 4 features, got .* = 4",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions(name):
    config, _ = network_config()
    change, message = CONTRADICTIONS[name]
    with pytest.raises(ValueError, match=message):
        change(config)


@pytest.mark.parametrize(
    "sizes, message",
    [
        ({"n_labels": 1}, r"n_labels: expected 0, or 2 and more \(EMPTY, SUB_HEAD\), got 1"),
        ({"n_labels": -1}, "n_labels: expected an integer of at least 0, got -1"),
        ({"n_deprels": 2.0}, "n_deprels: expected an integer of at least 0, got 2.0"),
        ({"vector_width": 0}, "vector_width: expected an integer of at least 1, got 0"),
        ({"n_tags": 0}, "n_tags: expected an integer of at least 1, got 0"),
        ({"n_words": 0}, "n_words: expected an integer of at least 1, got 0"),
        ({"n_chars": 0}, "n_chars: expected an integer of at least 1, got 0"),
        ({"n_label_heads": 0}, "n_label_heads: expected an integer of at least 1, got 0"),
        ({"n_labels": 7, "n_label_heads": 4}, "requires a label head for each of 5 labels, got 4 label heads"),
    ],
)
def test_sizes_that_make_no_network(sizes, message):
    given = {"vector_width": 6, "n_tags": 5, "n_words": 5, "n_chars": 7, "n_labels": 4, "n_label_heads": 3}
    config, _ = network_config(label_ties=True, **{**given, "n_labels": 4})
    config = with_options("label_attention", n_heads=None)(config)
    ParserNetwork(config, ParserSizes(**given, n_deprels=2))
    with pytest.raises(ValueError, match=message):
        ParserNetwork(config, ParserSizes(**{**given, "n_deprels": 2, **sizes}))

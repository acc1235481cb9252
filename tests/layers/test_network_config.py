"""Sizes and switches that make no network are refused where they are set."""

import pytest

from spacy_lal.layers.parser_network import NetworkConfig

SOUND = {"n_tags": 5, "n_label_heads": 4}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"n_tags": 0}, "needs some input"),
        ({"hidden_width": 7}, "hidden_width must be a positive even number, got 7"),
        ({"hidden_width": 8.0}, "hidden_width must be a positive even number, got 8.0"),
        ({"n_attn_heads": 0}, "n_attn_heads must be a positive integer, got 0"),
        ({"n_label_heads": 0}, "n_label_heads"),
        ({"n_labels": 1}, "n_labels includes EMPTY and SUB_HEAD"),
        ({"label_feed_forward": "both"}, "label_feed_forward is one of"),
        ({"label_feed_forward": "per_label", "label_combine_as_self": True}, "no label blocks"),
        ({"label_ties": True, "n_labels": 7}, "a label head for each of 5 labels, got 4"),
        ({"label_ties": True, "label_combine_as_self": True}, "no label blocks for label_ties"),
        ({"label_feed_forward": "split", "n_label_heads": 1}, "'split' needs more than"),
        ({"label_proj_width": 1}, "label_proj_width"),
        ({"arcs_from_tokens": True}, "arcs_from_tokens needs whole_tokens"),
        ({"concatenate_features": True, "n_words": 5, "vector_width": 3, "hidden_width": 20}, "evenly"),
    ],
)
def test_refused(change, message):
    with pytest.raises(ValueError, match=message):
        NetworkConfig(**{**SOUND, **change})


def test_widths():
    config = NetworkConfig(**SOUND, label_proj_width=6, hidden_width=64)
    assert (config.content_width, config.encoded_width, config.has_label_blocks) == (32, 24, True)
    assert NetworkConfig(**SOUND, label_combine_as_self=True).encoded_width == 256
    assert NetworkConfig(n_tags=5, label_attention=False, factored=False).content_width == 256


def test_whole_tokens_stand_beside_label_blocks_and_in_the_place_of_halves():
    sizes = {"label_proj_width": 6, "hidden_width": 64}
    with_blocks = NetworkConfig(**SOUND, **sizes, whole_tokens=True)
    assert (with_blocks.halves_width, with_blocks.fencepost_width) == (24, 24 + 2 * 64)
    alone = NetworkConfig(**SOUND, **sizes, whole_tokens=True, label_attention=False)
    assert (alone.halves_width, alone.fencepost_width) == (0, 2 * 64)
    assert NetworkConfig(**SOUND, **sizes).fencepost_width == 24


def test_arcs_may_be_scored_from_tokens_alone():
    sizes = {"label_proj_width": 6, "hidden_width": 64}
    assert NetworkConfig(**SOUND, **sizes, whole_tokens=True).arc_input_width == 24 + 2 * 64
    from_tokens = NetworkConfig(**SOUND, **sizes, whole_tokens=True, arcs_from_tokens=True)
    assert (from_tokens.fencepost_width, from_tokens.arc_input_width) == (24 + 2 * 64, 2 * 64)
    assert NetworkConfig(**SOUND, **sizes).arc_input_width == 24


def test_concatenated_widths_as_in_the_reference():
    """The 12-layer GloVe model shares 512 content features out: half to embeddings, half to extras."""
    config = NetworkConfig(
        n_tags=5, n_words=9, n_chars=8, hidden_width=1024, concatenate_features=True, label_attention=False
    )
    assert (config.feature_widths.embedding, config.feature_widths.extra) == (128, 256)

"""Weights that were saved when `LALParser.v1` was the only architecture."""

import re
from io import BytesIO

import pytest
import srsly
import torch
from layers.test_parser_network import OPTIONS, build
from tiny_network import network_config

from spacy_lal.models.bridge import parser_network
from spacy_lal.models.stored_keys import KEY_RULES, rename_keys

OPTIONS_OF_ALL = {
    **{"n_tags": 5, "n_words": 5, "n_chars": 7, "char_width": 4, "n_layers": 2, "whole_tokens": True},
    **{"label_feed_forward": "per_label", "label_ties": True, "n_labels": 5, "n_deprels": 4},
}
PARTS = ("content", "position")
LSTM = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
# As version 0.1.8 named them, whose file this list was read from.
OLD_KEYS = [
    *[f"embedding.{name}" for name in ("boundary_vectors", "positions", "tags.weight", "words.weight")],
    *["embedding.chars.embedding.weight", *(f"embedding.chars.lstm.{name}" for name in LSTM)],
    *(f"embedding.chars.lstm.{name}_reverse" for name in LSTM),
    *["embedding.vector_projection.weight", "embedding.norm.gain", "embedding.norm.bias"],
    *(f"encoder.attention.{i}.{name}.{part}" for i in (0, 1) for name in ("query", "key", "value") for part in PARTS),
    *(f"encoder.attention.{i}.output.{part}.weight" for i in (0, 1) for part in PARTS),
    *(f"encoder.attention.{i}.norm.{name}" for i in (0, 1) for name in ("gain", "bias")),
    *(
        f"encoder.feed_forward.{i}.{layer}.{part}.{name}"
        for i in (0, 1)
        for layer in ("hidden", "output")
        for part in PARTS
        for name in ("weight", "bias")
    ),
    *(f"encoder.feed_forward.{i}.norm.{name}" for i in (0, 1) for name in ("gain", "bias")),
    *(f"encoder.label_attention.{name}.{part}" for name in ("query", "key", "value") for part in PARTS),
    *(f"encoder.label_attention.output.{part}.weight" for part in PARTS),
    *(f"encoder.label_attention.{name}" for name in ("reduce.weight", "norm.gain", "norm.bias")),
    *(f"encoder.label_feed_forward.{layer}.{name}" for layer in ("hidden", "output") for name in ("weight", "bias")),
    *(f"encoder.label_feed_forward.norm.{name}" for name in ("gain", "bias")),
    *(f"span_scorer.{layer}.{name}" for layer in ("hidden", "output") for name in ("weight", "bias")),
    *["span_scorer.norm.gain", "span_scorer.norm.bias", "span_scorer.ties.weight", "biaffine_scorer.arc_bilinear"],
    *(f"biaffine_scorer.deprel_{name}" for name in ("bilinear", "from_head", "from_dependent", "bias")),
    *(
        f"biaffine_scorer.{kind}_{role}.{name}"
        for kind in ("arc", "deprel")
        for role in ("head", "dependent")
        for name in ("weight", "bias")
    ),
]


def make_layer():
    config, sizes = network_config(**OPTIONS_OF_ALL)
    layer = parser_network(config)
    layer.shims[0].set_sizes({name: getattr(sizes, name) for name in sizes.__dataclass_fields__})
    return layer


def as_saved(shim, names):
    """What `NetworkShim.to_bytes` gives, with other names of weights."""
    msg = srsly.msgpack_loads(shim.to_bytes())
    state = torch.load(BytesIO(msg["state"]), weights_only=True)
    file = BytesIO()
    torch.save({names.get(key, key): value for key, value in state.items()}, file)
    return srsly.msgpack_dumps({**msg, "state": file.getvalue()})


def test_old_names_are_those_of_the_network():
    shim = make_layer().shims[0]
    shim.build()
    renamed = rename_keys(dict.fromkeys(OLD_KEYS))
    assert set(renamed) == set(shim.network.state_dict())
    assert len(renamed) == len(OLD_KEYS) == len(set(OLD_KEYS))


def test_weights_under_old_names_are_loaded():
    torch.manual_seed(0)
    shim = make_layer().shims[0]
    shim.build()
    old_names = {new: old for old in OLD_KEYS for new in rename_keys({old: None})}
    loaded = make_layer().shims[0].from_bytes(as_saved(shim, old_names))
    for key, value in shim.network.state_dict().items():
        assert torch.equal(loaded.network.state_dict()[key], value), key
    assert as_saved(loaded, {}) == as_saved(shim, {})


def test_a_name_of_no_version_is_refused():
    shim = make_layer().shims[0]
    shim.build()
    with pytest.raises(ValueError, match=r"(?s)do not fit the network of the config.*embeddings\.norm\.gain"):
        make_layer().shims[0].from_bytes(as_saved(shim, {"inputs.norm.gain": "embeddings.norm.gain"}))


@pytest.mark.parametrize("name", OPTIONS)
def test_no_key_of_todays_networks_matches_a_rule(name):
    state = build(name).state_dict()
    assert not [key for key in state for pattern, _ in KEY_RULES if re.search(pattern, key)]
    assert list(rename_keys(state)) == list(state)


def test_every_rule_is_needed():
    for i, (pattern, _) in enumerate(KEY_RULES):
        first = [key for key in OLD_KEYS if re.search(pattern, key)]
        assert [key for key in first if not any(re.search(other, key) for other, _ in KEY_RULES[:i])], pattern

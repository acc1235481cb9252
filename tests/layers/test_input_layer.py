"""The widths of word features, and how they meet positions."""

import pytest
import torch

from spacy_lal.checkpoint.layers import ConcatenatedInputsConfig
from spacy_lal.layers.input_configs import CharLSTM, InputLayerConfig, InputSizes, Tags, Vectors, Words
from spacy_lal.layers.inputs import NetworkInputs

OPTIONS = {"max_positions": 9, "position_dropout": 0.0, "dropout": 0.0}
SIZES = InputSizes(n_tags=5, n_words=9, n_chars=8, vector_width=3)


def inputs_config(*features, join="concat", make=InputLayerConfig):
    return make(features=features, join=join, **OPTIONS)


def test_content_width():
    assert inputs_config(Tags()).content_width(64) == 32
    assert inputs_config(Tags(), join="sum").content_width(256) == 256


@pytest.mark.parametrize("join", ["concat", "sum"])
def test_features_are_added_up_and_joined_with_positions(join):
    layer = inputs_config(Tags(), Words(), join=join).build(8, SIZES).eval()
    tag_ids, word_ids = torch.tensor([[0, 3, 4, 1]]), torch.tensor([[0, 7, 8, 1]])
    output = layer(NetworkInputs(torch.tensor([2]), tag_ids=tag_ids, word_ids=word_ids), 4)
    content = layer.features["tags"].embedding(tag_ids) + layer.features["words"].embedding(word_ids)
    positions = layer.positions[:4][None]
    joined = torch.cat([content, positions], dim=-1) if join == "concat" else content + positions
    assert torch.allclose(output, layer.norm(joined), atol=1e-6)


@pytest.mark.parametrize("join, scale", [("concat", 1.0), ("sum", 0.02)])
def test_positions_that_are_added_start_small(join, scale):
    torch.manual_seed(0)
    layer = inputs_config(Tags(), join=join).build(512, SIZES)
    assert layer.positions.std().item() == pytest.approx(scale, rel=0.1)


def test_concatenated_widths_as_in_the_reference():
    """The 12-layer GloVe model shares 512 content features out: half to embeddings, half to extras."""
    config = inputs_config(Tags(), Words(), CharLSTM(), make=ConcatenatedInputsConfig)
    assert config.content_width(1024) == 512
    assert config.feature_widths(512) == [128, 128, 256]
    layer = config.build(1024, SIZES)
    ids = torch.ones(1, 3, dtype=torch.long)
    inputs = NetworkInputs(torch.tensor([1]), tag_ids=ids, word_ids=ids, char_ids=ids[..., None])
    assert layer(inputs, 3).shape == (1, 3, 1024)


def test_concatenated_widths_that_are_uneven():
    config = inputs_config(Tags(), Words(), Vectors(), make=ConcatenatedInputsConfig)
    with pytest.raises(ValueError, match="2 embeddings and 1 extra features cannot share 10 content features evenly"):
        config.build(20, SIZES)

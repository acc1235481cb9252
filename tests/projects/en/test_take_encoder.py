"""A trained pipeline's encoder begins another training."""

from pathlib import Path

import numpy
import pytest
import spacy
from transformers import AutoModel, AutoTokenizer


def test_the_folder_has_the_weights_and_the_pieces(script, tmp_path: Path):
    script("take_encoder").main("en_lal_md", tmp_path / "taken")
    shim = spacy.load("en_lal_md").get_pipe("encoder").model.shims[0]
    model = AutoModel.from_pretrained(tmp_path / "taken")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "taken")
    assert model.config.num_hidden_layers == shim.config["num_hidden_layers"]
    norm = "encoder.layer.3.output.LayerNorm.weight"
    numpy.testing.assert_array_equal(
        model.state_dict()[norm].numpy(), shim.weights[norm].astype("float32")
    )
    _, pieces = shim.ready()
    (window,) = shim.read(0, spacy.blank("en")("Old cats sleep."), pieces)
    assert tokenizer("Old cats sleep.")["input_ids"] == window.pieces


def test_a_pipeline_without_an_encoder_is_named(script, tmp_path: Path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ValueError, match="expected a component 'encoder'"):
        script("take_encoder").main(str(tmp_path / "blank"), tmp_path / "taken")

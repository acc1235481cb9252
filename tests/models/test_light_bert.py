"""The BERT of few lines beside the library's: the same numbers, and only where it is asked for."""

import numpy
import pytest
import spacy
import torch
from tiny_pipeline import TEXTS, make_bert, transformer_config
from transformers import BertConfig, BertModel, DistilBertConfig

from spacy_lal.layers.unfilled import Unfilled
from spacy_lal.models.light_bert import LightBert, light_bert, parsing_only
from spacy_lal.models.shared_hf_shim import QuickAutoModel

SIZES = {"vocab_size": 50, "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 96}
CONFIG = {**SIZES, "initializer_range": 0.2, "max_position_embeddings": 40}


@pytest.mark.parametrize("n_padding", [0, 5])
@pytest.mark.parametrize("pad_left", [False, True])
def test_it_gives_the_numbers_of_the_library(n_padding, pad_left):
    torch.manual_seed(0)
    bert = BertModel(BertConfig(**CONFIG)).eval()
    light = LightBert(bert.config).eval()
    light.load_state_dict(bert.state_dict())
    ids, mask = torch.randint(0, 50, (3, 17)), torch.ones(3, 17, dtype=torch.long)
    mask[1, slice(0, n_padding) if pad_left else slice(17 - n_padding, None)] = 0
    with torch.inference_mode():
        for given in ({}, {"token_type_ids": (ids > 30).long()}):
            expected = bert(input_ids=ids, attention_mask=mask, **given)
            found = light(input_ids=ids, attention_mask=mask, **given)
            assert torch.allclose(found.last_hidden_state[mask > 0], expected.last_hidden_state[mask > 0], atol=1e-5)
            assert torch.allclose(found.pooler_output, expected.pooler_output, atol=1e-5)


def test_it_stands_in_where_parsing_is_all_and_the_config_is_known():
    assert light_bert(BertConfig(**CONFIG)) is None
    with parsing_only():
        assert isinstance(light_bert(BertConfig(**CONFIG)), LightBert)
        assert light_bert(BertConfig(**CONFIG, hidden_act="relu")) is None
        assert light_bert(BertConfig(**CONFIG, output_attentions=True)) is None
        assert light_bert(DistilBertConfig()) is None
    assert light_bert(BertConfig(**CONFIG)) is None


def test_a_pipeline_gives_the_same_vectors_and_can_be_saved(tmp_path):
    nlp = spacy.blank("en")
    model = transformer_config(make_bert(tmp_path / "bert"))
    model["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    nlp.add_pipe("transformer", config=model)
    nlp.initialize()
    nlp.to_disk(tmp_path / "first")
    with parsing_only():
        light = spacy.load(tmp_path / "first")
    assert isinstance(light.get_pipe("transformer").model.transformer, LightBert)
    light.to_disk(tmp_path / "second")
    full = spacy.load(tmp_path / "second")
    assert isinstance(full.get_pipe("transformer").model.transformer, BertModel)
    for text in filter(str.strip, TEXTS):
        expected, *others = (one(text)._.trf_data.model_output.last_hidden_state for one in (nlp, light, full))
        for found in others:
            assert found.shape == expected.shape
            assert numpy.allclose(found, expected, atol=1e-5)


def test_unfilled_networks_draw_nothing():
    before = torch.get_rng_state()
    with Unfilled():
        layer = torch.nn.Linear(3, 4)
        torch.nn.init.xavier_normal_(layer.weight)
        assert torch.randn(3, 4).shape == (3, 4)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.nn.init.normal_(layer.weight).isfinite().all()
    assert not torch.equal(torch.get_rng_state(), before)


def test_weights_that_were_not_stored_are_drawn():
    torch.manual_seed(0)
    state = BertModel(BertConfig(**CONFIG)).state_dict()
    del state["pooler.dense.weight"]
    model = QuickAutoModel.from_config(BertConfig(**CONFIG))
    model.pooler.dense.weight.data.fill_(torch.nan)
    with pytest.raises(RuntimeError, match="pooler"):
        model.load_state_dict(state)
    assert 0 < model.pooler.dense.weight.std() < 1
    model.load_state_dict(state, strict=False)
    assert 0 < model.pooler.dense.weight.std() < 1
    assert torch.equal(model.state_dict()["embeddings.LayerNorm.weight"], state["embeddings.LayerNorm.weight"])

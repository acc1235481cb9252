"""`QuickAutoModel` makes the model that `AutoModel` makes, without the configs of all models and without drawing
weights that are loaded next."""

import pytest
import torch
from transformers import AutoModel, BertConfig, BertModel, XLNetConfig, XLNetModel

from spacy_lal.models.shared_hf_shim import QuickAutoModel

SIZES = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 20}
BERT = BertConfig(**SIZES)
XLNET = XLNetConfig(d_model=8, n_layer=1, n_head=2, d_inner=8, vocab_size=20)


@pytest.mark.parametrize("config, kind", [(BERT, BertModel), (XLNET, XLNetModel)])
def test_the_same_model(config, kind, monkeypatch: pytest.MonkeyPatch):
    torch.manual_seed(0)
    expected = AutoModel.from_config(config)
    monkeypatch.setattr(type(AutoModel._model_mapping), "keys", None)  # what imports all configs
    found = QuickAutoModel.from_config(config)
    assert type(found) is type(expected) is kind
    weights = expected.state_dict()
    assert {key: value.shape for key, value in found.state_dict().items()} == {
        key: value.shape for key, value in weights.items()
    }
    found.load_state_dict(weights)
    assert all(torch.equal(found.state_dict()[key], value) for key, value in weights.items())


@pytest.mark.parametrize("config", [BERT, XLNET])
def test_weights_that_are_not_loaded_are_drawn(config):
    weights = AutoModel.from_config(config).state_dict()
    name = next(key for key in weights if "word_embedding" in key)
    del weights[name]
    found = QuickAutoModel.from_config(config)
    found.load_state_dict(weights, strict=False)
    drawn = found.state_dict()[name]
    assert drawn.isfinite().all() and 0.001 < drawn.std() < 0.1  # initializer_range is 0.02


def test_what_it_does_not_know_is_left_to_the_library(monkeypatch: pytest.MonkeyPatch):
    class Unknown(BertConfig):
        pass

    with pytest.raises(ValueError, match="Unrecognized configuration class"):
        QuickAutoModel.from_config(Unknown(**SIZES))
    remote = BertConfig(**SIZES)
    remote.auto_map = {"AutoModel": "somewhere--code.Model"}
    monkeypatch.setattr(AutoModel, "from_config", lambda config, **kwargs: (config, kwargs))
    assert QuickAutoModel.from_config(remote, some=1) == (remote, {"some": 1})

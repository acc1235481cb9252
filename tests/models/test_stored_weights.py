"""What our shims say of stored weights that are damaged or no numbers."""

import zipfile
from io import BytesIO

import pytest
import safetensors.torch
import spacy
import srsly
import torch
from tiny_pipeline import make_bert, transformer_config

from spacy_lal.models.stored_weights import (
    check_archive,
    check_finite,
    check_message,
    read_state,
    with_checksum,
)


@pytest.fixture(scope="module")
def state():
    buffer = BytesIO()
    torch.save({"weight": torch.arange(1000.0), "ids": torch.arange(10)}, buffer)
    return buffer.getvalue()


def test_each_byte_of_a_weight_counts(state):
    check_archive(state, "x")
    start = state.index(torch.arange(1000.0).numpy().tobytes())
    for at in range(start, start + 4000, 333):
        damaged = state[:at] + bytes([state[at] ^ 1]) + state[at + 1 :]
        torch.load(BytesIO(damaged), weights_only=True)  # does not mind
        with pytest.raises(ValueError, match="weights of the thing are damaged: .* another checksum .*archive/data"):
            check_archive(damaged, "the thing")


def test_an_archive_that_is_none(state):
    with pytest.raises(ValueError, match="damaged"):
        check_archive(state.replace(b"PK\x03\x04", b"QK\x03\x04"), "x")
    check_archive(b"", "x")  # for torch to refuse
    assert not zipfile.is_zipfile(BytesIO(state[:-100]))
    check_archive(state[:-100], "x")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_numbers(number, dtype):
    weights = {"ids": torch.arange(3), "weight": torch.ones(2, 3, dtype=dtype)}
    check_finite(weights, "x")
    weights["weight"][1, 2] = number
    with pytest.raises(ValueError, match="of the thing are no numbers: 1 of the 6 of weight are NaN"):
        check_finite(weights, "the thing")


def test_weights_in_safetensors(state):
    """As spacy-transformers 2.0 stores them, which has no checksum of its own."""
    weights = {"weight": torch.arange(1000.0), "ids": torch.arange(10)}
    safe = safetensors.torch.save(weights)
    for stored in (state, safe):
        found = read_state(stored)
        assert found.keys() == weights.keys() and all(torch.equal(found[name], weights[name]) for name in weights)
    message = with_checksum(srsly.msgpack_dumps({"state": safe, "config": {"width": 3}}))
    content = srsly.msgpack_loads(message)
    assert content["config"] == {"width": 3} and content["state"] == safe
    check_message(content, "x")
    damaged = safe[:-5] + bytes([safe[-5] ^ 1]) + safe[-4:]
    read_state(damaged)  # does not mind
    with pytest.raises(ValueError, match="weights of the thing are damaged: .*CRC-32 [0-9a-f]{8} expected"):
        check_message({**content, "state": damaged}, "the thing")
    unchanged = srsly.msgpack_dumps({"state": state})
    assert with_checksum(unchanged) == unchanged, "torch.save has its own"
    check_message({"state": safe}, "x")  # written by spacy-transformers itself


def test_a_transformer_that_was_never_initialized(tmp_path):
    config = transformer_config(make_bert(tmp_path / "bert"))
    config["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=config)
    nlp.to_disk(tmp_path / "nlp")
    loaded = spacy.load(tmp_path / "nlp")
    assert loaded.get_pipe("transformer").model.transformer is None
    loaded.initialize()
    assert len(loaded("She sees a dog.")._.trf_data.wordpieces) == 1


def test_the_transformer_component(tmp_path):
    config = transformer_config(make_bert(tmp_path / "bert"))
    config["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=config)
    nlp.initialize()
    weight = nlp.get_pipe("transformer").model.transformer.get_input_embeddings().weight
    stored = nlp.to_bytes()
    assert nlp.from_bytes(stored)
    block = weight.detach().numpy()[10:12].tobytes()
    assert block in stored
    with pytest.raises(ValueError, match="weights of the transformer .*damaged"):
        nlp.from_bytes(stored.replace(block, block[::-1]))
    nlp.from_bytes(stored)
    with torch.no_grad():
        nlp.get_pipe("transformer").model.transformer.get_input_embeddings().weight[3, 3] = float("nan")
    with pytest.raises(ValueError, match="weights of the transformer .*no numbers: 1 of"):
        nlp.from_bytes(nlp.to_bytes())

"""`lal compact`: half the size, the same parses however often it is loaded and saved, nothing left of this machine."""

import shutil
import subprocess
import sys
from io import BytesIO

import numpy as np
import pytest
import spacy
import srsly
import torch
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Config
from tiny_pipeline import TEXTS, make_bert, make_nlp, parses, train
from typer.testing import CliRunner

import spacy_lal.cli  # noqa: F401
from spacy_lal.cli.compact import to_half, write_compact
from spacy_lal.models.onnx_parser import OnnxNetwork
from spacy_lal.models.stored_weights import read_state

HUB_NAME = "somebody/some-transformer"
EXECUTION = "spacy-lal.Execution.v1"


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "tiny")


@pytest.fixture(scope="module")
def full(bert, tmp_path_factory):
    path = tmp_path_factory.mktemp("full") / "pipeline"
    nlp = train(make_nlp(bert, concatenated=True))
    nlp.config["paths"]["train"] = str(bert)
    nlp.config["components"]["tagger"]["model"]["normalize"] = False
    nlp.to_disk(path)
    return path


def compact(model, output, *arguments, expect=0):
    from spacy.cli._util import app

    result = CliRunner().invoke(app, ["lal", "compact", *map(str, ("-m", model, "-o", output, *arguments))])
    assert result.exit_code == expect, result.output
    return result.output


@pytest.fixture(scope="module")
def small(full, tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "pipeline"
    assert "transformer, senter, tagger, lal_parser; 0." in compact(full, path, "--encoder-name", HUB_NAME)
    return path


def torch_states(path):
    """The torch weights of a pipeline's files, by component."""
    states = {}
    for file in path.glob("*/model"):
        for shims in srsly.msgpack_loads(file.read_bytes())["shims"]:
            for shim in shims:
                states[file.parent.name] = read_state(srsly.msgpack_loads(shim)["state"])
    return states


def weights(nlp):
    """All weights in memory, by name."""
    parser = nlp.get_pipe("lal_parser").model
    network = parser.attrs["get_network"](parser)
    return {**nlp.get_pipe("transformer").model.transformer.state_dict(), **network.state_dict()}


def scores(nlp):
    docs = list(nlp.pipe(TEXTS))
    parser = nlp.get_pipe("lal_parser")
    return [array for doc in docs if len(doc) for one in parser.model.predict([doc]) for array in one[:3]]


def test_files_have_half_precision_and_memory_single(full, small):
    states = torch_states(small)
    assert set(states) == {"transformer", "lal_parser"}
    for name, state in torch_states(full).items():
        for key, tensor in state.items():
            kept = states[name][key]
            assert kept.dtype == (torch.float16 if tensor.is_floating_point() else tensor.dtype)
            assert torch.equal(kept, tensor.to(kept.dtype))
    loaded = weights(spacy.load(small))
    assert {tensor.dtype for tensor in loaded.values() if tensor.is_floating_point()} == {torch.float32}
    for key, tensor in weights(spacy.load(full)).items():
        assert torch.equal(loaded[key], tensor.half().to(tensor.dtype))
    for component in ("transformer", "lal_parser"):
        before, after = ((path / component / "model").stat().st_size for path in (full, small))
        assert after < 0.85 * before  # the stand-in's files are mostly settings


def test_neither_loading_nor_saving_moves_a_bit(small, tmp_path):
    nlp = spacy.load(small)
    nlp.to_disk(tmp_path / "saved")
    saved = spacy.load(tmp_path / "saved")
    from_bytes = spacy.load(small).from_bytes(saved.to_bytes())
    compact(tmp_path / "saved", tmp_path / "again")
    again = spacy.load(tmp_path / "again")
    expected, expected_parses = scores(nlp), parses(nlp.pipe(TEXTS))
    for other in (saved, from_bytes, again):
        assert all(np.array_equal(a, b) for a, b in zip(scores(other), expected, strict=True))
        assert parses(other.pipe(TEXTS)) == expected_parses
    assert all(torch.equal(tensor, weights(again)[key]) for key, tensor in weights(nlp).items())
    for name, state in torch_states(small).items():
        assert all(torch.equal(state[key], tensor) for key, tensor in torch_states(tmp_path / "again")[name].items())


def test_nothing_is_left_of_this_machine(bert, full, small):
    assert str(bert).encode() in (full / "transformer" / "model").read_bytes()
    for path in small.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert str(bert).encode() not in content and b"/tmp" not in content, path
    config = spacy.util.load_config(small / "config.cfg")
    assert config["components"]["transformer"]["model"]["name"] == HUB_NAME
    assert set(config["paths"].values()) == {None}
    assert spacy.load(small).get_pipe("transformer").model.attrs["name"] == HUB_NAME


OFFLINE = """
import os, socket, sys
os.environ["HF_HUB_OFFLINE"] = "1"
def refuse(*args, **kwargs):
    raise OSError("no network in this test")
socket.socket.connect = refuse
import spacy
doc = spacy.load(sys.argv[1])("She sees a dog.")
assert len(doc.spans["constituents"]) and doc.has_annotation("DEP")
"""


def test_loads_without_a_network(small, tmp_path):
    subprocess.run([sys.executable, "-c", OFFLINE, str(small)], check=True, timeout=600, cwd=tmp_path)


def test_scores_and_labels_stay_in_the_meta(full, small):
    before, after = (srsly.read_json(path / "meta.json") for path in (full, small))
    assert before["labels"] == after["labels"] and before["pipeline"] == after["pipeline"]


def test_what_half_precision_cannot_hold(full, tmp_path):
    nlp = spacy.load(full)
    parser = nlp.get_pipe("lal_parser").model
    next(parser.attrs["get_network"](parser).parameters()).data.view(-1)[0] = 70000.0
    nlp.to_disk(tmp_path / "large")
    output = compact(tmp_path / "large", tmp_path / "out", "--encoder-name", HUB_NAME, expect=2)
    assert "lal_parser: half precision holds numbers up to 65504, and" in output and "has 70000" in output
    assert not (tmp_path / "out").exists()
    buffer = BytesIO()
    torch.save({"weight": torch.tensor([float("nan")])}, buffer)
    with pytest.raises(ValueError, match="weight has nan"):
        to_half(buffer.getvalue(), "parser")


def test_wrong_use(full, bert, tmp_path):
    message = compact(full, tmp_path / "out", expect=2)
    assert str(bert) in message and "--encoder-name" in message
    assert "can't load" in compact(tmp_path / "none", tmp_path / "out", expect=2)
    assert "is not empty" in compact(full, full, "--encoder-name", HUB_NAME, expect=2)
    assert not (tmp_path / "out").exists()


def test_lean_leaves_out_words_and_pooler_and_parses_as_before(bert, small, full, tmp_path):
    nlp = spacy.load(full)
    nlp.vocab.strings.add("Rumpelstiltskin")
    nlp.to_disk(tmp_path / "full")
    compact(tmp_path / "full", tmp_path / "lean", "--encoder-name", HUB_NAME, "--lean")
    strings = srsly.read_json(tmp_path / "lean" / "vocab" / "strings.json")
    assert "Rumpelstiltskin" in srsly.read_json(tmp_path / "full" / "vocab" / "strings.json")
    assert "Rumpelstiltskin" not in strings and "driving" not in strings
    assert {"NN", "VP"} <= set(strings)
    lean, states = torch_states(tmp_path / "lean"), torch_states(small)
    changed = {
        (name, key.split(".")[0])
        for name, state in states.items()
        for key, tensor in state.items()
        if not torch.equal(lean[name][key], tensor)
    }
    assert changed == {("transformer", "pooler")}
    docs, expected = ([*spacy.load(path).pipe(TEXTS)] for path in (tmp_path / "lean", small))
    assert parses(docs) == parses(expected)
    for doc, expected_doc in zip(docs, expected, strict=True):
        assert [(t.text, t.tag_, t.norm_) for t in doc] == [(t.text, t.tag_, t.norm_) for t in expected_doc]


def test_another_runtime(full, tmp_path):
    """The file of a transformer is the same for both architectures; only ours has the option."""
    config = Config().from_disk(full / "config.cfg", interpolate=False)
    config["components"]["transformer"]["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    shutil.copytree(full, tmp_path / "ours")
    config.to_disk(tmp_path / "ours" / "config.cfg")
    for runtime in ("torch", "onnx"):
        said = compact(tmp_path / "ours", tmp_path / runtime, "--encoder-name", HUB_NAME, "--runtime", runtime)
        assert ("lal_parser runs in torch: " in said and "the encoder has no layers" in said) is (runtime == "onnx")
        components = spacy.load(tmp_path / runtime).config["components"]
        assert components["transformer"]["model"]["runtime"] == runtime
        # this parser's network has encoder layers, which have no ONNX form
        assert components["lal_parser"]["model"]["execution"]["runtime"] == "torch"
    assert parses(spacy.load(tmp_path / "onnx").pipe(TEXTS)) == parses(spacy.load(tmp_path / "torch").pipe(TEXTS))
    refused = compact(tmp_path / "ours", tmp_path / "odd", "--encoder-name", HUB_NAME, "--runtime", "trt", expect=2)
    assert "got 'trt'" in refused and not (tmp_path / "odd").exists()
    refused = compact(full, tmp_path / "odd", "--encoder-name", HUB_NAME, "--runtime", "onnx", expect=2)
    assert "has no runtime: expected spacy-lal.TransformerModel.v1" in refused and not (tmp_path / "odd").exists()


def test_another_runtime_of_the_parser(bert, tmp_path):
    nlp = train(make_nlp(bert, n_layers=0))
    nlp.config["components"]["transformer"]["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    write_compact(nlp, tmp_path / "out", runtime="onnx")
    loaded = spacy.load(tmp_path / "out")
    config = loaded.config["components"]
    assert config["lal_parser"]["model"]["execution"]["runtime"] == config["transformer"]["model"]["runtime"] == "onnx"
    assert isinstance(loaded.get_pipe("lal_parser").model.layers[-1].shims[0].folded, OnnxNetwork)
    assert parses(loaded.pipe(TEXTS)) == parses(nlp.pipe(TEXTS))


def test_another_runtime_in_the_block_of_a_parser(bert, tmp_path, capsys):
    nlp = make_nlp(bert)
    tok2vec = nlp.get_pipe_config("lal_parser")["model"]["tok2vec"]
    nlp.remove_pipe("lal_parser")
    blocks = {
        "@architectures": "spacy-lal.LALParser.v1",
        "tok2vec": tok2vec,
        "hidden_width": 32,
        "inputs": {"@misc": "spacy-lal.InputLayer.v1", "*": {"vectors": {"@misc": "spacy-lal.Vectors.v1"}}},
        "encoder": {"@misc": "spacy-lal.NoEncoder.v1"},
    }
    nlp.add_pipe("lal_parser", config={"model": blocks})
    config = train(nlp).config["components"]
    config["transformer"]["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    model = config["lal_parser"]["model"]
    for model["execution"] in (None, {"@misc": EXECUTION, "max_batch_cells": 99}):
        write_compact(nlp, tmp_path / "out", runtime="onnx")
        written = Config().from_disk(tmp_path / "out" / "config.cfg")["components"]["lal_parser"]["model"]
        assert written["execution"] == {"@misc": EXECUTION, **(model["execution"] or {}), "runtime": "onnx"}
    loaded = spacy.load(tmp_path / "out")
    assert isinstance(loaded.get_pipe("lal_parser").model.layers[-1].shims[0].folded, OnnxNetwork)
    assert capsys.readouterr().err == ""
    model["execution"]["mixed_precision"] = True
    with pytest.raises(ValueError, match="expected mixed_precision = false"):
        write_compact(nlp, tmp_path / "out", runtime="onnx")
    model.clear()
    model.update({"@architectures": "spacy-lal.ReferenceParser.v1", "hparams": {}})
    write_compact(nlp, tmp_path / "odd", runtime="onnx")
    assert capsys.readouterr().err == "lal_parser runs in torch: its architecture has no runtime\n"


def test_a_runtime_without_a_transformer(full, tmp_path):
    nlp = spacy.load(full, exclude=["transformer", "senter", "tagger"])
    with pytest.raises(ValueError, match="expected a pipeline with a transformer"):
        write_compact(nlp, tmp_path / "out", runtime="onnx")


def test_lean_keeps_the_strings_of_lemmas(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("trainable_lemmatizer")
    words, lemmas = ["mice", "went", "home"], ["mouse", "go", "home"]
    examples = [Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, lemmas=lemmas))] * 4
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp("forgotten")
    write_compact(nlp, tmp_path / "lean", lean=True)
    lean = spacy.load(tmp_path / "lean")
    assert "forgotten" not in lean.vocab.strings
    assert [token.lemma_ for token in lean(" ".join(words))] == lemmas

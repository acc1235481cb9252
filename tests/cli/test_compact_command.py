"""`lal compact`: a trained pipeline parses the same without a `transformer`, half the
size, nothing left of this machine."""

import numpy as np
import pytest
import spacy
import srsly
from tiny_pipeline import TEXTS, make_bert, make_nlp, parses, train
from typer.testing import CliRunner

from spacy_lal.cli import lal_cli

OURS = {
    "@architectures": "spacy-lal.TransformerModel.v1",
    "get_spans": {"@span_getters": "spacy-lal.sentence_windows.v1"},
}


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "tiny")


@pytest.fixture(scope="module")
def full(bert, tmp_path_factory):
    """A trained pipeline on disk."""
    path = tmp_path_factory.mktemp("full") / "pipeline"
    nlp = make_nlp(bert, concatenated=True)
    config = nlp.config.copy()
    config["components"]["transformer"]["model"].update(OURS)
    config["paths"]["train"] = str(bert)
    train(spacy.util.load_model_from_config(config, auto_fill=True)).to_disk(path)
    return path


def compact(model, output, *arguments, expect=0):
    words = ["compact", "--model", model, "--output", output, *arguments]
    result = CliRunner().invoke(lal_cli, [str(word) for word in words])
    assert result.exit_code == expect, result.output
    return result.output


@pytest.fixture(scope="module")
def small(full, tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "pipeline"
    said = compact(full, path, "--lean")
    assert (
        "transformer is now 'encoder', with 16-bit weights and runtime onnx; 3 "
        "listeners" in said
    )
    return path


def columns(nlp):
    docs = list(nlp.pipe(TEXTS))
    return parses(docs), [[token.tag_ for token in doc] for doc in docs]


def test_the_same_parses_without_a_transformer(full, small):
    nlp = spacy.load(small)
    assert nlp.pipe_names == ["encoder", "senter", "tagger", "lal_parser"]
    assert nlp.get_pipe_config("encoder")["factory"] == "tok2vec"
    assert "Transformer" not in (small / "config.cfg").read_text().replace(
        "OnnxTransformer", ""
    )
    assert columns(nlp) == columns(spacy.load(full))
    assert nlp(TEXTS[0]).tensor.shape == (8, 16)


@pytest.mark.parametrize("runtime", ["onnx", "onnx-int8", "torch"])
def test_a_package_keeps_its_runtime_and_its_parses(full, tmp_path, runtime):
    compact(full, tmp_path / "one", "--runtime", runtime)
    said = compact(tmp_path / "one", tmp_path / "two", "--lean")
    assert f"runtime {runtime}" in said
    one = spacy.load(tmp_path / "one")
    two = spacy.load(tmp_path / "two")
    assert two.get_pipe_config("encoder")["model"]["runtime"] == runtime
    assert columns(one) == columns(two)
    compact(tmp_path / "one", tmp_path / "three", "--runtime", "onnx")
    three = spacy.load(tmp_path / "three")
    assert three.get_pipe_config("encoder")["model"]["runtime"] == "onnx"


def test_its_layers_multiply_by_numpy_and_those_of_others_as_before(full, small):
    nodes = [
        [node for _, pipe in spacy.load(path).pipeline for node in pipe.model.walk()]
        for path in (full, small)
    ]
    assert [{node.ops.use_blis for node in of_pipeline} for of_pipeline in nodes] == [
        {True},
        {False},
    ]


def test_half_the_size_and_nothing_of_this_machine(bert, full, small):
    size = sum(path.stat().st_size for path in small.rglob("*") if path.is_file())
    assert size < sum(path.stat().st_size for path in full.rglob("*") if path.is_file())
    for path in small.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert str(bert).encode() not in content and b"/tmp" not in content, path


def test_weights_are_half_precision_exactly(small):
    for file in small.glob("*/model"):
        for params in srsly.msgpack_loads(file.read_bytes())["params"]:
            for array in params.values():
                if array is not None and array.dtype.kind == "f":
                    assert np.array_equal(array, array.astype("f2").astype(array.dtype))


def test_saving_and_compacting_again_change_nothing(small, tmp_path):
    nlp = spacy.load(small)
    nlp.to_disk(tmp_path / "saved")
    compact(tmp_path / "saved", tmp_path / "again")
    expected = columns(nlp)
    for path in (tmp_path / "saved", tmp_path / "again"):
        assert columns(spacy.load(path)) == expected
    assert (small / "encoder" / "model").read_bytes() == (
        tmp_path / "again" / "encoder" / "model"
    ).read_bytes()


@pytest.mark.parametrize("source", ["full", "small"])
def test_8_bits(source, request, small, tmp_path):
    said = compact(
        request.getfixturevalue(source),
        tmp_path / "small",
        "--bits",
        8,
        "--runtime",
        "onnx-int8",
    )
    assert "8-bit weights and runtime onnx-int8" in said
    for name in ("encoder", "lal_parser"):
        sizes = [
            (path / name / "model").stat().st_size
            for path in (small, tmp_path / "small")
        ]
        assert sizes[1] < sizes[0]
    nlp = spacy.load(tmp_path / "small")
    assert nlp.config["components"]["encoder"]["model"]["runtime"] == "onnx-int8"
    assert len(columns(nlp)[0]) == len(TEXTS)
    expected, found = (
        spacy.load(path).get_pipe("lal_parser").model.layers[-1].shims[0]
        for path in (small, tmp_path / "small")
    )
    for name, weight in found.weights.items():
        largest = abs(expected.weights[name]).max(axis=-1, keepdims=True)
        step = largest / 127 if weight.ndim > 1 else 0
        rounded = 2**-11 * largest  # the expected weights are in half precision
        assert (abs(weight - expected.weights[name]) <= step / 2 + rounded).all(), name
    compact(
        tmp_path / "small", tmp_path / "twice", "--bits", 8, "--runtime", "onnx-int8"
    )
    assert columns(spacy.load(tmp_path / "twice")) == columns(nlp)


def test_a_transformer_that_stays_in_torch(bert, full, tmp_path):
    """Its windows are not ours: the output says so, and the rest is made compact."""
    train(make_nlp(bert)).to_disk(tmp_path / "theirs")
    said = compact(tmp_path / "theirs", tmp_path / "small")
    assert (
        "transformer stays in torch: expected get_spans to be "
        "spacy-lal.sentence_windows.v1" in said
    )
    nlp = spacy.load(tmp_path / "small")
    assert "transformer" in nlp.pipe_names
    assert columns(nlp)[0] == columns(spacy.load(tmp_path / "theirs"))[0]


def test_bad_options(full, tmp_path):
    assert "expected --bits 8 or 16, got 4" in compact(
        full, tmp_path / "x", "--bits", 4, expect=2
    )
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("x")
    compact(full, tmp_path / "there", expect=2)

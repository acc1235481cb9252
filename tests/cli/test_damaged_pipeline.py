"""A damaged pipeline: our commands name the file and say what is wrong with it."""

import json
import math
import sys

import pytest
import spacy
import srsly
import typer
from tiny_pipeline import make_bert, make_nlp, train

from spacy_lal.cli.damage import damaged_file, pipeline_folder
from spacy_lal.cli.pipelines import load_pipeline

FILES = [
    "config.cfg",
    "meta.json",
    "tokenizer",
    "vocab/key2row",
    "vocab/lookups.bin",
    "vocab/strings.json",
    "vocab/vectors",
    "vocab/vectors.cfg",
    "transformer/cfg",
    "transformer/model",
    "senter/cfg",
    "senter/model",
    "tagger/cfg",
    "tagger/model",
    "lal_parser/cfg",
    "lal_parser/model",
    "lal_parser/checksums",
]
# spaCy makes do without these, and a pipeline without them says the same
DISPENSABLE = ["tokenizer", *(name for name in FILES if name.startswith("vocab/"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "pipeline"
    train(make_nlp(make_bert(path.parent / "bert"))).to_disk(path)
    return path


@pytest.fixture
def refusal(capsys):
    """The line on stderr with which a command ends that loads a pipeline."""

    def load(path):
        with pytest.raises(typer.Exit):
            load_pipeline(str(path))
        return capsys.readouterr().err

    return load


def test_each_file_has_its_case(folder):
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == set(FILES)
    assert damaged_file(folder) is None


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut_or_overwritten(folder, refusal, name):
    path = folder / name
    whole = path.read_bytes()
    try:
        for content in (whole[: len(whole) // 2], b"", b"\xc1" * len(whole)):
            if content == whole:
                continue
            path.write_bytes(content)
            message = refusal(folder)
            assert message.startswith(f"can't load the pipeline '{folder}': {path} ") and message.count("\n") == 1
            assert "Copy or install the pipeline again" in message and len(message) < 700
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize(
    "end", ["path = ${path", '@misc = "spacy-la', "constituency_weight = 0.", "[components.tagger]\n"]
)
def test_a_config_that_is_cut_where_it_stays_readable(folder, refusal, end):
    path = folder / "config.cfg"
    whole = path.read_text(encoding="utf8")
    assert end in whole
    try:
        path.write_text(whole[: whole.index(end) + len(end)], encoding="utf8")
        assert refusal(folder).startswith(f"can't load the pipeline '{folder}': {path} ")
    finally:
        path.write_text(whole, encoding="utf8")


@pytest.mark.parametrize("name", [name for name in FILES if name not in (*DISPENSABLE, "lal_parser/checksums")])
def test_a_file_that_is_missing(folder, refusal, name):
    path = folder / name
    path.rename(folder.parent / "away")
    try:
        assert f"{path} is missing" in refusal(folder)
    finally:
        (folder.parent / "away").rename(path)


def test_a_block_of_each_kind_of_weights(folder, refusal):
    for name in ("transformer", "senter", "tagger", "lal_parser"):
        path = folder / name / "model"
        whole = path.read_bytes()
        middle = len(whole) // 2
        block = bytes(byte ^ 0x21 for byte in whole[middle : middle + 64])
        path.write_bytes(whole[:middle] + block + whole[middle + 64 :])
        try:
            assert f"': {path} (" in refusal(folder)
        finally:
            path.write_bytes(whole)


def test_weights_that_are_no_numbers(folder, tmp_path, refusal):
    nlp = spacy.load(folder)
    layer = nlp.get_pipe("senter").model.get_ref("output_layer")
    layer.get_param("b")[0] = math.nan
    nlp.to_disk(tmp_path / "nan")
    assert "weights of senter, layer" in refusal(tmp_path / "nan")


def test_what_is_no_pipeline_or_whole_keeps_its_own_message(tmp_path, refusal, folder):
    assert "Can't find model 'no_such_pipeline'" in refusal("no_such_pipeline")
    (tmp_path / "empty").mkdir()
    assert f"{tmp_path / 'empty' / 'meta.json'} is missing" in refusal(tmp_path / "empty")
    cfg = folder / "lal_parser" / "cfg"
    text = cfg.read_text()
    try:
        srsly.write_json(cfg, {**json.loads(text), "format": 7, "spacy_lal": "9.0"})
        assert "stored in format 7 by spacy_lal 9.0" in refusal(folder)
    finally:
        cfg.write_text(text)


def test_the_folder_of_a_package(tmp_path, monkeypatch, folder):
    assert pipeline_folder(str(folder)) == folder
    assert pipeline_folder("no_such_pipeline") is None and pipeline_folder("no/such") is None
    package = tmp_path / "en_tiny_package"
    (package / "en_tiny_package-0.1").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert pipeline_folder("en_tiny_package") == package / "en_tiny_package-0.1"

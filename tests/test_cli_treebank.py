"""`spacy lal check` and `spacy lal convert`, as a user calls them."""

import json
from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_lal.cli import lal_cli

TOY = Path(__file__).resolve().parent.parent / "assets" / "toy"
TRAIN = [str(TOY / "train.ptb"), str(TOY / "train.conllu")]


def run(*args):
    return CliRunner().invoke(lal_cli, [str(arg) for arg in args])


def read(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def test_check_reports():
    result = run("check", *TRAIN)
    assert result.exit_code == 0
    for text in [
        "sentences                             79",
        "one outside head                  99.7",
        "S::VP",
        "nsubj",
    ]:
        assert text in result.stdout
    assert "and 5 more" in result.stdout and "more" not in run("check", *TRAIN, "--top", 0).stdout


def test_check_json():
    result = run("check", "--json", *TRAIN)
    report = json.loads(result.stdout)
    assert report["sound"] and report["sentences"] == 79 and report["problems"] == []
    assert report["labels"]["NP"] > report["labels"]["S"]
    assert sum(report["lengths"]["histogram"].values()) == 79


@pytest.mark.parametrize("name", ["train.ptb", "train.conllu"])
def test_check_of_one_file(name):
    result = run("check", TOY / name)
    assert result.exit_code == 0
    assert "79" in result.stdout
    assert ("arcs" in result.stdout) == (name == "train.conllu")


def test_check_of_files_that_disagree():
    result = run("check", TOY / "train.ptb", TOY / "dev.conllu")
    assert result.exit_code == 1
    assert f"{TOY / 'train.ptb'}:1" in result.stderr
    assert "... and" in result.stderr
    assert "disagreements" in result.stdout
    result = run("check", "--json", TOY / "train.ptb", TOY / "dev.conllu")
    assert result.exit_code == 1 and len(json.loads(result.stdout)["problems"]) > 20


def test_check_of_malformed_files(tmp_path):
    (tmp_path / "x.ptb").write_text("(ROOT (NP (NN rain))\n", encoding="utf-8")
    result = run("check", tmp_path / "x.ptb")
    assert result.exit_code == 1 and f"{tmp_path / 'x.ptb'}:1: " in result.stderr
    result = run("check", tmp_path / "gone.ptb")
    assert result.exit_code == 1 and "no such file" in result.stderr


def test_convert(tmp_path):
    path = tmp_path / "new" / "train.spacy"
    result = run("convert", *TRAIN, path)
    assert result.exit_code == 0
    assert "79 Docs, 79 sentences, 623 tokens" in result.stderr
    assert len(read(path)) == 79
    result = run("convert", *TRAIN, path, "--n-sents", 10)
    assert "8 Docs, 79 sentences, 623 tokens" in result.stderr
    assert [len(list(doc.sents)) for doc in read(path)] == [10] * 7 + [9]
    assert all(len(doc.spans["constituents"]) for doc in read(path))
    assert all(len(doc.user_data["sent_ids"]) == len(list(doc.sents)) for doc in read(path))


def test_convert_one_file(tmp_path):
    assert run("convert", TRAIN[0], tmp_path / "trees.spacy").exit_code == 0
    assert run("convert", TRAIN[1], tmp_path / "arcs.spacy").exit_code == 0
    assert not read(tmp_path / "trees.spacy")[0].has_annotation("DEP")
    assert not read(tmp_path / "trees.spacy")[0].user_data
    assert "constituents" not in read(tmp_path / "arcs.spacy")[0].spans


def test_convert_leaves_out_what_is_excluded(tmp_path):
    result = run("convert", *TRAIN, tmp_path / "x.spacy", "--exclude", "-(0[1-9]|7.)$")
    assert "60 Docs" in result.stderr and "19 sentences left out" in result.stderr
    assert read(tmp_path / "x.spacy")[0].text.startswith("There") is False
    result = run("convert", *TRAIN, tmp_path / "x.spacy", "--exclude", "(")
    assert result.exit_code == 1 and "regular expression" in result.stderr
    result = run("convert", *TRAIN, tmp_path / "none.spacy", "--exclude", ".")
    assert result.exit_code == 1 and "no sentences" in result.stderr


def test_convert_to_a_folder(tmp_path):
    assert run("convert", *TRAIN, tmp_path / "folder").exit_code == 0
    assert len(read(tmp_path / "folder" / "0000.spacy")) == 79


def test_convert_writes_nothing_where_files_disagree(tmp_path):
    path = tmp_path / "x.spacy"
    result = run("convert", TOY / "train.ptb", TOY / "dev.conllu", path)
    assert result.exit_code == 1
    assert f"{TOY / 'train.ptb'}:1" in result.stderr and "dev.conllu:" in result.stderr
    assert "Traceback" not in result.output
    assert not path.exists()


def test_convert_with_the_output_forgotten():
    result = run("convert", *TRAIN)
    assert result.exit_code == 1
    assert "the last argument" in result.stderr

"""A damaged package fails when it is loaded, with the component and the file."""

import os
import shutil
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_lal.cli import lal_cli
from spacy_lal.pipeline.damage import damaged_files

CUT = [
    "attribute_ruler/patterns",
    "encoder/cfg",
    "encoder/model",
    "lal_parser/cfg",
    "lal_parser/model",
    "lal_srl/cfg",
    "lal_srl/model",
    "morphologizer/model",
    "senter/model",
    "tagger/cfg",
    "tokenizer",
    "vocab/strings.json",
]
MISSING = [
    "morphologizer/cfg",
    "senter/cfg",
    "tagger/cfg",
    "trainable_lemmatizer/trees",
    "vocab/lookups.bin",
]


@pytest.fixture
def package(en_lal_md, tmp_path) -> Path:
    return Path(
        shutil.copytree(en_lal_md.path, tmp_path / "package", copy_function=os.link)
    )


@pytest.mark.parametrize("name", CUT)
def test_a_file_that_was_cut_is_named(package, name):
    path = package / name
    data = path.read_bytes()[: path.stat().st_size // 2]
    path.unlink()
    path.write_bytes(data)
    shown = "vocab" if name.startswith("vocab/") else name
    with pytest.raises(ValueError, match=f"is damaged: {shown} cannot be read"):
        spacy.load(package)


def test_checksums_tell_what_was_damaged(package, capsys):
    assert list(damaged_files(package)) == []
    path = package / "senter" / "model"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink()
    path.write_bytes(data)
    (package / "tagger" / "cfg").unlink()
    result = CliRunner().invoke(lal_cli, ["check-package", str(package)])
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"senter/model ({len(data):,} bytes) differs",
        "tagger/cfg is missing",
    ]
    result = CliRunner().invoke(lal_cli, ["check-package", "en_lal_md"])
    assert result.exit_code == 0 and "as they were packaged" in result.output


@pytest.mark.parametrize("name", MISSING)
def test_a_file_that_is_missing(package, name):
    (package / name).unlink()
    with pytest.raises(ValueError, match=f"is damaged: {name} is missing"):
        spacy.load(package)


def test_a_component_that_is_left_out_needs_no_file(package):
    (package / "trainable_lemmatizer" / "trees").unlink()
    nlp = spacy.load(package, exclude=["trainable_lemmatizer", "lal_lemmas"])
    assert nlp("She sees a dog.")._.parse_string

"""What is said of a stored parser that cannot be read, and of an installation that does not fit."""

import json
from importlib import metadata

import pytest
import spacy
from tiny_pipeline import train

from spacy_lal import __version__
from spacy_lal.pipeline import requirements


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "pipeline"
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser")
    train(nlp, steps=1).to_disk(path)
    return path


@pytest.fixture
def cfg(folder):
    """The parser's cfg; what a test writes there is undone."""
    path = folder / "lal_parser" / "cfg"
    text = path.read_text()
    yield path
    path.write_text(text)


def test_the_format_is_told(cfg):
    stored = json.loads(cfg.read_text())
    assert (stored["format"], stored["spacy_lal"]) == (1, __version__)


def test_of_a_later_version(folder, cfg):
    cfg.write_text(json.dumps({**json.loads(cfg.read_text()), "format": 2, "spacy_lal": "7.0.0"}))
    match = "stored in format 2 by spacy_lal 7.0.0, .* reads format 1: install the newer spacy_lal"
    with pytest.raises(ValueError, match=match):
        spacy.load(folder)


def test_from_before_there_was_a_format(folder, cfg):
    stored = {key: value for key, value in json.loads(cfg.read_text()).items() if key not in ("format", "spacy_lal")}
    cfg.write_text(json.dumps(stored))
    (cfg.parent / "checksums").unlink()  # younger than the format
    assert spacy.load(folder).get_pipe("lal_parser").labels


def test_weights_that_cannot_be_read(folder):
    path = folder / "lal_parser" / "model"
    whole = path.read_bytes()
    try:
        for content in (whole[:-1000], b"", b"x" * 500, whole.replace(b"PK", b"QK")):
            path.write_bytes(content)
            with pytest.raises(ValueError, match=r"can't read its weights from .*model \([\d,]+ bytes\).*install"):
                spacy.load(folder)
        path.unlink()
        with pytest.raises(ValueError, match="where there is no file"):
            spacy.load(folder)
    finally:
        path.write_bytes(whole)


def test_weights_of_other_settings(folder):
    config = {"components": {"lal_parser": {"model": {"hidden_width": 64}}}}
    with pytest.raises(ValueError, match="can't read its weights .* do not fit the network of the config"):
        spacy.load(folder, config=config)


@pytest.mark.parametrize(
    "name, found, message",
    [
        ("spacy", "3.7.5", "needs spacy<3.9.0,>=3.8.0, but 3.7.5 is installed: pip install 'spacy<3.9.0,>=3.8.0'"),
        ("spacy-transformers", None, "needs spacy-transformers.*, but it is not installed: pip install"),
    ],
)
def test_what_is_installed_does_not_fit(monkeypatch, name, found, message):
    def version(wanted):
        if wanted != name:
            return metadata.version(wanted)
        if found is None:
            raise metadata.PackageNotFoundError(wanted)
        return found

    monkeypatch.setattr(requirements, "version", version)
    with pytest.raises(ImportError, match=message):
        spacy.blank("en").add_pipe("lal_parser")

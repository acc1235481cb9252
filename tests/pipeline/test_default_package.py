"""`nlp.add_pipe("lal_parser")`, never trained: it takes the parser of the installed
package of its language."""

import json
import logging
import pickle
import sys
from importlib import invalidate_caches

import pytest
import spacy
from small_blocks import parser_block
from spacy.tokens import Doc
from tiny_pipeline import TEXTS, make_bert, make_examples, make_nlp, parses, train

from spacy_lal.pipeline import default_parser, lal_parser

PACKAGE = "en_tiny_default"
INIT = """
from pathlib import Path
from spacy.util import load_model_from_init_py
def load(**overrides):
    return load_model_from_init_py(__file__, **overrides)
"""


@pytest.fixture(scope="module")
def berts(tmp_path_factory):
    path = tmp_path_factory.mktemp("berts")
    return [make_bert(path / str(seed), seed) for seed in (0, 1)]


@pytest.fixture(scope="module")
def pipeline(berts):
    return train(make_nlp(berts[0], concatenated=True))


@pytest.fixture(scope="module")
def site(pipeline, tmp_path_factory):
    """A folder like site-packages in which the pipeline is installed, as pip leaves a
    spaCy package."""
    path = tmp_path_factory.mktemp("site")
    write_package(path, pipeline)
    return path


def write_package(path, nlp):
    data = path / PACKAGE / f"{PACKAGE}-1.2.3"
    data.mkdir(parents=True)
    nlp.to_disk(data)
    meta = {
        **json.loads((data / "meta.json").read_text()),
        "name": "tiny_default",
        "version": "1.2.3",
    }
    for folder in (data, data.parent):
        (folder / "meta.json").write_text(json.dumps(meta))
    (data.parent / "__init__.py").write_text(INIT)
    info = path / f"{PACKAGE}-1.2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.2.3\n"
    )


@pytest.fixture
def use_site(monkeypatch):
    """Makes a folder's package the default one for English, and the only one."""

    def use(path):
        monkeypatch.syspath_prepend(path)
        monkeypatch.setattr(default_parser, "DEFAULT_PACKAGES", {"en": PACKAGE})
        sys.modules.pop(PACKAGE, None)
        invalidate_caches()

    yield use
    sys.modules.pop(PACKAGE, None)


@pytest.fixture
def installed(site, use_site):
    use_site(site)


@pytest.fixture(scope="module")
def expected(site):
    nlp = spacy.load(
        site / PACKAGE / f"{PACKAGE}-1.2.3", exclude=["tagger"]
    )  # tags say what is punctuation
    return parses(by_line(nlp))


def by_line(nlp, texts=TEXTS):
    """Parse each text as one sentence, whatever splits sentences."""
    docs = []
    for text in texts:
        words = [token.text for token in nlp.make_doc(text)]
        docs.append(
            Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(len(words))])
        )
    return list(nlp.pipe(docs))


def blank(lang="en", **config):
    nlp = spacy.blank(lang)
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser", config=config)
    return nlp


def test_takes_the_weights_and_says_so_once(installed, expected, caplog):
    nlp = blank()
    nlp("")
    assert caplog.messages == []
    assert parses(by_line(nlp)) == expected
    nlp("She sees it.")
    (record,) = [record for record in caplog.records if record.name == "spacy_lal"]
    assert f"takes the weights of {PACKAGE} 1.2.3" in record.getMessage()
    assert (
        record.levelno == logging.WARNING
    )  # what Python shows where nobody has configured logging


def test_saved_it_needs_the_package_no_more(
    site, use_site, expected, tmp_path, monkeypatch
):
    use_site(site)
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser")
    assert parses(by_line(nlp)) == expected
    monkeypatch.setattr(default_parser, "DEFAULT_PACKAGES", {})
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    assert parses(by_line(loaded)) == expected
    loaded.to_disk(tmp_path / "again")
    assert parses(by_line(spacy.load(tmp_path / "again"))) == expected
    from_bytes = spacy.util.load_model_from_config(nlp.config).from_bytes(
        nlp.to_bytes()
    )
    assert parses(by_line(from_bytes)) == expected
    assert parses(by_line(pickle.loads(pickle.dumps(loaded)))) == expected
    docs = by_line(loaded)
    for doc, again in zip(
        docs, loaded.pipe(docs, n_process=2, batch_size=3), strict=True
    ):
        assert parses([doc]) == parses([again])


def test_training_never_touches_it(installed, monkeypatch):
    monkeypatch.setattr(lal_parser, "load_default_parser", None)
    nlp = blank()
    with pytest.raises(ValueError, match="call nlp.initialize"):
        nlp.update(make_examples(nlp))
    model = nlp.get_pipe("lal_parser").model
    train(nlp, steps=2)
    assert nlp.get_pipe("lal_parser").model is model
    assert nlp("She sees a dog.").has_annotation("DEP")


def test_frozen_and_untrained_is_an_error(installed):
    nlp = blank()
    nlp.config["training"]["frozen_components"] = ["lal_parser"]
    with pytest.raises(ValueError, match="'lal_parser' is frozen and untrained"):
        nlp("She sees a dog.")


def test_no_package(installed, monkeypatch):
    with pytest.raises(
        ValueError, match="no package has weights for 'de': install one"
    ):
        blank("de")("Sie sieht einen Hund.")
    monkeypatch.setattr(default_parser, "DEFAULT_PACKAGES", {"en": "en_there_is_none"})
    with pytest.raises(
        ValueError, match="the package en_there_is_none is not installed: install one"
    ):
        blank()("She sees a dog.")


def test_a_parser_that_listens_to_a_tok2vec(use_site, tmp_path):
    """It gets a copy for its own: neither the reader's pipeline nor its tok2vec is
    asked."""
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": 96,
        "upstream": "tok2vec",
    }
    source = spacy.blank("en")
    source.add_pipe("tok2vec")
    source.add_pipe(
        "lal_parser", config={"model": parser_block(listener, use_chars=False)}
    )
    train(source, steps=4)
    write_package(tmp_path, source)
    use_site(tmp_path)
    expected = parses(by_line(source))
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    nlp.initialize()
    nlp.add_pipe("lal_parser")
    assert parses(by_line(nlp)) == expected
    nlp.to_disk(tmp_path / "saved")
    assert parses(by_line(spacy.load(tmp_path / "saved"))) == expected

"""The package of a pipeline: what it holds, that it loads, and what it says where it
cannot work."""

import importlib
import json
import sys
from importlib import metadata
from pathlib import Path

import pytest
import spacy
import srsly
from tiny_pipeline import TEXTS, make_bert, make_nlp, parses, train

PROJECT = Path(__file__).resolve().parents[3] / "projects" / "en"
ABOUT = PROJECT / "about" / "md"
NAME = "en_lal_md"
METRICS = {"const_f": 0.9, "genres": {"news": {"const_f": 0.8}}}


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    path = tmp_path_factory.mktemp("trained") / "pipeline"
    bert = make_bert(path.parent / "bert")
    nlp = train(make_nlp(bert, concatenated=True))
    nlp.meta["performance"] = {"dep_las": 0.5}
    nlp.to_disk(path)
    return path


@pytest.fixture
def package(script, pipeline, tmp_path):
    """The package, made twice: the second takes the place of the first."""
    build = script("build_package").main
    packages = tmp_path / "packages"
    card, metrics = tmp_path / "card.md", [tmp_path / "tiny.news.json"]
    (tmp_path / "tiny.news.json").write_text(json.dumps(METRICS))
    (tmp_path / "card.md").write_text("# A card\n")
    for _ in range(2):
        build(pipeline, ABOUT, packages, card, metrics)
        (folder,) = packages.iterdir()
        (folder / "stale").write_text("")
    (folder / "stale").unlink()
    return folder


@pytest.fixture
def load(package, monkeypatch):
    """Import the package from its folder, as from site-packages, and load its
    pipeline."""
    monkeypatch.syspath_prepend(str(package))

    def import_and_load():
        for name in [name for name in sys.modules if name.split(".")[0] == NAME]:
            monkeypatch.delitem(sys.modules, name)
        return importlib.import_module(NAME).load()

    yield import_and_load
    for name in [name for name in sys.modules if name.split(".")[0] == NAME]:
        del sys.modules[name]


def test_links_of_a_card_work_from_where_it_lies(script):
    build = script("build_package")
    card = build.ROOT / "docs" / "reference" / "en_lal_md.md"
    shown = build.shown_card(card, {"license": "MIT", "lang": "en"})
    assert not build.RELATIVE_LINK.search(shown)
    assert f"]({build.SITE}/blob/main/docs/how_to/" in shown


def test_what_is_in_it(package, pipeline):
    meta = json.loads((package / "meta.json").read_text())
    about = json.loads((ABOUT / "meta.json").read_text())
    assert package.name == f"{NAME}-{about['version']}"
    wanted = about.pop("requirements")
    assert {key: meta[key] for key in about} == about
    assert (
        meta["requirements"][: len(wanted)] == wanted
    )  # spaCy adds what a pipeline in torch needs
    assert meta["performance"] == {"dep_las": 0.5, "news": METRICS}
    assert (
        meta["pipeline"] == ["transformer", "senter", "tagger", "lal_parser"]
        and meta["labels"]["lal_parser"]
    )
    assert {f"{name}/model" for name in meta["pipeline"]} < set(meta["checksums"])
    assert {"config.cfg", "tokenizer", "vocab/key2row", "lal_parser/cfg"} < set(
        meta["checksums"]
    )
    assert not {"meta.json", "README.md"} & set(meta["checksums"])
    assert sorted(path.name for path in package.iterdir()) == sorted(
        [
            NAME,
            "LICENSE",
            "LICENSES_SOURCES",
            "MANIFEST.in",
            "README.md",
            "meta.json",
            "pyproject.toml",
            "setup.py",
        ]
    )
    _, head, card = (package / "README.md").read_text().split("---\n")
    assert srsly.yaml_loads(head) == {
        "library_name": "spacy",
        "pipeline_tag": "token-classification",
        "tags": ["spacy", "constituency-parsing", "dependency-parsing"],
        "language": [about["lang"]],
        "license": "cc-by-sa-4.0",
        "license_name": "CC BY-SA 4.0",
    }
    assert card == "\n# A card\n"
    assert (
        (package / "LICENSE")
        .read_text()
        .startswith("Attribution-ShareAlike 4.0 International")
    )
    for folder in (
        package / NAME,
        package / NAME / package.name,
    ):  # setup.py writes them there
        assert (folder / "meta.json").read_bytes() == (
            package / "meta.json"
        ).read_bytes()
    for file in ("transformer/model", "lal_parser/model", "config.cfg"):
        assert (package / NAME / package.name / file).read_bytes() == (
            pipeline / file
        ).read_bytes()


def test_it_loads(load, pipeline):
    assert parses(load().pipe(TEXTS)) == parses(spacy.load(pipeline).pipe(TEXTS))


@pytest.fixture
def check(load):
    """Import the package and check its files."""
    return lambda: importlib.import_module(NAME).installation.check()


def test_whole_files(check):
    check()


@pytest.mark.parametrize("name", ["transformer/model", "tokenizer"])
def test_a_file_with_another_byte(check, package, name):
    path = package / NAME / package.name / name
    whole = path.read_bytes()
    path.write_bytes(whole + b" ")
    message = rf"{name} has {len(whole) + 1:,} bytes with the SHA.* damaged, install"
    with pytest.raises(ImportError, match=message):
        check()


def test_a_missing_file(check, package):
    (package / NAME / package.name / "transformer" / "cfg").unlink()
    with pytest.raises(ImportError, match="cfg is missing: .* damaged"):
        check()


def test_a_file_that_is_not_there_at_the_import(load, package):
    (package / NAME / package.name / "vocab" / "vectors").unlink()
    with pytest.raises(ImportError, match="vectors is missing: .* damaged"):
        load()


@pytest.mark.parametrize(
    "name", ["transformer/model", "tokenizer", "vocab/strings.json"]
)
def test_a_file_that_cannot_be_read_is_named(load, package, name):
    path = package / NAME / package.name / name
    path.write_bytes(path.read_bytes()[:10])
    with pytest.raises(ImportError, match=f"{name} has 10 bytes .* damaged, install"):
        load()


def test_files_are_read_only_when_asked(load, package):
    path = package / NAME / package.name / "vocab" / "strings.json"
    path.write_bytes(path.read_bytes() + b" ")
    assert load().pipe_names


@pytest.mark.parametrize(
    "name, found, message",
    [
        (
            "spacy",
            "3.7.5",
            "needs spacy>=3.8.0,<3.9.0, but spacy is 3.7.5 here: pip install "
            "'spacy>=3.8.0,<3.9.0'",
        ),
        (
            "spacy-lal",
            "0.3.0",
            "needs spacy-lal>=0.2.0,<0.3.0, but spacy-lal is 0.3.0 here",
        ),
        (
            "spacy-transformers",
            None,
            "needs spacy-transformers.* but spacy-transformers is not installed here: "
            "pip",
        ),
    ],
)
def test_what_is_installed_does_not_fit(load, monkeypatch, name, found, message):
    original = metadata.version

    def version(wanted):
        if wanted != name:
            return original(wanted)
        if found is None:
            raise metadata.PackageNotFoundError(wanted)
        return found

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(ImportError, match=message):
        load()

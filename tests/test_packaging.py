"""What is given away is whole: the source distribution, the installed package,
versions, `make`."""

import configparser
import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path
from types import ModuleType
from typing import Any, Dict

import pytest
from packaging.specifiers import SpecifierSet
from released import check_documents

import spacy_lal

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "spacy_lal"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def setup_cfg() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf8")
    return parser


def test_installed_package_is_whole():
    if Path(spacy_lal.__file__).resolve().parent == SOURCE:
        pytest.skip("the source tree itself is imported")
    site = (
        Path(spacy_lal.__file__).resolve().parent.parent
    )  # sys.path may lead to another one's metadata
    (found,) = [
        one for one in distributions(path=[str(site)]) if one.name == "spacy-lal"
    ]
    files = {str(path) for path in found.files or []}
    for path in SOURCE.rglob("*"):
        name = str(path.relative_to(ROOT))
        if path.suffix in (".py", ".pyi", ".typed", ".json"):
            assert name in files, name
        if path.suffix == ".pyx":
            assert any(
                re.fullmatch(rf"{name[:-4]}\..*(so|pyd)", file) for file in files
            ), name


def test_an_index_shows_the_readme_with_whole_addresses(
    monkeypatch: pytest.MonkeyPatch,
):
    given: Dict[str, Any] = {}
    builder = ModuleType("Cython.Build")
    builder.cythonize = lambda *args, **options: []
    monkeypatch.setitem(sys.modules, "Cython", ModuleType("Cython"))
    monkeypatch.setitem(sys.modules, "Cython.Build", builder)
    monkeypatch.setattr("setuptools.setup", lambda **options: given.update(options))
    runpy.run_path(str(ROOT / "setup.py"))
    text = given["long_description"]
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", text)
    assert len(links) > 20
    assert [link for _, link in links if not link.startswith(("https://", "#"))] == []
    for is_picture, link in links:
        address, _, path = link.partition("/raw/main/" if is_picture else "/blob/main/")
        if path:
            assert (ROOT / path.partition("#")[0]).exists(), link
    site = "https://github.com/spacy-lal/spacy-lal"
    assert f"({site}/raw/main/docs/pictures/parse.svg)" in text
    assert 'spacy_lal.to_frame([doc], "relations")[columns]' in text


@pytest.mark.slow
def test_source_distribution_is_whole(tmp_path: Path):
    """The names that MANIFEST.in and setup.cfg put into it; nothing is built or
    fetched."""
    copy = tmp_path / "spacy_lal"
    copy.mkdir()
    ignored = shutil.ignore_patterns(
        ".*", "__pycache__", "corpus", "training", "metrics", "project.lock"
    )
    built = shutil.ignore_patterns(".*", "__pycache__")
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, copy)
        elif path.name in (
            "spacy_lal",
            "configs",
            "assets",
            "docs",
            "benchmarks",
            "projects",
            "examples",
            "tests",
        ):
            shutil.copytree(
                path,
                copy / path.name,
                ignore=ignored if path.name == "projects" else built,
            )
    # The extensions' compiler is not needed to list files: egg_info reads the sources'
    # names from setup.py alone.
    (copy / "setup.py").write_text(
        "from setuptools import setup\nsetup()\n", encoding="utf8"
    )
    environment = {**os.environ, "SETUPTOOLS_SCM_IGNORE_VCS_ROOTS": str(copy)}
    subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info"],
        cwd=copy,
        env=environment,
        check=True,
    )
    names = set(
        (next(copy.glob("*.egg-info")) / "SOURCES.txt")
        .read_text(encoding="utf8")
        .splitlines()
    )
    kinds = (".py", ".pyx", ".pxd", ".pyi", ".h", ".json", ".typed")
    wanted = [path for path in (copy / "spacy_lal").rglob("*") if path.suffix in kinds]
    wanted += [path for path in (copy / "projects").rglob("*") if path.is_file()]
    wanted += [
        *(copy / "configs").glob("*.cfg"),
        *(copy / name for name in ("LICENSE", "README.md", "project.yml")),
    ]
    assert {str(path.relative_to(copy)) for path in wanted} <= names
    assert not [
        name for name in names if re.search(r"\.(so|pyd|c|cpp|pyc)$|__pycache__", name)
    ]


def test_versions(setup_cfg: configparser.ConfigParser):
    version = setup_cfg["metadata"]["version"]
    assert version in (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert f"\nversion: {version}\nlicense: MIT\n" in citation
    assert distribution("spacy-lal").version == version
    admitted = SpecifierSet(setup_cfg["options"]["python_requires"])
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf8")
    for python in PYTHONS:
        assert f"{python}.0" in admitted and f'"{python}"' in workflow
        assert f"Python :: {python}\n" in setup_cfg["metadata"]["classifiers"] + "\n"
    assert "3.9.18" not in admitted


def test_actions_are_pinned():
    """A tag can be moved to other code; a commit cannot."""
    folder = ROOT / ".github" / "workflows"
    text = "".join(path.read_text(encoding="utf8") for path in folder.glob("*.yml"))
    used = re.findall(r"uses: (\S+)", text)
    assert len(used) > 10
    assert all(re.search(r"@[0-9a-f]{40}$", one) for one in used)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(
    "text",
    ['It\'s $5: "`ls` $(ls) ${HOME} $$ $@" # b \\ % * ; & |\né 猫', "-x --help", ""],
)
@pytest.mark.parametrize("given_by", ["argument", "environment"])
def test_make_hands_the_text_on_untouched(text: str, given_by: str, tmp_path: Path):
    """The Makefile's own lines for TEXT, with a program that only prints what reached
    it."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    start, end = (
        makefile.index("ifeq ($(origin TEXT)"),
        makefile.index("export TEXT") + len("export TEXT"),
    )
    assert '--text "$$TEXT" --format tree' in makefile
    recipe = 'parse:\n\t@$(PRINTER) --text "$$TEXT" --format tree\n'
    (tmp_path / "Makefile").write_text(
        makefile[start:end] + "\n" + recipe, encoding="utf8"
    )
    (tmp_path / "print.py").write_text(
        "import sys; sys.stdout.buffer.write(sys.argv[2].encode())", encoding="utf8"
    )
    command = ["make", "-s", "parse", f"PRINTER={sys.executable} print.py"]
    environment = {**os.environ, "MAKEFLAGS": "", "MAKELEVEL": ""}
    environment.pop("TEXT", None)
    if given_by == "argument":
        command.append(f"TEXT={text}")
    else:
        environment["TEXT"] = text
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    assert result.stdout.decode() == text


def test_a_clone_that_is_not_compiled_says_what_to_do(tmp_path):
    """Python finds the sources in the current folder before the installed library."""
    folder = ROOT / "spacy_lal"
    left_out = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "*.cpp", "__pycache__")
    shutil.copytree(folder, tmp_path / "spacy_lal", ignore=left_out)
    result = subprocess.run(
        [sys.executable, "-c", "import spacy_lal.decode"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    said = result.stderr.splitlines()[-1]
    assert "spacy_lal.decode.candidate_spans is not compiled" in said
    assert "`make dev`" in said


def test_documents_have_what_their_readers_ask_for():
    check_documents(ROOT)

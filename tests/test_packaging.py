"""What is given away is whole: the source distribution, the installed package, the two commands, the house's files."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution, distributions, requires
from pathlib import Path
from typing import List

import pytest

import spacy_lal

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "spacy_lal"
COMPILED = (
    *(f"decode/{name}" for name in ("cky", "joint", "eisner", "mst", "next_best", "viterbi")),
    *(f"decode/{name}" for name in ("role_spans", "candidate_spans")),
    "layers/scorers/span_hidden",
)


def test_installed_package_has_the_compiled_modules_and_the_marker():
    if Path(spacy_lal.__file__).resolve().parent == SOURCE:
        pytest.skip("installed in editable mode: the source tree itself is imported")
    site = Path(spacy_lal.__file__).resolve().parent.parent  # sys.path may lead to another one's metadata
    (found,) = [one for one in distributions(path=[str(site)]) if one.name == "spacy-lal"]
    files = {str(path) for path in found.files or []}
    assert "spacy_lal/py.typed" in files
    for name in COMPILED:
        assert any(re.fullmatch(rf"spacy_lal/{name}\..*(so|pyd)", file) for file in files), name
    modules = {str(path.relative_to(ROOT)) for path in SOURCE.rglob("*.py")}
    assert modules <= files
    stubs = {str(path.relative_to(ROOT)) for path in SOURCE.rglob("*.pyi")}
    assert stubs <= files


@pytest.fixture(scope="module")
def sdist_names(tmp_path_factory: pytest.TempPathFactory) -> List[str]:
    """The names that MANIFEST.in and setup.cfg put into a source distribution; nothing is built or fetched."""
    pytest.importorskip("setuptools")
    copy = tmp_path_factory.mktemp("sdist") / "spacy_lal"
    copy.mkdir()
    built = shutil.ignore_patterns(".*", "__pycache__")
    made = shutil.ignore_patterns(".*", "__pycache__", "corpus", "training", "metrics", "project.lock")
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, copy)
        elif path.name in ("spacy_lal", "configs", "assets", "docs", "benchmarks", "projects", "tests"):
            shutil.copytree(path, copy / path.name, ignore=made if path.name == "projects" else built)
    # The extensions' compiler is not needed to list files: egg_info reads the sources' names from setup.py alone.
    (copy / "setup.py").write_text("from setuptools import setup\nsetup()\n", encoding="utf8")
    command = [sys.executable, "setup.py", "-q", "egg_info"]
    environment = {**os.environ, "SETUPTOOLS_SCM_IGNORE_VCS_ROOTS": str(copy)}
    result = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    listed = next(copy.glob("*.egg-info")) / "SOURCES.txt"
    return listed.read_text(encoding="utf8").splitlines()


def test_source_distribution_has_every_source(sdist_names: List[str]):
    wanted = [path for path in SOURCE.rglob("*") if path.suffix in (".py", ".pyx", ".pxd", ".pyi", ".h")]
    wanted += [SOURCE / "py.typed", *(ROOT / "configs").glob("*.cfg")]
    wanted += [ROOT / name for name in ("LICENSE", "README.md", "CHANGELOG.md", "project.yml", "constraints.txt")]
    assert {str(path.relative_to(ROOT)) for path in wanted} <= set(sdist_names)


def test_source_distribution_has_the_projects(sdist_names: List[str]):
    files = {path for path in (ROOT / "projects").rglob("*") if path.is_file()}
    made = re.compile(r"^projects/\w+/(corpus|training|metrics|project\.lock)|__pycache__")
    wanted = {str(path.relative_to(ROOT)) for path in files}
    assert {name for name in wanted if not made.search(name)} <= set(sdist_names)


def test_source_distribution_has_nothing_built(sdist_names: List[str]):
    assert not [name for name in sdist_names if re.search(r"\.(so|pyd|c|cpp|pyc)$|__pycache__", name)]


def test_constraints_pin_what_setup_cfg_asks_for():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    pinned = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) for name in pinned), "names in their normal form"
    for requirement in requires("spacy-lal") or []:
        if "extra ==" not in requirement or 'extra == "test"' in requirement:
            name = re.match(r"[A-Za-z0-9._-]+", requirement).group(0)  # type: ignore[union-attr]
            assert re.sub(r"[-_.]+", "-", name).lower() in pinned, name


def test_version_is_told_once():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf8")
    version = parser["metadata"]["version"]
    assert version in (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    assert distribution("spacy-lal").version == version


def test_ci_calls_make_test():
    script = ROOT / ".ci" / "run"
    assert "make test" in script.read_text(encoding="utf8")
    assert os.access(script, os.X_OK)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(
    "text",
    [
        "It's $5.",
        'He said "no".',
        "`ls` $(ls) ${HOME} $$ $@",
        "one\ntwo",
        "",
        "-x --help",
        "a # b \\ % * ; & |",
        "é 猫 🐈",
    ],
)
@pytest.mark.parametrize("given_by", ["argument", "environment"])
def test_make_hands_the_text_on_untouched(text: str, given_by: str, tmp_path: Path):
    """The Makefile's own lines for TEXT, with a program that only prints what reached it."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    start, end = makefile.index("ifeq ($(origin TEXT)"), makefile.index("export TEXT") + len("export TEXT")
    recipe = 'parse:\n\t@$(PRINTER) --text "$$TEXT" --format tree\n'
    (tmp_path / "Makefile").write_text(makefile[start:end] + "\n" + recipe, encoding="utf8")
    assert '--text "$$TEXT" --format tree' in makefile
    (tmp_path / "print.py").write_text("import sys; sys.stdout.buffer.write(sys.argv[2].encode())", encoding="utf8")
    command = ["make", "-s", "parse", f"PRINTER={sys.executable} print.py"]
    environment = {**os.environ, "MAKEFLAGS": "", "MAKELEVEL": ""}
    environment.pop("TEXT", None)
    if given_by == "argument":
        command.append(f"TEXT={text}")
    else:
        environment["TEXT"] = text
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.decode() == text

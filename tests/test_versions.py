"""The versions of Python and of libraries that setup.cfg admits, and what guards their differences."""

import ast
import configparser
import re
from pathlib import Path
from typing import Dict, List, Set

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# Modules and names that transformers 4 has and transformers 5 dropped or moved.
DROPPED_BY_TRANSFORMERS_5 = {
    "transformers.file_utils",
    "transformers.tokenization_utils_fast",
    "transformers.convert_slow_tokenizer",
    "transformers.XLNetTokenizerFast",
    "transformers.BertTokenizerFast",
}


@pytest.fixture(scope="module")
def setup_cfg() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf8")
    return parser


def lines(text: str) -> List[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_each_python_is_admitted_and_named(setup_cfg):
    admitted = SpecifierSet(setup_cfg["options"]["python_requires"])
    classifiers = lines(setup_cfg["metadata"]["classifiers"])
    named = {line.rsplit(" ", 1)[-1] for line in classifiers if re.search(r":: 3\.\d+$", line)}
    assert named == set(PYTHONS)
    assert all(f"{version}.0" in admitted for version in PYTHONS) and "3.9.18" not in admitted
    assert "%(version)s" not in "".join(classifiers)


def test_workflows_and_makefile_try_each_python():
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf8")
    assert all(f'"{version}"' in workflow for version in PYTHONS)
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    assert " ".join(PYTHONS) in makefile


def test_links_of_the_project(setup_cfg):
    links = dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines(setup_cfg["metadata"]["project_urls"]))
    assert {"Documentation", "Source", "Tracker", "Changelog"} <= set(links)
    assert all(link.startswith(setup_cfg["metadata"]["url"]) for link in links.values())


def test_ranges_admit_what_is_known_to_work(setup_cfg):
    ranges: Dict[str, SpecifierSet] = {}
    for line in lines(setup_cfg["options"]["install_requires"]):
        requirement = Requirement(line)
        ranges[requirement.name] = requirement.specifier
    for name, versions in {
        "spacy": ("3.8.18",),
        "spacy-transformers": ("1.3.5", "1.4.0", "2.0.0"),
        "thinc": ("8.3.14",),
        "torch": ("2.13.0", "2.14.1", "2.15.0"),
        "numpy": ("1.26.4", "2.2.6", "2.5.5"),
    }.items():
        assert all(version in ranges[name] for version in versions), name
    assert "2.1.0" not in ranges["spacy-transformers"] and "3.9.0" not in ranges["spacy"]


def imported(path: Path) -> Set[str]:
    names: Set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
    return names


def test_nothing_that_transformers_5_dropped_is_imported():
    files = [*(ROOT / "spacy_lal").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    assert len(files) > 300
    wrong = {
        str(path.relative_to(ROOT)): found for path in files if (found := imported(path) & DROPPED_BY_TRANSFORMERS_5)
    }
    assert not wrong

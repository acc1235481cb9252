"""Figures of speed are those of the pipeline that is shipped: the pages that show them name its version."""

import re
from pathlib import Path
from typing import List, Tuple

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ("benchmarks/README.md", "docs/how_to/speed.md")
VERSION = re.compile(r"\b(\d+)\.(\d+)\.(\d+)\b")
NAMED = re.compile(r"`?en_lal_md`?(?: of)? ((?:\d+\.\d+\.\d+)(?:, whose weights \d+\.\d+\.\d+)?)")


def as_numbers(text: str) -> List[Tuple[int, ...]]:
    """All versions in a text."""
    return [tuple(map(int, found)) for found in VERSION.findall(text)]


def shipped() -> Tuple[int, ...]:
    """The version of the newest package."""
    return max(as_numbers(path.name)[0] for path in (ROOT / "packages").glob("en_lal_md-*"))


def newest_figures(page: str) -> Tuple[int, ...]:
    """The newest version of the pipeline that a page names."""
    text = " ".join((ROOT / page).read_text(encoding="utf8").split())
    return max(version for named in NAMED.findall(text) for version in as_numbers(named))


@pytest.mark.parametrize("page", PAGES)
def test_figures_are_of_the_version_that_is_shipped(page: str):
    assert newest_figures(page) == shipped(), f"{page}: measure again with the newest package, and name its version"


@pytest.mark.parametrize("page", PAGES)
def test_each_section_with_figures_says_what_they_are_of(page: str):
    text = (ROOT / page).read_text(encoding="utf8")
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        if re.search(r"^\|.*\d", section, flags=re.MULTILINE):
            title = section.splitlines()[0]
            assert NAMED.search(" ".join(section.split())) or "commit" in section, f"{page}, {title}: of which version?"

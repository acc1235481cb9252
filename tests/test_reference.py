"""The pages of docs/reference/ that come from the code are the code's: `python docs/build_reference.py` writes them."""

from pathlib import Path

import pytest
from benchmark_programs import import_file

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("config.md", "commands.md", "getters.md", "scores.md", "labels.md")


@pytest.fixture(scope="module")
def reference():
    return import_file(ROOT / "docs" / "build_reference.py")


@pytest.fixture(scope="module")
def pages(reference):
    return reference.pages()


@pytest.mark.parametrize("name", NAMES)
def test_page_is_current(name: str, pages):
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf8") == pages[name]


def test_no_page_is_left_out(pages):
    assert set(pages) == set(NAMES)


def test_each_registered_name_has_a_section(reference, pages):
    names = [name for _, name, _ in reference.entry_points()]
    assert len(names) > 40
    assert [name for name in names if f"### {name}\n" not in pages["config.md"]] == []


def test_the_scorers_give_the_scores_of_the_page(reference):
    from spacy_lal.pipeline.scorers import score_parses, score_roles

    assert {*score_parses([]), *score_roles([])} == {*reference.SCORES}


def test_a_docstring_is_read(reference):
    text = """Build a thing.

    Its second paragraph: more.

    size, width (int): Two sizes,
        in units.
    rest: As elsewhere.
    RETURNS (int): Something.
    RAISES (ValueError): One is negative.
    """
    prose, options, errors = reference.doc_parts(text, ["rest"])
    assert prose == "Build a thing.\n\nIts second paragraph: more."
    assert options == {
        "size": ("int", "Two sizes, in units."),
        "width": ("int", "Two sizes, in units."),
        "rest": ("", "As elsewhere."),
    }
    assert errors == "(ValueError): One is negative."


def test_the_command_line_is_what_help_says(pages):
    assert "| `--headless` | `no` | Don't open a browser |" in pages["commands.md"]
    assert "lal heads" not in pages["commands.md"], "hidden"

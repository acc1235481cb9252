"""The pages of docs/reference/ that come from the code are the code's: `python
docs/build_reference.py` writes them."""

import re
from pathlib import Path

from benchmark_programs import import_file

ROOT = Path(__file__).resolve().parent.parent
NAMES = {
    "config.md",
    "commands.md",
    "getters.md",
    "scores.md",
    "labels.md",
    "functions.md",
    "models.md",
}


def test_pages_are_current():
    reference = import_file(ROOT / "docs" / "build_reference.py")
    pages = reference.pages()
    assert set(pages) == NAMES
    old = [
        name
        for name in NAMES
        if (ROOT / "docs" / "reference" / name).read_text(encoding="utf8")
        != pages[name]
    ]
    assert not old, "run python docs/build_reference.py"
    names = [name for _, name, _ in reference.entry_points()]
    assert [name for name in names if f"### {name}\n" not in pages["config.md"]] == []


def test_what_the_pages_import_is_described():
    """Of modules of ours that pages import from, each function and class."""
    described = re.split(r"^## ", page("functions.md"), flags=re.M)
    known = {
        (section.split("\n")[0], name)
        for section in described
        for name in re.findall(r"^### (\w+)$", section, re.M)
    }
    texts = [path.read_text(encoding="utf8") for path in (ROOT / "docs").rglob("*.md")]
    imported = {
        (module, name.strip())
        for text in [*texts, (ROOT / "README.md").read_text(encoding="utf8")]
        for module, names in re.findall(
            r"^from (spacy_lal[\w.]*) import (.+)$", text, re.M
        )
        for name in names.strip("()").split(",")
        if name.strip() not in ("", "interpret")
    }
    assert ("spacy_lal.annotations", "simplify") in imported
    assert imported - known == set()


def test_the_table_of_commands_has_all():
    usage = (ROOT / "docs" / "how_to" / "command_line.md").read_text(encoding="utf8")
    table = usage.split("| command | gives |")[1].split("\n\n")[0]
    named = set(re.findall(r"`([a-z-]+)`", table))
    commands = set(re.findall(r"^## lal (\S+)$", page("commands.md"), re.M))
    assert commands == named


def page(name: str) -> str:
    """The text of a page of the reference."""
    return (ROOT / "docs" / "reference" / name).read_text(encoding="utf8")

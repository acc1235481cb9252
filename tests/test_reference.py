"""The pages of docs/reference/ that come from the code are the code's: `python
docs/build_reference.py` writes them."""

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

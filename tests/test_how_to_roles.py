"""docs/how_to/roles.md: its Python blocks run on the bundled pipeline, and print what
the page says. A checkout without packages/en_lal_md-* has nothing to test here."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "how_to" / "roles.md"
BLOCKS = re.compile(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", re.DOTALL)
__test__ = any((ROOT / "packages").glob("en_lal_md-*"))  # what pytest asks a module


def blocks() -> List[Tuple[str, str]]:
    return BLOCKS.findall(PAGE.read_text(encoding="utf8"))


def test_the_page_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    names: Dict[str, Any] = {}
    found = blocks()
    assert len(found) == 11 and sum(bool(output) for _, output in found) == 9
    for code, output in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue() == output, code
    assert names["html"].startswith("<!DOCTYPE html>") and "ARG2" in names["html"]

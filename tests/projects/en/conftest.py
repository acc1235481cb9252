"""The scripts as modules, and lists of checksums for what tests expect of them."""

import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Callable, Dict

import pytest

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "en" / "scripts"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import one of the scripts by name, from the folder that `python scripts/...`
    would put first."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    for path in SCRIPTS.glob("*.py"):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return importlib.import_module


@pytest.fixture
def expect(
    script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, Dict[str, str]], None]:
    """Put a list of checksums in the place of the real one: those of the files that a
    test expects of a treebank."""

    def put(name: str, files: Dict[str, str]) -> None:
        lines = [
            f"{hashlib.sha256(text.encode('utf8')).hexdigest()}  {name}/{file}\n"
            for file, text in files.items()
        ]
        path = tmp_path / "expected.sha256"
        path.write_text("".join(lines), encoding="utf8")
        monkeypatch.setattr(script("treebank"), "CHECKSUMS", path)

    return put

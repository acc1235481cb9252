"""Every program of `benchmarks` and of the projects starts: its imports are there, and
`--help` says how to call it."""

import runpy
import sys
from pathlib import Path

import pytest
import torch
from benchmark_programs import program

ROOT = Path(__file__).resolve().parent.parent
FILES = [
    *ROOT.glob("benchmarks/*.py"),
    *ROOT.glob("benchmarks/*/*.py"),
    *ROOT.glob("projects/*/scripts/*.py"),
]
TEXTS = {path: path.read_text(encoding="utf8") for path in sorted(FILES)}
PROGRAMS = [
    path
    for path, text in TEXTS.items()
    if "__main__" in text and ("ArgumentParser(" in text or "    run(main)" in text)
]


@pytest.mark.parametrize(
    "path", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_help(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    for other in ROOT.glob("projects/*/scripts/*.py"):
        monkeypatch.delitem(sys.modules, other.stem, raising=False)
    # A training asks for products in bfloat16, for the whole process.
    monkeypatch.setattr(torch, "set_float32_matmul_precision", lambda precision: None)
    monkeypatch.syspath_prepend(str(path.parent))
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with (
        program("speed"),
        pytest.raises(SystemExit, match="^0$"),
    ):  # modules beside it are found in this block
        runpy.run_path(str(path), run_name="__main__")
    assert path.name in capsys.readouterr().out

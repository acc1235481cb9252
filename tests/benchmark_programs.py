"""The programs of `benchmarks`, for tests that run them."""

import importlib.util
import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Iterator

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
ROOMS = {path.parent.name for path in BENCHMARKS.glob("*/__init__.py")}


def import_file(path: Path) -> ModuleType:
    """A module of `benchmarks` that imports none of the others."""
    spec = importlib.util.spec_from_file_location(f"benchmarks_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = (
        module  # where dataclasses and NamedTuple look for their types
    )
    spec.loader.exec_module(module)
    return module


@contextmanager
def program(name: str) -> Iterator[ModuleType]:
    """The program `benchmarks/NAME.py`. Within the block, modules of the folders beside
    it can be imported.

    Some folders of the tests have the same names (`interpret`): their modules are put
    aside, and put back."""
    theirs = _pop_rooms()
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield import_file(BENCHMARKS / f"{name}.py")
    finally:
        sys.path.remove(str(BENCHMARKS))
        _pop_rooms()
        sys.modules.update(theirs)


def _pop_rooms() -> dict:
    names = [name for name in sys.modules if name.partition(".")[0] in ROOMS]
    return {name: sys.modules.pop(name) for name in names}

"""The fuzzers of `benchmarks/fuzzing`, for tests that run them with few cases."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Callable, Iterator, List

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """All of them are slow: `make test-all`."""
    for item in items:
        if item.path.parent == Path(__file__).resolve().parent:
            item.add_marker("slow")


@pytest.fixture(scope="session")
def fuzzer() -> Iterator[Callable[[str], ModuleType]]:
    """`fuzzer("threads")` is the module `fuzzing.threads`. Only that package is left in
    `sys.modules`, no folder on `sys.path`: other tests have modules of the names that
    lie in benchmarks."""

    def load(subject: str) -> ModuleType:
        sys.path.insert(0, str(BENCHMARKS))
        try:
            return importlib.import_module(f"fuzzing.{subject}")
        finally:
            sys.path.remove(str(BENCHMARKS))

    yield load
    for name in [
        name for name in sys.modules if name == "fuzzing" or name.startswith("fuzzing.")
    ]:
        del sys.modules[name]

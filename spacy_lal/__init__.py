"""Constituency and dependency trees from one joint model, as a spaCy component.

Importing this package registers nothing and loads nothing heavy: spaCy finds
`lal_parser` and everything that its config names through the entry points in
`setup.cfg`. The functions below load their modules when they are first used."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

try:
    __version__ = version("spacy-lal")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["__version__", "explain", "search_trees", "to_frame", "to_rows"]


def __getattr__(name: str) -> Any:
    if name == "explain":
        from .lang import explain

        return explain
    if name == "search_trees":
        from .search import search_trees

        return search_trees
    if name in ("to_frame", "to_rows"):
        from . import tables

        return getattr(tables, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

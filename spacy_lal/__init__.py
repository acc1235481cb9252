"""Constituency and dependency trees from one joint model, as a spaCy component.

Importing this package registers nothing and loads nothing heavy: spaCy finds
`lal_parser` and everything that its config names through the entry points in
`setup.cfg`. The functions below load their modules when they are first used."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, List

try:
    __version__ = version("spacy-lal")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

_MODULES = {
    "explain": ".lang",
    "search_trees": ".search",
    "to_frame": ".tables",
    "to_rows": ".tables",
}
__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})

"""Constituency and dependency trees from one joint model, as a spaCy component.

Importing this package registers nothing and loads nothing heavy: spaCy finds `lal_parser` and everything that its
config names through the entry points in `setup.cfg`.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("spacy-lal")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["__version__"]

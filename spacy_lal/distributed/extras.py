"""Libraries that are only installed for parsing on a cluster."""

from importlib import import_module
from typing import Any


def import_extra(module: str, extra: str) -> Any:
    """Import a library that one of our extras installs.

    module (str): The module's full name.
    extra (str): The extra's name in setup.cfg.
    RETURNS (ModuleType): The module.
    RAISES (ImportError): It is not installed; the message names the extra.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as err:
        raise ImportError(f"{module} needs {err.name}, not installed here: pip install 'spacy-lal[{extra}]'") from err

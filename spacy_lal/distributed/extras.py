"""Libraries that only those install who parse on a cluster."""

from importlib import import_module
from typing import Any


def import_extra(module: str, extra: str) -> Any:
    """Import a library that an extra of ours brings.

    module (str): The module's full name.
    extra (str): The extra, as it stands in setup.cfg.
    RETURNS (ModuleType): The module.
    RAISES (ImportError): It is not installed; the message names the extra.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as err:
        raise ImportError(f"{module} needs {err.name}, not installed here: pip install 'spacy-lal[{extra}]'") from err

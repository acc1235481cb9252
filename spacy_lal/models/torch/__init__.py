"""Networks in torch: what learns, and what runs on a GPU. torch itself is imported when
a network is made, but by `transformer.py`."""

from typing import Any

TRAIN = "pip install 'spacy-lal[train]'"


def require_torch() -> Any:
    """The module torch.

    RAISES (ValueError): It is missing."""
    try:
        import torch
    except ImportError as error:
        raise ValueError(
            f"this network needs torch, which is missing: {TRAIN}"
        ) from error
    return torch

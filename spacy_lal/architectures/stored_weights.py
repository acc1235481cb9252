"""Checks of a torch network's stored weights, which our shims make when they load. *Not* here: the files of the weights
(`pipeline/storage.py`), and weights without a torch network."""

import zipfile
from io import BytesIO
from typing import Mapping

import torch
from torch import Tensor


def check_archive(state: bytes, owner: str) -> None:
    """Check that no byte of an archive has changed: `torch.save` writes a CRC-32 of each weight, but `torch.load`
    ignores it.

    state (bytes): As written by `torch.save`; a format older than archives is not checked.
    owner (str): The owner of the weights, for the message.
    RAISES (ValueError): The content of a weight has changed since it was saved.
    """
    buffer = BytesIO(state)
    if not zipfile.is_zipfile(buffer):
        return
    try:
        damaged = zipfile.ZipFile(buffer).testzip()
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as err:
        damaged = str(err)
    if damaged is not None:
        raise ValueError(
            f"The stored weights of {owner} are damaged: what was saved had another checksum ({damaged}). Copy or "
            "install the pipeline again"
        )


def check_finite(weights: Mapping[str, Tensor], owner: str) -> None:
    """Check that all weights are finite numbers.

    weights (Mapping[str, Tensor]): A state dict.
    owner (str): The owner of the weights, for the message.
    RAISES (ValueError): A weight is NaN or infinite.
    """
    for name, weight in weights.items():
        if not weight.is_floating_point() or not weight.numel():
            continue
        bounds = torch.stack(torch.aminmax(weight))  # NaN if any is; ten times as fast as a test of each
        if not bool(torch.isfinite(bounds).all()):
            count = int((~torch.isfinite(weight)).sum())
            raise ValueError(
                f"The stored weights of {owner} are no numbers: {count:,} of the {weight.numel():,} of {name} are NaN "
                "or infinite. Copy or install the pipeline again; where it was trained so, train it again"
            )

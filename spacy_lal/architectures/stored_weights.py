"""Are a torch network's stored weights those that were saved? Asked by our shims when they load. *Not* here: which file
they come from (`pipeline/storage.py`), weights that are no torch network's."""

import zipfile
from io import BytesIO
from typing import Mapping

import torch
from torch import Tensor


def check_archive(state: bytes, owner: str) -> None:
    """See that no byte of an archive has changed: `torch.save` writes a CRC-32 of each weight, `torch.load` does not
    look at it.

    state (bytes): As `torch.save` wrote it; of a format older than archives, nothing is known.
    owner (str): Whose weights they are, for the message.
    RAISES (ValueError): The content of a weight is not what was saved.
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
    """See that all weights are numbers.

    weights (Mapping[str, Tensor]): A state dict.
    owner (str): Whose weights they are, for the message.
    RAISES (ValueError): One is NaN or infinite.
    """
    for name, weight in weights.items():
        if not weight.is_floating_point() or not weight.numel():
            continue
        bounds = torch.stack(torch.aminmax(weight))  # NaN where there is one; ten times as fast as to look at each
        if not bool(torch.isfinite(bounds).all()):
            count = int((~torch.isfinite(weight)).sum())
            raise ValueError(
                f"The stored weights of {owner} are no numbers: {count:,} of the {weight.numel():,} of {name} are NaN "
                "or infinite. Copy or install the pipeline again; where it was trained so, train it again"
            )

"""Checks of a torch network's stored weights, which our shims make when they load. *Not* here: the files of the weights
(`pipeline/storage.py`), and weights without a torch network."""

import zipfile
import zlib
from io import BytesIO
from typing import Any, Dict, Mapping

import srsly
import torch
from torch import Tensor

_CHECKSUM = "spacy_lal_crc32"  # our entry beside the weights; readers of other libraries ignore it


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
        raise _damaged(owner, damaged)


def with_checksum(message: bytes) -> bytes:
    """Add a CRC-32 of the weights to a stored shim whose format has none.

    `torch.save` (spacy-transformers 1.x) writes checksums itself, safetensors (2.0) does not.

    message (bytes): As a shim's `to_bytes` wrote it: msgpack, with the weights as `state`.
    RETURNS (bytes): The same, with a checksum where one is needed.
    """
    content: Dict[str, Any] = srsly.msgpack_loads(message)
    if not content["state"] or zipfile.is_zipfile(BytesIO(content["state"])):
        return message
    return srsly.msgpack_dumps({**content, _CHECKSUM: zlib.crc32(content["state"])})


def check_message(message: Mapping[str, Any], owner: str) -> None:
    """Check the weights of a stored shim, by the checksums of `torch.save` or of `with_checksum`.

    message (Mapping[str, Any]): The shim's content, with the weights as `state`; empty where it has no module yet.
    owner (str): The owner of the weights, for the message.
    RAISES (ValueError): As for `check_archive`.
    """
    if not message["state"]:
        return
    check_archive(message["state"], owner)
    expected = message.get(_CHECKSUM)
    if expected is not None and zlib.crc32(message["state"]) != expected:
        raise _damaged(owner, f"CRC-32 {expected:08x} expected, {zlib.crc32(message['state']):08x} found")


def read_state(state: bytes) -> Dict[str, Tensor]:
    """Read a state dict in either format that transformers are stored in: `torch.save` or safetensors.

    state (bytes): As stored.
    RETURNS (Dict[str, Tensor]): The weights by name, on the CPU.
    """
    buffer = BytesIO(state)
    if zipfile.is_zipfile(buffer) or not _is_safetensors(state):
        buffer.seek(0)
        return torch.load(buffer, map_location="cpu", weights_only=True)
    from safetensors.torch import load

    return load(state)


def _is_safetensors(state: bytes) -> bool:
    """Does a file begin like safetensors: the length of a JSON header, then the header?"""
    return len(state) > 8 and int.from_bytes(state[:8], "little") <= len(state) - 8 and state[8:9] == b"{"


def _damaged(owner: str, how: str) -> ValueError:
    return ValueError(
        f"The stored weights of {owner} are damaged: what was saved had another checksum ({how}). Copy or "
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

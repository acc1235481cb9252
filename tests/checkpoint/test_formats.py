"""What `torch.save` writes is read as `torch.load` reads it, in both formats; whatever else lies there is named."""

import collections
import io
import os
import tarfile
import zipfile

import numpy
import pytest
import torch
from checkpoint_files import (
    VOCABULARIES,
    checkpoint,
    pickled,
    reference_vocabulary,
    storage,
    tensor,
    write_legacy,
    write_zip,
)

from spacy_lal.checkpoint.reader import CheckpointError, read_checkpoint

BOTH = pytest.mark.parametrize("new_format", [True, False])
DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")


class SavedVocabulary:
    def __init__(self, values):
        self.values = values
        self.counts = collections.defaultdict(int, dict.fromkeys(values, 2))


def save(path, state_dict, hparams=None, new_format=True):
    spec = {**{key: SavedVocabulary(["a", ("b", "c")]) for key in VOCABULARIES}, "hparams": hparams or {}}
    with reference_vocabulary(SavedVocabulary):
        torch.save({"spec": spec, "state_dict": state_dict}, path, _use_new_zipfile_serialization=new_format)
    return path


@BOTH
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(tmp_path, new_format, dtype):
    values = (torch.arange(12).reshape(3, 4) % 3 - 1).to(getattr(torch, dtype))
    state = read_checkpoint(save(tmp_path / "x.pt", {"w": values}, new_format=new_format)).state_dict
    assert state["w"].dtype == values.dtype and torch.equal(state["w"], values)


@BOTH
def test_views_shared_storages_and_parameters(tmp_path, new_format):
    base = torch.arange(24.0).reshape(4, 6)
    state = {
        "whole": base, "transposed": base.T, "part": base[1:3, ::2], "again": base, "scalar": torch.tensor(3.5),
        "empty": torch.zeros(0), "parameter": torch.nn.Parameter(torch.ones(2, 3)),
    }  # fmt: skip
    found = read_checkpoint(save(tmp_path / "x.pt", state, new_format=new_format)).state_dict
    assert found.keys() == state.keys()
    for key, value in state.items():
        assert torch.equal(found[key], value) and found[key].shape == value.shape, key
    assert found["whole"].data_ptr() == found["transposed"].data_ptr() == found["again"].data_ptr()
    assert not found["parameter"].requires_grad


@BOTH
def test_a_module_with_metadata_and_the_kinds_of_hparams(tmp_path, new_format):
    network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.LayerNorm(2))
    scalars = {
        "f8": numpy.float64(8e-4), "f4": numpy.float32(0.5), "i8": numpy.int64(-7), "u1": numpy.uint8(200),
        "b1": numpy.bool_(True), "f2": numpy.float16(1.5),
    }  # fmt: skip
    hparams = {**scalars, "none": None, "int": 2**40, "text": "a\u00e9\U0001f600", "list": [1, (2, 3)], "flag": False}
    found = read_checkpoint(save(tmp_path / "x.pt", network.state_dict(), hparams, new_format))
    assert found.hparams == hparams and type(found.hparams["f8"]) is float and type(found.hparams["b1"]) is bool
    assert all(torch.equal(found.state_dict[key], value) for key, value in network.state_dict().items())
    assert found.vocabularies["tag_vocab"].values == ["a", ("b", "c")]
    assert found.vocabularies["tag_vocab"].counts == {"a": 2, ("b", "c"): 2}


@BOTH
def test_a_large_vocabulary(tmp_path, new_format):
    words = [f"word{i}" for i in range(5_000)]
    with reference_vocabulary(SavedVocabulary):
        spec = {**{key: SavedVocabulary(words) for key in VOCABULARIES}, "hparams": {}}
        torch.save({"spec": spec, "state_dict": {}}, tmp_path / "x.pt", _use_new_zipfile_serialization=new_format)
    assert read_checkpoint(tmp_path / "x.pt").vocabularies["word_vocab"].values == words


@BOTH
def test_files_made_by_hand_are_read(tmp_path, new_format):
    """So the refusals in `test_hostile_files.py` are for what these files hold."""
    pickle = pickled(checkpoint(state_dict={"w": tensor(storage("0", 2), (2,), (1,))}))
    data = torch.tensor([1.0, 2.0]).numpy().tobytes()
    if new_format:
        path = write_zip(tmp_path / "x.pt", pickle, [("0", data)])
    else:
        path = write_legacy(tmp_path / "x.pt", pickle, [("0", 2, data)])
    assert torch.equal(read_checkpoint(path).state_dict["w"], torch.tensor([1.0, 2.0]))


@BOTH
def test_big_endian_files_are_refused(tmp_path, new_format):
    pickle = pickled(checkpoint())
    if new_format:
        path = write_zip(tmp_path / "x.pt", pickle, more=[("archive/byteorder", b"big")])
    else:
        path = write_legacy(tmp_path / "x.pt", pickle, little_endian=False)
    with pytest.raises(CheckpointError, match="x.pt: its numbers are not in little-endian byte order"):
        read_checkpoint(path)


@BOTH
def test_a_file_cut_anywhere_is_an_error(tmp_path, new_format):
    path = save(tmp_path / "x.pt", {"w": torch.arange(10.0)}, new_format=new_format)
    data = path.read_bytes()
    for end in range(0, len(data), 11):
        path.write_bytes(data[:end])
        with pytest.raises(CheckpointError, match="x.pt: "):
            read_checkpoint(path)


def test_a_damaged_storage_is_an_error(tmp_path):
    path = save(tmp_path / "x.pt", {"w": torch.full((100,), 7.25)})
    data = path.read_bytes()
    one = torch.tensor(7.25).numpy().tobytes()
    path.write_bytes(data.replace(one * 3, one + b"\0\0\0\0" + one, 1))
    with pytest.raises(CheckpointError, match="not a readable checkpoint .*Bad CRC-32"):
        read_checkpoint(path)


def test_other_kinds_of_files_are_called_what_they_are(tmp_path):
    for path, message in [
        (tmp_path, "a folder: expected a file"),
        (tmp_path / "pipe", "a pipe: expected a file"),
        (tmp_path / "empty", "an empty file"),
        (tmp_path / "tar", "a tar archive"),
        (tmp_path / "pickle", "in neither of the two formats"),
        (tmp_path / "script", "a TorchScript archive"),
        (tmp_path / "zip", "a zip archive with 0 entries FOLDER/data.pkl"),
    ]:
        if path.name == "pipe":
            os.mkfifo(path)
        elif path.name == "tar":
            with tarfile.open(path, "w") as archive:
                archive.addfile(tarfile.TarInfo("storages"), io.BytesIO(b""))
        elif path.name == "pickle":
            path.write_bytes(pickled(checkpoint()))
        elif path.name in ("script", "zip"):
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("a/constants.pkl" if path.name == "script" else "a/readme", b"")
        elif path.name == "empty":
            path.write_bytes(b"")
        with pytest.raises(CheckpointError) as raised:
            read_checkpoint(path)
        assert str(raised.value).startswith(f"{path}: ") and message in str(raised.value)

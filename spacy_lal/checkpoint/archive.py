"""The two file formats of `torch.save`: a zip archive, and before torch 1.6 a sequence of pickles and storages.

Both yield the saved object, with records in place of tensors, and access to the bytes of each storage. Every declared
size is compared with the actual bytes before anything is allocated.
"""

import io
import zipfile
from pathlib import Path
from typing import Any, BinaryIO, Dict, List, Mapping, Protocol

import torch
from torch import Tensor

from .records import CheckpointError, StorageRecord, TensorRecord, item_size, quoted
from .unpickler import MAX_PICKLE_BYTES, BoundedFile, load_pickle

ZIP_MAGIC = b"PK\x03\x04"
LEGACY_MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # a pickle of torch's magic number
LEGACY_PROTOCOL = b"\x80\x02M\xe9\x03."  # a pickle of 1001
TAR_MAGIC = b"ustar"
TAR_MAGIC_PLACE = 257
MAX_ENTRIES = 50_000
MAX_DIRECTORY_BYTES = 8 * 2**20  # of a zip archive
READ_SIZE = 2**20
LENGTH_BYTES = 8  # before each storage of the legacy format


class Archive(Protocol):
    """An open checkpoint file.

    content (Any): The saved object.
    """

    content: Any

    def read_into(self, storage: StorageRecord, buffer: memoryview) -> None:
        """Fill a buffer of the storage's size with its bytes."""


class ZipArchive:
    """The format since torch 1.6: FOLDER/data.pkl, and each storage as FOLDER/data/KEY.

    file (BinaryIO): The file.
    size (int): Its size in bytes.
    RAISES (CheckpointError): The archive is not as torch writes it.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        bounded: Any = BoundedFile(file, size, MAX_DIRECTORY_BYTES)
        self._zip = zipfile.ZipFile(bounded)
        entries = self._zip.infolist()
        _check_entries(entries, size)
        self._entries = {entry.filename: entry for entry in entries}
        pickles = [name for name in self._entries if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(self._entries) < len(entries) or len(pickles) != 1:
            raise CheckpointError(
                f"a zip archive with {len(pickles)} entries FOLDER/data.pkl, and {len(entries) - len(self._entries)} "
                "names given twice: expected one pickle, and different names"
            )
        self._folder = pickles[0][: -len("data.pkl")]
        order = self._entries.get(f"{self._folder}byteorder")
        if order is not None and (order.file_size != len("little") or self._read(order) != b"little"):
            raise CheckpointError("its numbers are not in little-endian byte order")
        storages: Dict[str, StorageRecord] = {}
        entry = self._entries[pickles[0]]
        if entry.file_size > MAX_PICKLE_BYTES:
            raise CheckpointError(f"its pickle has {entry.file_size} bytes: expected at most {MAX_PICKLE_BYTES}")
        self.content = load_pickle(BoundedFile(io.BytesIO(self._read(entry)), entry.file_size), storages, size)
        for storage in storages.values():
            self._entry(storage)

    def _read(self, entry: zipfile.ZipInfo) -> bytearray:
        buffer = bytearray(entry.file_size)
        self._read_entry(entry, memoryview(buffer))
        return buffer

    def _read_entry(self, entry: zipfile.ZipInfo, buffer: memoryview) -> None:
        """Fill a buffer of the entry's size; zipfile checks the checksum at the end."""
        with self._zip.open(entry) as file:
            _fill(file, buffer)

    def _entry(self, storage: StorageRecord) -> zipfile.ZipInfo:
        entry = self._entries.get(f"{self._folder}data/{storage.key}")
        if entry is None or entry.file_size != storage.n_bytes:
            found = "is missing" if entry is None else f"has {entry.file_size} bytes"
            raise CheckpointError(f"the storage {quoted(storage.key)} {found}: expected {storage.n_bytes} bytes")
        return entry

    def read_into(self, storage: StorageRecord, buffer: memoryview) -> None:
        """Fill a buffer of the storage's size with its bytes, and check their checksum."""
        self._read_entry(self._entry(storage), buffer)


def _check_entries(entries: List[zipfile.ZipInfo], size: int) -> None:
    """Refuse an archive whose entries are not plain bytes of the file itself."""
    if any(entry.filename.rsplit("/", 1)[-1] == "constants.pkl" for entry in entries):
        raise CheckpointError("a TorchScript archive, not a checkpoint of the reference parser")
    if len(entries) > MAX_ENTRIES:
        raise CheckpointError(f"a zip archive with {len(entries)} entries: expected at most {MAX_ENTRIES}")
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size or entry.flag_bits & 1:
            raise CheckpointError(
                f"the entry {quoted(entry.filename)} of the zip archive is compressed or encrypted: torch.save stores "
                "entries as they are"
            )
    total = sum(entry.file_size for entry in entries)
    if total > size:
        raise CheckpointError(f"the entries of the zip archive have {total} bytes, but the file has {size}")


class LegacyArchive:
    """The format before torch 1.6: pickles of a magic number, a version, the machine, the object and the keys of its
    storages, then for each key a length and the bytes.

    file (BinaryIO): The file.
    size (int): Its size in bytes.
    RAISES (CheckpointError): The file is not as torch writes it.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        bounded = BoundedFile(file, size)
        if bounded.read(len(LEGACY_MAGIC + LEGACY_PROTOCOL)) != LEGACY_MAGIC + LEGACY_PROTOCOL:
            raise CheckpointError("not a readable checkpoint: in neither of the two formats of torch.save")
        machine = load_pickle(bounded, {}, size)
        if not isinstance(machine, dict) or machine.get("little_endian") is not True:
            raise CheckpointError("its numbers are not in little-endian byte order")
        storages: Dict[str, StorageRecord] = {}
        self.content = load_pickle(bounded, storages, size)
        keys = load_pickle(bounded, {}, size)
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise CheckpointError("it lists no keys of storages")
        self._places: Dict[str, int] = {}
        for key in keys:
            if key in self._places or key not in storages:
                raise CheckpointError(f"it lists the storage {quoted(key)} twice, or does not use it")
            found = int.from_bytes(bounded.read(LENGTH_BYTES), "little")
            left, expected = size - bounded.tell(), storages[key]
            if found != expected.n_elements or expected.n_bytes > left:
                raise CheckpointError(
                    f"the storage {quoted(key)} has {found} elements, and {left} bytes are left in the file: expected "
                    f"{expected.n_elements} elements in {expected.n_bytes} bytes"
                )
            self._places[key] = bounded.tell()
            bounded.seek(expected.n_bytes, 1)
        missing = next((key for key in storages if key not in self._places), None)
        if missing is not None:
            raise CheckpointError(f"the storage {quoted(missing)} is missing")

    def read_into(self, storage: StorageRecord, buffer: memoryview) -> None:
        """Fill a buffer of the storage's size with its bytes."""
        self._file.seek(self._places[storage.key])
        _fill(self._file, buffer)


def _fill(file: Any, buffer: memoryview) -> None:
    done = 0
    while done < len(buffer):
        n = file.readinto(buffer[done : done + READ_SIZE])
        if not n:
            raise CheckpointError(f"the file ends within a storage, after {done} of {len(buffer)} bytes")
        done += n


def open_archive(file: BinaryIO, size: int) -> Archive:
    """Open a checkpoint file in either format.

    file (BinaryIO): The file.
    size (int): Its size in bytes.
    RETURNS (Archive): Its content, with access to its storages.
    RAISES (CheckpointError): The file is in no format of torch.save, or not as torch writes it.
    """
    start = file.read(TAR_MAGIC_PLACE + len(TAR_MAGIC))
    file.seek(0)
    if not start:
        raise CheckpointError("an empty file")
    if start.startswith(ZIP_MAGIC):
        return ZipArchive(file, size)
    if start[TAR_MAGIC_PLACE:] == TAR_MAGIC:
        raise CheckpointError("a tar archive, not a checkpoint of the reference parser")
    return LegacyArchive(file, size)


def read_tensors(archive: Archive, records: Mapping[str, TensorRecord], size: int) -> Dict[str, Tensor]:
    """The tensors that records describe. Tensors of one storage share its memory.

    archive (Archive): The source of the bytes.
    records (Mapping[str, TensorRecord]): Tensors by name.
    size (int): The size of the file in bytes. The tensors may take twice as many, since a few may be views of others.
    RETURNS (Dict[str, Tensor]): Tensors by name.
    RAISES (CheckpointError): The views are larger, or the file is damaged.
    """
    total = sum(record.n_elements * item_size(record.storage.dtype) for record in records.values())
    storages = {record.storage.key: record.storage for record in records.values()}
    held = sum(storage.n_bytes for storage in storages.values())
    if max(total, 2 * held) > 2 * size:
        raise CheckpointError(f"its tensors take {total} bytes in {held} bytes of storages, but the file has {size}")
    flat = {key: _read_storage(archive, storage) for key, storage in storages.items()}
    return {
        name: flat[record.storage.key].as_strided(record.size, record.stride, record.offset)
        for name, record in records.items()
    }


def _read_storage(archive: Archive, storage: StorageRecord) -> Tensor:
    """*Shape:* (n_elements)."""
    if not storage.n_elements:
        return torch.empty(0, dtype=storage.dtype)
    buffer = bytearray(storage.n_bytes)
    archive.read_into(storage, memoryview(buffer))
    if storage.dtype == torch.bool:  # any other byte would be a bool that is neither true nor false
        return torch.frombuffer(buffer, dtype=torch.uint8) != 0
    return torch.frombuffer(buffer, dtype=storage.dtype)


def regular_file_size(path: Path) -> int:
    """The size of a file in bytes.

    RAISES (CheckpointError): The path is a folder, a pipe or a device. (OSError): The path does not exist.
    """
    status = path.stat()
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "a pipe" if path.is_fifo() else "a device or socket"
        raise CheckpointError(f"{kind}: expected a file that torch.save has written")
    return status.st_size

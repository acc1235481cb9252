"""Checkpoint files made by hand: a small assembler for pickles, and the two file formats around them."""

import struct
import zipfile
from contextlib import contextmanager

LEGACY_START = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."
VOCABULARIES = ("tag_vocab", "word_vocab", "label_vocab", "char_vocab", "type_vocab")


class Raw(bytes):
    """Opcodes that leave one object on the stack."""


def name(module, attribute):
    return Raw(f"c{module}\n{attribute}\n".encode())


def call(function, *args):
    return Raw(dump(function) + dump(args) + b"R")


def build(target, state):
    return Raw(dump(target) + dump(state) + b"b")


def storage(key, n_elements, kind="FloatStorage"):
    return Raw(dump(("storage", name("torch", kind), key, "cpu", n_elements)) + b"Q")


def tensor(storage, size, stride, offset=0):
    hooks = call(name("collections", "OrderedDict"))
    return call(name("torch._utils", "_rebuild_tensor_v2"), storage, offset, size, stride, False, hooks)


def vocabulary(values):
    return Raw(name("vocabulary", "Vocabulary") + b")\x81" + dump({"values": values}) + b"b")


def dump(value):
    """A value as protocol 2 has it; Raw stands for itself."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, bool) or value is None:
        return {None: b"N", True: b"\x88", False: b"\x89"}[value]
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return b"J" + struct.pack("<i", value)
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(data)]) + data
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode("utf8", "surrogatepass")
        return b"X" + struct.pack("<I", len(data)) + data
    if isinstance(value, tuple):
        return b"(" + b"".join(map(dump, value)) + b"t"
    if isinstance(value, list):
        return b"](" + b"".join(map(dump, value)) + b"e"
    return b"}(" + b"".join(dump(key) + dump(item) for key, item in value.items()) + b"u"


def checkpoint(hparams=None, state_dict=None, **vocabularies):
    """The opcodes of a checkpoint with these parts."""
    spec = {key: vocabulary(vocabularies.get(key, [])) for key in VOCABULARIES}
    return Raw(dump({"spec": {**spec, "hparams": hparams or {}}, "state_dict": state_dict or {}}))


def pickled(value):
    return b"\x80\x02" + dump(value) + b"."


def write_zip(path, pickle, storages=(), compression=zipfile.ZIP_STORED, more=()):
    """`storages` are pairs of key and bytes, `more` of name and bytes."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("archive/version", b"3\n")  # torch.load would not read the archive without
        archive.writestr("archive/data.pkl", pickle)
        for key, data in storages:
            archive.writestr(f"archive/data/{key}", data)
        for entry, data in more:
            archive.writestr(entry, data)
    return path


def write_legacy(path, pickle, storages=(), little_endian=True, keys=None):
    """`storages` are triples of key, number of elements, and bytes."""
    machine = {
        "protocol_version": 1001,
        "little_endian": little_endian,
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    keys = [key for key, _, _ in storages] if keys is None else keys
    data = b"".join(struct.pack("<q", n) + content for _, n, content in storages)
    path.write_bytes(LEGACY_START + pickled(machine) + pickle + pickled(keys) + data)
    return path


@contextmanager
def reference_vocabulary(cls):
    """While a checkpoint is written, a class is where the reference has `vocabulary.Vocabulary`."""
    import sys
    import types

    module = types.ModuleType("vocabulary")
    module.Vocabulary = cls
    before, cls.__module__, cls.__qualname__ = cls.__module__, "vocabulary", "Vocabulary"
    sys.modules["vocabulary"] = module
    try:
        yield
    finally:
        cls.__module__ = before
        del sys.modules["vocabulary"]

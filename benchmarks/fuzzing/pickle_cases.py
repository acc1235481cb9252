"""Hostile checkpoint files: good ones with bytes, opcodes or sizes changed, and pickles made of random opcodes."""

import collections
import io
import json
import pickletools
import random
import struct
import zipfile
from pathlib import Path
from typing import Any, Callable, List, Tuple

import numpy
import torch
from checkpoint_files import (
    VOCABULARIES,
    Raw,
    checkpoint,
    dump,
    name,
    pickled,
    reference_vocabulary,
    storage,
    tensor,
    vocabulary,
    write_legacy,
    write_zip,
)

VECTORS = Path(__file__).resolve().parents[2] / "tests" / "data" / "vectors"
NAMES = [
    ("os", "system"), ("posix", "system"), ("nt", "system"), ("subprocess", "Popen"), ("builtins", "eval"),
    ("__builtin__", "eval"), ("__builtin__", "exec"), ("__builtin__", "getattr"), ("__builtin__", "bytes"),
    ("__builtin__", "bytearray"), ("__builtin__", "list"), ("__builtin__", "xrange"), ("__builtin__", "int"),
    ("__builtin__", "long"), ("__builtin__", "open"), ("__builtin__", "print"), ("builtins", "__import__"),
    ("numpy", "dtype"), ("numpy", "ndarray"), ("numpy", "load"), ("numpy.core.multiarray", "scalar"),
    ("numpy.core.multiarray", "_reconstruct"), ("numpy", "memmap"), ("torch", "load"), ("torch.hub", "load"),
    ("torch.storage", "_load_from_bytes"), ("torch._utils", "_rebuild_tensor_v2"), ("torch._utils", "_rebuild_tensor"),
    ("torch._utils", "_rebuild_parameter"), ("torch._utils", "_rebuild_sparse_tensor"), ("torch", "FloatStorage"),
    ("torch", "BoolStorage"), ("torch", "QInt8Storage"), ("torch", "Size"), ("torch", "device"), ("torch", "float32"),
    ("collections", "OrderedDict"), ("collections", "defaultdict"), ("vocabulary", "Vocabulary"),
    ("copyreg", "_reconstructor"), ("copy_reg", "_reconstructor"), ("__builtin__", "object"), ("_codecs", "encode"),
    ("functools", "partial"), ("operator", "attrgetter"), ("spacy_lal.checkpoint.names", "admit"),
    ("spacy_lal.checkpoint.records", "ReferenceVocabulary"), ("pickle", "loads"), ("sys", "modules"),
]  # fmt: skip
NUMBERS = [0, 1, 2, 3, 7, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, -1, -(2**31)]
TEXTS = [
    "", "storage", "cpu", "0", "1", "latin1", "f8", "f4", "O", "O8", "V8", "<", "|", "values", "spec", "state_dict",
    "hparams", "touch was_here", "\x1b[2J", "\ud800", "x" * 300, "../data.pkl", "_metadata",
]  # fmt: skip
HPARAMS = [
    "d_model", "num_heads", "num_layers", "d_kv", "d_ff", "sentence_max_len", "use_lal", "use_tags", "const_lada",
    "use_xlnet", "lal_d_kv", "d_label_hidden", "d_biaffine", "relu_dropout", "use_chars_lstm",
]  # fmt: skip
KINDS = ["FloatStorage", "HalfStorage", "BoolStorage", "DoubleStorage", "LongStorage"]


class Vocabulary:
    """Saved under the name of the reference's class."""

    def __init__(self, values: List[Any]) -> None:
        self.values = values
        self.counts = collections.defaultdict(int, dict.fromkeys(values, 1))


def good_files(folder: Path) -> List[bytes]:
    """A sound checkpoint with a small network, as torch.save writes it in both formats."""
    info = json.loads((VECTORS / "e_nolal.json").read_text(encoding="utf8"))
    with numpy.load(VECTORS / "e_nolal.npz") as arrays:
        state = {key[3:]: torch.from_numpy(arrays[key].astype("f4")) for key in arrays.files if key.startswith("sd/")}
    info["label_vocab"] = [tuple(chain) for chain in info["label_vocab"]]
    spec = {key: Vocabulary(info.get(key, ["<START>", "a"])) for key in VOCABULARIES}
    spec["hparams"] = {**info["hparams"], "learning_rate": numpy.float64(8e-4)}
    files = []
    for new_format in (True, False):
        with reference_vocabulary(Vocabulary):
            content = {"spec": spec, "state_dict": collections.OrderedDict(state), "trainer": {"state": {0: state}}}
            torch.save(content, folder / "good.pt", _use_new_zipfile_serialization=new_format)
        files.append((folder / "good.pt").read_bytes())
    return files


class Cases:
    """Makes files. The same generator of random numbers makes the same file.

    folder (Path): For files on the way.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.good = good_files(folder)
        with zipfile.ZipFile(io.BytesIO(self.good[0])) as archive:
            self.entries = {entry: archive.read(entry) for entry in archive.namelist()}
        self.pickle = next(data for entry, data in self.entries.items() if entry.endswith("data.pkl"))
        places = [place for _, _, place in pickletools.genops(self.pickle)] + [len(self.pickle)]
        self.opcodes = [self.pickle[start:end] for start, end in zip(places, places[1:], strict=False)]
        self.kinds: List[Callable[[random.Random], bytes]] = [
            self.changed_bytes, self.changed_pickle, self.changed_opcodes, self.random_opcodes, self.hostile_values,
            self.hostile_sizes, self.hostile_archive,
        ]  # fmt: skip

    def make(self, rng: random.Random) -> Tuple[str, bytes]:
        """A file of a random kind, with the name of the kind."""
        kind = rng.choice(self.kinds)
        return kind.__name__, kind(rng)

    # Kinds

    def changed_bytes(self, rng: random.Random) -> bytes:
        """A good file, with some of its bytes changed; more often where it says what it holds."""
        return mutated(rng, rng.choice(self.good), ends=rng.random() < 0.7)

    def changed_pickle(self, rng: random.Random) -> bytes:
        """Bytes of the pickle changed, in an archive that is sound otherwise."""
        return self.around(rng, mutated(rng, self.pickle))

    def changed_opcodes(self, rng: random.Random) -> bytes:
        """Opcodes left out, doubled, exchanged, or put in."""
        opcodes = list(self.opcodes)
        for _ in range(rng.randint(1, 4)):
            place, action = rng.randrange(len(opcodes)), rng.randrange(4)
            if action == 0:
                del opcodes[place]
            elif action == 1:
                opcodes.insert(place, rng.choice(opcodes))
            elif action == 2:
                opcodes[place] = rng.choice(opcodes)
            else:
                opcodes.insert(place, random_opcode(rng))
        return self.around(rng, b"".join(opcodes))

    def random_opcodes(self, rng: random.Random) -> bytes:
        """Random opcodes, as a hyperparameter or as the whole pickle."""
        body = Raw(b"".join(random_opcode(rng) for _ in range(rng.choice([3, 10, 40, 200]))))
        whole = rng.random() < 0.3
        pickle = b"\x80" + bytes([rng.choice([2, 2, 2, 4, 5, 0])]) + body + b"." if whole else pickled(
            checkpoint({"seed": body}))  # fmt: skip
        return self.around(rng, pickle)

    def hostile_values(self, rng: random.Random) -> bytes:
        """Hyperparameters and vocabularies of strange values, with the good weights or without."""
        hparams = {rng.choice(HPARAMS): random_value(rng) for _ in range(rng.randint(1, 4))}
        if rng.random() < 0.6:  # the good file with other hyperparameters
            new = b"".join(dump(key) + dump(value) for key, value in hparams.items())
            place = self.pickle.index(b"use_xlnet") - 5
            return self.around(rng, self.pickle[:place] + new + self.pickle[place:])
        values = {key: [random_value(rng) for _ in range(rng.randint(0, 4))] for key in VOCABULARIES}
        return self.around(rng, pickled(checkpoint(hparams, **values)), storages=False)

    def hostile_sizes(self, rng: random.Random) -> bytes:
        """Storages and views of strange sizes."""
        number = lambda: rng.choice([*NUMBERS, 4, 4, 4, 16])  # noqa: E731
        weights = {}
        for i in range(rng.choice([1, 2, 5, 300])):
            held = storage(rng.choice("001x"), rng.choice([4, 4, 4, number()]), rng.choice(KINDS[: rng.randint(1, 5)]))
            axes = rng.choice([0, 1, 1, 2, 3, 9])
            size = tuple(rng.choice([0, 1, 2, 4, number()]) for _ in range(axes))
            stride = tuple(rng.choice([0, 1, 2, number()]) for _ in range(axes))
            weights[f"encoder.attn_{i}.w_qs"] = tensor(held, size, stride, rng.choice([0, 0, 1, number()]))
        return self.around(rng, pickled(checkpoint(state_dict=weights)), storages=False)

    def hostile_archive(self, rng: random.Random) -> bytes:
        """A zip archive, compressed or with changed numbers in its headers; or a legacy file with strange keys."""
        path = self.folder / "made.pt"
        data = bytes(4 * 2 ** rng.choice([2, 10, 18]))
        pickle = pickled(checkpoint(state_dict={"w": tensor(storage("0", len(data) // 4), (2,), (1,))}))
        if rng.random() < 0.3:
            keys = rng.choice([["0", "0"], [], ["1"], [0], {}, None, [["0"]], "0"])
            return write_legacy(
                path, pickle, [("0", rng.choice([len(data) // 4, *NUMBERS[:13]]), data)], keys=keys
            ).read_bytes()
        compression = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
        made = bytearray(write_zip(path, pickle, [("0", data)], compression).read_bytes())
        headers = [i for sign in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06") for i in places_of(bytes(made), sign)]
        for _ in range(rng.randint(1, 5)):
            place = rng.choice(headers) + 4 + rng.randrange(42)
            width = rng.choice([1, 2, 4])
            made[place : place + width] = (rng.choice(NUMBERS) % 2 ** (8 * width)).to_bytes(width, "little")
        return bytes(made)

    def around(self, rng: random.Random, pickle: bytes, storages: bool = True) -> bytes:
        """The file around a pickle, in either format."""
        path = self.folder / "made.pt"
        if rng.random() < 0.3:
            return write_legacy(path, pickle, [("0", 4, bytes(16))]).read_bytes()
        if not storages:
            return write_zip(path, pickle, [("0", bytes(16)), ("1", bytes(16))]).read_bytes()
        with zipfile.ZipFile(path, "w") as archive:
            for entry, data in self.entries.items():
                archive.writestr(entry, pickle if entry.endswith("data.pkl") else data)
        return path.read_bytes()


def places_of(data: bytes, sign: bytes) -> List[int]:
    """Where a sign begins."""
    return [i for i in range(len(data) - 3) if data.startswith(sign, i)] if len(data) < 10_000 else [data.rindex(sign)]


def mutated(rng: random.Random, data: bytes, ends: bool = False) -> bytes:
    """Bytes with one to eight changes; with `ends`, in the first and last thousands."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if not changed:
            break
        place = rng.randrange(len(changed))
        if ends:
            place = rng.choice([place % 4000, len(changed) - 1 - place % 4000]) % len(changed)
        action, width = rng.randrange(6), rng.choice([1, 2, 4, 8])
        if action == 0:
            changed[place] ^= 1 << rng.randrange(8)
        elif action == 1:
            changed[place] = rng.randrange(256)
        elif action == 2:
            changed[place : place + width] = (rng.choice(NUMBERS) % 2 ** (8 * width)).to_bytes(width, "little")
        elif action == 3:
            del changed[place : place + rng.choice([1, 4, 100, 10**6])]
        elif action == 4:
            changed[place:place] = changed[place : place + rng.choice([1, 10, 1000])] * rng.choice([1, 2, 50])
        else:
            changed[place:place] = random_opcode(rng)
    return bytes(changed)


def random_value(rng: random.Random, depth: int = 0) -> Any:
    """A plain value for a hyperparameter or an entry of a vocabulary."""
    kind = rng.randrange(10)
    if kind < 3:
        return rng.choice(NUMBERS)
    if kind < 4:
        return rng.choice([float("nan"), float("inf"), -1.5, 0.5, 1e308])
    if kind < 6:
        return rng.choice(TEXTS)
    if kind < 7:
        return rng.choice([None, True, False])
    if kind < 8:
        return Raw(b"]" * rng.choice([2, 40, 5000]) + b"a" * 1) if depth == 0 else []
    if kind < 9 or depth > 3:
        return vocabulary(["a"])
    made = [random_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return rng.choice([made, tuple(made)])


def random_opcode(rng: random.Random) -> bytes:
    """An opcode of any protocol with an argument; more often one that checkpoints have, or a dangerous name."""
    kind = rng.random()
    if kind < 0.2:
        return name(*rng.choice(NAMES))
    if kind < 0.35:
        return rng.choice([b")R", b"}b", b")\x81", b"h\x00", b"q\x00", b"Q", b"s", b"a", b"(", b"t", b"u", b"e"])
    if kind < 0.5:
        return dump(random_value(rng, 1))
    opcode = rng.choice(pickletools.opcodes)
    argument = argument_bytes(rng, opcode.arg.name) if opcode.arg is not None else b""
    return opcode.code.encode("latin1") + argument


def argument_bytes(rng: random.Random, kind: str) -> bytes:
    """The bytes of an argument, of which the length is sometimes a lie."""
    text = rng.choice(TEXTS).encode("utf8", "surrogatepass")
    if kind == "stringnl_noescape_pair":
        return "\n".join(rng.choice(NAMES)).encode() + b"\n"
    if kind == "float8":
        return struct.pack(">d", rng.choice([0.5, float("nan"), 1e308]))
    if kind.startswith(("decimalnl", "floatnl")):
        return rng.choice([b"1", b"-7", b"01", b"nan", b"9" * 5000, b"9" * 400, b"1e400", b"x"]) + b"\n"
    if "nl" in kind:
        return rng.choice([b"'" + text + b"'", text]) + b"\n"
    width = int(kind[-1])
    if kind.startswith(("uint", "int")):
        return (rng.choice(NUMBERS) % 2 ** (8 * width)).to_bytes(width, "little")
    length = len(text) if rng.random() < 0.7 else rng.choice(NUMBERS) % 2 ** (8 * width)
    return (length % 2 ** (8 * width)).to_bytes(width, "little") + text

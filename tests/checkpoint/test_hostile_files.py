"""Attacks on whoever reads a checkpoint: each is refused by name, and leaves nothing behind."""

import collections
import io
import zipfile

import pytest
import torch
from checkpoint_files import (
    Raw,
    build,
    call,
    checkpoint,
    dump,
    name,
    pickled,
    storage,
    tensor,
    vocabulary,
    write_legacy,
    write_zip,
)

from spacy_lal.checkpoint.convert import load_network
from spacy_lal.checkpoint.official import import_pipeline
from spacy_lal.checkpoint.reader import Checkpoint, CheckpointError, ReferenceVocabulary, read_checkpoint
from spacy_lal.checkpoint.xlnet import xlnet_config

FUNCTION = name("torch._utils", "_rebuild_tensor_v2")
DTYPE = name("numpy", "dtype")
SCALAR = name("numpy.core.multiarray", "scalar")
ENCODE = name("_codecs", "encode")
EIGHT = call(ENCODE, "\x10\x20\x30\x40\x50\x60\x70\x00", "latin1")
LITTLE = (3, "<", None, None, None, -1, -1, 0)
OBJECT_FIELD = (3, "|", None, ("a",), {"a": (call(DTYPE, "O8", False, True), 0)}, 8, 1, 63)
HIDDEN_FIELD = (3, "|", None, ("a",), {"a": (call(DTYPE, "f8", False, True), 0)}, 8, 1, 63)


FOUR = [("0", b"\0" * 16)]


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    """`torch.load` reads a good file as before, and the functions of torch have no new attributes."""

    def attributes():
        found = {key: value for key, value in vars(torch._utils).items() if callable(value)}
        return found, {key: {**vars(value)} for key, value in found.items() if hasattr(value, "__code__")}

    before = attributes()
    yield
    assert attributes() == before
    good = io.BytesIO()
    torch.save(collections.OrderedDict(w=torch.arange(3)), good)
    good.seek(0)
    assert torch.load(good)["w"].tolist() == [0, 1, 2]


def refused(path, pickle, message, storages=()):
    for write in (write_zip, write_legacy):
        parts = storages if write is write_zip else [(key, len(data) // 4, data) for key, data in storages]
        with pytest.raises(CheckpointError) as raised:
            read_checkpoint(write(path, pickle, parts))
        text = str(raised.value)
        assert text.startswith(f"{path}: ") and message in text and len(text) < len(str(path)) + 400, text


def messages(values):
    """Test ids: pytest would write out the opcodes."""
    return [message for _, message in values]


PICKLES = [
    # A dtype with a hidden field of objects reads any bytes as pointers.
    (call(SCALAR, build(call(DTYPE, "f8", False, True), OBJECT_FIELD), EIGHT), "numpy.dtype of 'O8'"),
    (call(SCALAR, build(call(DTYPE, "f8", False, True), HIDDEN_FIELD), EIGHT), "state of numpy.dtype('f8')"),
    (call(SCALAR, build(call(DTYPE, "V8", False, True), OBJECT_FIELD), EIGHT), "numpy.dtype of 'V8'"),
    (call(SCALAR, call(DTYPE, "O8", False, True), EIGHT), "numpy.dtype of 'O8'"),
    (call(SCALAR, build(call(DTYPE, "f8", False, True), (3, ">", *LITTLE[2:])), EIGHT), "state of numpy.dtype"),
    (call(SCALAR, call(DTYPE, "f4", False, True), EIGHT), "NumPy scalar 'f4' of a bytes"),
    (call(SCALAR, "f8", EIGHT), "NumPy scalar of the dtype 'f8'"),
    (call(name("numpy.core.multiarray", "_reconstruct"), 1, (0,), "b"), "asks for 'numpy.core.multiarray._reco"),
    (name("numpy", "ndarray"), "asks for 'numpy.ndarray'"),
    # A state for a function of torch changes it for the whole process.
    (build(FUNCTION, {"__name__": "gone"}), "a state for torch._utils._rebuild_tensor_v2"),
    (build(FUNCTION, (None, {"__code__": None})), "a state for torch._utils._rebuild_tensor_v2"),
    (build(name("torch", "FloatStorage"), {"dtype": 1}), "a state for torch.FloatStorage"),
    (build(name("vocabulary", "Vocabulary"), {"values": []}), "a state for vocabulary.Vocabulary"),
    (build({}, {"a": 1}), "a state for a dict"),
    (build(vocabulary([]), {"values": ["b"]}), "a state for a ReferenceVocabulary"),
    # Calls of builtin types.
    (call(name("__builtin__", "bytes"), 10**12), "asks for '__builtin__.bytes'"),
    (call(name("__builtin__", "list"), call(name("__builtin__", "xrange"), 10**12)), "asks for '__builtin__.list'"),
    (call(name("__builtin__", "int"), "9" * 100), "a call of int"),
    (call(name("vocabulary", "Vocabulary")), "a call of vocabulary.Vocabulary"),
    (call(name("collections", "OrderedDict"), [[1, 2]]), "collections.OrderedDict with 1 arguments"),
    (call(name("collections", "defaultdict"), FUNCTION), "collections.defaultdict of a Admitted"),
    (call(ENCODE, "a" * 17, "latin1"), "_codecs.encode('aaa"),
    (call(ENCODE, "a", "zlib"), "_codecs.encode('a', 'zlib')"),
    (call("text"), "a call of 'text'"),
    (Raw(FUNCTION + b")\x81"), "an object of torch._utils._rebuild_tensor_v2"),
    (name("torch._utils\x1b[2J" + "x" * 300, "y"), "asks for 'torch._utils\\x1b[2Jxxx"),
    # Other opcodes.
    (Raw(b"(ios\nsystem\n"), "opcode INST"),
    (Raw(b"(" + FUNCTION + b"o"), "opcode OBJ"),
    (Raw(b"\x82\x01"), "opcode EXT1"),
    (Raw(b"P1\n"), "opcode PERSID"),
    (Raw(b"\x8c\x01a\x8c\x01b\x93"), "opcode SHORT_BINUNICODE"),
    (Raw(b"I" + b"9" * 400 + b"\n"), "opcode INT"),
    (Raw(b"\x8b\xff\xff\xff\x7f"), "opcode LONG4"),
    (Raw(b"V" + b"9" * 400), "opcode UNICODE"),
    (Raw(b"X\xff\xff\xff\xff"), "a damaged pickle"),
    (Raw(b"\x8e" + b"\xff" * 7 + b"\x7f"), "opcode BINBYTES8"),
    (Raw(b"\xff"), "the opcode b'\\xff'"),
    (Raw(b"\x80\x04N"), "protocol 4"),
    (Raw(b"Nr\xff\xff\xff\xff"), "leaves out memo entries: 4294967295"),
    (Raw(b"j\xff\xff\xff\xff"), "memo entry 4294967295 of 0"),
    (Raw(b"s"), "more from the stack than there is"),
    (Raw(b"e"), "appends to a dict"),
    (Raw(b"](NNeu"), "goes back to a mark"),
    (Raw(b"}(Nu"), "sets 1 keys and values of a dict"),
    (Raw(b"((((N"), "looks at an empty stack"),
    (Raw(b"\x8a\x20" + b"\x7f" * 32), "a number of 255 bits"),
    # Containers.
    (Raw(b"]" * 1000 + b"a" * 999), "more than 32 deep"),
    (Raw(b")" + b"\x85" * 100_000), "more than 32 deep"),
    (Raw(b"]q\x00h\x00a"), "puts a container into itself"),
    (Raw(b"]q\x00\x85h\x00Na"), "changes a container that lies in another"),
    (Raw(b"]q\x00" + b"h\x000" * 5), "opcode POP"),
    (Raw(b"}]Ns"), "a list as the key"),
    (Raw(b"}" + dump("x" * 4097) + b"Ns"), "xxx'... as the key"),
    (vocabulary(["a", None]), "a vocabulary in the checkpoint holds None"),
    (vocabulary([("a", 1)]), "a vocabulary in the checkpoint holds a tuple"),
    (vocabulary([{}]), "a vocabulary in the checkpoint holds a dict"),
    (Raw(b"}" + dump(((1,),)) + b"Ns"), "a tuple as the key"),
    (Raw(b"}" + dump(0.5) + b"Ns"), "0.5 as the key"),
    (Raw(dump((1, 2, 3)) + b"Q"), "persistent id that is no storage"),
    (Raw(dump(("module", None, "a", "b", "c")) + b"Q"), "no storage ('module')"),
]  # fmt: skip


@pytest.mark.parametrize("value, message", PICKLES, ids=messages(PICKLES))
def test_pickles_are_refused(tmp_path, value, message):
    refused(tmp_path / "x.pt", pickled(checkpoint({"seed": value})), message)


@pytest.mark.parametrize(
    "limit, value, message",
    [
        ("unpickler.MAX_OPCODES", Raw(b"(" + b"N" * 1000 + b"t"), "more than 20 opcodes"),
        ("unpickler.MAX_CONTAINERS", Raw(b"(" + b"N\x85" * 1000 + b"t"), "more than 20 containers"),
        ("unpickler.MAX_PICKLE_BYTES", "x" * 1000, "more than 20 characters"),
        ("unpickler.MAX_NUMBER_KEYS", dict.fromkeys(range(1 << 32, 1 << 40, 1 << 34)), "more than 20 numbers as keys"),
        ("archive.MAX_PICKLE_BYTES", "x" * 1000, "expected at most 20"),
        ("reader.MAX_WEIGHTS", None, "'state_dict' has 21 weights"),
    ],
)
def test_numbers_are_bounded(tmp_path, monkeypatch, limit, value, message):
    monkeypatch.setattr(f"spacy_lal.checkpoint.{limit}", 20)
    weights = {f"w{i}": tensor(storage("0", 4), (1,), (1,)) for i in range(21)} if value is None else {}
    path = write_zip(tmp_path / "x.pt", pickled(checkpoint({"seed": value}, weights)), FOUR)
    with pytest.raises(CheckpointError, match=f"x.pt: .*{message}"):
        read_checkpoint(path)


def test_many_references_to_one_another_are_never_printed(tmp_path):
    """Twenty-five lists, each ten times the one before: the text has 10^25 characters. As a hyperparameter that we do
    not use it is harmless; as the checkpoint itself, or as a label, it is named by its type."""
    items = b"".join(b"](" + b"h%c" % i * 10 + b"eq%c" % (i + 1) for i in range(25))
    last = Raw(b"(]q\x00" + items + b"t")
    assert "lol" in read_checkpoint(write_zip(tmp_path / "x.pt", pickled(checkpoint({"lol": last})))).hparams
    refused(tmp_path / "x.pt", pickled(last), "expected a dict with 'spec' and 'state_dict', got a tuple")
    labels = {"tag_vocab": [last]}
    refused(tmp_path / "x.pt", pickled(checkpoint(**labels)), "holds a tuple: expected strings")
    found = read_checkpoint(write_zip(tmp_path / "x.pt", pickled(checkpoint({"d_model": last}))))
    with pytest.raises(CheckpointError, match="d_model must be a whole number .* got a tuple"):
        load_network(found)


WEIGHTS = [
    ({"w": tensor(storage("0", 2**40), (1,), (1,))}, "a storage of 4398046511104 bytes is declared"),
    ({"w": tensor(storage("0", 5), (1,), (1,))}, "expected"),
    ({"w": tensor(storage("0", 2), (1,), (1,))}, "expected"),
    ({"w": tensor(storage("0", -1), (1,), (1,))}, "a whole number"),
    ({"w": tensor(storage("0", 4, "QInt8Storage"), (1,), (1,))}, "asks for 'torch.QInt8Storage'"),
    ({"w": tensor(storage("1", 1), (1,), (1,)), "v": tensor(storage("0", 4), (1,), (1,))}, "'1'"),
    ({"w": tensor(storage("../data.pkl", 1), (1,), (1,))}, "the storage '"),
    ({"w": tensor(storage("0", 4), (5,), (1,))}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (2,), (4,))}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (1,), (1,), 4)}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (2,), (-1,))}, "no whole number"),
    ({"w": tensor(storage("0", 4), (-1,), (1,))}, "no whole number"),
    ({"w": tensor(storage("0", 4), (2.0,), (1,))}, "no whole number"),
    ({"w": tensor(storage("0", 4), (2**40,), (0,))}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (0, 2**40), (1, 1))}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (2**32, 2**32, 0), (0, 0, 0))}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (2**62, 4), (0, 0))}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (2,), (2**62,))}, "beyond its storage"),
    ({"w": tensor(storage("0", 4), (1,) * 9, (1,) * 9)}, "9 axes"),
    ({"w": tensor(storage("0", 4), (1,), ())}, "1 axes and 0 strides"),
    ({"w": tensor(storage("0", 4), [1], [1])}, "not made of a storage"),
    ({"w": tensor("0", (1,), (1,))}, "not made of a storage"),
    ({"w": tensor(storage("0", 4), (4,), (1,)), "v": tensor(storage("0", 4, "IntStorage"), (), ())}, "two ways"),
    ({"w\x1b[2J": tensor(storage("0", 4), (4,), (1,))}, "no name that can be printed ('w\\x1b[2J')"),
    ({"w" * 201: tensor(storage("0", 4), (4,), (1,))}, "no name that can be printed"),
]  # fmt: skip


@pytest.mark.parametrize("weights, message", WEIGHTS, ids=messages(WEIGHTS))
def test_sizes_that_a_file_declares_are_compared_with_its_bytes(tmp_path, weights, message):
    refused(tmp_path / "x.pt", pickled(checkpoint(state_dict=weights)), message, FOUR)


def test_views_take_no_more_than_the_file(tmp_path):
    """A thousand weights, all of them views of one storage of 1 MB: as float32 they would take 1 GB."""
    weights = {f"w{i}": tensor(storage("0", 2**18), (2**18,), (1,)) for i in range(1000)}
    refused(tmp_path / "x.pt", pickled(checkpoint(state_dict=weights)), "its tensors take", [("0", bytes(2**20))])


def test_compressed_archives_are_refused(tmp_path):
    """A storage of zeros takes a thousandth of its size in such a file."""
    pickle = pickled(checkpoint(state_dict={"w": tensor(storage("0", 2**18), (2**18,), (1,))}))
    for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = write_zip(tmp_path / "x.pt", pickle, [("0", bytes(2**20))], compression)
        with pytest.raises(CheckpointError, match="x.pt: the entry 'archive/version' of the zip archive is compressed"):
            read_checkpoint(path)


def test_archives_whose_directory_lies_are_refused(tmp_path, monkeypatch):
    path, data = tmp_path / "x.pt", b"\0" * 16
    pickle = pickled(checkpoint(state_dict={"w": tensor(storage("0", 4), (4,), (1,))}))
    write_zip(path, pickle, [("0", data)])
    directory = path.read_bytes()
    last = directory.rindex(b"PK\x01\x02")
    # Twenty-fold sizes, packed and unpacked, of the last entry.
    large = (len(directory) * 20).to_bytes(4, "little")
    path.write_bytes(directory[: last + 20] + large + large + directory[last + 28 :])
    with pytest.raises(CheckpointError, match="x.pt: the entries of the zip archive have .* bytes, but the file has"):
        read_checkpoint(path)
    with pytest.warns(UserWarning, match="Duplicate name"):
        write_zip(path, pickle, [("0", data), ("0", data)])
    with pytest.raises(CheckpointError, match="1 names given twice"):
        read_checkpoint(path)
    monkeypatch.setattr("spacy_lal.checkpoint.archive.MAX_ENTRIES", 10)
    write_zip(path, pickle, [("0", data)], more=[(f"archive/{i}", b"") for i in range(10)])
    with pytest.raises(CheckpointError, match="13 entries: expected at most 10"):
        read_checkpoint(path)


def test_legacy_files_whose_keys_lie_are_refused(tmp_path):
    path, data = tmp_path / "x.pt", b"\0" * 16
    pickle = pickled(checkpoint(state_dict={"w": tensor(storage("0", 4), (4,), (1,))}))
    for storages, keys, message in [
        ([("0", 4, data)], ["0", "0"], "'0' twice"),
        ([("1", 4, data)], None, "'1' twice, or does not use it"),
        ([], None, "'0' is missing"),
        ([("0", 4, data)], {}, "lists no keys"),
        ([("0", 2**60, data)], None, "has 1152921504606846976 elements"),
        ([("0", 4, data[:15])], None, "15 bytes are left"),
    ]:
        with pytest.raises(CheckpointError, match=message):
            read_checkpoint(write_legacy(path, pickle, storages, keys=keys))


# After reading: hyperparameters and vocabularies


def loaded(hparams, state_dict=None, **vocabularies):
    made = {}
    for key, values in vocabularies.items():
        made[key] = ReferenceVocabulary()
        made[key].set_state({"values": values})
    return Checkpoint(hparams, state_dict or {"encoder.attn_0.w_qs1": torch.zeros(1, 2, 3)}, made)


@pytest.mark.parametrize(
    "hparams, message",
    [
        ({"d_model": 10**9}, "d_model must be a whole number between 1 and 4096, by the shapes of the weights, got 1"),
        ({"num_heads": -1}, "num_heads must be .* got -1"),
        ({"num_heads": True}, "num_heads must be .* got True"),
        ({"num_layers": 10**6}, "num_layers must be"),
        ({"num_layers": 100}, "num_layers is 100, but there are weights 'encoder.attn_.' for 1 layers"),
        ({"d_ff": float("nan")}, "d_ff must be .* got nan"),
        ({"d_ff": "x" * 1000}, "d_ff must be .* got 'xxx"),
        ({"sentence_max_len": 10**12}, "sentence_max_len must be"),
        ({"relu_dropout": float("nan")}, "relu_dropout must be a number between 0 and 1, got nan"),
        ({"relu_dropout": 2}, "relu_dropout must be a number between 0 and 1, got 2"),
        ({"const_lada": float("inf")}, "const_lada must be"),
        ({"use_tags": [1]}, "use_tags must be True or False, got a list"),
        ({"xlnet_model": "x" * 201}, "xlnet_model must be a short string"),
    ],
)
def test_hyperparameters_are_checked_before_a_network_is_made(hparams, message, monkeypatch):
    made = []
    monkeypatch.setattr("spacy_lal.checkpoint.convert.ParserNetwork", made.append)
    with pytest.raises(CheckpointError, match=message):
        load_network(loaded(hparams))
    with pytest.raises(CheckpointError, match=message):
        import_pipeline(loaded(hparams, type_vocab=["root"]))
    assert made == []


def test_a_transformer_has_weights_for_each_of_its_layers():
    weights = {"word_embedding.weight": torch.zeros(3, 4), "layer.0.rel_attn.q": torch.zeros(4, 2, 2)}
    weights.update({"layer.0.ff.layer_1.weight": torch.zeros(5, 4), "layer.9999.ff.layer_1.weight": torch.zeros(5, 4)})
    with pytest.raises(CheckpointError, match="has a layer 9999, but weights of 2 layers"):
        xlnet_config(weights)

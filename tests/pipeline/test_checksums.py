"""Files of a stored pipeline that were overwritten, cut or lost: refused when it is loaded, by name."""

import json
import math

import pytest
import spacy
import srsly
import torch
from tiny_pipeline import make_bert, make_nlp, train

NAMES = ("transformer", "senter", "tagger", "lal_parser")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "pipeline"
    train(make_nlp(make_bert(path.parent / "bert"))).to_disk(path)
    return path


@pytest.fixture
def overwrite(folder):
    """Writes other content into a file of the pipeline; undone after the test."""
    before = {}

    def write(name, content):
        path = folder / name
        before.setdefault(path, path.read_bytes())
        path.write_bytes(content(path.read_bytes()) if callable(content) else content)
        return path

    yield write
    for path, content in before.items():
        path.write_bytes(content)


def with_block(content, at):
    """The content with another block of 64 bytes: of numbers that may as well be weights."""
    start = int(len(content) * at)
    block = bytes(byte ^ 0x21 for byte in content[start : start + 64])
    return content[:start] + block + content[start + 64 :]


def test_what_is_written(folder):
    stored = json.loads((folder / "lal_parser" / "checksums").read_text())
    assert set(stored) == {"cfg", "model"} | {f"../{name}/{file}" for name in NAMES[:-1] for file in ("cfg", "model")}
    assert spacy.load(folder).pipe_names == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("at", [0.3, 0.5, 0.8])
def test_an_overwritten_block(folder, overwrite, name, at):
    path = overwrite(f"{name}/model", lambda content: with_block(content, at))
    # Where the block breaks the format, spaCy's own components say so before anything of ours is asked.
    with pytest.raises(ValueError if name == "lal_parser" else Exception) as caught:
        spacy.load(folder)
    assert name != "lal_parser" or str(path) in str(caught.value)


@pytest.mark.parametrize("name", NAMES[:-1])
def test_an_overwritten_block_that_spacy_reads(folder, overwrite, name):
    """What no reader minds: the last bytes of a weight."""
    path = overwrite(f"{name}/model", other_number)
    with pytest.raises(ValueError, match=f"{path} .* is not the file that was saved: its CRC-32 is"):
        spacy.load(folder)


def other_number(content):
    """The stored model with one byte of a weight changed, in thinc's arrays or in a torch state."""
    msg = srsly.msgpack_loads(content)
    for params in msg["params"]:
        for key, value in params.items():
            if value is not None:
                params[key] = value + 0.25
                return srsly.msgpack_dumps(msg)
    return change_state(content, lambda tensor: tensor + 0.25)


def change_state(content, change):
    """The stored model with other weights in its torch networks, saved as torch does."""
    from io import BytesIO

    msg = srsly.msgpack_loads(content)
    for shims in msg["shims"]:
        for i, shim in enumerate(shims):
            shim = srsly.msgpack_loads(shim)
            state = torch.load(BytesIO(shim["state"]), weights_only=True)
            name = next(name for name in state if state[name].is_floating_point())
            state[name] = change(state[name])
            buffer = BytesIO()
            torch.save(state, buffer)
            shims[i] = srsly.msgpack_dumps({**shim, "state": buffer.getvalue()})
    return srsly.msgpack_dumps(msg)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_weights_that_are_no_numbers(folder, overwrite, number):
    """Saved so, with the right checksums or none."""
    path = overwrite("lal_parser/model", lambda content: change_state(content, lambda tensor: tensor * number))
    checksums = folder / "lal_parser" / "checksums"
    stored = checksums.read_bytes()
    checksums.unlink()
    try:
        with pytest.raises(ValueError, match=f"can't read its weights from {path}.* are NaN or infinite"):
            spacy.load(folder)
    finally:
        checksums.write_bytes(stored)


def test_a_file_that_spacy_does_not_miss(folder):
    path = folder / "tagger" / "cfg"  # its labels
    path.rename(folder.parent / "away")
    try:
        with pytest.raises(ValueError, match=f"{path} is missing"):
            spacy.load(folder)
    finally:
        (folder.parent / "away").rename(path)


def test_cfg(folder, overwrite):
    for content in (b"", b"{", b"[1, 2]", b"\xff\xfe", lambda content: content[: len(content) // 2]):
        path = overwrite("lal_parser/cfg", content)
        with pytest.raises(ValueError, match=f"'lal_parser' can't read its settings and labels from {path}"):
            spacy.load(folder)


def test_a_label_that_was_overwritten(folder, overwrite):
    path = overwrite("lal_parser/cfg", lambda content: content.replace(b'"nsubj"', b'"nsubk"'))
    with pytest.raises(ValueError, match=f"{path} .* is not the file that was saved"):
        spacy.load(folder)


def test_checksums_that_cannot_be_read(folder, overwrite):
    for content in (b"", b"[]", b'{"cfg": 1'):
        path = overwrite("lal_parser/checksums", content)
        with pytest.raises(ValueError, match=f"{path} is no file of checksums"):
            spacy.load(folder)


def test_without_checksums_as_before_there_were_any(folder, tmp_path):
    nlp = spacy.load(folder)
    nlp.to_disk(tmp_path / "again")
    (tmp_path / "again" / "lal_parser" / "checksums").unlink()
    assert spacy.load(tmp_path / "again").pipe_names == list(NAMES)


def test_components_may_be_replaced_and_left_out(folder, tmp_path):
    nlp = spacy.load(folder, exclude=["tagger"])
    nlp.to_disk(tmp_path / "less")
    assert "../tagger/model" not in json.loads((tmp_path / "less" / "lal_parser" / "checksums").read_text())
    assert spacy.load(tmp_path / "less").pipe_names == ["transformer", "senter", "lal_parser"]
    nlp = spacy.load(folder)
    nlp.get_pipe("senter").model.get_ref("output_layer").set_param("b", nlp.get_pipe("senter").model.ops.alloc1f(2) + 1)
    nlp.to_disk(tmp_path / "less")  # over an older one
    assert spacy.load(tmp_path / "less").pipe_names == list(NAMES)


def test_a_parser_stored_alone(folder, tmp_path):
    nlp = spacy.load(folder)
    nlp.get_pipe("lal_parser").to_disk(tmp_path / "parser")
    stored = json.loads((tmp_path / "parser" / "checksums").read_text())
    assert {"cfg", "model", "encoder/model"} <= set(stored) and not any(name.startswith("..") for name in stored)
    path = tmp_path / "parser" / "encoder" / "model"
    path.write_bytes(other_number(path.read_bytes()))
    with pytest.raises(ValueError, match=f"can't read its weights from {path}.*is not the file that was saved"):
        nlp.get_pipe("lal_parser").from_disk(tmp_path / "parser")

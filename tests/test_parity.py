"""The parity program: equal on golden vectors, and not fooled by broken ones."""

import json
import shutil

import numpy
import pytest
from benchmark_programs import program


@pytest.fixture(scope="module")
def parity():
    with program("parity") as module:
        yield module


@pytest.fixture
def folder(data_dir, tmp_path):
    for suffix in (".npz", ".json"):
        shutil.copy(data_dir / "vectors" / f"e_nolal{suffix}", tmp_path)
    return tmp_path


def rewrite(path, **changes):
    with numpy.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for key, change in changes.items():
        value = change(arrays[key])
        arrays.pop(key) if value is None else arrays.update({key: value})
    numpy.savez(path, **arrays)


def test_golden_vectors(parity, data_dir, capsys):
    assert parity.main([str(data_dir / "vectors")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.endswith("  ok") for line in lines[1:-1])
    stages = {tuple(line.split("  ")[:1]) + (line[25:62].strip(),) for line in lines if line.startswith("a_best.npz")}
    for stage in ("lal", "lal_w (batch)", "annotations (scrambled batch)", "brackets", "gradient norms", "attn1_w"):
        assert ("a_best.npz", stage) in stages


def test_all_vectors_beside_the_checkout(parity, shared_dir, capsys):
    assert parity.main([str(shared_dir / "vectors")]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "key, change",
    [
        ("sd/f_label.3.bias", lambda x: x + numpy.float16(0.01)),
        ("s2/arc", lambda x: x + numpy.float32(1e-3)),
        ("s2/arc", lambda x: x * numpy.float32("nan")),
        ("s2/arc", lambda x: x[:1]),
        ("s3/dec_father", lambda x: x[::-1].copy()),
        ("s3/dec_type_idx", lambda x: (x + 1) % 8),
        ("s3/score", lambda x: x + numpy.float32(0.01)),
        ("s5/gold_father", lambda x: numpy.roll(x, 1)),
        ("s1/type", lambda x: None),
        ("s1/emb", lambda x: None),
    ],
)
def test_a_change_is_noticed(parity, folder, key, change, capsys):
    rewrite(folder / "e_nolal.npz", **{key: change})
    assert parity.main([str(folder)]) == 1
    assert "FAIL" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name, data",
    [
        ("e_nolal.npz", b"rubbish"),
        ("e_nolal.json", b"{"),
        ("e_nolal.json", b"[]"),
        ("e_nolal.npz", None),
        ("e_nolal.json", None),
    ],
)
def test_an_unreadable_set_is_named(parity, folder, name, data, capsys):
    (folder / name).unlink()
    if data is not None:
        (folder / name).write_bytes(data)
    assert parity.main([str(folder)]) == 1
    assert "e_nolal" in capsys.readouterr().out


def test_a_change_of_the_json_is_noticed(parity, folder, capsys):
    info = json.loads((folder / "e_nolal.json").read_text())
    info["sentences"][4]["bracket"] = info["sentences"][4]["gold_bracket"]
    info["training_dropout0"]["grad_norms_batch"]["f_label.0.bias"] *= 1.01
    (folder / "e_nolal.json").write_text(json.dumps(info))
    assert parity.main([str(folder)]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.endswith("FAIL")]
    assert len(failed) == 3  # brackets alone and in the batch, gradient norms of the batch


def test_an_empty_folder_fails(parity, tmp_path):
    assert parity.main([str(tmp_path)]) == 1
    assert parity.main([str(tmp_path / "none")]) == 1

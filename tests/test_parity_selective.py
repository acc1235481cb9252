"""The parity program on SSAN's sets, on trees from attention and on the probing tasks."""

import json
import shutil

import numpy
import pytest
from benchmark_programs import program

SETS = ("ssan_layer_sparse", "ssan_encoder", "attention_trees", "probing")


@pytest.fixture(scope="module")
def parity():
    with program("parity") as module:
        yield module


@pytest.fixture
def folder(data_dir, tmp_path):
    for path in (data_dir / "vectors_encoders").iterdir():
        if path.stem in SETS:
            shutil.copy(path, tmp_path / f"set{SETS.index(path.stem)}{path.suffix}")  # no name tells the kind
    return tmp_path


def change_arrays(path, changes):
    with numpy.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for key, change in changes.items():
        arrays[key] = change(arrays[key])
    numpy.savez(path, **arrays)


def test_all_sets(parity, folder, capsys):
    assert parity.main([str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("4 of 4 sets") and all(line.endswith("  ok") for line in lines[1:-1])
    found = {(line.split(".")[0], line[25:62].strip()) for line in lines[1:-1]}
    for mode in ("train", "train_soft", "infer", "train_dropout"):
        for stage in ("weights", "weights (batch)", "outputs", "loss", "gradient norms", "gradient probes", "d_inputs"):
            assert ("set0", f"{mode} {stage}") in found
    for stage in ("train encoded", "infer selected0 (batch)", "train_dropout attn2_w", "train encoder_nce"):
        assert ("set1", stage) in found
    assert ("set2", "cases: mean_renormalised") in found and ("set3", "reordered: labels") in found


def test_visible_sets_beside_the_checkout(parity, shared_dir, tmp_path, capsys):
    for path in (shared_dir / "vectors_encoders").iterdir():
        if path.stem.startswith(("ssan", "attention_trees", "probing")):
            shutil.copy(path, tmp_path)
    assert parity.main([str(tmp_path)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "name, key, change",
    [
        ("set0", "w/qkv_transform/bias", lambda x: x + numpy.float16(0.01)),
        ("set0", "w/policy_network/input_layer/qk_transform/matrix", lambda x: x[:, ::-1].copy()),
        ("set0", "train/s1/sample", lambda x: 1 - x),
        ("set0", "s2/noise", lambda x: x + numpy.float32(0.5)),
        ("set0", "padded_noise", lambda x: -x),
        ("set0", "infer/s0/outputs", lambda x: x * numpy.float32("nan")),
        ("set0", "train_dropout/s2/dropout_kept", lambda x: 1 - x),
        ("set0", "train/s2/d_inputs", lambda x: x * numpy.float32(1.01)),
        ("set1", "train_dropout/s2/dropout_kept7", lambda x: 1 - x),
        ("set1", "s1/ids", lambda x: x[::-1].copy()),
        ("set1", "w/encoder/layer_norm/offset", lambda x: x + numpy.float16(0.01)),
    ],
)
def test_a_change_is_noticed(parity, folder, name, key, change, capsys):
    change_arrays(folder / f"{name}.npz", {key: change})
    assert parity.main([str(folder)]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if "FAIL" in line]
    assert failed and all(line.startswith(name) for line in failed)


def edit(path, *keys):
    """Change one value of a json, named by the way to it."""
    info = json.loads(path.read_text())
    part = info
    for key in keys[:-2]:
        part = part[key]
    part[keys[-2]] = keys[-1](part[keys[-2]])
    path.write_text(json.dumps(info))


@pytest.mark.parametrize(
    "name, keys",
    [
        ("set0", ("modes", "train", "loss", lambda x: x + 0.001)),
        ("set0", ("modes", "infer", "rows_without_a_key", lambda x: x + 1)),
        ("set0", ("modes", "train_soft", "encoder_sample", lambda x: x * 1.001)),
        ("set0", ("modes", lambda x: {**x, "train_hot": x["train"]})),
        ("set1", ("rlsan_enc_list", lambda x: [1])),
        ("set1", ("modes", "dropout_order", lambda x: x[:-1])),
        ("set2", ("cases", 3, "mean", lambda x: [*x[:-1], [0, 1]])),
        ("set2", ("ties", 0, "sum", lambda x: [[0, 3], [0, 2]])),
        ("set2", ("cases", 3, lambda x: {**x, "largest": []})),
        ("set3", ("items", 0, "tree_depth", lambda x: x + 1)),
        ("set3", ("items", 1, "reordered", 0, "label_original", lambda x: x + 1)),
        ("set3", ("items", 2, lambda x: {**x, "past_tense": True})),
    ],
)
def test_a_change_of_the_json_is_noticed(parity, folder, name, keys, capsys):
    edit(folder / f"{name}.json", *keys)
    assert parity.main([str(folder)]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if "FAIL" in line]
    assert failed and all(line.startswith(name) for line in failed)


def test_an_unknown_kind_of_set_fails(parity, tmp_path, capsys):
    (tmp_path / "roles.json").write_text(json.dumps({"name": "roles", "frames": [1, 2]}))
    assert parity.main([str(tmp_path)]) == 1
    assert "roles.json" in capsys.readouterr().out

"""The parity program on vectors of semantic roles: equal on golden vectors, and not fooled by changed ones."""

import json
import shutil

import numpy
import pytest
from benchmark_programs import program

ATTENTION = "spacy_lal.layers.roles_network"


@pytest.fixture(scope="module")
def parity():
    with program("parity") as module:
        yield module


def test_committed_vectors(parity, data_dir, capsys):
    assert parity.main([str(data_dir / "vectors_srl")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "7 of 7 sets equal the reference within tolerance"
    assert sum(line.endswith("  ok") for line in lines) > 80


def test_all_vectors(parity, shared_dir, capsys):
    assert parity.main([str(shared_dir / "vectors_srl")]) == 0
    out = capsys.readouterr().out
    for stage in ("train gradients", "train RolesLoss", "eval srl.predictions", "eval layer2.attention_logits"):
        assert f"g_even                   {stage}" in out


@pytest.mark.parametrize("name, key", [("d_arcs", "out/scores"), ("f_srl", "train/scores"), ("e_labels", "eval/loss")])
def test_a_changed_answer_is_found(parity, data_dir, tmp_path, capsys, name, key):
    for suffix in (".npz", ".json"):  # under another name: only the json tells the kind
        shutil.copy(data_dir / "vectors_srl" / f"{name}{suffix}", tmp_path / f"other{suffix}")
    assert parity.main([str(tmp_path)]) == 0
    with numpy.load(tmp_path / "other.npz") as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays[key] = arrays[key] + numpy.float32(1e-4)
    numpy.savez(tmp_path / "other.npz", **arrays)
    assert parity.main([str(tmp_path)]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_a_set_with_a_missing_weight_fails(parity, data_dir, tmp_path, capsys):
    shutil.copy(data_dir / "vectors_srl" / "d_arcs.json", tmp_path)
    with numpy.load(data_dir / "vectors_srl" / "d_arcs.npz") as archive:
        arrays = {name: archive[name] for name in archive.files if name != "w/parse.arc.U"}
    numpy.savez(tmp_path / "d_arcs.npz", **arrays)
    assert parity.main([str(tmp_path)]) == 1
    assert "weights differ: ['parse.arc.U']" in capsys.readouterr().out


def test_a_set_of_roles_without_arrays_fails(parity, tmp_path, capsys):
    (tmp_path / "x.json").write_text(json.dumps({"shapes": [[3, 8]]}))
    assert parity.main([str(tmp_path)]) == 1
    assert "could not be read: FileNotFoundError" in capsys.readouterr().out

"""The parity program on networks of Kitaev & Klein's reference: equal on golden vectors, and not fooled by changes."""

import json
import re
import shutil

import numpy
import pytest
from benchmark_programs import program

NAME = "kk_charconcat_words"


@pytest.fixture(scope="module")
def parity():
    with program("parity") as module:
        yield module


@pytest.fixture
def folder(data_dir, tmp_path):
    for suffix in (".npz", ".json"):  # the name of a set says nothing
        shutil.copy(data_dir / "vectors_encoders" / f"{NAME}{suffix}", tmp_path / f"some{suffix}")
    return tmp_path


def rewrite(path, **changes):
    with numpy.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for key, change in changes.items():
        value = change(arrays[key])
        arrays.pop(key) if value is None else arrays.update({key: value})
    numpy.savez(path, **arrays)


def test_golden_vectors(parity, folder, capsys):
    assert parity.main([str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    stages = {line[25:62].strip() for line in lines[1:-1]}
    expected = {"word_ids", "concat_ids", "extra", "emb", "attn0", "attn1_w", "ff1 (batch)", "fencepost", "brackets"}
    expected |= {"label_scores_ut", "tree", "score", "loss", "gradient norms", "gradient probes (batch)"}
    assert expected <= stages


def test_all_vectors_beside_the_checkout(parity, shared_dir, capsys):
    folder = shared_dir / "vectors_encoders"
    names = [path.name for path in sorted(folder.glob("kk_*.npz"))]
    assert names and all(parity.check_set(folder, name, "network", {}) for name in names), capsys.readouterr().out


@pytest.mark.parametrize(
    "key, change",
    [
        ("sd/f_label.3.bias", lambda x: x + numpy.float16(0.01)),
        ("sd/char_embedding.weight", lambda x: numpy.roll(x, 1, axis=0)),
        ("s2/concat_ids", lambda x: x[:, ::-1].copy()),
        ("s2/word_ids", lambda x: x + 1),
        ("s2/extra", lambda x: x + numpy.float32(1e-3)),
        ("s2/attn1_w", lambda x: x * numpy.float32("nan")),
        ("s3/ff0", lambda x: x[:1]),
        ("s3/dec_label", lambda x: x % 7 + 1),
        ("s3/score", lambda x: x + numpy.float32(0.01)),
        ("s4/gold_label", lambda x: x * 0 + numpy.triu(numpy.ones_like(x), 1) * (x > 0)),
        ("s1/emb", lambda x: None),
        ("s1/label_scores_ut", lambda x: None),
    ],
)
def test_a_change_is_noticed(parity, folder, key, change, capsys):
    rewrite(folder / "some.npz", **{key: change})
    assert parity.main([str(folder)]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_a_change_of_the_json_is_noticed(parity, folder, capsys):
    info = json.loads((folder / "some.json").read_text(encoding="utf8"))
    info["sentences"][4]["bracket"] = info["sentences"][4]["gold_bracket"]
    for probes in ("grad_norms_batch", "grad_probes_batch"):
        info["training_dropout0"][probes]["f_label.0.bias"] += 0.1
    info["training_dropout0"]["loss_single"][0] += 0.01
    (folder / "some.json").write_text(json.dumps(info), encoding="utf8")
    assert parity.main([str(folder)]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.endswith("FAIL")]
    assert len(failed) == 5  # brackets alone and in the batch, norms and probes of the batch, a loss


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"num_layers_position_only": 1}, 'queries = "positions" requires factored = false|position_only'),
        ({"use_chars_concat": False, "use_chars_lstm": True}, "char_encoder.emb.weight"),
        ({"d_char_emb": 6}, "char_width of CharConcat: expected .* got 6"),
        ({"num_layers": 3}, "Error.* in loading state_dict"),
    ],
)
def test_hyperparameters_that_do_not_fit_are_named(parity, folder, changes, message, capsys):
    info = json.loads((folder / "some.json").read_text(encoding="utf8"))
    info["hparams"].update(changes)
    info.pop("settings")
    (folder / "some.json").write_text(json.dumps(info), encoding="utf8")
    assert parity.main([str(folder)]) == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "FAIL" in line]
    assert re.search(message, line)

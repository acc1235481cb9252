"""The parity program: equal on every kind of golden vectors, and not fooled by changed
ones."""

import json
import re
import shutil
from pathlib import Path
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import torch
from benchmark_programs import program

from spacy_lal.layers.export import exported
from spacy_lal.models.inference.graph import session

# The folder of each set under tests/data.
SETS = {
    "e_nolal": "vectors",
    "kk_charconcat_words": "vectors_encoders",
    "ssan_layer_sparse": "vectors_encoders",
    "ssan_encoder": "vectors_encoders",
    "d_arcs": "vectors_srl",
    "e_labels": "vectors_srl",
    "f_srl": "vectors_srl",
}


@pytest.fixture(scope="module")
def parity():
    with program("parity") as module:
        yield module


@pytest.fixture
def put(data_dir: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies a set under a name that tells nothing of its kind."""

    def copy(name: str) -> Path:
        for path in (data_dir / SETS[name]).glob(f"{name}.*"):
            shutil.copy(path, tmp_path / f"some{path.suffix}")
        return tmp_path / "some.json"

    return copy


def change_array(path: Path, key: str, change: Callable[[Any], Any]) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    value = change(arrays.pop(key))
    np.savez(path, **arrays, **({} if value is None else {key: value}))


def edit(path: Path, *keys: Any) -> None:
    """Change one value of a json, named by the way to it; the last key is the function
    that changes it."""
    info = part = json.loads(path.read_text(encoding="utf8"))
    for key in keys[:-2]:
        part = part[key]
    part[keys[-2]] = keys[-1](part[keys[-2]])
    path.write_text(json.dumps(info), encoding="utf8")


def failures(parity, folder: Path, capsys) -> List[str]:
    assert parity.main([str(folder)]) == 1
    return [line for line in capsys.readouterr().out.splitlines() if "FAIL" in line]


STAGES: Dict[str, str] = {
    "vectors": (
        "a_best: lal|lal_w (batch)|annotations (scrambled batch)|brackets|gradient "
        "norms|attn1_w"
    ),
    "vectors_srl": (
        "f_srl: train scores|train loss|train gradients|eval_legal "
        "predictions|padding_flags scores"
    ),
    "vectors_encoders": (
        "kk_charconcat_words: word_ids|concat_ids|extra|emb|attn0|ff1 "
        "(batch)|tree|score|loss"
    ),
}


@pytest.mark.parametrize("folder", STAGES)
def test_golden_vectors(parity, data_dir, folder, capsys):
    assert parity.main([str(data_dir / folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    n = len({path.stem for path in (data_dir / folder).iterdir()})
    assert lines[-1] == f"{n} of {n} sets equal the reference within tolerance"
    assert all(line.endswith("  ok") for line in lines[1:-1])
    name, _, stages = STAGES[folder].partition(": ")
    assert set(stages.split("|")) <= {
        line[25:62].strip() for line in lines[1:-1] if line.split()[0] == name
    }


@pytest.mark.parametrize("folder", STAGES)
def test_all_vectors_beside_the_checkout(parity, shared_dir, folder, capsys):
    assert parity.main([str(shared_dir / folder)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "name, key, change",
    [
        ("e_nolal", "sd/f_label.3.bias", lambda x: x + np.float16(0.01)),
        ("e_nolal", "s2/arc", lambda x: x + np.float32(1e-3)),
        ("e_nolal", "s2/arc", lambda x: x * np.float32("nan")),
        ("e_nolal", "s2/arc", lambda x: x[:1]),
        ("e_nolal", "s3/dec_father", lambda x: x[::-1].copy()),
        ("e_nolal", "s3/dec_type_idx", lambda x: (x + 1) % 8),
        ("e_nolal", "s3/score", lambda x: x + np.float32(0.01)),
        ("e_nolal", "s5/gold_father", lambda x: np.roll(x, 1)),
        ("e_nolal", "s1/type", lambda x: None),
        ("e_nolal", "s1/emb", lambda x: None),
        (
            "kk_charconcat_words",
            "sd/char_embedding.weight",
            lambda x: np.roll(x, 1, axis=0),
        ),
        ("kk_charconcat_words", "s2/concat_ids", lambda x: x[:, ::-1].copy()),
        ("kk_charconcat_words", "s2/word_ids", lambda x: x + 1),
        ("kk_charconcat_words", "s2/extra", lambda x: x + np.float32(1e-3)),
        ("kk_charconcat_words", "s3/dec_label", lambda x: x % 7 + 1),
        (
            "kk_charconcat_words",
            "s4/gold_label",
            lambda x: x * 0 + np.triu(np.ones_like(x), 1) * (x > 0),
        ),
        ("ssan_layer_sparse", "w/qkv_transform/bias", lambda x: x + np.float16(0.01)),
        ("ssan_layer_sparse", "train/s1/sample", lambda x: 1 - x),
        ("ssan_layer_sparse", "s2/noise", lambda x: x + np.float32(0.5)),
        ("ssan_layer_sparse", "train_dropout/s2/dropout_kept", lambda x: 1 - x),
        ("ssan_layer_sparse", "train/s2/d_inputs", lambda x: x * np.float32(1.01)),
        ("ssan_encoder", "s1/ids", lambda x: x[::-1].copy()),
        ("ssan_encoder", "w/encoder/layer_norm/offset", lambda x: x + np.float16(0.01)),
        ("d_arcs", "out/scores", lambda x: x + np.float32(1e-4)),
        ("d_arcs", "w/parse.arc.U", lambda x: None),
        ("f_srl", "train/scores", lambda x: x + np.float32(1e-4)),
        ("e_labels", "eval/loss", lambda x: x + np.float32(1e-4)),
    ],
)
def test_a_changed_array_is_noticed(parity, put, name, key, change, capsys):
    path = put(name)
    change_array(path.with_suffix(".npz"), key, change)
    assert failures(parity, path.parent, capsys)


@pytest.mark.parametrize(
    "name, keys",
    [
        ("e_nolal", ("sentences", 4, "bracket", lambda x: "(X (Y z))")),
        (
            "e_nolal",
            (
                "training_dropout0",
                "grad_norms_batch",
                "f_label.0.bias",
                lambda x: x * 1.01,
            ),
        ),
        (
            "kk_charconcat_words",
            (
                "training_dropout0",
                "grad_probes_batch",
                "f_label.0.bias",
                lambda x: x + 0.1,
            ),
        ),
        (
            "kk_charconcat_words",
            ("training_dropout0", "loss_single", 0, lambda x: x + 0.01),
        ),
        ("ssan_layer_sparse", ("modes", "train", "loss", lambda x: x + 0.001)),
        (
            "ssan_layer_sparse",
            ("modes", "infer", "rows_without_a_key", lambda x: x + 1),
        ),
        ("ssan_layer_sparse", ("modes", lambda x: {**x, "train_hot": x["train"]})),
        ("ssan_encoder", ("modes", "dropout_order", lambda x: x[:-1])),
    ],
)
def test_a_change_of_the_json_is_noticed(parity, put, name, keys, capsys):
    path = put(name)
    edit(path, *keys)
    assert failures(parity, path.parent, capsys)


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"num_layers_position_only": 1},
            'queries = "positions" requires factored = false|position_only',
        ),
        ({"d_char_emb": 6}, "char_width of CharConcat: expected .* got 6"),
        ({"num_layers": 3}, "Error.* in loading state_dict"),
    ],
)
def test_hyperparameters_that_do_not_fit_are_named(
    parity, put, changes, message, capsys
):
    path = put("kk_charconcat_words")
    edit(path, "hparams", lambda hparams: {**hparams, **changes})
    edit(path, "settings", lambda settings: None)
    (line,) = failures(parity, path.parent, capsys)
    assert re.search(message, line)


@pytest.mark.parametrize(
    "name, keys, named",
    [
        (
            "kk_charconcat_words",
            ("hparams", lambda x: {**x, "relu_kind": "gelu"}),
            "hparams.relu_kind = 'gelu' (unknown)",
        ),
        (
            "kk_charconcat_words",
            ("settings", lambda x: {**x, "window": 3}),
            "settings.window = 3 (unknown)",
        ),
        (
            "kk_charconcat_words",
            ("hparams", lambda x: {**x, "use_words": True, "scale": [1]}),
            "hparams.scale = [1] (unknown)",
        ),
        (
            "e_nolal",
            ("hparams", "use_roberta", lambda x: True),
            "hparams.use_roberta = True (the library has False)",
        ),
        (
            "ssan_layer_sparse",
            ("epsilon", lambda x: 1e-5),
            "epsilon = 1e-05 (the library has 1e-06)",
        ),
    ],
)
def test_a_setting_that_cannot_be_followed_is_named(
    parity, put, name, keys, named, capsys
):
    path = put(name)
    edit(path, *keys)
    (line,) = failures(parity, path.parent, capsys)
    assert line.endswith(f"UnfollowedSettingError: settings not followed: {named}")


@pytest.mark.parametrize(
    "name, keys",
    [
        ("ssan_encoder", ("temperature",)),
        ("ssan_layer_sparse", ("temperature",)),
    ],
)
def test_the_temperature_of_a_selector_is_followed(parity, put, name, keys, capsys):
    """Numbers that the reference has computed at 0.5 are others at 0.8."""
    path = put(name)
    edit(path, *keys, lambda x: 0.8)
    lines = failures(parity, path.parent, capsys)
    assert lines and not any("settings not followed" in line for line in lines)


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("data", [b"rubbish", b"[]", None])
def test_a_set_that_cannot_be_read_is_named(parity, put, suffix, data, capsys):
    path = put("e_nolal").with_suffix(suffix)
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    assert parity.main([str(path.parent)]) == 1
    assert "some" in capsys.readouterr().out


def test_an_empty_folder_and_an_unknown_kind_fail(parity, tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        assert parity.main([str(folder)]) == 1
    (tmp_path / "roles.json").write_text(
        json.dumps({"name": "roles", "frames": [1, 2]})
    )
    assert parity.main([str(tmp_path)]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["vectors", "vectors_encoders"])
def test_the_reference_s_scores_come_from_graphs(parity, shared_dir, folder):
    """Each network as `lal compact` exports it."""
    pytest.importorskip("onnxscript")
    from parity.encoder_compare import EncoderReference, their_labels
    from parity.network import Reference

    n_equal = 0
    for name in parity.find_sets(shared_dir / folder):
        info = parity.read_json(shared_dir / folder, name)
        with_noise = "selector" in info or "dropout_rates" in info
        if with_noise or parity.is_ssan(info):  # or encoders without a parser
            continue
        if folder == "vectors":
            reference = Reference(parity.read_network_set(shared_dir / folder, name))
            network, read = reference.networks[False], np.array
        else:
            sets = parity.read_encoder_set(shared_dir / folder, name)
            reference = EncoderReference(sets)
            network, read = reference.network, their_labels
        lengths = reference.lengths
        some = reference.batch(
            sorted(range(len(lengths)), key=lengths.__getitem__)[-2:]
        )
        with torch.no_grad():
            graph = exported(network, (some,), network(some))
        weights = {key: value.numpy() for key, value in network.state_dict().items()}
        named = {key: weights[key] for key in weights if key.encode() in graph}
        run = session(graph, named)
        names = [port.name.removeprefix("output ") for port in run.get_outputs()]
        for index, given in enumerate(reference.vectors.sentences):
            inputs = reference.batch([index])._asdict()
            arrays = {key: x.numpy() for key, x in inputs.items() if x is not None}
            scores = dict(zip(names, run.run(None, arrays), strict=True))
            upper = np.triu_indices(lengths[index] + 1, 1)
            ours = {"label_scores_ut": read(scores["labels"][0])[upper]}
            if "arcs" in scores:
                ours |= {"arc": scores["arcs"][0], "type": scores["deprels"][0]}
            for stage in ours.keys() & given.keys():
                expected = given[stage]
                np.testing.assert_allclose(
                    ours[stage], expected, atol=2e-4, err_msg=f"{name}: {stage}"
                )
                n_equal += 1
    assert n_equal > 50

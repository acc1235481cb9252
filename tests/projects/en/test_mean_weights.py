"""The mean of trainings."""

from pathlib import Path

import numpy


def test_the_mean_of_each_weight(script, tmp_path: Path, capsys):
    training = script("train_exported")
    for number, folder in enumerate(("one", "two")):
        weights = {
            "small": numpy.full(3, 1.0 + number, dtype="f4"),
            "large": numpy.full((200, 200), 4.0 * number, dtype="f4"),
        }
        training.write_weights(training.pack(weights), tmp_path / folder / "weights")
    folders = [str(tmp_path / name) for name in ("mean", "one", "two")]
    assert script("mean_weights").main(folders) == 0
    mean = training.read_weights(tmp_path / "mean" / "weights")
    numpy.testing.assert_array_equal(mean["small"], numpy.full(3, 1.5))
    numpy.testing.assert_allclose(mean["large"], numpy.full((200, 200), 2.0))


def test_trainings_of_other_pipelines_are_named(script, tmp_path: Path, capsys):
    training = script("train_exported")
    for size, folder in ((3, "one"), (4, "two")):
        weights = {"small": numpy.zeros(size, dtype="f4")}
        training.write_weights(training.pack(weights), tmp_path / folder / "weights")
    folders = [str(tmp_path / name) for name in ("mean", "one", "two")]
    assert script("mean_weights").main(folders) == 1
    assert "two: expected the weights of" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()

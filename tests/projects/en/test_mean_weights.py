"""The mean of trainings."""

from pathlib import Path

import numpy
import pytest


def test_the_mean_of_each_weight(script, tmp_path: Path):
    training = script("train_exported")
    for number, folder in enumerate(("one", "two")):
        weights = {
            "small": numpy.full(3, 1.0 + number, dtype="f4"),
            "large": numpy.full((200, 200), 4.0 * number, dtype="f4"),
        }
        training.write_weights(training.pack(weights), tmp_path / folder / "weights")
    folders = [tmp_path / name for name in ("one", "two")]
    script("mean_weights").main(tmp_path / "mean", folders)
    mean = training.read_weights(tmp_path / "mean" / "weights")
    numpy.testing.assert_array_equal(mean["small"], numpy.full(3, 1.5))
    numpy.testing.assert_allclose(mean["large"], numpy.full((200, 200), 2.0))
    script("mean_weights").main(tmp_path / "kept", folders, ["sm"])
    mean = training.read_weights(tmp_path / "kept" / "weights")
    numpy.testing.assert_array_equal(mean["small"], numpy.full(3, 1.0))
    numpy.testing.assert_allclose(mean["large"], numpy.full((200, 200), 2.0))


def test_trainings_of_other_pipelines_are_named(script, tmp_path: Path):
    training = script("train_exported")
    for size, folder in ((3, "one"), (4, "two")):
        weights = {"small": numpy.zeros(size, dtype="f4")}
        training.write_weights(training.pack(weights), tmp_path / folder / "weights")
    folders = [tmp_path / name for name in ("one", "two")]
    with pytest.raises(ValueError, match="two: expected the weights of"):
        script("mean_weights").main(tmp_path / "mean", folders)
    assert not (tmp_path / "mean").exists()

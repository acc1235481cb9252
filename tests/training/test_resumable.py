"""A training that is interrupted gives, byte by byte, what it gives without, and what spaCy's own loop gives."""

import io
import os
import shutil
import signal
from pathlib import Path
from typing import Any, Dict

import pytest
import spacy
import tiny_training
import torch
from spacy.language import Language
from spacy.util import load_config
from thinc.api import Config
from thinc.shims import PyTorchShim
from tiny_training import assert_same_models, rows, tiny_config, uninterrupted, write_toy_corpora
from tiny_xlnet import tiny_bert  # noqa: F401 (a fixture)

from spacy_lal.training.resumable import CheckpointInterval, TrainingStopped
from spacy_lal.training.train import train
from spacy_lal.training.train_checkpoint import DIR_CHECKPOINT, CheckpointError
from spacy_lal.training.train_state import owners

NEVER = CheckpointInterval(minutes=1e9)
ADAM = {"@optimizers": "Adam.v1", "use_averages": True, "L2": 0.01, "grad_clip": 1.0, "learn_rate": 0.01}
VARIANTS: Dict[str, Dict[str, Any]] = {
    "as published": {},
    "averages, schedules, accumulation": {
        "training.optimizer": {**ADAM, "learn_rate": {"@schedules": "decaying.v1", "base_rate": 0.02, "decay": 0.1}},
        "training.batcher.size": {"@schedules": "compounding.v1", "start": 60, "stop": 400, "compound": 1.2},
        "training.accumulate_gradient": 2,
    },
    "RAdam, two epochs": {
        "training.optimizer": {"@optimizers": "RAdam.v1", "learn_rate": 0.01},
        "training.max_epochs": 2,
        "training.max_steps": 0,
    },
    "patience, annotating components": {
        "training.patience": 6,
        "training.optimizer": {**ADAM, "learn_rate": 0.0},
        "training.annotating_components": ["senter", "tagger"],
        "components.lal_parser.model.inputs.*.tags": {"@misc": "spacy-lal.Tags.v1"},
        "corpora.train.gold_sents": False,
    },
}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpora")
    write_toy_corpora(path)
    return path


@pytest.fixture(autouse=True)
def no_signals_left() -> Any:
    yield
    tiny_training.SIGNALS.clear()


def run(config: Config, output: Path, **settings: Any) -> str:
    """Our training to its end; what it logs."""
    stdout = io.StringIO()
    train(config, output, stdout=stdout, stderr=io.StringIO(), **{"interval": NEVER, **settings})
    return stdout.getvalue()


def run_until(step: int, config: Config, output: Path, number: int = signal.SIGTERM, **settings: Any) -> str:
    """Our training up to a signal at the beginning of a step; what it logs."""
    tiny_training.SIGNALS[step] = number
    stdout = io.StringIO()
    with pytest.raises(TrainingStopped):
        train(config, output, stdout=stdout, stderr=io.StringIO(), **{"interval": NEVER, **settings})
    return stdout.getvalue()


def assert_same_weights(nlp: Language, expected: Language) -> None:
    for (_, ours), (_, theirs) in zip(owners(nlp), owners(expected), strict=True):
        if isinstance(ours, PyTorchShim):
            weights = theirs._model.state_dict()
            assert all(torch.equal(value, weights[name]) for name, value in ours._model.state_dict().items())
        else:
            assert all((ours.get_param(name) == theirs.get_param(name)).all() for name in ours.param_names)


@pytest.mark.parametrize("variant", VARIANTS)
def test_interrupted_as_uninterrupted(variant: str, corpora: Path, tmp_path: Path):
    """Stopped after a step, and in the evaluation after another one."""
    config = tiny_config(corpora, changes=VARIANTS[variant])
    expected = rows(uninterrupted(config, tmp_path / "spacy"))
    log = run_until(1, config, tmp_path / "ours") + run_until(4, config, tmp_path / "ours")
    assert rows(log + run(config, tmp_path / "ours")) == expected
    assert_same_models(tmp_path / "ours", tmp_path / "spacy")


def test_interrupted_transformer(corpora: Path, tmp_path: Path, tiny_bert: Path):  # noqa: F811
    """A fine-tuned transformer that two components listen to, and one inside of the parser. Not compared with spaCy's
    loop, where spacy-transformers' draws from the generator that shuffles."""
    changes = {
        "components.transformer.model.get_spans": {
            "@span_getters": "spacy-transformers.strided_spans.v1",
            "window": 2,
            "stride": 2,
        },
        "components.lal_parser.model.tok2vec": {
            "@architectures": "spacy-lal.WordTransformer.v1",
            "name": str(tiny_bert),
        },
    }
    config = tiny_config(corpora, transformer=tiny_bert, changes=changes)
    expected = rows(run(config, tmp_path / "whole"))
    log = run_until(3, config, tmp_path / "parts")
    assert rows(log + run(config, tmp_path / "parts")) == expected
    for name in ("model-best", "model-last"):  # their files hold the path of a temporary folder
        assert_same_weights(spacy.load(tmp_path / "parts" / name), spacy.load(tmp_path / "whole" / name))


def test_interrupted_stream(corpora: Path, tmp_path: Path):
    """Corpora that draw random numbers while they are read, both of them."""
    changes = {
        "training.max_epochs": -1,
        "corpora.train.shuffle": True,
        "corpora.dev.shuffle": True,
        "corpora.train.augmenter": {"@augmenters": "spacy.lower_case.v1", "level": 0.3},
    }
    config = tiny_config(corpora, changes=changes)
    expected = rows(run(config, tmp_path / "whole"))
    log = run_until(1, config, tmp_path / "parts") + run_until(4, config, tmp_path / "parts")
    assert rows(log + run(config, tmp_path / "parts")) == expected
    assert_same_models(tmp_path / "parts", tmp_path / "whole")


@pytest.fixture(scope="module")
def stopped(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a training that was stopped after two steps."""
    path = tmp_path_factory.mktemp("stopped") / "output"
    run_until(1, tiny_config(corpora), path)
    return path


@pytest.fixture
def output(stopped: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(stopped, tmp_path / "output"))


def test_checkpoints_at_every_step(corpora: Path, tmp_path: Path):
    """The newest alone is kept, and none when all is done; then the same command does nothing."""
    config = tiny_config(corpora, changes={"training.max_steps": 2})
    run_until(1, config, tmp_path, interval=CheckpointInterval(steps=1))
    assert [path.name for path in (tmp_path / DIR_CHECKPOINT).iterdir()] == ["step-00000002"]
    run(config, tmp_path)
    assert [path.name for path in (tmp_path / DIR_CHECKPOINT).iterdir()] == ["finished.json"]
    before = (tmp_path / "model-last" / "meta.json").stat().st_mtime_ns
    log = run(config, tmp_path)
    assert "This training ended after step 2" in log and not rows(log)
    assert (tmp_path / "model-last" / "meta.json").stat().st_mtime_ns == before


def test_other_config(corpora: Path, output: Path):
    config = tiny_config(corpora, changes={"training.optimizer.L2": 0.1, "training.max_steps": 9})
    with pytest.raises(CheckpointError) as caught:
        run(config, output)
    message = str(caught.value)
    assert "training.optimizer.L2: 0.0 -> 0.1" in message and "training.max_steps: 8 -> 9" in message
    assert "learn_rate" not in message
    assert "--no-resume" in message and "--output" in message


def test_begin_anew(corpora: Path, output: Path):
    config = tiny_config(corpora, changes={"training.optimizer.L2": 0.1, "training.max_steps": 1})
    log = run(config, output, resume=False)
    assert [row.split()[:2] for row in rows(log)] == [["0", "0"]]
    assert not list((output / DIR_CHECKPOINT).glob("step-*"))


def test_moved_data_other_logger(corpora: Path, output: Path, tmp_path: Path):
    moved = Path(shutil.copytree(corpora, tmp_path / "moved"))
    changes = {"training.logger": {"@loggers": "spacy.ConsoleLogger.v2", "output_file": str(tmp_path / "log.jsonl")}}
    run_until(3, tiny_config(moved, changes=changes), output)
    assert (tmp_path / "log.jsonl").exists()
    saved = load_config(output / "model-last" / "config.cfg", interpolate=True)
    assert saved["corpora"]["train"]["path"] == str(moved / "train.spacy")
    assert saved["corpora"]["train"]["max_length"] == 0  # what the config does not give is as it was filled in


def test_other_data(corpora: Path, output: Path, tmp_path: Path):
    other = Path(shutil.copytree(corpora, tmp_path / "other"))
    shutil.copy(corpora / "dev.spacy", other / "train.spacy")
    before = (output / "model-last" / "meta.json").stat().st_mtime_ns
    with pytest.raises(CheckpointError, match="the training data is not what it was"):
        run(tiny_config(other), output)
    assert (output / "model-last" / "meta.json").stat().st_mtime_ns == before


def test_error_in_a_step(corpora: Path, output: Path, monkeypatch: pytest.MonkeyPatch):
    """The model is saved as it is, and the checkpoint stays."""
    update = Language.update
    calls = iter(range(10))

    def fail_once(nlp: Language, *args: Any, **settings: Any) -> Any:
        if next(calls) == 1:
            raise RuntimeError("out of memory")
        return update(nlp, *args, **settings)

    before = (output / "model-last" / "lal_parser" / "model").read_bytes()
    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="out of memory"):
        patch.setattr(Language, "update", fail_once)
        run(tiny_config(corpora), output)
    assert (output / "model-last" / "lal_parser" / "model").read_bytes() != before
    assert [path.name for path in (output / DIR_CHECKPOINT).iterdir()] == ["step-00000002"]


def test_full_disk(corpora: Path, output: Path, monkeypatch: pytest.MonkeyPatch):
    """A training that could not write a checkpoint goes on, and the one before it stays."""

    def fail(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("spacy_lal.training.resumable.write_checkpoint", fail)
    tiny_training.SIGNALS[4] = signal.SIGTERM
    with pytest.warns(UserWarning, match="can't write a checkpoint"), pytest.raises(OSError, match="No space left"):
        run(tiny_config(corpora), output, interval=CheckpointInterval(steps=1))
    assert [path.name for path in (output / DIR_CHECKPOINT).iterdir()] == ["step-00000002"]


def test_weights_after_an_evaluation_that_was_left(corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What is stored are the weights that are trained, not the averages that were being evaluated."""
    config = tiny_config(corpora, changes={"training.optimizer": ADAM, "training.eval_frequency": 3})
    evaluate = Language.evaluate

    def interrupt(nlp: Language, examples: Any, **settings: Any) -> Dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        return evaluate(nlp, examples, **settings)

    expected = rows(uninterrupted(config, tmp_path / "spacy"))
    log = run_until(1, config, tmp_path / "ours")
    with monkeypatch.context() as patch, pytest.raises(TrainingStopped, match="after 4 steps"):
        patch.setattr(Language, "evaluate", interrupt)
        run(config, tmp_path / "ours")
    assert rows(log + run(config, tmp_path / "ours")) == expected
    assert_same_models(tmp_path / "ours", tmp_path / "spacy")

"""A training that is interrupted ends near one that is not; without interruption it is
spaCy's, to the byte."""

import errno
import io
import shutil
import signal
from contextlib import redirect_stdout
from functools import reduce
from pathlib import Path
from typing import Any, Dict, Iterator

import numpy
import pytest
import spacy
import tiny_training
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.util import dict_to_dot
from thinc.api import Config, Model
from tiny_training import (
    assert_same_models,
    rows,
    tiny_config,
    uninterrupted,
    write_toy_corpora,
)
from tiny_xlnet import tiny_bert  # noqa: F401 (a fixture)

from spacy_lal.annotations import SPANS_KEY
from spacy_lal.training.loop import DIR_CHECKPOINT, TrainingStopped, train
from spacy_lal.training.optimizer_state import torch_module

ADAM = {
    "@optimizers": "Adam.v1",
    "use_averages": True,
    "L2": 0.01,
    "grad_clip": 1.0,
    "learn_rate": 0.01,
}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
VARIANTS: Dict[str, Dict[str, Any]] = {
    "averages, schedules, accumulation": {
        "training.optimizer": {
            **ADAM,
            "learn_rate": {
                "@schedules": "decaying.v1",
                "base_rate": 0.02,
                "decay": 0.1,
            },
        },
        "training.batcher.size": {
            "@schedules": "compounding.v1",
            "start": 60,
            "stop": 400,
            "compound": 1.2,
        },
        "training.accumulate_gradient": 2,
    },
    "patience, a stream": {
        "training.patience": 6,
        "training.max_epochs": -1,
        "training.optimizer": {**ADAM, "learn_rate": 0.0},
        "corpora.train.shuffle": True,
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
    with redirect_stdout(io.StringIO()) as stdout:
        train(config, output, **settings)
    return stdout.getvalue()


def run_until(step: int, config: Config, output: Path, **settings: Any) -> str:
    """Our training up to a signal at the beginning of a step; what it logs."""
    tiny_training.SIGNALS[step] = signal.SIGTERM
    with redirect_stdout(io.StringIO()) as stdout, pytest.raises(TrainingStopped):
        train(config, output, **settings)
    return stdout.getvalue()


def distance(path: Path, expected: Path) -> float:
    """The largest difference between weights of two pipelines."""
    pairs = zip(
        weights_of(spacy.load(path)), weights_of(spacy.load(expected)), strict=True
    )
    return max(
        float(numpy.abs(numpy.asarray(one) - numpy.asarray(other)).max())
        for one, other in pairs
    )


def weights_of(nlp: Language) -> Iterator[Any]:
    """All weights of a pipeline, in order: of thinc layers, and of the torch networks
    in them."""
    models = [
        pipe.model
        for _, pipe in nlp.components
        if isinstance(getattr(pipe, "model", None), Model)
    ]
    for node in (node for model in models for node in model.walk()):
        yield from (
            node.get_param(key) for key in node.param_names if node.has_param(key)
        )
        for module in map(torch_module, node.shims):
            yield from module.state_dict().values() if module is not None else ()


def without_dropout(config: Config) -> Config:
    for name in dict_to_dot(config):
        if name.endswith("dropout"):
            *sections, last = name.split(".")
            reduce(dict.__getitem__, sections, config)[last] = 0.0
    return config


@pytest.mark.parametrize("variant", VARIANTS)
def test_interrupted_as_uninterrupted(variant: str, corpora: Path, tmp_path: Path):
    """Without dropout, which is drawn anew."""
    config = without_dropout(tiny_config(corpora, changes=VARIANTS[variant]))
    expected = rows(uninterrupted(config, tmp_path / "spacy"))
    assert rows(run(config, tmp_path / "whole")) == expected
    assert_same_models(tmp_path / "whole", tmp_path / "spacy")
    log = run_until(1, config, tmp_path / "parts") + run_until(
        4, config, tmp_path / "parts"
    )
    assert rows(log + run(config, tmp_path / "parts")) == expected
    assert (
        distance(tmp_path / "parts" / "model-last", tmp_path / "spacy" / "model-last")
        < 1e-5
    )


def test_interrupted_transformer(corpora: Path, tmp_path: Path, tiny_bert: Path):  # noqa: F811
    encoder = {"components.transformer.model.transformer_config": NO_DROPOUT}
    config = without_dropout(
        tiny_config(corpora, transformer=tiny_bert, changes=encoder)
    )
    expected = rows(run(config, tmp_path / "whole"))
    log = run_until(3, config, tmp_path / "parts")
    log = rows(log + run(config, tmp_path / "parts"))
    assert [row.split()[:2] for row in log] == [row.split()[:2] for row in expected]
    assert (
        distance(tmp_path / "parts" / "model-last", tmp_path / "whole" / "model-last")
        < 0.05
    )


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


def test_the_newest_checkpoint_is_kept_and_an_ended_training_is_not_repeated(
    corpora: Path, tmp_path: Path
):
    config = tiny_config(corpora, changes={"training.max_steps": 2})
    run_until(1, config, tmp_path, steps=1)
    names = {path.name for path in (tmp_path / DIR_CHECKPOINT).iterdir()}
    assert names == {"pipeline", "state.pt"}
    run(config, tmp_path)
    names = {path.name for path in (tmp_path / DIR_CHECKPOINT).iterdir()}
    assert names == {"state.pt"}
    log = run(config, tmp_path)
    assert "This training ended after step 2" in log and not rows(log)


def test_other_config(corpora: Path, output: Path):
    config = tiny_config(
        corpora, changes={"training.optimizer.L2": 0.1, "training.max_steps": 1}
    )
    with pytest.raises(ValueError) as caught:
        run(config, output)
    message = str(caught.value)
    assert (
        "training.optimizer.L2: 0.0 -> 0.1" in message
        and "training.max_steps: 8 -> 1" in message
    )
    assert (
        "learn_rate" not in message
        and "--no-resume" in message
        and "--output" in message
    )
    assert [row.split()[:2] for row in rows(run(config, output, resume=False))] == [
        ["0", "0"]
    ]


def test_damaged_checkpoint(corpora: Path, output: Path):
    path = output / DIR_CHECKPOINT
    for file in (path / "pipeline" / "lal_parser" / "model", path / "state.pt"):
        file.write_bytes(file.read_bytes()[:100])
        with pytest.raises(ValueError, match="can't go on from"):
            run(tiny_config(corpora), output)


def test_error_in_a_step(corpora: Path, output: Path, monkeypatch: pytest.MonkeyPatch):
    """The model is saved as it is, and the checkpoint stays."""
    update = Language.update
    calls = iter(range(10))

    def fail_once(nlp: Language, *args: Any, **settings: Any) -> Any:
        if next(calls) == 1:
            raise RuntimeError("out of memory")
        return update(nlp, *args, **settings)

    before = (output / "model-last" / "lal_parser" / "model").read_bytes()
    checkpoint = (output / DIR_CHECKPOINT / "state.pt").read_bytes()
    with (
        monkeypatch.context() as patch,
        pytest.raises(RuntimeError, match="out of memory"),
    ):
        patch.setattr(Language, "update", fail_once)
        run(tiny_config(corpora), output)
    assert (output / "model-last" / "lal_parser" / "model").read_bytes() != before
    assert (output / DIR_CHECKPOINT / "state.pt").read_bytes() == checkpoint


def test_a_best_pipeline_that_was_lost_is_an_error(corpora: Path, tmp_path: Path):
    """A run was killed between two renames: the earlier one comes back; or all is
    gone."""
    output = tmp_path / "output"
    config = tiny_config(corpora)
    run_until(5, config, output)
    best = output / "model-best"
    aside = output / ".model-best.0a.old"
    best.rename(aside)
    run_until(6, config, output)
    assert spacy.load(best).pipe_names and not aside.exists()
    shutil.rmtree(best)
    with pytest.raises(ValueError, match="expected the best pipeline.*--no-resume"):
        run(config, output)


class Killed(BaseException):
    """Stands for SIGKILL."""


class Kill:
    """Ends a training at one of its renames and removals; what comes after that in the
    process changes no file. A removal is half done."""

    def __init__(self, patch: pytest.MonkeyPatch, number: int) -> None:
        self.number, self.count = number, 0
        self.rename, self.remove, self.mkdir = Path.rename, shutil.rmtree, Path.mkdir
        patch.setattr(Path, "rename", lambda path, to: self.do(self.rename, path, to))
        patch.setattr(Path, "mkdir", lambda *args, **how: self.make(*args, **how))
        patch.setattr(shutil, "rmtree", self.removed)

    def do(self, act: Any, *args: Any) -> Any:
        self.count += 1
        if self.count > self.number:
            raise Killed
        return act(*args)

    def make(self, path: Path, *args: Any, **settings: Any) -> None:
        if self.count > self.number:
            raise Killed
        self.mkdir(path, *args, **settings)

    def removed(self, path: Path, **settings: Any) -> None:
        if self.count == self.number and path.is_dir():
            for file in sorted(path.rglob("*.cfg")):
                file.unlink()
        self.do(lambda: self.remove(path, **settings))


def killed_at(number: int, config: Config, output: Path, **settings: Any) -> bool:
    """Train, and be killed. Whether the training had that many renames and
    removals."""
    with pytest.MonkeyPatch.context() as patch:
        Kill(patch, number)
        try:
            run(config, output, **settings)
        except Killed:
            return True
    return False


def quick_config(folder: Path, max_steps: int) -> Config:
    """A training of a component that learns nothing, on two words, evaluated after each
    step."""
    doc = Doc(spacy.blank("en").vocab, words=["It", "works"])
    for name in ("train", "dev"):
        DocBin(docs=[doc]).to_disk(folder / f"{name}.spacy")
    changes = {
        "nlp.pipeline": ["sentencizer"],
        "components": {"sentencizer": {"factory": "sentencizer"}},
        "initialize.components": {},
        "training.max_steps": max_steps,
        "training.eval_frequency": 1,
    }
    return tiny_config(folder, changes=changes)


def test_killed_at_every_rename_and_removal(tmp_path: Path):
    """The same command goes on from the newest checkpoint, and ends with all models."""
    config = quick_config(tmp_path, max_steps=2)
    n_steps = rows(run(config, tmp_path / "whole", steps=1))
    number = 0
    while killed_at(number, config, output := tmp_path / str(number), steps=1):
        names = [path.name for path in output.glob("*")]
        wholes = [name for name in names if "checkpoint" in name]
        lacks_first = all(name.endswith(".part") for name in wholes)
        if lacks_first and wholes and "model-best" in names:
            with pytest.raises(ValueError, match="killed as it wrote its first"):
                run(config, output, steps=1)
        else:
            log = rows(run(config, output, steps=1))
            assert len(log) < len(n_steps) or lacks_first
            for name in ("model-best", "model-last"):
                assert spacy.load(output / name).pipe_names
        number += 1
    assert number > 20


def test_killed_while_it_begins_anew(tmp_path: Path):
    """What is there loads, and the next run trains."""
    config = quick_config(tmp_path, max_steps=1)
    run(config, tmp_path / "ended")
    for number in range(6):  # three folders are renamed and removed
        output = Path(shutil.copytree(tmp_path / "ended", tmp_path / str(number)))
        assert killed_at(number, config, output, resume=False)
        for folder in output.glob("model-*"):
            assert spacy.load(folder).pipe_names
        assert rows(run(config, output)) or (output / DIR_CHECKPOINT).exists()
        for name in ("model-best", "model-last"):
            assert spacy.load(output / name).pipe_names


def test_a_full_disk_leaves_what_was_there(
    corpora: Path, output: Path, monkeypatch: pytest.MonkeyPatch
):
    before = (output / "model-last" / "lal_parser" / "model").read_bytes()
    to_disk = Language.to_disk

    def cut(nlp: Language, path: Path, **settings: Any) -> None:
        to_disk(nlp, path, **settings)
        (path / "lal_parser" / "model").write_bytes(b"")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Language, "to_disk", cut)
    with pytest.raises(OSError, match="model-last"):
        run(tiny_config(corpora), output)
    assert (output / "model-last" / "lal_parser" / "model").read_bytes() == before


def test_weights_that_are_no_numbers_replace_no_others(
    corpora: Path, output: Path, monkeypatch: pytest.MonkeyPatch
):
    before = (output / "model-last" / "lal_parser" / "model").read_bytes()

    def spoil(nlp: Language, *args: Any, **settings: Any) -> Any:
        for node in nlp.get_pipe("lal_parser").model.walk():
            for module in filter(None, map(torch_module, node.shims)):
                next(module.parameters()).data[:] = float("nan")
        raise ValueError("the loss is nan")

    monkeypatch.setattr(Language, "update", spoil)
    with pytest.raises(ValueError, match="the loss is nan"):
        run(tiny_config(corpora), output)
    assert (output / "model-last" / "lal_parser" / "model").read_bytes() == before


def test_a_dev_corpus_without_trees_is_said(corpora: Path, tmp_path: Path):
    vocab = spacy.blank("en").vocab
    docs = list(DocBin().from_disk(corpora / "dev.spacy").get_docs(vocab))
    for doc in docs:
        del doc.spans[SPANS_KEY]
    DocBin(docs=docs).to_disk(tmp_path / "dev.spacy")
    changes = {"paths.dev": str(tmp_path / "dev.spacy"), "training.max_steps": 1}
    log = run(tiny_config(corpora, changes=changes), tmp_path / "output")
    assert "The dev corpus has no trees" in log

"""`lal train`: spaCy's training, which stores its state and goes on from it after an
interruption.

The loop is spaCy's own (`train_while_improving`). To go on, it runs through the steps
that are done with empty batches, and meets the scores of that time in the evaluations.
So the data come in the order of an uninterrupted training; dropout masks differ. The
data must not change in between.

    OUTPUT/checkpoint/   the newest checkpoint; replaces the one before
        pipeline/        weights as trained; model-last may have averages
        state.pt         progress, config, the optimizer's moments, which are left out
                         when the training has ended
"""

import math
import shutil
import signal
import sys
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from timeit import default_timer as timer
from typing import Any, Callable, Iterator, Optional

import numpy
import torch
from spacy import util
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example, loop
from spacy.training.initialize import init_nlp
from spacy.util import registry, resolve_dot_names
from thinc.api import Config, fix_random_seed, set_gpu_allocator
from wasabi import msg

from ..annotations import SPANS_KEY
from ..files import beside, leftovers, restore_folder, written_folder
from .optimizer_state import (
    State,
    get_optimizer_state,
    parameters,
    set_optimizer_state,
)

DIR_CHECKPOINT = "checkpoint"
REMOVED = ".removed"  # the ending of a folder that is being removed
MINUTES = 15.0
SETTINGS = (
    "dropout",
    "eval_frequency",
    "accumulate_gradient",
    "patience",
    "max_steps",
    "annotating_components",
)
WAY_OUT = (
    "Train anew with --no-resume (which replaces what is there), or with another "
    "--output"
)


class TrainingStopped(Exception):
    """A training has stopped by a signal (the second argument), after writing a
    checkpoint."""


def train(
    config: Config,
    output_path: Path,
    *,
    use_gpu: int = -1,
    minutes: float = MINUTES,
    steps: int = 0,
    resume: bool = True,
) -> Path:
    """Train as `spacy train` does, but from the last checkpoint of the output folder,
    if there is one.

    RETURNS (Path): The model's folder.

    config (Config): As read with `interpolate=False`, overrides applied. minutes
    (float), steps (int): How often to write checkpoints: every `steps` steps, or if
    that is 0, every `minutes`.
    resume (bool): Whether to resume from a checkpoint. If not, an existing one is
        removed.
    RAISES (ValueError): The checkpoint can't be read, is of another config, or was not
        whole when a training was killed that had a model.
    RAISES (TrainingStopped): SIGTERM or Ctrl-C has come; a checkpoint is written first.
    """
    model_path = output_path / "model-last"
    best = output_path / "model-best"
    checkpoint = output_path / DIR_CHECKPOINT
    for name in ("nlp", "training", "corpora", "initialize"):
        if name not in config:
            raise ValueError(
                f"the config has no [{name}]; python -m spacy init fill-config "
                "completes a config"
            )
    output_path.mkdir(parents=True, exist_ok=True)
    flat = util.dict_to_dot(config.interpolate())
    allocator = flat.get("training.gpu_allocator")
    if use_gpu >= 0 and allocator:
        set_gpu_allocator(allocator)
    msg.divider("Initializing pipeline")
    if resume and _has_checkpoint(checkpoint, best):
        state, nlp = _read_checkpoint(checkpoint, config, flat)
        restore_folder(best)
        if state["results"] and not (best / "config.cfg").is_file():
            raise ValueError(
                f"expected the best pipeline so far in {best}, it is missing. {WAY_OUT}"
            )
        if nlp is None:
            msg.good(
                f"This training ended after step {state['n_steps'] - 1}; --no-resume "
                "repeats it",
                model_path,
            )
            return model_path
        msg.good(f"Read the checkpoint {checkpoint}")
    else:
        nlp = init_nlp(config, use_gpu=use_gpu)
        state = {"n_steps": 0, "results": [], "losses": {}, "config": flat}
        for path in (checkpoint, best, model_path):
            _remove(path)
        msg.good("Initialized pipeline")
    msg.divider("Training pipeline")
    with _signals() as received:
        _train(nlp, output_path, state, minutes, steps, received)
    msg.good("Saved pipeline to output directory", model_path)
    return model_path


def _train(
    nlp: Language,
    output_path: Path,
    state: State,
    minutes: float,
    steps: int,
    received: list[int],
) -> None:
    """Train from a state to the end, or until signals are received. `model-last` is
    saved after an error, too."""
    config = nlp.config.interpolate()
    T = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    # spaCy rescales score weights each time that it reads them from a config
    T["score_weights"] = state.setdefault("score_weights", T["score_weights"])
    corpora = [T["train_corpus"], T["dev_corpus"]]
    corpus, dev_corpus = resolve_dot_names(config, corpora)
    evaluate = _evaluation(nlp, T, dev_corpus, state)
    n_done = state["n_steps"]
    progress = f"; going on after step {n_done - 1}" if n_done else ""
    msg.info(f"Pipeline: {nlp.pipe_names}{progress}")
    with nlp.select_pipes(disable=T["frozen_components"]):
        log_step, finalize_logger = T["logger"](nlp, sys.stdout, sys.stderr)
    written = timer()
    info: dict[str, Any] = {}
    try:
        for info, is_best in _steps(nlp, T, corpus, evaluate, state):
            if info["step"] < n_done:
                continue
            info["output_path"] = str(output_path / "model-last")
            if is_best is not None:
                with nlp.select_pipes(disable=T["frozen_components"]):
                    loop.update_meta(T, nlp, info)
                _save(nlp, T, output_path, is_best)
            log_step(None if is_best is None else info)
            n_steps = info["step"] + 1
            is_due = (timer() - written) / 60 >= minutes
            if steps:
                is_due = n_steps % steps == 0
            if received or is_due:
                losses = {} if is_best is not None else info["losses"]
                moments = get_optimizer_state(nlp, T["optimizer"])
                _write_checkpoint(nlp, output_path, state, info, losses, moments)
                written = timer()
            if received:
                raise TrainingStopped(
                    f"Stopped after {n_steps} steps: the same command goes on from "
                    f"{output_path / DIR_CHECKPOINT}",
                    received[0],
                )
    finally:
        finalize_logger()
        _save(nlp, T, output_path, is_best=False)
    _write_checkpoint(nlp, output_path, state, info, {}, None)


def _evaluation(
    nlp: Language, T: dict[str, Any], dev_corpus: Any, state: State
) -> Callable[[], tuple[float, dict[str, float]]]:
    """Gives the scores of the steps that are done, then new ones."""
    has_trees = any(eg.reference.spans.get(SPANS_KEY) for eg in dev_corpus(nlp))
    if T["score_weights"].get("const_f") and not has_trees:
        msg.warn(
            "The dev corpus has no trees, so that const_f says nothing and is "
            "written as 0.00: give a corpus with trees, or choose other "
            "[training.score_weights]"
        )
    evaluate = loop.create_evaluation_callback(nlp, dev_corpus, T["score_weights"])
    recorded = [score for score, _ in state["results"]]
    return lambda: (recorded.pop(0), {}) if recorded else evaluate()


def _steps(
    nlp: Language, T: dict[str, Any], corpus: Any, evaluate: Any, state: State
) -> Iterator[tuple[dict[str, Any], Optional[bool]]]:
    """What spaCy's loop says of each step, and whether it is the best so far; None
    without an evaluation. Steps that are done have empty batches."""
    n_done = state["n_steps"]

    def before_update(nlp: Language, args: dict[str, Any]) -> None:
        if T["before_update"] and args["step"] >= n_done:
            T["before_update"](nlp, args)

    settings = {name: T[name] for name in SETTINGS}
    steps = loop.train_while_improving(
        nlp,
        T["optimizer"],
        _batches(nlp, T, corpus, state),
        evaluate,
        before_update=before_update,
        exclude=T["frozen_components"],
        **settings,
    )
    for _, info, is_best in steps:
        if info["step"] == n_done - 1:
            info["losses"].update(state["losses"])
        yield info, is_best


def _batches(
    nlp: Language, T: dict[str, Any], corpus: Any, state: State
) -> Iterator[tuple[int, list[Example]]]:
    """Epochs and batches in the order of the seed; those of the steps that are done are
    empty."""
    n_done = state["n_steps"]
    if T["seed"] is not None:
        fix_random_seed(T["seed"])
    batches: Any = loop.create_train_batches(nlp, corpus, T["batcher"], T["max_epochs"])
    for epoch, _ in islice(batches, n_done):
        yield epoch, []
    if n_done:
        set_optimizer_state(nlp, T["optimizer"], state["optimizer"])
        seed = (T["seed"] or 0) + n_done
        numpy.random.seed(seed % 2**32)
        torch.manual_seed(seed)
    yield from batches


def _save(nlp: Language, T: dict[str, Any], output_path: Path, is_best: bool) -> None:
    """Write `model-last`, with averaged weights where the optimizer has some, and
    `model-best`. Weights that are no numbers replace no others."""
    last = output_path / "model-last"
    before_to_disk = loop.create_before_to_disk_callback(T["before_to_disk"])
    with nlp.use_params(T["optimizer"].averages):
        if not has_finite_weights(nlp):
            msg.warn(f"A weight is no number: {last} stays as it was")
            return
        with written_folder(last) as folder:
            before_to_disk(nlp).to_disk(folder)
    if is_best:
        with written_folder(output_path / "model-best") as folder:
            shutil.copytree(last, folder, dirs_exist_ok=True)


def _write_checkpoint(
    nlp: Language,
    output_path: Path,
    state: State,
    info: dict[str, Any],
    losses: dict[str, float],
    moments: Optional[State],
) -> None:
    """Write a checkpoint after a step, in place of the older one.

    moments (Optional[State]): None after the end."""
    state = {
        **state,
        "n_steps": info["step"] + 1,
        "results": [(float(score), step) for score, step in info["checkpoints"]],
        "losses": {name: float(loss) for name, loss in losses.items()},
        "optimizer": moments,
    }
    with written_folder(output_path / DIR_CHECKPOINT) as folder:
        if moments is not None:
            nlp.to_disk(folder / "pipeline")
        torch.save(state, folder / "state.pt")


def has_finite_weights(nlp: Language) -> bool:
    """Whether no weight of a pipeline is NaN or infinite."""
    return all(math.isfinite(float(array.sum())) for _, array in parameters(nlp))


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Remember the first signal that asks to stop; a second one ends the process."""
    received: list[int] = []

    def receive(number: int, frame: Any) -> None:
        received.append(number)
        signal.signal(number, signal.SIG_DFL)

    stops = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, receive) for number in stops}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _read_checkpoint(
    path: Path, config: Config, flat: dict[str, Any]
) -> tuple[State, Optional[Language]]:
    """State and pipeline, None after the end.

    RAISES (ValueError): A file is damaged, or the config another."""
    nlp = None
    try:
        state = torch.load(path / "state.pt", map_location="cpu", weights_only=True)
        if state["optimizer"] is not None:
            values = util.dict_to_dot(config)
            moved = {n: value for n, value in values.items() if _is_place(n)}
            nlp = util.load_model(path / "pipeline", config=moved)
            if "logger" in config["training"]:
                nlp.config["training"]["logger"] = config["training"]["logger"]
    except Exception as error:
        raise ValueError(f"can't go on from {path}: {error}. {WAY_OUT}") from error
    before = state["config"]
    changes = "".join(
        f"\n  {n}: {before.get(n, 'not set')!r} -> {flat.get(n, 'not set')!r}"
        for n in sorted({*before, *flat})
        if before.get(n) != flat.get(n)
        if not _is_place(n) and not n.startswith("training.logger.")
    )
    if changes:
        raise ValueError(
            f"the training in {path.parent} was begun with another "
            f"config:{changes}\n"
            f"Go on with the config that it was begun with. {WAY_OUT}"
        )
    return state, nlp


def _is_place(name: str) -> bool:
    is_corpus = name.startswith("corpora.") and name.endswith(".path")
    return is_corpus or name.startswith("paths.")


def _remove(path: Path) -> None:
    """Remove a folder, and what a kill has left of its removal. No part of it has its
    name, nor that of a folder that is being written."""
    if path.exists():
        path.rename(beside(path, REMOVED))
    for removed in path.parent.glob(f".{path.name}.*{REMOVED}"):
        shutil.rmtree(removed, ignore_errors=True)


def _has_checkpoint(path: Path, best: Path) -> bool:
    """Whether there is a whole checkpoint. Parts of others are removed.

    RAISES (ValueError): A training with a model was killed as it wrote its first."""
    restore_folder(path)
    parts = leftovers(path)
    if path.exists():
        for part in parts:
            shutil.rmtree(part, ignore_errors=True)
    elif parts and best.exists():
        raise ValueError(
            f"a training was killed as it wrote its first checkpoint, {parts[0]}, and "
            f"left {best}. {WAY_OUT}"
        )
    return path.exists()

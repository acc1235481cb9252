"""`spacy train` that can be interrupted: the same steps on the same data, with checkpoints to continue from.

The loop follows spaCy's (`spacy/training/loop.py`, MIT licence) step by step, and gives the same weights; spaCy's own is
a generator whose state can't be stored. What random numbers decided before an interruption is decided in the same way
after it: the order of the data is found again without the model, everything else is read from the checkpoint.

Not here: how state is read from a pipeline (`train_state.py`), the data's order (`train_batches.py`), files
(`train_checkpoint.py`), signals and the command (`cli/train.py`).
"""

import shutil
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from timeit import default_timer as timer
from typing import IO, Any, Callable, Dict, Iterator, List, Optional, Tuple

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import (
    DIR_MODEL_BEST,
    DIR_MODEL_LAST,
    clean_output_dir,
    create_before_to_disk_callback,
    create_evaluation_callback,
    subdivide_batch,
    update_meta,
)
from spacy.util import dict_to_dot, load_model_from_path, registry, resolve_dot_names
from thinc.api import Config, Optimizer, constant, fix_random_seed, set_gpu_allocator
from wasabi import Printer

from . import train_state
from .train_batches import TrainBatches
from .train_checkpoint import (
    Checkpoint,
    CheckpointError,
    read_checkpoint,
    read_finished,
    remove_checkpoints,
    write_checkpoint,
    write_finished,
    written_whole,
)

# What may differ after a restart: where the data lies (the words of what is learned from are compared), and the log.
MAY_DIFFER = ("paths.", "training.logger.")


class TrainingStopped(Exception):
    """A training that was asked to stop, and has written a checkpoint.

    path (Path): The checkpoint.
    step (int): Steps done.
    """

    def __init__(self, path: Path, step: int) -> None:
        super().__init__(f"stopped after {step} steps, with a checkpoint in {path}")
        self.path = path
        self.step = step


@dataclass
class CheckpointInterval:
    """How often a checkpoint is written: every `steps` steps, or else every `minutes` minutes."""

    minutes: float = 15.0
    steps: int = 0

    def is_due(self, step: int, seconds: float) -> bool:
        """Whether to write one after so many steps in all, `seconds` after the last."""
        return step % self.steps == 0 if self.steps else seconds >= 60 * self.minutes


@dataclass
class Progress:
    """How far a training is.

    step (int): Steps done.
    results (List[Tuple[float, int]]): Score and step of each evaluation.
    losses (Dict[str, float]): Sums since the last evaluation, by component.
    words (int): Words seen.
    seconds (float): Time spent in processes before this one.
    """

    step: int = 0
    results: List[Tuple[float, int]] = field(default_factory=list)
    losses: Dict[str, float] = field(default_factory=dict)
    words: int = 0
    seconds: float = 0.0


class ResumableTraining:
    """A training at one of its steps.

    nlp (Language): An initialised pipeline with its full config, or one read from a checkpoint.
    config (Dict[str, Any]): The config that was given, flat, for comparison at a restart.
    output_path (Path): Where models and checkpoints go.
    checkpoint (Optional[Checkpoint]): Where to go on from; None to begin.
    interval (CheckpointInterval): How often to write checkpoints.
    should_stop (Callable[[], bool]): Asked after each step.
    """

    def __init__(
        self,
        nlp: Language,
        config: Dict[str, Any],
        output_path: Path,
        *,
        checkpoint: Optional[Checkpoint],
        interval: CheckpointInterval,
        should_stop: Callable[[], bool],
    ) -> None:
        self.nlp = nlp
        self.config = config
        self.output_path = output_path
        self.interval = interval
        self.should_stop = should_stop
        self.checkpoint = checkpoint
        full = nlp.config.interpolate()
        self.T = registry.resolve(full["training"], schema=ConfigSchemaTraining)
        if checkpoint is not None:  # spaCy scales the weights anew each time that it reads them from a config
            self.T["score_weights"] = checkpoint.summary["score_weights"]
        train_corpus, dev_corpus = resolve_dot_names(full, [self.T["train_corpus"], self.T["dev_corpus"]])
        self.optimizer: Optimizer = self.T["optimizer"]
        self.dropouts = constant(self.T["dropout"]) if isinstance(self.T["dropout"], float) else self.T["dropout"]
        self.evaluate = create_evaluation_callback(nlp, dev_corpus, self.T["score_weights"])
        self.before_to_disk = create_before_to_disk_callback(self.T["before_to_disk"])
        self.batches = TrainBatches(nlp, train_corpus, self.T["batcher"], self.T["max_epochs"])
        self.progress = Progress()
        if checkpoint is not None:
            self._restore(checkpoint)
        self.start_time = self.last_checkpoint_time = timer()

    def _restore(self, checkpoint: Checkpoint) -> None:
        progress = checkpoint.summary["progress"]
        progress["results"] = [(score, step) for score, step in progress["results"]]
        self.progress = Progress(**progress)
        train_state.set_optimizer_state(self.nlp, self.optimizer, checkpoint.tensors["optimizer"])
        train_state.set_gradient_state(self.nlp, checkpoint.tensors["gradients"])
        for _ in range(self.progress.step):
            self.optimizer.step_schedules()
            next(self.dropouts)

    def _found(self) -> None:
        if self.checkpoint is not None:
            seed = (self.T["seed"] or 0) + self.progress.step
            train_state.set_random_state(self.checkpoint.tensors["random"], cupy_seed=seed)

    def run(self, log_step: Callable[[Optional[Dict[str, Any]]], None]) -> None:
        """Train to the end.

        log_step (Callable): The logger's; gets what spaCy's does.
        RAISES (TrainingStopped): When `should_stop` says so; a checkpoint is written before.
        """
        state = self.checkpoint.tensors["batches"] if self.checkpoint is not None else None
        for epoch, batch in self.batches.iterate(state, self._found):
            step = self.progress.step
            self._update(epoch, batch)
            evaluated = step % self.T["eval_frequency"] == 0
            info = self._info(epoch, self._evaluate() if evaluated else None)
            if evaluated:
                self._save(info)
            log_step(info if evaluated else None)
            if evaluated:
                self.progress.losses = {}
            self.progress.step += 1
            if self._is_over(step):
                return
            self._write_checkpoint_if_due()

    def _update(self, epoch: int, batch: List[Example]) -> None:
        T, nlp = self.T, self.nlp
        if T["before_update"]:
            T["before_update"](nlp, {"step": self.progress.step, "epoch": epoch})
        dropout = next(self.dropouts)
        for subbatch in subdivide_batch(batch, T["accumulate_gradient"]):
            nlp.update(
                subbatch,
                drop=dropout,
                losses=self.progress.losses,
                sgd=False,  # type: ignore[arg-type]
                exclude=T["frozen_components"],
                annotates=T["annotating_components"],
            )
        for name, pipe in nlp.pipeline:
            if (
                name not in T["frozen_components"]
                and getattr(pipe, "is_trainable", False)
                and pipe.model not in (True, False, None)  # type: ignore[attr-defined]
            ):
                pipe.finish_update(self.optimizer)  # type: ignore[attr-defined]
        self.optimizer.step_schedules()
        self.progress.words += sum(len(eg) for eg in batch)

    def _evaluate(self) -> Tuple[float, Dict[str, float]]:
        with self._averages():
            score, other_scores = self.evaluate()
        self.progress.results.append((score, self.progress.step))
        return score, other_scores

    def _info(self, epoch: int, scores: Optional[Tuple[float, Dict[str, float]]]) -> Dict[str, Any]:
        score, other_scores = scores or (None, None)
        return {
            "epoch": epoch,
            "step": self.progress.step,
            "score": score,
            "other_scores": other_scores,
            "losses": self.progress.losses,
            "checkpoints": self.progress.results,
            "seconds": int(self.seconds),
            "words": self.progress.words,
        }

    @property
    def seconds(self) -> float:
        """Time spent, in earlier processes too."""
        return self.progress.seconds + timer() - self.start_time

    def _is_over(self, step: int) -> bool:
        """After the step of that number, counted from 0 as spaCy does."""
        best_step = -max((score, -result_step) for score, result_step in self.progress.results)[1]
        patience, max_steps = self.T["patience"], self.T["max_steps"]
        return bool((patience and step - best_step >= patience) or (max_steps and step >= max_steps))

    @contextmanager
    def _averages(self) -> Iterator[None]:
        """The averaged weights, where the optimizer has some; unlike spaCy's, the others are back after an error too."""
        context = self.nlp.use_params(self.optimizer.averages)
        context.__enter__()
        try:
            yield
        finally:
            context.__exit__(None, None, None)

    def save_model_last(self) -> None:
        """Write the model as it is."""
        with written_whole(self.output_path / DIR_MODEL_LAST) as path, self._averages():
            self.before_to_disk(self.nlp).to_disk(path)

    def _save(self, info: Dict[str, Any]) -> None:
        with self.nlp.select_pipes(disable=self.T["frozen_components"]):
            update_meta(self.T, self.nlp, info)
        self.save_model_last()
        info["output_path"] = str(self.output_path / DIR_MODEL_LAST)
        if info["score"] == max(self.progress.results)[0]:
            with written_whole(self.output_path / DIR_MODEL_BEST) as path:
                shutil.copytree(self.output_path / DIR_MODEL_LAST, path, dirs_exist_ok=True)

    def _write_checkpoint_if_due(self) -> None:
        stop = self.should_stop()
        if stop or self.interval.is_due(self.progress.step, timer() - self.last_checkpoint_time):
            path = self.write_checkpoint()
            self.last_checkpoint_time = timer()
            if stop:
                raise TrainingStopped(path, self.progress.step)

    def write_checkpoint(self) -> Path:
        """Write a checkpoint of the state between two steps."""
        progress = {**asdict(self.progress), "seconds": self.seconds}
        progress["losses"] = {name: float(loss) for name, loss in self.progress.losses.items()}
        progress["results"] = [(float(score), step) for score, step in self.progress.results]
        summary = {"progress": progress, "score_weights": self.T["score_weights"], "config": self.config}
        tensors = {
            "optimizer": train_state.get_optimizer_state(self.nlp, self.optimizer),
            "gradients": train_state.get_gradient_state(self.nlp),
            "random": train_state.get_random_state(),
            "batches": self.batches.get_state(),
        }
        return write_checkpoint(self.output_path, self.progress.step, summary, tensors, self.nlp.to_disk)


def train(
    config: Config,
    output_path: Path,
    *,
    use_gpu: int = -1,
    interval: CheckpointInterval,
    resume: bool = True,
    should_stop: Callable[[], bool] = lambda: False,
    stdout: IO = sys.stdout,
    stderr: IO = sys.stderr,
) -> Path:
    """Train a pipeline by a config, from the last checkpoint of the output folder if there is one.

    config (Config): As read with `interpolate=False`, overrides applied.
    output_path (Path): For `model-best`, `model-last` and `checkpoint`.
    use_gpu (int): Which GPU, -1 for none; thinc is on it already.
    interval (CheckpointInterval): How often to write checkpoints.
    resume (bool): Whether to go on from a checkpoint. If not, the one that is there is removed.
    should_stop (Callable[[], bool]): Asked after each step whether to write a checkpoint and stop.
    stdout (IO): For the log.
    stderr (IO): For the logger's progress bar.
    RETURNS (Path): The model's folder.
    RAISES (CheckpointError): Where the checkpoint can't be used, or the config or the data is another.
    RAISES (TrainingStopped): When `should_stop` says so.
    """
    msg = Printer(no_print=True)

    def write(text: str) -> None:
        stdout.write(text + "\n")

    flat = flat_config(config)
    if resume and (finished := read_finished(output_path)) is not None:
        check_config(finished["config"], flat, output_path)
        write(msg.good(f"This training has ended after {finished['step']} steps", output_path / DIR_MODEL_LAST))
        return output_path / DIR_MODEL_LAST
    checkpoint = read_checkpoint(output_path) if resume else None
    if checkpoint is not None:
        check_config(checkpoint.summary["config"], flat, output_path)
    nlp = _load(checkpoint, config, use_gpu) if checkpoint else init_nlp(config, use_gpu=use_gpu)
    _seed(nlp, use_gpu)
    training = ResumableTraining(
        nlp, flat, output_path, checkpoint=checkpoint, interval=interval, should_stop=should_stop
    )
    if checkpoint is None:
        clean_output_dir(output_path)
        remove_checkpoints(output_path)
    frozen = training.T["frozen_components"]
    write(msg.info(f"Pipeline: {nlp.pipe_names}"))
    if frozen:
        write(msg.info(f"Frozen components: {frozen}"))
    if training.T["annotating_components"]:
        write(msg.info(f"Set annotations on update for: {training.T['annotating_components']}"))
    if checkpoint is None:
        write(msg.info(f"Initial learn rate: {training.optimizer.learn_rate}"))
    else:
        write(msg.info(f"Continuing after step {training.progress.step - 1}, from {checkpoint.path}"))
    with nlp.select_pipes(disable=frozen):
        log_step, finalize_logger = training.T["logger"](nlp, stdout, stderr)
    try:
        training.run(log_step)
    finally:
        finalize_logger()
        training.save_model_last()
    write_finished(output_path, {"step": training.progress.step, "config": flat})
    write(msg.good("Saved pipeline to output directory", output_path / DIR_MODEL_LAST))
    return output_path / DIR_MODEL_LAST


def flat_config(config: Config) -> Dict[str, Any]:
    """A config as values by dotted names, variables filled in."""
    return dict_to_dot(config.interpolate())


def check_config(before: Dict[str, Any], now: Dict[str, Any], output_path: Path) -> None:
    """RAISES (CheckpointError): Where a training can't go on with the config that it is given."""
    absent = object()
    streamed = now.get("training.max_epochs") == -1
    names = sorted(
        name
        for name in {*before, *now}
        if before.get(name, absent) != now.get(name, absent)
        and not name.startswith(MAY_DIFFER)
        and not (name.startswith("corpora.") and name.endswith(".path") and not streamed)
    )
    if names:
        changes = "".join(f"\n  {n}: {before.get(n, 'not set')!r} -> {now.get(n, 'not set')!r}" for n in names)
        raise CheckpointError(
            f"the training in {output_path} was begun with another config:{changes}\nGo on with the config that it was "
            "begun with, or train anew with --no-resume (which replaces it) or with another --output"
        )


def _load(checkpoint: Checkpoint, config: Config, use_gpu: int) -> Language:
    """The pipeline of a checkpoint, with those parts of its config that may differ."""
    allocator = config.interpolate()["training"].get("gpu_allocator")
    if use_gpu >= 0 and allocator:
        set_gpu_allocator(allocator)
    nlp = load_model_from_path(checkpoint.pipeline)
    for section in ("paths", "corpora"):
        if section in config:
            nlp.config[section] = config[section]
    if "logger" in config["training"]:
        nlp.config["training"]["logger"] = config["training"]["logger"]
    return nlp


def _seed(nlp: Language, use_gpu: int) -> None:
    training = nlp.config.interpolate()["training"]
    if training["seed"] is not None:
        fix_random_seed(training["seed"])
    if use_gpu >= 0 and training["gpu_allocator"]:
        set_gpu_allocator(training["gpu_allocator"])

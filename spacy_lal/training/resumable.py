"""`spacy train` with checkpoints: an interrupted training resumes with the same steps on the same data.

The loop follows spaCy's (`spacy/training/loop.py`, MIT licence) step by step, and gives the same weights; spaCy's own
loop is a generator whose state can't be stored. Random choices are the same with and without an interruption: the order
of the data is recomputed without the model, and the rest is read from the checkpoint.

Not here: the state of optimizer and generators (`train_state.py`), the data's order (`train_batches.py`), files
(`train_checkpoint.py`), signals (`stop_signals.py`), the comparison of configs and the beginning (`train.py`).
"""

import shutil
import warnings
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from timeit import default_timer as timer
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.loop import (
    DIR_MODEL_BEST,
    DIR_MODEL_LAST,
    create_before_to_disk_callback,
    create_evaluation_callback,
    subdivide_batch,
    update_meta,
)
from spacy.util import registry, resolve_dot_names
from thinc.api import Optimizer

from ..files import written_folder
from . import train_state
from .stop_signals import StopRequest, StopSignals
from .train_batches import Place, TrainBatches
from .train_checkpoint import Checkpoint, write_checkpoint

LogStep = Callable[[Optional[Dict[str, Any]]], None]


class TrainingStopped(Exception):
    """A training has stopped on request, after writing a checkpoint.

    path (Path): The checkpoint.
    n_steps (int): Steps done.
    """

    def __init__(self, path: Path, n_steps: int) -> None:
        super().__init__(f"stopped after {n_steps} steps, with a checkpoint in {path}")
        self.path = path
        self.n_steps = n_steps


@dataclass
class CheckpointInterval:
    """How often a checkpoint is written: every `steps` steps, or if that is 0, every `minutes` minutes."""

    minutes: float = 15.0
    steps: int = 0

    def is_due(self, n_steps: int, seconds: float) -> bool:
        """Whether a checkpoint is due after `n_steps` steps in all, and `seconds` after the last one."""
        return n_steps % self.steps == 0 if self.steps else seconds >= 60 * self.minutes


@dataclass
class Progress:
    """The progress of a training.

    n_steps (int): Steps done. spaCy counts from 0: the last step has the number `n_steps - 1`.
    epoch (int): The epoch of the last step.
    evaluation_due (bool): Whether the evaluation after the last step is unfinished.
    results (List[Tuple[float, int]]): Score and step of each evaluation.
    losses (Dict[str, float]): Sums since the last evaluation, by component.
    words (int): Words seen.
    seconds (float): Time spent in processes before this one.
    """

    n_steps: int = 0
    epoch: int = 0
    evaluation_due: bool = False
    results: List[Tuple[float, int]] = field(default_factory=list)
    losses: Dict[str, float] = field(default_factory=dict)
    words: int = 0
    seconds: float = 0.0


class ResumableTraining:
    """A training between two of its steps.

    nlp (Language): An initialised pipeline with its full config, or the checkpoint's pipeline.
    output_path (Path): Where models and checkpoints go.
    checkpoint (Optional[Checkpoint]): The checkpoint to resume from; None to begin.
    interval (CheckpointInterval): How often to write checkpoints.
    stop (StopSignals): Asked after each step.
    notes (Dict[str, Any]): Further entries for a checkpoint's summary.
    """

    def __init__(
        self,
        nlp: Language,
        output_path: Path,
        *,
        checkpoint: Optional[Checkpoint],
        interval: CheckpointInterval,
        stop: StopSignals,
        notes: Dict[str, Any],
    ) -> None:
        self.nlp = nlp
        self.output_path = output_path
        self.interval = interval
        self.stop = stop
        self.notes = notes
        config = nlp.config.interpolate()
        self.T = registry.resolve(config["training"], schema=ConfigSchemaTraining)
        if checkpoint is not None:  # spaCy rescales the weights each time that it reads them from a config
            self.T["score_weights"] = checkpoint.summary["score_weights"]
        train_corpus, dev_corpus = resolve_dot_names(config, [self.T["train_corpus"], self.T["dev_corpus"]])
        self.optimizer: Optimizer = self.T["optimizer"]
        self.evaluate = create_evaluation_callback(nlp, dev_corpus, self.T["score_weights"])
        self.before_to_disk = create_before_to_disk_callback(self.T["before_to_disk"])
        self.progress = Progress()
        self.start_time = self.last_checkpoint_time = timer()
        self._random_state: Optional[Dict[str, Any]] = None
        place = None if checkpoint is None else self._restore(checkpoint)
        self.batches = TrainBatches(nlp, train_corpus, self.T["batcher"], self.T["max_epochs"], place=place)

    def _restore(self, checkpoint: Checkpoint) -> Place:
        tensors, progress = checkpoint.tensors, checkpoint.summary["progress"]
        self.progress = Progress(**progress)
        self.progress.results = [(score, step) for score, step in progress["results"]]
        train_state.set_optimizer_state(self.nlp, self.optimizer, tensors["optimizer"])
        train_state.set_gradient_state(self.nlp, tensors["gradients"])
        for _ in range(self.progress.n_steps):
            self.optimizer.step_schedules()
        self._random_state = tensors["random"]
        return Place(**tensors["place"])

    def run(self, log_step: LogStep) -> None:
        """Train to the end.

        log_step (Callable): The logger's callback, called as spaCy calls it.
        RAISES (TrainingStopped): A signal has come; a checkpoint is written first.
        """
        if self._random_state is not None:
            seed = (self.T["seed"] or 0) + self.progress.n_steps
            train_state.set_random_state(self._random_state, cupy_seed=seed)
        if self.progress.evaluation_due:
            self._finish_step(log_step)
            if self._is_over():
                return
        for epoch, batch in self.batches:
            self._update(epoch, batch)
            self._finish_step(log_step)
            if self._is_over():
                return
            if self.stop.received or self._checkpoint_is_due():
                self._stop_or_go_on()

    def _update(self, epoch: int, batch: List[Example]) -> None:
        T, nlp, progress = self.T, self.nlp, self.progress
        if T["before_update"]:
            T["before_update"](nlp, {"step": progress.n_steps, "epoch": epoch})
        for subbatch in subdivide_batch(batch, T["accumulate_gradient"]):
            nlp.update(
                subbatch,
                drop=T["dropout"],
                losses=progress.losses,
                sgd=False,  # type: ignore[arg-type]
                exclude=T["frozen_components"],
                annotates=T["annotating_components"],
            )
        for name, pipe in nlp.pipeline:
            trainable = name not in T["frozen_components"] and getattr(pipe, "is_trainable", False)
            if trainable and pipe.model not in (True, False, None):  # type: ignore[attr-defined]
                pipe.finish_update(self.optimizer)  # type: ignore[attr-defined]
        self.optimizer.step_schedules()
        progress.n_steps += 1
        progress.epoch = epoch
        progress.words += sum(len(eg) for eg in batch)

    def _finish_step(self, log_step: LogStep) -> None:
        """Evaluate and save if it is time to, and log."""
        if (self.progress.n_steps - 1) % self.T["eval_frequency"]:
            log_step(None)
            return
        score, other_scores = self._evaluate()
        progress = self.progress
        info = {
            "epoch": progress.epoch,
            "step": progress.n_steps - 1,
            "score": score,
            "other_scores": other_scores,
            "losses": progress.losses,
            "checkpoints": progress.results,
            "seconds": int(self._seconds()),
            "words": progress.words,
            "output_path": str(self.output_path / DIR_MODEL_LAST),
        }
        with self.nlp.select_pipes(disable=self.T["frozen_components"]):
            update_meta(self.T, self.nlp, info)
        self.save_model_last()
        if score == max(progress.results)[0]:
            with written_folder(self.output_path / DIR_MODEL_BEST) as path:
                shutil.copytree(self.output_path / DIR_MODEL_LAST, path, dirs_exist_ok=True)
        log_step(info)
        progress.losses = {}

    def _evaluate(self) -> Tuple[float, Dict[str, float]]:
        self.progress.evaluation_due = True
        random_state = train_state.get_random_state()
        try:
            with self._averages(), self.stop.interruptible():
                score, other_scores = self.evaluate()
        except StopRequest:
            raise TrainingStopped(self.write_checkpoint(random_state), self.progress.n_steps) from None
        self.progress.evaluation_due = False
        self.progress.results.append((float(score), self.progress.n_steps - 1))
        return score, other_scores

    def _is_over(self) -> bool:
        step = self.progress.n_steps - 1
        best_step = -max((score, -result_step) for score, result_step in self.progress.results)[1]
        patience, max_steps = self.T["patience"], self.T["max_steps"]
        return bool((patience and step - best_step >= patience) or (max_steps and step >= max_steps))

    @contextmanager
    def _averages(self) -> Iterator[None]:
        """The averaged weights, where the optimizer has some. Unlike in `nlp.use_params`, the others come back after an
        exception, too."""
        context = self.nlp.use_params(self.optimizer.averages)
        context.__enter__()
        try:
            yield
        finally:
            context.__exit__(None, None, None)

    def save_model_last(self) -> None:
        """Write `model-last`, with averaged weights where the optimizer has some."""
        with written_folder(self.output_path / DIR_MODEL_LAST) as path, self._averages():
            self.before_to_disk(self.nlp).to_disk(path)

    def _seconds(self) -> float:
        return self.progress.seconds + timer() - self.start_time

    def _checkpoint_is_due(self) -> bool:
        return self.interval.is_due(self.progress.n_steps, timer() - self.last_checkpoint_time)

    def _stop_or_go_on(self) -> None:
        """Write a checkpoint. If that fails, on a full disk, a training that is to continue does so with a warning."""
        try:
            path = self.write_checkpoint(train_state.get_random_state())
        except OSError as error:
            if self.stop.received:
                raise
            warnings.warn(f"can't write a checkpoint, so the last one stays: {error}", stacklevel=2)
        else:
            if self.stop.received:
                raise TrainingStopped(path, self.progress.n_steps)
        self.last_checkpoint_time = timer()

    def write_checkpoint(self, random_state: Dict[str, Any]) -> Path:
        """Write a checkpoint of the state between two steps, or between a step and its evaluation.

        random_state (Dict[str, Any]): From `train_state.get_random_state`.
        RETURNS (Path): The checkpoint's folder.
        RAISES (OSError): The checkpoint can't be written.
        """
        progress = {**asdict(self.progress), "seconds": self._seconds()}
        progress["losses"] = {name: float(loss) for name, loss in self.progress.losses.items()}
        tensors = {
            "optimizer": train_state.get_optimizer_state(self.nlp, self.optimizer),
            "gradients": train_state.get_gradient_state(self.nlp),
            "random": random_state,
            "place": None if self.batches.place is None else self.batches.place._asdict(),
        }
        return write_checkpoint(
            self.output_path,
            self.progress.n_steps,
            {"progress": progress, "score_weights": self.T["score_weights"], **self.notes},
            tensors,
            self.nlp.to_disk,
        )

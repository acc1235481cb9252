"""Begins or resumes a training: checks the output folder, and whether its checkpoint was made with this config."""

import sys
from pathlib import Path
from typing import IO, Any, Callable, Dict, Optional

from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.training.loop import DIR_MODEL_LAST, clean_output_dir
from spacy.util import dict_to_dot, load_model_from_path
from thinc.api import Config, fix_random_seed, set_gpu_allocator
from wasabi import Printer

from .resumable import CheckpointInterval, ResumableTraining, TrainingStopped
from .stop_signals import StopSignals
from .train_checkpoint import (
    WAY_OUT,
    Checkpoint,
    CheckpointError,
    read_checkpoint,
    read_finished,
    remove_checkpoints,
    remove_old_checkpoints,
    write_finished,
)

_ABSENT = object()


def train(
    config: Config,
    output_path: Path,
    *,
    use_gpu: int = -1,
    interval: Optional[CheckpointInterval] = None,
    resume: bool = True,
    stop: Optional[StopSignals] = None,
    stdout: Optional[IO] = None,
    stderr: Optional[IO] = None,
) -> Path:
    """Train as `spacy train` does, but from the last checkpoint of the output folder, if there is one.

    config (Config): As read with `interpolate=False`, overrides applied.
    output_path (Path): The folder of `model-best`, `model-last` and `checkpoint`.
    use_gpu (int): The GPU's number, -1 for the CPU; thinc is on it already.
    interval (Optional[CheckpointInterval]): How often to write checkpoints; None for every 15 minutes.
    resume (bool): Whether to resume from a checkpoint. If not, an existing one is removed.
    stop (Optional[StopSignals]): Remembers signals; None for a new one.
    stdout (Optional[IO]): For the log; None for `sys.stdout`.
    stderr (Optional[IO]): For the logger's progress bar; None for `sys.stderr`.
    RETURNS (Path): The model's folder.
    RAISES (CheckpointError): The checkpoint can't be used, or the config or the data has changed.
    RAISES (TrainingStopped): A signal has come; a checkpoint is written first.
    """
    msg = Printer(no_print=True)
    stdout, stderr = stdout or sys.stdout, stderr or sys.stderr
    write = _line_writer(stdout)
    model_path = output_path / DIR_MODEL_LAST
    flat = flat_config(config)
    finished = read_finished(output_path) if resume else None
    checkpoint = read_checkpoint(output_path) if resume and not finished else None
    if finished or checkpoint:
        check_config((finished or checkpoint.summary)["config"], flat, output_path)  # type: ignore[union-attr]
    if finished:
        remove_old_checkpoints(output_path)
        write(msg.good(f"This training ended after step {finished['step']}; --no-resume repeats it", model_path))
        return model_path
    nlp = _make_pipeline(config, checkpoint, use_gpu, write)
    training = ResumableTraining(
        nlp,
        output_path,
        checkpoint=checkpoint,
        interval=interval or CheckpointInterval(),
        stop=stop or StopSignals(),
        notes={"config": flat},
    )
    if checkpoint is None:
        clean_output_dir(output_path)
        remove_checkpoints(output_path)
    _run(training, stdout, stderr)
    write_finished(output_path, {"step": training.progress.n_steps - 1, "config": flat})
    write(msg.good("Saved pipeline to output directory", model_path))
    return model_path


def _make_pipeline(
    config: Config, checkpoint: Optional[Checkpoint], use_gpu: int, write: Callable[[str], None]
) -> Language:
    msg = Printer(no_print=True)
    write(msg.divider("Initializing pipeline"))
    if checkpoint:
        nlp = load_pipeline(checkpoint, config, use_gpu=use_gpu)
        write(msg.good(f"Read the checkpoint {checkpoint.path}"))
    else:
        nlp = init_nlp(config, use_gpu=use_gpu)
        write(msg.good("Initialized pipeline"))
    write(msg.divider("Training pipeline"))
    if (seed := nlp.config.interpolate()["training"]["seed"]) is not None:
        fix_random_seed(seed)
    return nlp


def _run(training: ResumableTraining, stdout: IO, stderr: IO) -> None:
    """Log the settings, train, and save the model; after an error too, if a step was done."""
    msg = Printer(no_print=True)
    write = _line_writer(stdout)
    nlp, T, n_steps = training.nlp, training.T, training.progress.n_steps
    write(msg.info(f"Pipeline: {nlp.pipe_names}"))
    if T["frozen_components"]:
        write(msg.info(f"Frozen components: {T['frozen_components']}"))
    if T["annotating_components"]:
        write(msg.info(f"Set annotations on update for: {T['annotating_components']}"))
    if n_steps:
        write(msg.info(f"Going on after step {n_steps - 1}"))
    else:
        write(msg.info(f"Initial learn rate: {training.optimizer.learn_rate}"))
    with nlp.select_pipes(disable=T["frozen_components"]):
        log_step, finalize_logger = T["logger"](nlp, stdout, stderr)
    try:
        with training.stop.caught():
            training.run(log_step)
    except Exception as error:
        if training.progress.n_steps > n_steps:
            if not isinstance(error, TrainingStopped):
                write(msg.warn(f"Aborting and saving the model as it is. Encountered exception: {error!r}"))
            training.save_model_last()
        raise
    finally:
        finalize_logger()
    training.save_model_last()


def _line_writer(stdout: IO) -> Callable[[str], None]:
    def write(text: str) -> None:
        stdout.write(text + "\n")

    return write


def load_pipeline(checkpoint: Checkpoint, config: Config, *, use_gpu: int = -1) -> Language:
    """The pipeline of a checkpoint, with the config's parts that may differ: locations of data, and the logger.

    checkpoint (Checkpoint): The checkpoint to resume from.
    config (Config): The config given for resuming, which `check_config` has accepted.
    use_gpu (int): The GPU's number, -1 for the CPU.
    RETURNS (Language): The pipeline.
    """
    allocator = config.interpolate()["training"].get("gpu_allocator")
    if use_gpu >= 0 and allocator:
        set_gpu_allocator(allocator)
    nlp = load_model_from_path(checkpoint.pipeline)
    full = nlp.config
    full["paths"].update(config.get("paths", {}))
    for name, corpus in config.get("corpora", {}).items():
        if "path" in corpus:
            full["corpora"][name]["path"] = corpus["path"]
    logger = config["training"].get("logger", full["training"]["logger"])
    if logger["@loggers"] == full["training"]["logger"]["@loggers"]:
        full["training"]["logger"].update(logger)
    else:
        full["training"]["logger"] = logger
    return nlp


def flat_config(config: Config) -> Dict[str, Any]:
    """A config as values by dotted names, with variables filled in."""
    return dict_to_dot(config.interpolate())


def check_config(before: Dict[str, Any], now: Dict[str, Any], output_path: Path) -> None:
    """Compare the config of the interrupted training with the config to resume it with, both flat.

    RAISES (CheckpointError): They differ in more than the locations of data and the logger.
    """
    streamed = now.get("training.max_epochs") == -1  # streamed data can't be compared with the checkpoint's

    def matters(name: str) -> bool:
        is_place = name.startswith("paths.") or (name.startswith("corpora.") and name.endswith(".path"))
        return not name.startswith("training.logger.") and (not is_place or streamed)

    names = [n for n in sorted({*before, *now}) if matters(n) and before.get(n, _ABSENT) != now.get(n, _ABSENT)]
    if names:
        changes = "".join(f"\n  {n}: {before.get(n, 'not set')!r} -> {now.get(n, 'not set')!r}" for n in names)
        raise CheckpointError(
            f"the training in {output_path} was begun with another config:{changes}\n"
            f"Go on with the config that it was begun with. {WAY_OUT}"
        )

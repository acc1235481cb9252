"""`python -m spacy lal train CONFIG --output DIR`: `spacy train` with checkpoints that training resumes from."""

import logging
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from spacy_lal.cli.gpu import use_gpu
from spacy_lal.cli.options import GpuOption
from spacy_lal.cli.outputs import folder_size
from spacy_lal.cli.streams import fail, wrote


def train_cli(
    ctx: typer.Context,
    config_path: Annotated[Path, typer.Argument(metavar="CONFIG", help="A config file", exists=True, allow_dash=True)],
    output: Annotated[
        Path, typer.Option("--output", "--output-path", "-o", help="Folder for model-best, model-last and checkpoint")
    ],
    code: Annotated[
        Optional[Path], typer.Option("--code", "-c", help="A Python file with registered functions, to import first")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-V", help="Say more, for debugging")] = False,
    gpu_id: GpuOption = -1,
    checkpoint_minutes: Annotated[
        Optional[float],
        typer.Option("--checkpoint-minutes", min=0.0, help="Minutes between checkpoints  [default: 15]"),
    ] = None,
    checkpoint_steps: Annotated[
        Optional[int], typer.Option("--checkpoint-steps", min=1, help="Steps between checkpoints, instead of minutes")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on from the checkpoint in the output folder, or begin anew")
    ] = True,
) -> None:
    """Train as `spacy train` does, with checkpoints: the same command, run again, resumes from the last one.

    Config, overrides (--training.max_steps 500), log and results are the same as in `spacy train`. SIGTERM and Ctrl-C
    write a checkpoint before they end the command.
    """
    from click import NoSuchOption
    from spacy import util
    from spacy.cli._util import import_code, parse_config_overrides, setup_gpu, show_validation_error
    from wasabi import msg

    from spacy_lal.training.loop import MINUTES, CheckpointError, TrainingStopped, train

    if checkpoint_minutes is not None and checkpoint_steps is not None:
        fail("--checkpoint-minutes and --checkpoint-steps: expected one of them, got both")
    use_gpu(gpu_id)
    if verbose:
        util.logger.setLevel(logging.DEBUG)
    try:
        overrides = parse_config_overrides(ctx.args)
    except NoSuchOption as error:
        fail(error.format_message())
    import_code(code)
    output.mkdir(parents=True, exist_ok=True)
    msg.info(f"Saving to output directory: {output}")
    setup_gpu(gpu_id)
    with show_validation_error(config_path):
        config = util.load_config(config_path, overrides=overrides, interpolate=False)
    minutes = MINUTES if checkpoint_minutes is None else checkpoint_minutes
    with show_validation_error(config_path, hint_fill=False):
        try:
            train(config, output, use_gpu=gpu_id, minutes=minutes, steps=checkpoint_steps or 0, resume=resume)
        except CheckpointError as error:
            fail(str(error))
        except TrainingStopped as stopped:
            sys.stdout.flush()
            text, number = stopped.args
            typer.echo(text, err=True)
            raise typer.Exit(128 + number) from None
    for name in ("model-best", "model-last"):
        if (output / name).is_dir():
            wrote(output / name, f"a pipeline of {folder_size(output / name)}")

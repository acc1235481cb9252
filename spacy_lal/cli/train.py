"""`lal train`, `compact` and `import-official`: ways to a pipeline with trained
weights."""

import logging
import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from spacy_lal.cli import io
from spacy_lal.lang import DEFAULT_LANGUAGE

OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace the pipeline that is in the folder")
]


def train_cli(
    ctx: typer.Context,
    config_path: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG",
            help="A config file",
            exists=True,
            dir_okay=False,
            allow_dash=True,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Folder for model-best, model-last and checkpoint"
        ),
    ],
    code: Annotated[
        Optional[Path],
        typer.Option("--code", "-c", help="A Python file to import first"),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-V", help="Say more, for debugging")
    ] = False,
    gpu_id: io.GpuOption = -1,
    checkpoint_minutes: Annotated[
        Optional[float], typer.Option(min=0.0, help="Between checkpoints: 15")
    ] = None,
    checkpoint_steps: Annotated[
        Optional[int], typer.Option(min=1, help="Steps between checkpoints")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            help="Go on from the checkpoint in the output folder, or begin anew"
        ),
    ] = True,
) -> None:
    """Train as `spacy train` does, with checkpoints.

    The same command, run again, resumes from the last checkpoint. Config, overrides
    (--training.max_steps 500), log and results are the same as in `spacy train`.
    SIGTERM and Ctrl-C write a checkpoint before they end the command."""
    from click import NoSuchOption
    from spacy import util
    from spacy.cli._util import (
        import_code,
        parse_config_overrides,
        setup_gpu,
        show_validation_error,
    )
    from wasabi import msg

    from spacy_lal.files import numbered_lines
    from spacy_lal.training.loop import MINUTES, TrainingStopped, train

    if str(config_path) != io.STDIN:
        for _ in numbered_lines(config_path):
            pass  # text, to its end
    if verbose:
        util.logger.setLevel(logging.DEBUG)
    try:
        overrides = parse_config_overrides(ctx.args)
    except NoSuchOption as error:
        io.fail(error.format_message())
    import_code(code)
    output.mkdir(parents=True, exist_ok=True)
    msg.info(f"Saving to output directory: {output}")
    setup_gpu(gpu_id)
    with show_validation_error(config_path):
        config = util.load_config(config_path, overrides=overrides, interpolate=False)
    minutes = MINUTES if checkpoint_minutes is None else checkpoint_minutes
    with show_validation_error(config_path, hint_fill=False):
        try:
            train(
                config,
                output,
                use_gpu=gpu_id,
                minutes=minutes,
                steps=checkpoint_steps or 0,
                resume=resume,
            )
        except TrainingStopped as stopped:
            sys.stdout.flush()
            text, number = stopped.args
            typer.echo(text, err=True)
            raise typer.Exit(128 + number) from None
        except KeyError as error:
            # spaCy's, for a source without the component, or a frozen tagger without
            # weights
            io.fail(str(error.args[0]))
    for name in ("model-best", "model-last"):
        if (output / name).is_dir():
            io.wrote(output / name, f"a pipeline of {folder_size(output / name)}")


def check_package_cli(
    package: Annotated[
        str, typer.Argument(help="An installed package, or the folder of a pipeline")
    ],
) -> None:
    """Compare a package with its checksums.

    Each damaged or missing file gets a line; the exit code is then 1."""
    from spacy.util import get_package_path, is_package

    from spacy_lal.pipeline.damage import damaged_files

    folder = Path(package)
    if is_package(package):
        folder = get_package_path(package)
    # An installed package, and its source, hold the pipeline's folder in a folder.
    configs = sorted(folder.glob("**/config.cfg"))
    if not configs:
        io.fail(f"expected a package or the folder of a pipeline, got {package!r}")
    damaged = list(damaged_files(configs[0].parent))
    for line in damaged:
        typer.echo(line)
    if damaged:
        raise typer.Exit(1)
    typer.echo(f"{configs[0].parent.name}: all files are as they were packaged")


def compact_cli(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write the pipeline to")
    ],
    model: Annotated[
        str, typer.Option("--model", "-m", help="The pipeline: path or package")
    ],
    bits: Annotated[
        int, typer.Option(help="Bits of a weight: 16, or 8 for half the size")
    ] = 16,
    runtime: Annotated[
        Optional[str],
        typer.Option(
            help="What computes the transformer on a CPU: onnx, onnx-int8 or torch  "
            "[default: the pipeline's own, or onnx]",
        ),
    ] = None,
    lean: Annotated[
        bool, typer.Option("--lean", help="Leave out the words of the training text")
    ] = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Make a small pipeline, without torch, of a trained one.

    Its transformer runs in ONNX Runtime, without torch. The `transformer` becomes a
    component `encoder` of spaCy's factory `tok2vec`, and all that listened to it
    listens to the encoder. A network that has no form in NumPy becomes an ONNX graph.
    What ONNX Runtime cannot take stays in torch; the output says why. Weights are
    stored in half precision. The config loses the paths of its training."""
    if bits not in (8, 16):
        raise typer.BadParameter(f"expected --bits 8 or 16, got {bits}")
    check_pipeline_output(output, overwrite)

    from spacy_lal.files import written_folder
    from spacy_lal.training.packaging import write_package

    nlp = io.load_pipeline(model, needs=())
    before = folder_size(nlp.path)
    with written_folder(output) as folder:
        done = write_package(nlp, folder, bits=bits, runtime=runtime, lean=lean)
    for line in done:
        io.say(line)
    io.wrote(
        output, f"{', '.join(nlp.pipe_names)}; {folder_size(output)}, from {before}"
    )


def import_official_cli(
    checkpoint: Annotated[
        Path,
        typer.Argument(
            metavar="CHECKPOINT", help="A checkpoint of the authors' code (.pt)"
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write the pipeline to")
    ],
    tokenizer: Annotated[
        Optional[str],
        typer.Option(help="Its encoder's: name or folder"),
    ] = None,
    lang: Annotated[
        str,
        typer.Option(
            "--lang", "-l", help="Language of the pipeline's own tokenisation"
        ),
    ] = DEFAULT_LANGUAGE,
    scrambled_queries: Annotated[
        bool, typer.Option("--scrambled-queries", help="The authors' batch effect")
    ] = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Turn a checkpoint of the authors' code into a pipeline.

    Reads the LAL parser (best_parser.pt), the HPSG parser, and Kitaev and Klein's
    parser of constituents (2018). No code in the file is run: anything but tensors,
    plain containers and a vocabulary class is refused. --scrambled-queries reproduces a
    fault of the authors' code, for their published scores: a parse then depends on the
    other sentences of its batch. Networks that read XLNet vectors, tags or characters
    can be imported; of Kitaev and Klein also words, but not ELMo."""
    from spacy_lal.checkpoint.official import import_pipeline, read_checkpoint
    from spacy_lal.files import written_folder

    check_pipeline_output(output, overwrite)
    try:
        nlp = import_pipeline(
            read_checkpoint(checkpoint),
            tokenizer=tokenizer,
            lang=lang,
            scrambled_queries=scrambled_queries,
        )
    except (ImportError, ValueError, TypeError) as err:
        io.fail(f"can't import {checkpoint}: {err}")
    nlp.meta["description"] = (
        f"Imported from a checkpoint of the authors' parser, {checkpoint.name}"
    )
    with written_folder(output) as folder:
        nlp.to_disk(folder)
    parser: Any = nlp.get_pipe("lal_parser")
    constituents, deprels = (parser.label_data[x] for x in ("constituents", "deprels"))
    written = f"{len(constituents)} constituents, {len(deprels)} deprels"
    if scrambled_queries:
        written += f"; parses depend on the batch of {nlp.batch_size} Docs"
    io.wrote(output, f"{', '.join(nlp.pipe_names)}; {written}")


def check_pipeline_output(output: Path, overwrite: bool) -> None:
    """Ends the command unless a folder is free, or holds a pipeline that may be
    replaced."""
    if not output.is_dir() or not any(output.iterdir()):
        return
    if not overwrite:
        io.fail(
            f"{output} is not empty: name another folder, or say --overwrite to "
            "replace the pipeline in it"
        )
    if not (output / "config.cfg").is_file():
        io.fail(
            f"{output} holds no pipeline, so --overwrite does not replace it: name "
            "another folder"
        )


def folder_size(folder: Path) -> str:
    """The size of all files in a folder, in megabytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return f"{sum(path.stat().st_size for path in files) / 1e6:.1f} MB"

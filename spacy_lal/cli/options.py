"""What commands share: the pipeline and the GPU are given in the same way everywhere, usage lines have one form.

Commands that used to take the pipeline as their first argument still do (`model_and_words`).
"""

import os
from typing import Annotated, Any, List, Optional, Sequence, Tuple

import typer
from typer.core import TyperCommand

from spacy_lal.cli.damage import pipeline_folder
from spacy_lal.lang import DEFAULT_PIPELINE

PIPELINE_FILES = ("config.cfg", "meta.json")

# For a parameter with the default None; `load_pipeline(None)` loads the default pipeline.
ModelOption = Annotated[
    Optional[str],
    typer.Option(
        "--model", "-m", show_default=False, help=f"The pipeline: path or package  [default: {DEFAULT_PIPELINE}]"
    ),
]
GpuOption = Annotated[int, typer.Option("--gpu-id", "-g", min=-1, help="GPU, or -1 for the CPU")]


class PlainUsage(TyperCommand):
    """A command whose usage line shows the names of its arguments as they are declared: `[FILE|-]`, `IN.spacy OUT`.
    Typer would put brackets around them, and dots after a list."""

    def collect_usage_pieces(self, ctx: Any) -> List[str]:
        """The parts of the usage line after the command's name."""
        arguments = [param for param in self.get_params(ctx) if param.param_type_name == "argument"]
        names = [str(param.metavar or param.name) for param in arguments if not getattr(param, "hidden", False)]
        return ["[OPTIONS]", *names]


def model_and_words(model: Optional[str], words: Optional[Sequence[str]], *names: str) -> Tuple[str, List[str]]:
    """Tell the pipeline from the other arguments of a command. One argument too many, without --model, is the former
    form of the command: its first argument is the pipeline.

    model (Optional[str]): The value of --model; None if it was not given.
    words (Optional[Sequence[str]]): The arguments.
    names (str): The names of the expected arguments, for the message.
    RETURNS (Tuple[str, List[str]]): The pipeline, and as many arguments as names.
    RAISES (typer.BadParameter): Another number of arguments.
    """
    given = list(words or ())
    if model is None and len(given) == len(names) + 1:
        return given[0], given[1:]
    if len(given) != len(names):
        expected = " ".join(names) or "options alone"
        got = " ".join(given) or "nothing"
        raise typer.BadParameter(f"expected {expected}, got {got} (the pipeline is given by --model)")
    return model or DEFAULT_PIPELINE, given


def is_pipeline(name: str) -> bool:
    """Whether a name is an installed package with a pipeline, or a folder with one."""
    folder = pipeline_folder(name)
    return folder is not None and any((folder / file).is_file() for file in PIPELINE_FILES)


def is_file(name: str) -> bool:
    """Whether a name is a file, a pipe or a device, of any length and with any characters."""
    return os.path.exists(name) and not os.path.isdir(name)

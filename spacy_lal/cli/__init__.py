"""`lal ...`, and `python -m spacy lal ...`: one Typer group. Commands import heavy
libraries only when they run."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer
from spacy.cli._util import app as spacy_app

from spacy_lal.cli.app import app_cli
from spacy_lal.cli.complexity import complexity_cli
from spacy_lal.cli.evaluate import evalb_cli, evaluate_cli, srl_eval_cli
from spacy_lal.cli.explain import explain_cli
from spacy_lal.cli.io import Command
from spacy_lal.cli.parse import parse_cli
from spacy_lal.cli.roles import relations_cli, roles_cli
from spacy_lal.cli.search import search_cli
from spacy_lal.cli.train import (
    check_package_cli,
    compact_cli,
    import_official_cli,
    train_cli,
)
from spacy_lal.cli.treebank import add_trees_cli, check_cli, convert_cli
from spacy_lal.cli.units import units_cli

COMMANDS: dict[str, Callable[..., None]] = {
    "parse": parse_cli,
    "explain": explain_cli,
    "roles": roles_cli,
    "relations": relations_cli,
    "units": units_cli,
    "search": search_cli,
    "complexity": complexity_cli,
    "app": app_cli,
    "evaluate": evaluate_cli,
    "evalb": evalb_cli,
    "srl-eval": srl_eval_cli,
    "check": check_cli,
    "convert": convert_cli,
    "add-trees": add_trees_cli,
    "train": train_cli,
    "compact": compact_cli,
    "check-package": check_package_cli,
    "import-official": import_official_cli,
}
# `train` takes overrides of its config, as `spacy train` does.
OVERRIDES = {"allow_extra_args": True, "ignore_unknown_options": True}

lal_cli = typer.Typer(
    name="lal",
    help="Parse and explain texts; score and train parsers",
    no_args_is_help=True,
)


def print_version(wanted: bool) -> None:
    """Print the version of spacy-lal, and end."""
    if wanted:
        typer.echo(f"spacy-lal {version('spacy-lal')}")
        raise typer.Exit()


@lal_cli.callback()
def lal(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=print_version, is_eager=True, help="Print the version"
        ),
    ] = False,
) -> None:
    """Parse and explain texts; score and train parsers."""


for name, command in COMMANDS.items():
    settings = OVERRIDES if name == "train" else None
    lal_cli.command(name, cls=Command, context_settings=settings)(command)
spacy_app.add_typer(lal_cli)

__all__ = ["lal_cli"]

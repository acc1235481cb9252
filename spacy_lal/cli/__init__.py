"""`python -m spacy lal ...`: one Typer group, one module a command. Commands import what is heavy when they run,
since spaCy loads this module for every one of its own commands."""

import typer
from spacy.cli._util import app

lal_cli = typer.Typer(name="lal", help="Train, score, import and use Label Attention Layer parsers", no_args_is_help=True)
app.add_typer(lal_cli)

__all__ = ["lal_cli"]

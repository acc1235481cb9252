"""How our commands end: a clear line on stderr and exit code 1, and peace when the reader of a pipe has left."""

import os
import sys
from contextlib import contextmanager
from typing import Iterator, NoReturn

import typer


def fail(message: str) -> NoReturn:
    """Say what is wrong and leave with exit code 1."""
    sys.stdout.flush()
    typer.echo(message, err=True)
    raise typer.Exit(1)


@contextmanager
def closed_pipe_is_no_error() -> Iterator[None]:
    """For a block that writes to stdout: `... | head` closes the pipe, which ends the command quietly."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered would raise again when the interpreter flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None

"""How our commands end: a clear line on stderr and exit code 1, and peace when the reader of a pipe has left."""

import multiprocessing
import os
import sys
from contextlib import contextmanager
from typing import Iterator, NoReturn, TextIO

import typer

from spacy_lal.display.markup import printable


def fail(message: str) -> NoReturn:
    """Say what is wrong and leave with exit code 1."""
    sys.stdout.flush()
    say(message, err=True)
    raise typer.Exit(1)


def say(message: str, *, err: bool = False) -> None:
    """Print a line, or several, in which control characters are shown: messages quote texts, labels and names of files.

    err (bool): To stderr.
    """
    typer.echo(printable(message), err=err)


class Terminal:
    """A terminal that gets data: control characters are shown. Files and pipes get them as they are.

    stream (TextIO): What to write to.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """As a stream's."""
        return self.stream.write(printable(text))

    def flush(self) -> None:
        """As a stream's."""
        self.stream.flush()


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


@contextmanager
def no_workers_left(n_process: int) -> Iterator[None]:
    """For a block that uses `nlp.pipe` with several processes. Where it ends early, spaCy waits for its workers, while
    they wait to hand over their Docs: they are ended instead, and this process with them, since it would wait at its
    own end for queues that nobody empties.

    n_process (int): As given to `nlp.pipe`; with 1 there is nothing to do.
    """
    try:
        yield
    except BaseException as err:
        workers = multiprocessing.active_children() if n_process != 1 else []
        if not workers:
            raise
        for worker in workers:
            worker.terminate()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except BrokenPipeError:
            pass
        code = 0 if isinstance(err, BrokenPipeError) else getattr(err, "exit_code", 1)
        os._exit(code)

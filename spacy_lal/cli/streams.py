"""How commands end: with a clear line on stderr and exit code 1; quietly when a pipe is closed; with 128 plus the
signal's number after a signal."""

import os
import sys
import traceback
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any, Callable, Iterator, NoReturn, TextIO, TypeVar

import typer

from spacy_lal.cli.signals import Stopped, end_workers, queues_are_stuck, raised_signals
from spacy_lal.pictures.markup import printable

Command = TypeVar("Command", bound=Callable[..., Any])


def fail(message: str) -> NoReturn:
    """Print an error message and exit with code 1."""
    _flush_or_drop_stdout()
    say(message, err=True)
    raise typer.Exit(1)


def say(message: str, *, err: bool = False) -> None:
    """Print one or more lines with control characters escaped: messages quote texts, labels and names of files.

    err (bool): Print to stderr.
    """
    typer.echo(printable(message), err=err)


def wrote(path: object, content: str) -> None:
    """Say on stderr that a file or folder is written.

    path (object): Its name.
    content (str): Its content, with a count.
    """
    say(f"Wrote {path}: {content}", err=True)


def counted(number: int, noun: str) -> str:
    """A number with its noun in singular or plural.

    >>> counted(1, "tree"), counted(2, "tree")
    ('1 tree', '2 trees')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Terminal:
    """A terminal that receives data: control characters are escaped. Files and pipes receive them unchanged.

    stream (TextIO): The stream to write to.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """See `TextIO.write`."""
        return self.stream.write(printable(text))

    def flush(self) -> None:
        """See `TextIO.flush`."""
        self.stream.flush()


def ends_in_order(command: Command) -> Command:
    """Wrap a command. A signal ends it with one line and without worker processes; a file that cannot be read or
    written ends it with a line that names the file."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        with raised_signals_end_commands():
            try:
                return command(*args, **kwargs)
            except OSError as err:
                if err.filename is None:
                    raise
                fail(f"can't read or write {err.filename}: {err.strerror or err}")

    return run  # type: ignore[return-value]


@contextmanager
def raised_signals_end_commands() -> Iterator[None]:
    """For a whole command: a signal ends it with one line and the exit code that shells expect."""
    try:
        with raised_signals():
            yield
    except Stopped as stopped:
        _flush_or_drop_stdout()
        typer.echo(str(stopped), err=True)
        raise typer.Exit(stopped.exit_code) from None


@contextmanager
def closed_pipe_is_no_error(prints: bool = True) -> Iterator[None]:
    """For a block that writes to stdout: `... | head` closes the pipe, and the command exits quietly. A full stdout, or
    one closed from the start, ends it with a line and exit code 1.

    prints (bool): Whether the block writes to stdout.
    """
    if sys.stdout is None and prints:
        fail("can't write to stdout: it is closed")
    try:
        yield
        if prints:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
        raise typer.Exit(0) from None
    except OSError as err:
        if err.filename is not None or not prints:
            raise
        _drop_stdout()
        fail(f"can't write to stdout: {err.strerror or err}")


@contextmanager
def no_workers_left(n_process: int) -> Iterator[None]:
    """For a block that uses `nlp.pipe` with several processes. If it ends early, spaCy and its workers would wait for
    each other: the workers are ended instead. This process ends too, since at exit it would wait for queues that are
    never emptied.

    n_process (int): As given to `nlp.pipe`; with 1 the block is unaffected.
    """
    try:
        yield
    except BaseException as err:
        if n_process == 1:
            raise
        ended = end_workers()
        if not (ended or getattr(err, "ended_workers", False) or queues_are_stuck()):
            raise
        code = 0 if isinstance(err, BrokenPipeError) else getattr(err, "exit_code", 1)
        with suppress(OSError):
            if isinstance(err, Stopped):
                say(str(err), err=True)
            elif not isinstance(err, (BrokenPipeError, typer.Exit)):
                traceback.print_exception(err)
        _flush_or_drop_stdout()
        with suppress(OSError, AttributeError):
            sys.stderr.flush()
        os._exit(code)


def _flush_or_drop_stdout() -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _drop_stdout()


def _drop_stdout() -> None:
    """Discard buffered output, which would raise again when the interpreter flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

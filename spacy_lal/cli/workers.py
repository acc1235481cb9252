"""Worker processes of a command."""

import atexit
import multiprocessing
import os
import signal
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, NoReturn

from spacy_lal.cli.io import fail


@contextmanager
def ending_workers() -> Iterator[None]:
    """For a block with worker processes: Ctrl-C and SIGTERM end them first, and the
    command then, without a word."""
    command = os.getpid()
    signals = (signal.SIGINT, signal.SIGTERM)

    def end(number: int, frame: Any) -> NoReturn:
        if os.getpid() != command:  # a worker, which Ctrl-C in a terminal reaches, too
            os._exit(128 + number)
        for one in signals:
            signal.signal(one, signal.SIG_IGN)
        warnings.filterwarnings("ignore", message=r"\[W127\]")  # of ended workers
        for worker in multiprocessing.active_children():
            worker.kill()
        # At exit, `multiprocessing` would wait until the workers have read their texts.
        atexit.register(os._exit, 128 + number)
        # No `typer.Exit`: that is a RuntimeError, and `threading` swallows those.
        raise KeyboardInterrupt

    before = [signal.signal(one, end) for one in signals]
    try:
        yield
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)


def check_n_process(n_process: int) -> None:
    """Ends the command if it cannot have so many worker processes."""
    most = 4 * (os.cpu_count() or 1)
    if n_process != -1 and not 1 <= n_process <= most:
        fail(
            f"--n-process: expected 1 to {most} processes on this machine, or -1 for "
            f"one a core, got {n_process}"
        )

"""Signals that stop a command: they raise an exception, so that files are finished and no worker process is left.

Training handles signals differently, since it writes a checkpoint first: `training/loop.py`.
"""

import multiprocessing
import os
import signal
import threading
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterator

# SIGHUP comes when a terminal is closed. Windows has none.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
QUEUE_THREAD = "QueueFeederThread"  # the thread of multiprocessing that sends work to a worker
SECONDS = 2.0


class Stopped(KeyboardInterrupt):
    """A signal has asked to stop.

    number (signal.Signals): The signal.
    ended_workers (bool): Whether worker processes were ended.
    note (str): The end of the message, such as where the parses are.
    """

    def __init__(self, number: int, ended_workers: bool) -> None:
        self.number = signal.Signals(number)
        self.ended_workers = ended_workers
        self.note = ""
        super().__init__(str(self))

    def __str__(self) -> str:
        return f"Stopped by {self.number.name}{self.note}"

    @property
    def exit_code(self) -> int:
        """The exit code that shells expect: 130 for SIGINT, 143 for SIGTERM."""
        return 128 + self.number


@contextmanager
def raised_signals() -> Iterator[None]:
    """For a block that a signal leaves by an exception, after worker processes are ended. A second signal of the same
    kind is handled as outside of the block. An ignored signal, such as SIGHUP under nohup, stays ignored.

    Only the main thread receives signals: in other threads nothing changes.
    RAISES (Stopped): A signal was received.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner = os.getpid()

    def receive(number: int, before: Any) -> None:
        if os.getpid() != owner:
            _receive_in_worker(number)
            return
        signal.signal(number, before)
        raise Stopped(number, end_workers())

    with handled_signals(receive):
        yield


@contextmanager
def handled_signals(receive: Callable[[int, Any], None]) -> Iterator[None]:
    """For a block of the main thread: SIGTERM, SIGINT and SIGHUP call a function. Ignored signals stay ignored.

    receive (Callable): Takes the signal's number and the handler that it had before.
    """
    # None: a handler that was not installed from Python
    before = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, lambda number, frame: receive(number, before[signal.Signals(number)]))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _receive_in_worker(number: int) -> None:
    """A forked process inherits its parent's handlers. Ctrl-C reaches both, and the parent ends its workers."""
    if number != signal.SIGINT:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def end_workers() -> bool:
    """End the processes that `multiprocessing` has started. They have nothing to save, and could wait forever to hand
    over their work.

    RETURNS (bool): Whether any were running.
    """
    workers = multiprocessing.active_children()
    if workers:
        warnings.filterwarnings("ignore", message=r".*\[W127\]")  # spaCy warns that not all workers ended well
    for worker in workers:
        worker.kill()
    return bool(workers)


def queues_are_stuck() -> bool:
    """Whether a queue holds work that no process fetches: this process would wait for it at exit."""
    threads = [thread for thread in threading.enumerate() if thread.name == QUEUE_THREAD]
    for thread in threads:
        thread.join(SECONDS)
    return any(thread.is_alive() for thread in threads)

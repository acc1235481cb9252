"""Programs that a command starts. Each signal to the command reaches them exactly once."""

import signal
import subprocess
from contextlib import contextmanager
from typing import Any, Iterator, List, Set

from spacy_lal.cli.signals import handled_signals


class ChildProcesses:
    """Runs programs and forwards signals to them. Each runs in a session of its own, so that a Ctrl-C at the terminal
    reaches it only once: a training takes the second one for an order to stop without a checkpoint.
    """

    def __init__(self) -> None:
        self._running: Set[subprocess.Popen[bytes]] = set()

    def run(self, command: List[str]) -> int:
        """Run a program to its end, in any thread.

        RETURNS (int): Its exit code.
        """
        with subprocess.Popen(command, start_new_session=True) as process:
            self._running.add(process)
            try:
                return process.wait()
            finally:
                self._running.discard(process)

    @contextmanager
    def handed_on(self) -> Iterator[None]:
        """For a block of the main thread: while programs run, SIGTERM, SIGINT and SIGHUP go to them alone."""

        def hand_on(number: int, before: Any) -> None:
            running = list(self._running)
            for process in running:
                process.send_signal(number)
            if not running:
                signal.signal(number, before)
                signal.raise_signal(number)

        with handled_signals(hand_on):
            yield

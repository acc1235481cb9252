"""Programs that a command starts. Each signal to the command reaches them exactly once."""

import signal
import subprocess
from contextlib import contextmanager
from types import FrameType
from typing import Iterator, List, Optional, Set

from spacy_lal.training.stop_signals import SIGNALS


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
        before = {number: signal.getsignal(number) for number in SIGNALS}
        before = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}

        def hand_on(number: int, frame: Optional[FrameType]) -> None:
            running = list(self._running)
            for process in running:
                process.send_signal(number)
            if not running:
                signal.signal(number, before[signal.Signals(number)])
                signal.raise_signal(number)

        for number in before:
            signal.signal(number, hand_on)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

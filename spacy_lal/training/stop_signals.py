"""SIGTERM, Ctrl-C and a closed terminal as requests to stop between two steps, not in the middle of one."""

import signal
import threading
from contextlib import contextmanager
from types import FrameType
from typing import Iterator, Optional

# SIGHUP comes when a terminal is closed. Windows has none.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
_HANGUP = getattr(signal, "SIGHUP", None)


class StopRequest(BaseException):
    """Raised to leave a block at once. It is no Exception, since spaCy's components handle Exceptions."""


class StopSignals:
    """Remembers the first signal that asks to stop. The second one ends the process, as usual.

    received (Optional[signal.Signals]): The first signal; None before.
    """

    def __init__(self) -> None:
        self.received: Optional[signal.Signals] = None
        self._interruptible = False

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Within the block, signals are stored in `received`. Only a main thread gets signals: other threads catch
        nothing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in SIGNALS}
        if before.get(_HANGUP) == signal.SIG_IGN:  # nohup
            del before[_HANGUP]

        def release() -> None:
            for number, handler in before.items():
                signal.signal(number, handler)

        def receive(number: int, frame: Optional[FrameType]) -> None:
            release()
            self.received = signal.Signals(number)
            if self._interruptible:
                raise StopRequest

        for number in before:
            signal.signal(number, receive)
        try:
            yield
        finally:
            release()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """For a block without lasting changes.

        RAISES (StopRequest): A signal comes, or has come before.
        """
        self._interruptible = True
        try:
            if self.received is not None:
                raise StopRequest
            yield
        finally:
            self._interruptible = False

"""Signals are remembered between steps, heard at once where that is harmless, and left alone the second time."""

import os
import signal
import threading

import pytest

from spacy_lal.training.stop_signals import StopRequest, StopSignals


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_first_is_remembered(number: signal.Signals):
    stop = StopSignals()
    before = signal.getsignal(number)
    with stop.caught():
        assert stop.received is None
        os.kill(os.getpid(), number)
        assert stop.received is number
        assert signal.getsignal(number) is before  # the second one is not caught
    assert signal.getsignal(number) is before


@pytest.fixture
def interrupts():
    """Python's own handler; a process that a shell starts in the background has none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_second_ends(interrupts):
    with pytest.raises(KeyboardInterrupt), StopSignals().caught():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)


def test_not_caught_outside(interrupts):
    stop = StopSignals()
    with stop.caught():
        pass
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    assert stop.received is None


def test_interruptible():
    stop = StopSignals()
    with stop.caught():
        with pytest.raises(StopRequest), stop.interruptible():
            os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(StopRequest), stop.interruptible():
            pytest.fail("begun after the signal")


def test_handlers_of_exceptions_do_not_see_it():
    """spaCy's components pass each Exception of theirs to a handler, which may drop it."""
    assert not issubclass(StopRequest, Exception)


def test_other_threads():
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def look() -> None:
        with StopSignals().caught():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [before]

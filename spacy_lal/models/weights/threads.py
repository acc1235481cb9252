"""Objects that threads share and that are made at their first use: a lock for making
them, and what a process that forks has to mind."""

import ctypes
import os
import sys
from threading import RLock
from typing import Any, List

# A process that forks waits for this lock: no child inherits it locked.
MAKING = RLock()


_INHERITED: List[Any] = []


def keep_inherited(made: Any, process: int) -> None:
    """Keep an object of ONNX Runtime that was made in another process, before a fork:
    closing its sessions waits for threads that do not exist here."""
    if process != os.getpid():
        _INHERITED.append(made)


def return_memory() -> None:
    """Return to the system what making such an object has freed: glibc keeps it."""
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)


def _one_thread() -> None:
    """torch's threads do not survive a fork, and a child that waits for them hangs."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=MAKING.acquire,
        after_in_parent=MAKING.release,
        after_in_child=MAKING.release,
    )
    os.register_at_fork(after_in_child=_one_thread)

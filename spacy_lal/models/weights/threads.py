"""Objects that threads share and that are made at their first use: a lock for making
them, and what a process that forks has to mind."""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from threading import RLock
from typing import Any

from threadpoolctl import ThreadpoolController

# A process that forks waits for this lock: no child inherits it locked.
MAKING = RLock()

_MANY_TOKENS = 10_000

# What a process has inherited by a fork, kept for good: closing a session of ONNX
# Runtime waits for threads that do not exist here.
_INHERITED: list[Any] = []


class Owner:
    """What has an attribute `made`. Pickles and copies make it again."""

    made: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "made": None}


def made_once(owner: Owner, version: Any, make: Callable[[], Any]) -> Any:
    """What threads share, kept as the attribute `made` of its owner: made at its first
    use, and again for another version, or in a process that was forked, since threads
    of ONNX Runtime do not survive a fork."""
    wanted = (os.getpid(), version)
    made = owner.made
    if made is None or made[0] != wanted:
        with MAKING:  # only one, for any number of threads
            made = owner.made
            if made is None or made[0] != wanted:
                if made is not None and made[0][0] != os.getpid():
                    _INHERITED.append(made)
                made = wanted, make()
                owner.made = made
    return made[1]


class _OneBlasThread:
    """A block, which any number of threads may be in, where NumPy's products run on one
    thread: they are too small to be worth waking others."""

    n_blocks = 0  # that run

    def __enter__(self) -> None:
        with MAKING:
            if not self.n_blocks:
                self.limit = _blas().limit(limits=1)
            self.n_blocks += 1

    def __exit__(self, *error: object) -> None:
        with MAKING:
            self.n_blocks -= 1
            if not self.n_blocks:
                self.limit.restore_original_limits()


ONE_BLAS_THREAD = _OneBlasThread()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def return_memory() -> None:
    """Return to the system what making or reading something large has freed: glibc
    keeps it."""
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)


def return_memory_of(docs: Sequence[Any]) -> None:
    """See `return_memory`; what few words have freed, the next ones need at once."""
    if sum(map(len, docs)) > _MANY_TOKENS:
        return_memory()


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

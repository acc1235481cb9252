"""How many threads a command computes with, on a machine that other programs use too."""

import os

NAMED = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")  # where the user says how many
_OTHERS_COUNT = 0.75  # of a core, taken by others: less is no program that computes


def free_cores() -> int:
    """Idle cores of this process: at least 1. Without the system's load, all of its cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0  # of the last minute
    taken = int(load + 1.0 - _OTHERS_COUNT)
    return max(1, cores - taken)


def use_free_cores() -> None:
    """Let torch compute with as many threads as cores are free. A thread that shares its core with another program
    holds up all of them: two threads beside a busy neighbour parse slower than one.

    Whoever sets a number of threads in the environment gets it.
    """
    if any(os.environ.get(name) for name in NAMED):
        return
    import torch

    free = free_cores()
    if free < torch.get_num_threads():
        torch.set_num_threads(free)

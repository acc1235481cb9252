"""What the speed benchmarks share: rounds that alternate, the machine they ran on,
Markdown."""

import argparse
import os
import platform
import subprocess
import time
from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping

import numpy as np
import torch

LIBRARIES = ("spacy", "spacy-lal", "spacy-transformers", "thinc", "torch", "numpy")
# "cpu" is this process' own time, on all its threads: with one thread, what the clock
# would show on a quiet machine.
CLOCKS: Dict[str, Callable[[], float]] = {
    "wall": time.perf_counter,
    "cpu": time.process_time,
}
Seconds = Dict[str, float]


class StopWatch:
    """Seconds by name, added up.

    clock (str): One of `CLOCKS`.
    """

    def __init__(self, clock: str) -> None:
        self.clock = CLOCKS[clock]
        self.seconds: Seconds = defaultdict(float)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add what the block takes."""
        start = self.clock()
        try:
            yield
        finally:
            self.seconds[name] += self.clock() - start


def alternate(
    calls: Mapping[str, Callable[[], Any]], rounds: int, clock: str = "wall"
) -> Dict[str, Seconds]:
    """Time several things that are compared, in turns.

    rounds (int): At least 1.
    RETURNS (Dict[str, Seconds]): For each name the `median` and the `least` of its
    seconds."""

    def seconds_of(call: Callable[[], Any]) -> float:
        start = CLOCKS[clock]()
        call()
        return CLOCKS[clock]() - start

    found = in_turns(
        {name: partial(seconds_of, call) for name, call in calls.items()}, rounds
    )
    return {name: _spread(seconds) for name, seconds in found.items()}


def in_turns(
    calls: Mapping[str, Callable[[], Any]], rounds: int
) -> Dict[str, List[Any]]:
    """Call each once, for nothing, and then once in every round. A round begins where
    the last one has not: a machine that grows slower is slower for all of them.

    RETURNS (Dict[str, List[Any]]): What each returned, in all rounds.
    """
    for call in calls.values():
        call()
    names = list(calls)
    found: Dict[str, List[Any]] = {name: [] for name in names}
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(calls[name]())
    return found


def summary(rounds: Iterable[Seconds]) -> Dict[str, Seconds]:
    """The `median` and the `least` over rounds of the seconds of each name."""
    by_name: Dict[str, List[float]] = defaultdict(list)
    for seconds in rounds:
        for name, value in seconds.items():
            by_name[name].append(value)
    return {name: _spread(values) for name, values in by_name.items()}


def _spread(seconds: List[float]) -> Seconds:
    return {"median": float(np.median(seconds)), "least": min(seconds)}


def machine() -> str:
    """The processor's name, or the architecture where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
        return next(
            line.split(":", 1)[1].strip()
            for line in lines
            if line.startswith("model name")
        )
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def environment() -> Dict[str, Any]:
    """The machine, what is installed on it, and the commit of this checkout ("" where
    it is none)."""
    command = [
        "git",
        "-C",
        str(Path(__file__).parent),
        "describe",
        "--always",
        "--dirty",
    ]
    try:
        commit = subprocess.run(
            command, capture_output=True, text=True, check=False
        ).stdout.strip()
    except OSError:
        commit = ""
    return {
        "machine": machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0]
        if hasattr(os, "getloadavg")
        else None,  # of the last minute: was it quiet?
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        "commit": commit,
    }


def at_least_one(text: str) -> int:
    """For argparse: a whole number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"expected a whole number of at least 1, got {text!r}"
        )
    return int(text)


def add_timing_arguments(parser: argparse.ArgumentParser, rounds: int) -> None:
    """The options of every measurement."""
    add = parser.add_argument
    add("--rounds", type=at_least_one, default=rounds, help="alternating rounds")
    clock = "cpu: this process' own time; use one thread"
    add("--clock", choices=CLOCKS, default="wall", help=clock)


def markdown(header: List[str], rows: Iterable[List[Any]]) -> str:
    """A table; all columns but the first are numbers."""
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)

"""Fuzzers, one module for each subject. Each has `fuzz(n, seed)`, which runs n random
cases and returns a `Report`."""

from typing import List, NamedTuple


class Report(NamedTuple):
    """What a fuzzer found.

    n_cases (int): Cases that ran.
    outcomes (str): What they led to, in counts: "912 refused, 88 read".
    failures (List[str]): One line for each broken promise, with what is needed to
    repeat it."""

    n_cases: int
    outcomes: str
    failures: List[str]

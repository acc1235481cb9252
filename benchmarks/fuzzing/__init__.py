"""Fuzzers, one module for each subject. Each has `fuzz(n, seed)`, which runs n random
cases and returns a `Report`."""

import random
from collections import Counter
from collections.abc import Callable
from typing import List, NamedTuple

# A case: draws what it needs, notes what is needed to understand a failure, and counts
# what it led to.
Case = Callable[[random.Random, List[str]], Counter]


class Report(NamedTuple):
    """What a fuzzer found.

    n_cases (int): Cases that ran.
    outcomes (str): What they led to, in counts: "912 refused, 88 read".
    failures (List[str]): One line for each broken promise, with what is needed to
    repeat it."""

    n_cases: int
    outcomes: str
    failures: List[str]


def run_cases(n: int, seed: int, case: Case) -> Report:
    """Run a number of cases, each with random numbers of its own."""
    outcomes: Counter = Counter()
    failures: List[str] = []
    for number in range(n):
        notes: List[str] = []
        try:
            outcomes.update(case(random.Random(f"{seed}-{number}"), notes))
        except Exception as err:  # whatever it is, it is a broken promise
            where = f"seed {seed}, case {number}, {' > '.join(notes)}"
            failures.append(f"{where}: {type(err).__name__}: {str(err)[:300]}")
    counts = (f"{count} {what}" for what, count in sorted(outcomes.items()))
    return Report(n, ", ".join(counts), failures)

"""Does hostile or random input break a promise of docs/explanation/robustness.md?

    python benchmarks/fuzz.py all
    python benchmarks/fuzz.py threads --cases 20000 --seed 1

Prints one line for each subject, then each failure; the exit code is 1 if there is one.
The tests run the same fuzzers with few cases (`tests/fuzz`)."""

import argparse
import importlib
import sys
import time
from typing import Dict, List, Optional

# Subjects are modules of `fuzzing`; the number of cases is the default here, about two
# minutes of one core each.
SUBJECTS: Dict[str, int] = {
    "docs": 3000,
    "retokenizing": 2_000,
    "treebanks": 30_000,
    "threads": 2500,
}


def main(arguments: Optional[List[str]] = None) -> int:
    """Run fuzzers. RETURNS (int): 1 if a promise was broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subject", choices=["all", *SUBJECTS])
    parser.add_argument("--cases", type=int, help="about two minutes' by default")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    failed = False
    for subject in SUBJECTS if args.subject == "all" else [args.subject]:
        started = time.process_time()
        report = importlib.import_module(f"fuzzing.{subject}").fuzz(
            args.cases or SUBJECTS[subject], args.seed
        )
        seconds = time.process_time() - started
        print(
            f"{subject}: {report.n_cases} cases, {report.outcomes}, "
            f"{len(report.failures)} failures, {seconds:.0f} s"
        )
        for failure in report.failures:
            print(f"  {failure}")
        failed = failed or bool(report.failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

"""How fast are the decoders? Against the recurrence as it is written, in one run, on
one thread.

    python benchmarks/speed/decode.py [--labels 114] [--lengths 10 20 30 60 100] [--long
    1000]

prints three tables: `joint` against a plain O(n^5) loop (joint_n5.pyx, compiled here at
-O3 into a temporary folder), the time of each decoder alone and in a batch, and one
long sentence for the decoders that take it. The scores are random normal; time does not
depend on them. Each figure is the least of several repetitions: of the thread's own
time in the first table, which other programs disturb less, of the clock's in the
others. Exit code 1 where a goal is missed. With SPACY_LAL_PLAIN_KERNELS=1 in the
environment, the package does without AVX2. Needs the extra `bench` (Cython) and a C
compiler."""

import argparse
import importlib.util
import platform
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, List, Tuple

import numpy as np
from numpy import ndarray

from spacy_lal.decode import cky, eisner, joint, mst

GOALS = {
    30: 12,
    60: 30,
    100: 40,
}  # what `joint` must gain over the plain loop at each length
BASELINE = Path(__file__).with_name("joint_n5.pyx")


def compile_baseline(folder: str) -> ModuleType:
    """Build joint_n5.pyx in a folder, with the flags of the package itself, and import
    it.

    RAISES (subprocess.CalledProcessError): Where there is no C compiler or Cython.
    """
    source = Path(folder) / BASELINE.name
    source.write_bytes(BASELINE.read_bytes())
    program = (
        "from setuptools import Extension, setup; from Cython.Build import cythonize; "
        "setup(script_args=['-q', 'build_ext', '--inplace'], "
        "ext_modules=cythonize([Extension('joint_n5', ['joint_n5.pyx'], "
        "extra_compile_args=['-O3'])], quiet=True))"
    )
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    binary = next(
        path for path in Path(folder).iterdir() if path.suffix in (".so", ".pyd")
    )
    spec = importlib.util.spec_from_file_location("joint_n5", binary)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {binary}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_scores(
    rng: np.random.Generator, n: int, n_labels: int
) -> Tuple[ndarray, ndarray]:
    """Label scores, (n + 1, n + 1, n_labels), and arc scores, (n + 1, n + 1), of one
    sentence."""
    labels = rng.standard_normal(size=(n + 1, n + 1, n_labels), dtype=np.float32)
    labels[:, :, 0] = 0.0
    return labels, rng.standard_normal(size=(n + 1, n + 1), dtype=np.float32)


def least_seconds(
    call: Callable[[], Any],
    budget: float,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The shortest of repeated calls, at least three, for about `budget` seconds by the
    clock."""
    seconds: List[float] = []
    while len(seconds) < 3 or (sum(seconds) < budget and len(seconds) < 1000):
        start = clock()
        call()
        seconds.append(clock() - start)
    return min(seconds)


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


def compare_joint(args: argparse.Namespace, rng: np.random.Generator) -> bool:
    """Print the table of `joint` against the plain loop; whether every goal is met."""
    met = True
    print(f"{'n':>4} {'O(n^5) loop ms':>15} {'joint ms':>9} {'ratio':>7} {'goal':>5}")
    with tempfile.TemporaryDirectory() as folder:
        baseline = compile_baseline(folder)
        for n in args.lengths:
            labels, arcs = random_scores(rng, n, args.labels)
            expected, score = baseline.joint_n5(labels, arcs)[0], joint(labels, arcs)[0]
            if not np.isclose(expected, score, rtol=1e-5):
                raise SystemExit(
                    f"the two decoders disagree at n = {n}: {expected} and {score}"
                )
            slow = least_seconds(
                partial(baseline.joint_n5, labels, arcs), args.seconds, time.thread_time
            )
            fast = least_seconds(
                partial(joint, labels, arcs), args.seconds, time.thread_time
            )
            goal = GOALS.get(n) if args.labels == 114 else None
            met = met and (goal is None or slow / fast >= goal)
            print(
                f"{n:>4} {slow * 1e3:>15.3f} {fast * 1e3:>9.3f} {slow / fast:>6.1f}x "
                f"{f'{goal}x' if goal else '':>5}"
            )
    return met


def time_decoders(args: argparse.Namespace, rng: np.random.Generator) -> None:
    """Print the time of each decoder for a sentence alone, and in a batch."""
    print("\nms a sentence " + "".join(f" {title:>18}" for title in ("alone", "batch")))
    for n in args.lengths:
        sentences = [
            random_scores(rng, n, args.labels)
            for _ in range(max(4, min(64, 3000 // n)))
        ]
        labels, arcs = [item[0] for item in sentences], [item[1] for item in sentences]
        for decode, inputs in (
            (joint, (labels, arcs)),
            (cky, (labels,)),
            (eisner, (arcs,)),
            (mst, (arcs,)),
        ):
            row = [
                least_seconds(
                    partial(decode, *[scores[0] for scores in inputs]), args.seconds / 4
                )
            ]
            row.append(
                least_seconds(partial(decode, *inputs), args.seconds / 4)
                / len(sentences)
            )
            print(
                f"{decode.__name__:>7} n={n:<4} "
                + "".join(f" {seconds * 1e3:>18.4f}" for seconds in row)
            )


def time_long(args: argparse.Namespace, rng: np.random.Generator) -> None:
    """Print the time of one long sentence for the decoders of O(n^2) memory."""
    labels, arcs = random_scores(rng, args.long, args.labels)
    print(f"\nms for a sentence of {args.long} tokens")
    for decode, scores in ((cky, labels), (eisner, arcs), (mst, arcs)):
        print(
            f"{decode.__name__:>7} "
            f"{least_seconds(partial(decode, scores), args.seconds) * 1e3:.1f}"
        )


def main() -> int:
    """Print the tables; 1 where a goal of the O(n^5) comparison is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--labels",
        type=int,
        default=114,
        help="number of labels, the empty one included",
    )
    parser.add_argument(
        "--lengths",
        type=int,
        nargs="+",
        default=[10, 20, 30, 60, 100],
        help="lengths in tokens",
    )
    parser.add_argument(
        "--long", type=int, default=0, help="length of one long sentence, 0 for none"
    )
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="time for each figure"
    )
    args = parser.parse_args()
    if importlib.util.find_spec("Cython") is None:
        sys.exit(
            "decode.py needs Cython, which the extra bench brings: pip install -c "
            'constraints.txt ".[bench]"'
        )
    print(f"{machine()}, Python {platform.python_version()}, {args.labels} labels")
    met = compare_joint(args, np.random.default_rng(0))
    time_decoders(args, np.random.default_rng(1))
    if args.long:
        time_long(args, np.random.default_rng(2))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())

"""`speed.py start`: what it takes to load a pipeline, and to parse one sentence at the
command line.

Each is a process of its own: its processor time, imports included, and the most memory
that it took (Linux)."""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np

from speed.timing import at_least_one, markdown

SENTENCE = "The old cat sleeps on the mat."
HERE, BESIDE = "here", "beside"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument(
        "--pipeline", default="en_lal_md", help="name or folder (default: en_lal_md)"
    )
    parser.add_argument(
        "--rounds",
        type=at_least_one,
        default=3,
        help="processes of each kind (default: 3)",
    )
    parser.add_argument(
        "--python",
        default=sys.executable,
        help="of another environment, such as one without torch",
    )
    parser.add_argument(
        "--beside",
        type=Path,
        help="another checkout with compiled modules, timed in turns",
    )
    parser.add_argument(
        "--beside-python",
        default=sys.executable,
        help="the environment of the other checkout",
    )


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Start all in turns. RETURNS (Dict[str, Any]): See `table`.

    RAISES (RuntimeError): A command failed.
    """
    pipeline = (
        str(Path(args.pipeline).resolve())
        if Path(args.pipeline).exists()
        else args.pipeline
    )
    load = f"import spacy; nlp = spacy.load({pipeline!r})"
    commands = {
        "import spacy": ["-c", "import spacy"],
        "spacy.load": ["-c", load],
        "spacy.load and a first sentence": ["-c", f"{load}; nlp({SENTENCE!r})"],
        "lal parse, one sentence": [
            "-m",
            "spacy",
            "lal",
            "parse",
            "--model",
            pipeline,
            "--text",
            SENTENCE,
        ],
    }
    here, beside = (
        dict(os.environ, OMP_NUM_THREADS="1"),
        dict(os.environ, OMP_NUM_THREADS="1"),
    )
    where = {HERE: (args.python, here)}
    if args.beside:
        packages = [
            str(path.parent)
            for path in args.beside.resolve().glob("packages/*/setup.py")
        ]
        beside["PYTHONPATH"] = os.pathsep.join([str(args.beside.resolve()), *packages])
        where[BESIDE] = (args.beside_python, beside)
    found: Dict[Tuple[str, str], List[Tuple[float, float]]] = {}
    for _ in range(
        args.rounds
    ):  # each is a process of its own: none warms up for another
        for name, command in commands.items():
            for place, (python, environment) in where.items():
                found.setdefault((name, place), []).append(
                    costs([python, *command], environment)
                )
    rows = []
    for name in commands:
        row: Dict[str, Any] = {"what": name}
        for place in where:
            seconds, megabytes = map(list, zip(*found[name, place], strict=True))
            row[place] = {
                "median": float(np.median(seconds)),
                "least": min(seconds),
                "mb": float(np.median(megabytes)),
            }
        rows.append(row)
    return {"rows": rows}


def costs(command: List[str], environment: Dict[str, str]) -> Tuple[float, float]:
    """Processor time of a process, and its most resident memory in MB.

    RAISES (RuntimeError): It failed.
    """
    # Python looks for modules in the current folder first: here are none of a package.
    folder = Path(__file__).parent
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.DEVNULL
    )
    status, ended, most = Path(f"/proc/{process.pid}/status"), 0, 0
    # rusage would count the memory of this program, which the process was forked from
    while not ended:
        time.sleep(0.01)
        most = max(
            most,
            *map(
                int,
                re.findall(
                    r"VmHWM:\s*(\d+)", status.read_text() if status.exists() else ""
                ),
            ),
            0,
        )
        ended, code, used = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, most / 1024


def table(result: Dict[str, Any]) -> str:
    """Markdown: seconds and memory of each."""
    compared = any(BESIDE in row for row in result["rows"])
    rows = []
    for row in result["rows"]:
        cells = [row["what"], _cell(row[HERE]), f"{row[HERE]['mb']:.0f}"]
        if compared:
            quicker = f"{row[BESIDE]['median'] / row[HERE]['median']:.2f}x"
            cells += [_cell(row[BESIDE]), f"{row[BESIDE]['mb']:.0f}", quicker]
        rows.append(cells)
    header = [
        "seconds of processor time",
        "now",
        "MB",
        *(["beside", "MB", "quicker"] if compared else []),
    ]
    return (
        "In brackets the least; MB are the most resident "
        f"memory\n\n{markdown(header, rows)}"
    )


def _cell(seconds: Dict[str, float]) -> str:
    return f"{seconds['median']:.2f} ({seconds['least']:.2f})"

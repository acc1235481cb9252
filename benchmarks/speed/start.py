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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    add = parser.add_argument
    add("--pipeline", default="en_lal_md", help="name or folder")
    add("--rounds", type=at_least_one, default=3, help="processes of each kind")
    python = "of another environment, such as one without torch"
    add("--python", default=sys.executable, help=python)


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
        "spacy.load and two sentences": ["-c", f"{load}{f'; nlp({SENTENCE!r})' * 2}"],
        "lal parse, one sentence": [
            *("-m", "spacy", "lal", "parse"),
            *("--model", pipeline, "--text", SENTENCE),
        ],
    }
    costs_of: Dict[str, List[Tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(args.rounds):
        # each is a process of its own: none warms up for another
        for name, command in commands.items():
            costs_of[name].append(costs([args.python, *command]))
    rows = []
    for name, of_command in costs_of.items():
        seconds, megabytes = np.transpose(of_command)
        row = {"median": np.median(seconds), "least": min(seconds)}
        row["mb"] = np.median(megabytes)
        rows.append({"what": name, **{key: float(row[key]) for key in row}})
    return {"rows": rows}


def costs(command: List[str]) -> Tuple[float, float]:
    """Processor time of a process, and its most resident memory in MB.

    RAISES (RuntimeError): It failed.
    """
    # Python looks for modules in the current folder first: here are none of a package.
    folder = Path(__file__).parent
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.DEVNULL
    )
    status, ended, most = Path(f"/proc/{process.pid}/status"), 0, 0
    # rusage would count the memory of this program, which the process was forked from
    while not ended:
        time.sleep(0.01)
        text = status.read_text() if status.exists() else ""
        most = max(most, *map(int, re.findall(r"VmHWM:\s*(\d+)", text)), 0)
        ended, code, used = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, most / 1024


def table(result: Dict[str, Any]) -> str:
    """Markdown: seconds and memory of each."""
    rows = [
        [
            row["what"],
            f"{row['median']:.2f} ({row['least']:.2f})",
            f"{row['mb']:.0f}",
        ]
        for row in result["rows"]
    ]
    about = "In brackets the least; MB are the most resident memory"
    return f"{about}\n\n{markdown(['seconds of processor time', 'now', 'MB'], rows)}"

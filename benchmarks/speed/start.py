"""`speed.py start`: what it takes to load a pipeline, and to parse one sentence at the command line.

Each is a process of its own; times are its processor time, imports included. The limit is a process that imports torch
and spaCy and nothing else.
"""

import argparse
import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

from speed.timing import at_least_one, markdown

SENTENCE = "The old cat sleeps on the mat."
HERE, BESIDE = "here", "beside"
LIMIT = "import torch, spacy"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument("--pipeline", default="en_lal_md", help="name or folder (default: en_lal_md)")
    parser.add_argument("--rounds", type=at_least_one, default=3, help="processes of each kind (default: 3)")
    parser.add_argument("--beside", type=Path, help="another checkout with compiled modules, timed in turns")


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Start all in turns. RETURNS (Dict[str, Any]): See `table`.

    RAISES (RuntimeError): A command failed.
    """
    python = [sys.executable, "-c"]
    pipeline = str(Path(args.pipeline).resolve()) if Path(args.pipeline).exists() else args.pipeline
    commands = {
        LIMIT: [*python, "import torch, spacy"],
        "import spacy_lal": [*python, "import spacy_lal"],
        "spacy.load": [*python, f"import spacy; spacy.load({pipeline!r})"],
        "lal parse, one sentence": [
            *(sys.executable, "-m", "spacy", "lal", "parse", "--model", pipeline, "--text", SENTENCE)
        ],
    }
    checkouts: Dict[str, Optional[Path]] = {HERE: None, **({BESIDE: args.beside} if args.beside else {})}
    seconds: Dict[str, List[float]] = {}
    calls = {
        f"{name}, {where}": partial(processor_seconds, command, checkout)
        for name, command in commands.items()
        for where, checkout in checkouts.items()
        if name != LIMIT or where == HERE
    }
    for _ in range(args.rounds):  # each is a process of its own: none warms up for another
        for name, call in calls.items():
            seconds.setdefault(name, []).append(call())
    rows = []
    for name in commands:
        row: Dict[str, Any] = {"what": name}
        for where in checkouts:
            found = seconds.get(f"{name}, {where}")
            if found is not None:
                row[where] = {"median": float(np.median(found)), "least": min(found)}
        rows.append(row)
    return {"rows": rows}


def processor_seconds(command: List[str], checkout: Optional[Path]) -> float:
    """Processor time of a process and its children.

    RAISES (RuntimeError): It failed.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if checkout is not None:
        environment["PYTHONPATH"] = str(checkout.resolve())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Python looks for modules in the current folder first.
    done = subprocess.run(command, env=environment, cwd=checkout, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-400:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(result: Dict[str, Any]) -> str:
    """Markdown: seconds of each, beside the limit."""
    limit = result["rows"][0][HERE]["median"]
    compared = any(BESIDE in row for row in result["rows"])
    rows = []
    for row in result["rows"]:
        cells = [row["what"], _cell(row[HERE])]
        if compared:
            other = row.get(BESIDE)
            cells += [_cell(other), f"{other['median'] / row[HERE]['median']:.2f}x"] if other else ["", ""]
        rows.append([*cells, "" if row["what"] == "import spacy_lal" else f"{limit:.1f}"])
    header = ["seconds of processor time", "now", *(["beside", "quicker"] if compared else []), "limit"]
    return f"The limit imports torch and spaCy alone; in brackets the least\n\n{markdown(header, rows)}"


def _cell(seconds: Dict[str, float]) -> str:
    return f"{seconds['median']:.2f} ({seconds['least']:.2f})"

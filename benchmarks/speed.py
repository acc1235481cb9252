"""How fast are a pipeline, one call, and the start?

    python benchmarks/speed.py pipeline metrics/speed.json assets/ewt/dev.conllu
    python benchmarks/speed.py latency metrics/latency.json
    python benchmarks/speed.py start metrics/start.json

Each writes its figures as JSON and prints them as Markdown. Compared programs are timed
in one run, in turns. Start them with OMP_NUM_THREADS=1, so that other libraries do not
take more threads than torch is told to. `speed.py COMMAND --help` has the options of
each."""

import argparse
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, List, Optional

from speed import latency, pipeline, start
from speed.timing import environment

MEASUREMENTS: Dict[str, ModuleType] = {
    "pipeline": pipeline,
    "latency": latency,
    "start": start,
}


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in MEASUREMENTS.items():
        text = str(module.__doc__).splitlines()[0].split(": ", 1)[1]
        command = commands.add_parser(
            name, help=text, formatter_class=argparse.ArgumentDefaultsHelpFormatter
        )
        command.add_argument("output", type=Path, help="JSON file to write")
        module.add_arguments(command)
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    """Measure and write. RETURNS (int): The exit code."""
    args = make_parser().parse_args(arguments)
    surroundings = environment()  # the load before the run
    measured = MEASUREMENTS[args.command].measure(args)
    settings = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in vars(args).items()
    }
    settings = {
        name: value
        for name, value in settings.items()
        if name not in ("command", "output")
    }
    result: Dict[str, Any] = {
        "command": args.command,
        "environment": surroundings,
        "settings": settings,
        **measured,
    }
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
    named = ("machine", "cores", "load", "torch", "commit")
    print(", ".join(f"{name} {surroundings[name]}" for name in named) + "\n")
    print(MEASUREMENTS[args.command].table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())

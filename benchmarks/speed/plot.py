"""`speed.py plot`: the figures of the other commands as SVG. Needs matplotlib (the
extra `bench`)."""

from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import matplotlib

matplotlib.use("svg")
# text stays text, and the same figures make the same file
matplotlib.rcParams.update(
    {"svg.fonttype": "none", "svg.hashsalt": "spacy-lal", "font.size": 9}
)

from matplotlib import pyplot  # noqa: E402

from speed.timing import Seconds  # noqa: E402
from speed.training import DECODER, PARTS  # noqa: E402

Plot = Tuple[str, Any]  # name of the file, and the figure
Values = Dict[str, List[float]]  # for each kind of bar (or of line) its values


def draw(result: Dict[str, Any], folder: Path) -> List[Path]:
    """Draw what a command has measured.

    result (Dict[str, Any]): Its JSON.
    RETURNS (List[Path]): The files that were written, `COMMAND_WHAT.svg`.
    RAISES (ValueError): It is of no known command.
    """
    if result.get("command") not in PLOTS:
        raise ValueError(
            f"expected the JSON of one of {sorted(PLOTS)}, got that of "
            f"{result.get('command')!r}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in PLOTS[result["command"]](result):
        paths.append(folder / f"{result['command']}_{name}.svg")
        figure.savefig(paths[-1], bbox_inches="tight", metadata={"Date": None})
        pyplot.close(figure)
    return paths


def bars(
    title: str,
    unit: str,
    names: Sequence[str],
    values: Values,
    *,
    stacked: bool = False,
) -> Any:
    """Horizontal bars, the first name on top, several to a name: side by side, or one
    after the other."""
    figure, axes = pyplot.subplots(
        figsize=(
            7.0,
            1.0 + 0.4 * len(names) * (1 if stacked else max(1, len(values) ** 0.5)),
        )
    )
    height = 0.7 if stacked else 0.8 / len(values)
    left = [0.0] * len(names)
    for i, (kind, numbers) in enumerate(values.items()):
        places = [
            place + (0.0 if stacked else (i - (len(values) - 1) / 2) * height)
            for place in range(len(names))
        ]
        drawn = axes.barh(
            places, numbers, height, left=left if stacked else None, label=kind
        )
        if not stacked:
            axes.bar_label(drawn, fmt="%.4g", padding=2)
        left = [start + number for start, number in zip(left, numbers, strict=True)]
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    if len(values) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return _finish(figure, axes, title, unit)


def lines(title: str, unit: str, names: Sequence[str], values: Values) -> Any:
    """Lines from name to name."""
    figure, axes = pyplot.subplots(figsize=(6.0, 3.0))
    for kind, numbers in values.items():
        axes.plot(names, numbers, marker="o", label=kind)
    axes.set_ylim(bottom=0)
    axes.set_ylabel(unit)
    axes.legend(frameon=False)
    return _finish(figure, axes, title, "words in a sentence")


def _finish(figure: Any, axes: Any, title: str, unit: str) -> Any:
    axes.set_title(title, loc="left")
    axes.set_xlabel(unit)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def plot_pipeline(result: Dict[str, Any]) -> Iterator[Plot]:
    """Throughput, the shares of the stages, and the lengths."""
    threads = list(dict.fromkeys(row["threads"] for row in result["throughput"]))
    values: Values = {}
    for row in result["throughput"]:
        values.setdefault(f"{row['input']}", []).append(row["words_per_second"])
    names = [f"{n} thread{'s' if n > 1 else ''}" for n in threads]
    yield (
        "throughput",
        bars("Raw texts and given tokens", "words a second", names, values),
    )
    stages = {
        name: 1e6 * one["median"] / result["words"]
        for name, one in result["stages"]["seconds"].items()
    }
    names = [f"- {name.split(': ')[1]}" if ": " in name else name for name in stages]
    yield (
        "stages",
        bars(
            "Components and their parts",
            "ms for 1,000 words, one thread",
            names,
            {"": [*stages.values()]},
        ),
    )
    rows = result["lengths"]
    kinds = {"alone": "one by one", "many": "many at once"}
    speeds = {
        title: [row[kind]["words_per_second"] for row in rows]
        for kind, title in kinds.items()
    }
    yield (
        "lengths",
        lines(
            "Longer sentences, one thread",
            "words a second",
            [row["words_each"] for row in rows],
            speeds,
        ),
    )


def plot_latency(result: Dict[str, Any]) -> Iterator[Plot]:
    """The parts of one call at each length."""
    rows = [
        row for row in result["rows"] if not row["part"].startswith(("all", "MiniLM"))
    ]
    lengths = list(dict.fromkeys(row["tokens"] for row in rows))
    values: Values = {}
    for row in rows:
        values.setdefault(row["part"], []).append(row["p50"])
    names = [f"{n} token{'s' if n > 1 else ''}" for n in lengths]
    yield "parts", bars("One call", "ms, median", names, values, stacked=True)


def plot_processes(result: Dict[str, Any]) -> Iterator[Plot]:
    """Throughput of each way."""
    ways = result["ways"]
    names = [
        f"processes: {way['processes']}, threads: {way['threads']}, sharing: "
        f"{way['sharing']}"
        for way in ways
    ]
    speeds: Values = {"": [way["words_per_second"] for way in ways]}
    yield (
        "throughput",
        bars("Processes or threads", "words a second, raw texts", names, speeds),
    )


def plot_beside(result: Dict[str, Any]) -> Iterator[Plot]:
    """The encoder's network and the rest, for each parser."""
    systems = result["systems"]
    values = {
        "encoder's network": [
            one["encoder_ms_per_1000_words"] or 0.0 for one in systems.values()
        ],
        "all the rest": [one["rest_ms_per_1000_words"] for one in systems.values()],
    }
    yield (
        "parsers",
        bars(
            "The same sentences, the same encoder",
            "ms for 1,000 words",
            list(systems),
            values,
            stacked=True,
        ),
    )


def plot_training(result: Dict[str, Any]) -> Iterator[Plot]:
    """The parts of a step, for each form, and its memory."""

    def part(seconds: Dict[str, Seconds], name: str) -> float:
        found = seconds.get(name, {}).get("median", 0.0)
        return 1e3 * (found - (part(seconds, DECODER) / 1e3 if name == "loss" else 0.0))

    forms = result["forms"]
    values = {
        name: [part(form["seconds"], name) for form in forms.values()] for name in PARTS
    }
    yield (
        "step",
        bars(
            "An update of the parser's network",
            "ms a step",
            list(forms),
            values,
            stacked=True,
        ),
    )
    memory = {"at most": [float(form["peak_mb"]) for form in forms.values()]}
    yield "memory", bars("Memory of the process", "MB", list(forms), memory)


PLOTS: Dict[str, Callable[[Dict[str, Any]], Iterator[Plot]]] = {
    "pipeline": plot_pipeline,
    "latency": plot_latency,
    "processes": plot_processes,
    "beside": plot_beside,
    "training": plot_training,
}

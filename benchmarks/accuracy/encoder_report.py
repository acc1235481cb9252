"""Tables and a plot of the results of `encoders.py`."""

import json
from pathlib import Path
from statistics import mean
from typing import Any, Dict, List, Optional

from accuracy.encoder_rows import ROWS, TABLES

# F1 on WSJ 22 (Kitaev & Klein 2018, section 3, Tables 4 and 5), and with windows in
# training (Table 3).
PUBLISHED = {
    **{
        "base": 92.67,
        "factored": 93.15,
        "concatenated": 92.60,
        "control": 92.63,
        "position_only": 92.40,
    },
    "vectors": 95.21,
    **{
        "char_lstm": 93.61,
        "char_lstm+words": 93.40,
        "char_concat": 93.35,
        "char_concat+words": 93.32,
        "words": 92.20,
    },
    **{
        "window5": 92.74,
        "window5_relaxed": 92.94,
        "window10": 92.92,
        "window10_relaxed": 93.00,
    },
}
# F1 of the factored model of 8 layers with limits at test time (Tables 1 and 2).
PUBLISHED_LIMITED = {
    **{
        "position_none": 72.45,
        "content_none": 90.84,
        "content_first_half": 91.77,
        "content_last_half": 92.82,
    },
    **{"content_first_most": 92.42, "content_last_most": 92.90},
    **{
        "window5": 81.65,
        "window10": 89.83,
        "window15": 91.72,
        "window20": 92.48,
        "window30": 93.01,
        "window40": 93.04,
    },
    **{
        "window5_relaxed": 89.82,
        "window10_relaxed": 92.20,
        "window15_relaxed": 92.78,
        "window20_relaxed": 92.91,
    },
    **{"window30_relaxed": 93.09, "window40_relaxed": 93.12},
}
WHOLE = 93.15  # the same without limits


def read_results(folder: Path) -> Dict[str, List[Dict[str, Any]]]:
    """The results by row, in the order of seeds."""
    found: Dict[str, List[Dict[str, Any]]] = {}
    results = [
        json.loads(path.read_text(encoding="utf8"))
        for path in sorted(folder.glob("*.json"))
    ]
    for result in sorted(results, key=lambda one: one["seed"]):
        found.setdefault(result["row"], []).append(result)
    return found


def report(folder: Path, plot: Optional[Path] = None) -> str:
    """The tables in Markdown. plot (Optional[Path]): Where to write a plot of the F1 of
    all rows."""
    results = read_results(folder)
    parts = [
        _table(name, rows, results)
        for name, rows in TABLES.items()
        if any(row in results for row in rows)
    ]
    if any("limited" in one for one in results.get("factored", [])):
        parts.append(
            _limited_table([one for one in results["factored"] if "limited" in one])
        )
    if plot is not None:
        _plot(results, plot)
    return "\n\n".join(parts)


def _of(results: List[Dict[str, Any]], name: str) -> str:
    """The mean of a score over seeds, and half of its range; "-" where the network does
    not have it."""
    if name.startswith("dep_") and not ROWS[results[0]["row"]].heads:
        return "-"
    values = [one["scores"][name] for one in results if one["scores"][name] is not None]
    if not values:
        return "-"
    return f"{mean(values):.2f}" + (
        f" ± {(max(values) - min(values)) / 2:.2f}" if len(values) > 1 else ""
    )


def _table(name: str, rows: Any, results: Dict[str, List[Dict[str, Any]]]) -> str:
    lines = [
        f"### {name}\n",
        "| network | seeds | F1 | UAS | LAS | paper's F1 | encoder's parameters | "
        "seconds |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        found = results.get(row)
        if found:
            values = [
                f"`{row}`",
                str(len(found)),
                *(_of(found, key) for key in ("const_f", "dep_uas", "dep_las")),
            ]
            values += [
                f"{PUBLISHED[row]:.2f}" if row in PUBLISHED else "-",
                f"{found[0]['n_encoder_parameters']:,}",
                f"{mean(one['seconds'] for one in found):.0f}",
            ]
            lines.append(f"| {' | '.join(values)} |")
    return "\n".join(lines)


def _limited_table(results: List[Dict[str, Any]]) -> str:
    whole = mean(one["scores"]["const_f"] for one in results)
    lines = [
        "### limits at test time\n",
        "| limit | F1 | loss | paper's F1 | paper's loss |",
        "|---|--:|--:|--:|--:|",
    ]
    for name in results[0]["limited"]:
        values = [one["limited"][name] for one in results]
        losses = [one["scores"]["const_f"] - one["limited"][name] for one in results]
        spread = f" ± {(max(losses) - min(losses)) / 2:.2f}" if len(losses) > 1 else ""
        published = PUBLISHED_LIMITED.get(name)
        theirs = (
            ["-", "-"]
            if published is None
            else [f"{published:.2f}", f"{WHOLE - published:.2f}"]
        )
        lines.append(
            f"| `{name}` | {mean(values):.2f} | {mean(losses):.2f}{spread} | "
            f"{' | '.join(theirs)} |"
        )
    return "\n".join([*lines, f"| none | {whole:.2f} | 0 | {WHOLE:.2f} | 0 |"])


def _plot(results: Dict[str, List[Dict[str, Any]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = (
        "encoders"  # the same file from the same results
    )
    from matplotlib import pyplot

    names = [
        row
        for row in dict.fromkeys(row for rows in TABLES.values() for row in rows)
        if row in results
    ]
    figure, axes = pyplot.subplots(figsize=(7, 0.3 * len(names) + 1))
    for place, name in enumerate(reversed(names)):
        values = [one["scores"]["const_f"] for one in results[name]]
        axes.plot([min(values), max(values)], [place, place], color="0.6", linewidth=3)
        axes.plot(values, [place] * len(values), "o", color="tab:blue", markersize=4)
    axes.set_yticks(
        range(len(names)),
        [f"{name} ({len(results[name])})" for name in reversed(names)],
    )
    axes.set_xlabel("F1 of constituents, one dot for each seed")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)

"""An index of syntactic complexity over groups of texts, as a picture:

    python docs/pictures/groups.py table.csv CN/C groups.svg

`lal complexity` writes the table; a text's group is its folder. A dot is a text, a line
the median of its group."""

import csv
import html
import sys
from pathlib import Path
from statistics import median
from typing import Dict, Iterator, List

WIDTH = 640
LEFT = 90  # of the axis
RIGHT = 20
TOP = 12
ROW = 52  # of a group
BELOW = 44  # for the axis
N_TICKS = 6
# Readable on white and on black.
TEXT = "#7d8590"
COLORS = ("#2f81d8", "#c4622d", "#2a9d6f", "#a257c4")


def main(table: str, index: str, output: str) -> None:
    """Write the picture of a table's index."""
    with open(table, encoding="utf8", newline="") as file:
        groups = read_groups(list(csv.DictReader(file)), index)
    Path(output).write_text(draw(groups, index), encoding="utf8")


def read_groups(rows: List[Dict[str, str]], index: str) -> Dict[str, List[float]]:
    """The values of each group; a text without the index is left out.

    RAISES (KeyError): The table has no such column.
    """
    groups: Dict[str, List[float]] = {}
    for row in rows:
        if row[index]:
            group = Path(row["id"]).parent.name
            groups.setdefault(group, []).append(float(row[index]))
    return groups


def draw(groups: Dict[str, List[float]], index: str) -> str:
    """The picture as SVG; its axis begins at 0."""
    height = TOP + ROW * len(groups) + BELOW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" role="img" font-family="sans-serif"'
        f' font-size="14" fill="{TEXT}">',
        f"<title>{index} of {html.escape(' and '.join(groups))}</title>",
    ]
    most = max(value for values in groups.values() for value in values)
    step = _round_step(most / N_TICKS)
    scale = (WIDTH - LEFT - RIGHT) / (most * 1.02)
    for number, (group, values) in enumerate(groups.items()):
        middle = TOP + ROW * number + ROW / 2
        color = COLORS[number % len(COLORS)]
        lines += _row(group, values, middle, scale, color)
    lines += _axis(index, most, step, scale, TOP + ROW * len(groups))
    return "\n".join([*lines, "</svg>", ""])


def _row(
    group: str, values: List[float], middle: float, scale: float, color: str
) -> Iterator[str]:
    """A group's name, its dots, and its median."""
    yield f'<text x="0" y="{middle + 5:.0f}">{html.escape(group)}</text>'
    for value in values:
        place = LEFT + value * scale
        yield (
            f'<circle cx="{place:.1f}" cy="{middle:.0f}" r="6" fill="{color}"'
            ' fill-opacity="0.5"/>'
        )
    place = LEFT + median(values) * scale
    yield (
        f'<path d="M{place:.1f} {middle - 16:.0f}v32" stroke="{color}"'
        ' stroke-width="3"/>'
    )


def _axis(
    index: str, most: float, step: float, scale: float, top: float
) -> Iterator[str]:
    """A line with numbers, and the index's name below it."""
    end = WIDTH - RIGHT
    yield f'<path d="M{LEFT} {top:.0f}H{end}" stroke="{TEXT}"/>'
    value = 0.0
    while value <= most:
        place = LEFT + value * scale
        yield (
            f'<text x="{place:.1f}" y="{top + 18:.0f}" text-anchor="middle">'
            f"{value:g}</text>"
        )
        value = round(value + step, 6)
    center = (LEFT + end) / 2
    yield f'<text x="{center}" y="{top + 38:.0f}" text-anchor="middle">{index}</text>'


def _round_step(step: float) -> float:
    """The least of 0.1, 0.2, 0.5, 1, 2, 5, ... that is not less."""
    power = 0.1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= step:
                return factor * power
        power *= 10


if __name__ == "__main__":
    main(*sys.argv[1:])

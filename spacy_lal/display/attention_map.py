"""A map of attention as SVG: queries x keys, in the order of the sentence, with chosen pairs outlined.

It suits dark and light pages: cells are tinted, letters and outlines take the colour of the text around them.
*Not* here: the meaning of the numbers.
"""

import math
from typing import List, Optional, Sequence

from .heatmap import MAX_ALPHA, POSITIVE
from .markup import escape, shorten, visible
from .svg import FONT, Svg, number, text_width

CELL = 20.0  # pixels of a side
SIZE = 13  # pixels of a letter
NAME_LETTERS = 18  # characters of a word that are shown
LEAST_SHOWN = 0.01  # share of the largest weight below which a cell stays empty
_GAP, _LEGEND, _BAR = 6.0, 30.0, 120.0


def attention_map(
    weights: Sequence[Sequence[float]],
    tokens: Sequence[str],
    *,
    chosen: Optional[Sequence[Sequence[bool]]] = None,
    title: str = "",
) -> Svg:
    """Draw who attends to whom in a sentence: a row for each query, a column for each key.

    weights (Sequence[Sequence[float]]): Attention weights [query, key], not negative. *Shape:* (n, n).
    tokens (Sequence[str]): The n names of queries and keys; plain text.
    chosen (Optional[Sequence[Sequence[bool]]]): The pairs that a selector chooses, which are outlined. *Shape:* (n, n).
    title (str): The caption; plain text.
    RETURNS (Svg): The picture. Each cell with a number or an outline has a `<title>` that gives both.
    RAISES (ValueError): The numbers do not match the names, are negative or not finite.
    """
    table = [[float(value) for value in row] for row in weights]
    marks = None if chosen is None else [[bool(value) for value in row] for row in chosen]
    for what, rows in (("weights", table), ("chosen", marks)):
        if rows is not None and (len(rows) != len(tokens) or any(len(row) != len(tokens) for row in rows)):
            raise ValueError(f"{what}: expected {len(tokens)} rows of as many numbers as there are tokens")
    if not all(0.0 <= value < math.inf for row in table for value in row):
        raise ValueError("weights: expected finite numbers that are not negative")
    names = [shorten(visible(token), NAME_LETTERS) for token in tokens]
    side = max((text_width(name) for name in names), default=0.0) * SIZE + _GAP
    left, top = side, SIZE * 1.6 + side
    width = max(left + CELL * len(tokens) + 2, text_width(title) * SIZE, _BAR * 3)
    height = top + CELL * len(tokens) + _LEGEND + 4
    largest = max((value for row in table for value in row), default=0.0) or 1.0
    pieces = [*_opening(width, height, title), *_names(names, left, top)]
    for query, row in enumerate(table):
        for key, weight in enumerate(row):
            is_chosen = marks is not None and marks[query][key]
            if weight >= LEAST_SHOWN * largest or is_chosen:
                label = f"{names[query]} \u2192 {names[key]}: {weight:.3g}" + (", chosen" if is_chosen else "")
                pieces.append(_cell(left + key * CELL, top + query * CELL, weight / largest, is_chosen, label))
    pieces += _legend(top + CELL * len(tokens) + _LEGEND - SIZE, largest, marks is not None)
    return Svg("".join([*pieces, "</svg>"]), width, height, title)


def _opening(width: float, height: float, title: str) -> List[str]:
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    name = f' role="img" aria-label="{escape(title)}"' if title else ""
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lal-attention" {size}{name} style="max-width: none" '
        f'font-family="{escape(FONT)}" font-size="{SIZE}" fill="currentColor">'
    ]
    return [*pieces, f'<text x="0" y="{SIZE}" font-weight="bold">{escape(title)}</text>'] if title else pieces


def _names(names: Sequence[str], left: float, top: float) -> List[str]:
    pieces = []
    for i, name in enumerate(names):
        middle = (i + 0.5) * CELL + SIZE * 0.35
        row = f'x="{number(left - _GAP)}" y="{number(top + middle)}" text-anchor="end"'
        column = f'transform="translate({number(left + middle)} {number(top - _GAP)}) rotate(-90)"'
        pieces += [f"<text {row}>{escape(name)}</text>", f"<text {column}>{escape(name)}</text>"]
    return pieces


def _cell(x: float, y: float, strength: float, is_chosen: bool, label: str) -> str:
    outline = ' stroke="currentColor" stroke-width="1.5"' if is_chosen else ""
    place = f'x="{number(x + 1)}" y="{number(y + 1)}" width="{number(CELL - 2)}" height="{number(CELL - 2)}" rx="2"'
    fill = f'fill="{POSITIVE}" fill-opacity="{strength * MAX_ALPHA:.2f}"'
    return f"<rect {place} {fill}{outline}><title>{escape(label)}</title></rect>"


def _legend(y: float, largest: float, has_marks: bool) -> List[str]:
    """The scale in eight steps, and the meaning of an outline."""
    steps = 8
    pieces = [f'<text x="0" y="{number(y + SIZE - 2)}">0</text>']
    for i in range(steps):
        x = SIZE + i * _BAR / steps
        shade = f'fill="{POSITIVE}" fill-opacity="{(i + 1) / steps * MAX_ALPHA:.2f}"'
        pieces.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(_BAR / steps)}" height="{SIZE}" {shade}/>')
    pieces.append(f'<text x="{number(SIZE + _BAR + 4)}" y="{number(y + SIZE - 2)}">{largest:.2g}</text>')
    if has_marks:
        x = SIZE + _BAR + 60
        box = f'<rect x="{number(x)}" y="{number(y)}" width="{SIZE}" height="{SIZE}" rx="2" fill="none" '
        pieces.append(f'{box}stroke="currentColor" stroke-width="1.5"/>')
        pieces.append(f'<text x="{number(x + SIZE + 5)}" y="{number(y + SIZE - 2)}">chosen by the selector</text>')
    return pieces

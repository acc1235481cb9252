"""A table of numbers as a heat map in HTML: label heads x tokens, or label heads x constituents.

As in displaCy, the markup is self-contained and has no scripts. It suits dark and light pages: cells are tinted, and
letters take the colour of the text around them. Cells show rounded numbers, and, in unfolded rows, more digits on
hover; cells close to zero are blank. *Not* here: the meaning of the numbers.
"""

import math
from typing import Collection, List, Optional, Sequence, Tuple

from .markup import escape, scroll_box, shorten, visible

N_SHOWN = 20
N_UPRIGHT = 12  # more columns than this have vertical names
POSITIVE, NEGATIVE = "#2563eb", "#d95f02"  # blue, orange: mid-tones that the colour-blind can distinguish
LEAST_TINTED, LEAST_SHOWN = 0.025, 0.1  # shares of the scale from which a cell has a tint, and a number
N_TINTS = 20  # tints are classes of a style sheet, p1 to p20 and n1 to n20: thousands of cells stay small
MAX_ALPHA = 0.65  # black and white letters both stay readable on this tint

_STYLE = """<style>
.lal-heatmap { font: 14px Arial, Helvetica, sans-serif; margin: 0 0 1em }
.lal-heatmap table { border-collapse: separate; border-spacing: 1px; width: auto; margin: 0; font-size: inherit }
.lal-heatmap .lal-caption { margin: 0 0 .6em; color: inherit }
.lal-heatmap .lal-note { margin: 0 0 .6em; max-width: 60em; color: inherit; opacity: .75 }
.lal-heatmap .lal-outlined { outline: 2px solid currentColor; outline-offset: -2px }
.lal-heatmap td { min-width: 2.1em; height: 1.9em; padding: 0 2px; text-align: center; font-size: .8em;
  font-variant-numeric: tabular-nums; background-clip: padding-box; border-radius: 2px; direction: ltr;
  -webkit-print-color-adjust: exact; print-color-adjust: exact }
.lal-heatmap th { font-weight: normal; padding: 2px 4px; white-space: nowrap; background: none }
.lal-heatmap tbody th { text-align: end; position: sticky; inset-inline-start: 0; min-width: 6em; font-weight: bold;
  background: var(--lal-canvas, var(--jp-layout-color0, var(--vscode-editor-background, transparent))) }
.lal-heatmap thead th { vertical-align: bottom; text-align: center }
.lal-heatmap .lal-turned { writing-mode: vertical-rl; transform: rotate(180deg); text-align: start; margin: auto }
.lal-heatmap .lal-scale { display: inline-block; width: 8em; height: .8em; margin: 0 .4em; border-radius: 2px;
  -webkit-print-color-adjust: exact; print-color-adjust: exact }
.lal-heatmap summary { cursor: pointer; padding: .4em 0 }
</style>"""


def heatmap(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str = "",
    row_kind: str = "rows",
    n_shown: int = N_SHOWN,
    sort_by: Optional[Sequence[float]] = None,
    first: Sequence[int] = (),
    outlined: Collection[Tuple[int, int]] = (),
    note: str = "",
    scale: Optional[float] = None,
    totals: Sequence[Tuple[str, Sequence[float]]] = (),
) -> str:
    """Draw a heat map. Rows are sorted by importance; rows after the first `n_shown` are folded away.

    values (Sequence[Sequence[float]]): *Shape:* (n_rows, n_columns). Negative values get another colour.
    rows, columns (Sequence[str]): Names; plain text.
    title (str): The caption; plain text.
    row_kind (str): The kind of the rows, in the plural ("label heads"), for the line that unfolds the rest.
    n_shown (int): The number of rows shown at first.
    sort_by (Optional[Sequence[float]]): The importance of each row. Default: its largest absolute value.
    first (Sequence[int]): Numbers of rows that come first, in this order, whatever their importance.
    outlined (Collection[Tuple[int, int]]): Row and column of cells with an outline, in `values`; `note` says why.
    note (str): A sentence below the caption; plain text.
    scale (Optional[float]): The absolute value with the strongest tint. Default: the largest in `values`.
    totals (Sequence[Tuple[str, Sequence[float]]]): Names and numbers of rows above the map, for sums of the values.
        They are not tinted and do not affect the scale.
    RETURNS (str): HTML, without scripts.
    RAISES (ValueError): The numbers do not match the names, or a number is not finite.
    """
    table = [[float(value) for value in row] for row in values]
    _check([*table, *(list(row) for _, row in totals)], [*rows, *(name for name, _ in totals)], columns)
    _check_options(len(table), sort_by, scale)
    strengths = [max(map(abs, row), default=0.0) for row in table]
    largest = (max(strengths, default=0.0) if scale is None else scale) or 1.0
    keys = strengths if sort_by is None else list(sort_by)
    ahead = {row: place for place, row in enumerate(first)}
    order = sorted(range(len(table)), key=lambda i: (ahead.get(i, len(ahead)), -keys[i]))
    caption = _caption(title, note, largest, signed=any(value < 0 for row in table for value in row))
    head = _head(columns)
    sums = "".join(_row(name, row, columns, max(map(abs, row), default=0.0), tinted=False) for name, row in totals)

    def body(indices: Sequence[int], named: bool = True) -> str:
        marks = [{column for row, column in outlined if row == i} for i in indices]
        return "".join(
            _row(rows[i], table[i], columns, largest, outlined=marked, named=named)
            for i, marked in zip(indices, marks, strict=True)
        )

    shown, rest = order[: max(n_shown, 0)], order[max(n_shown, 0) :]
    pieces, label = [caption], title or "heat map"
    if shown or sums or not rest:
        pieces.append(scroll_box(f"<table>{head}<tbody>{sums}{body(shown)}</tbody></table>", label))
    if rest:
        more = f"{len(rest)} {'more ' if shown else ''}{visible(row_kind)}"
        inner = scroll_box(f"<table>{head}<tbody>{body(rest, named=False)}</tbody></table>", f"{label}: {more}")
        pieces.append(f"<details><summary>{escape(more)}</summary>{inner}</details>")
    return f'<div class="lal-heatmap">{"".join(pieces)}</div>'


def _caption(title: str, note: str, largest: float, signed: bool) -> str:
    """The style sheets, the title with the scale, and the note."""
    caption = f'<p class="lal-caption">{escape(title)} {_legend(largest, signed)}</p>'
    caption += f'<p class="lal-note">{escape(note)}</p>' if note else ""
    return f"{_STYLE}{_tint_rules(signed)}{caption}"


def _check_options(n_rows: int, sort_by: Optional[Sequence[float]], scale: Optional[float]) -> None:
    if sort_by is not None and len(sort_by) != n_rows:
        raise ValueError(f"sort_by: expected a number for each of the {n_rows} rows, got {len(sort_by)}")
    if scale is not None and not 0 < scale < math.inf:
        raise ValueError(f"scale: expected a number above 0, got {scale}")


def _check(table: List[List[float]], rows: Sequence[str], columns: Sequence[str]) -> None:
    if len(table) != len(rows):
        raise ValueError(f"expected a name for each of the {len(table)} rows, got {len(rows)}")
    for name, row in zip(rows, table, strict=True):
        if len(row) != len(columns):
            raise ValueError(f"row {name!r}: expected a number for each of the {len(columns)} columns, got {len(row)}")
        if not all(map(math.isfinite, row)):
            raise ValueError(f"row {name!r}: expected finite numbers, got {row}")


def _head(columns: Sequence[str]) -> str:
    turned = len(columns) > N_UPRIGHT
    cells = []
    for column in columns:
        name = escape(shorten(visible(column)))
        name = f'<div class="lal-turned" dir="auto">{name}</div>' if turned else f"<bdi>{name}</bdi>"
        cells.append(f'<th scope="col" title="{escape(column)}">{name}</th>')
    return f"<thead><tr><td></td>{''.join(cells)}</tr></thead>"


def _row(
    name: str,
    values: Sequence[float],
    columns: Sequence[str],
    largest: float,
    *,
    tinted: bool = True,
    named: bool = True,
    outlined: Collection[int] = (),
) -> str:
    cells = []
    shown_name = shorten(visible(name))
    for i, (value, column) in enumerate(zip(values, columns, strict=True)):
        strength = min(abs(value) / largest, 1.0) if tinted else 0.0
        is_marked = i in outlined
        classes = [_tint_class(value, strength)] if strength >= LEAST_TINTED else []
        classes += ["lal-outlined"] if is_marked else []
        look = f' class="{" ".join(classes)}"' if classes else ""
        shown = _short(value, largest) if strength >= LEAST_SHOWN or is_marked or not tinted else ""
        if named and (strength >= LEAST_TINTED or is_marked or not tinted):
            look += f' title="{escape(f"{shown_name}, {shorten(visible(column))}: {value:.3g}")}"'
        cells.append(f"<td{look}>{shown}</td>")
    head = f'<th scope="row" title="{escape(name)}"><bdi>{escape(shown_name)}</bdi></th>'
    return f"<tr>{head}{''.join(cells)}</tr>\n"


def _tint_class(value: float, strength: float) -> str:
    return f"{'p' if value >= 0 else 'n'}{max(round(strength * N_TINTS), 1)}"


def _tint_rules(signed: bool) -> str:
    kinds = {"p": 1.0, "n": -1.0} if signed else {"p": 1.0}
    rules = [
        f".lal-heatmap .{kind}{step}{{background-color:{_tint(sign, step / N_TINTS)}}}"
        for kind, sign in kinds.items()
        for step in range(1, N_TINTS + 1)
    ]
    return f"<style>{''.join(rules)}</style>"


def _tint(value: float, strength: float) -> str:
    return f"{POSITIVE if value >= 0 else NEGATIVE}{round(strength * MAX_ALPHA * 255):02x}"


def _short(value: float, largest: float) -> str:
    """A number with the decimals that give `largest` two significant digits, no leading zero: .42, 1.7, \u221212."""
    digits = min(max(1 - math.floor(math.log10(largest * 0.999)), 0), 9) if largest else 0
    text = f"{abs(value):.{digits}f}"
    text = text[1:] if text.startswith("0.") else text
    return f"\u2212{text}" if value < 0 and text.strip(".0") else text


def _legend(largest: float, signed: bool) -> str:
    low = _tint(-largest, 1.0) if signed else "transparent"
    smallest = _short(-largest, largest) if signed else "0"
    middle = "transparent, " if signed else ""
    bar = f"background: linear-gradient(to right, {low}, {middle}{_tint(largest, 1.0)})"
    return f'<span dir="ltr">{smallest}<span class="lal-scale" style="{bar}"></span>{_short(largest, largest)}</span>'

"""The numbers of a report as HTML tables of escaped text."""

import math
from typing import Optional, Sequence

from ..display.markup import escape, shorten
from ..interpret import Contributions
from ..trees import SUB_HEAD_LABEL
from .explained import Alternative, OuterArc

N_PARTS = 8  # label heads with a row of their own
PART_DIGITS = 3  # with many label heads, each contributes little
NUMBERS = ("score", "probability", "adds", "margin")  # names of columns
MARK = ' class="lal-marked"'
_STYLE = """<style>
.lal-table { border-collapse: collapse; margin: 0 0 1rem; font-size: .95em; border: none }
.lal-table caption { text-align: start; font-weight: bold; padding: 0 0 .3em; color: inherit; caption-side: top }
.lal-table th, .lal-table td { padding: .2em .9em .2em 0; border: none; border-bottom: 1px solid #8884;
  text-align: start; font-weight: normal; overflow-wrap: anywhere }
.lal-table thead th { opacity: .7 }
.lal-table .lal-number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap }
.lal-table tr.lal-marked > * { font-weight: bold }
</style>"""


def number(value: Optional[float], digits: int = 2) -> str:
    """A number with `digits` digits after the point; a dash for a missing number."""
    if value is None or math.isnan(value):
        return "\u2013"
    if math.isinf(value):
        return "\u221e" if value > 0 else "\u2212\u221e"
    return f"{round(value, digits) or 0.0:.{digits}f}".replace("-", "\u2212")  # no minus before zero


def share(value: Optional[float]) -> str:
    """A probability in per cent; "<" or ">" marks a value that rounding would show as impossible or certain."""
    if value is None or math.isnan(value):
        return "\u2013"
    if 0.0005 > value > 0.0:
        return "< 0.1 %"
    return "> 99.9 %" if 1.0 > value > 0.9995 else f"{100 * value:.1f} %"


def label_name(label: str) -> str:
    """A label as shown; labels that no tree shows are described in words."""
    return {"": "(no constituent)", SUB_HEAD_LABEL: f"(no constituent: {SUB_HEAD_LABEL})"}.get(label, label)


def alternatives_table(alternatives: Sequence[Alternative], own: str) -> str:
    """The best labels of a span; `own`, its label in the parse ("" for none), is highlighted."""
    rows = [[label_name(one.label), number(one.score), share(one.probability)] for one in alternatives]
    marked = [one.label == own for one in alternatives]
    return _table("Best labels", ["label", "score", "probability"], rows, marked)


def parts_table(parts: Contributions, n_shown: int = N_PARTS) -> str:
    """The parts of a score: the strongest label heads, the others together, token skip, bias. They add up to it."""
    top = parts.top(n_shown)
    rest = len(parts.heads) - len(top)
    rows = [[name, number(value, PART_DIGITS)] for name, value in top]
    if rest:
        rest_sum = float(parts.heads.sum()) - sum(value for _, value in top)
        rows.append([f"{rest} other label heads", number(rest_sum, PART_DIGITS)])
    if parts.tokens:
        rows.append(["whole tokens", number(parts.tokens, PART_DIGITS)])
    rows += [["bias", number(parts.bias, PART_DIGITS)], ["score", number(parts.score, PART_DIGITS)]]
    title = f"What the score of {parts.label} is made of"
    return _table(title, ["label head", "adds"], rows, [False] * (len(rows) - 1) + [True])


def own_head_note(parts: Contributions) -> str:
    """A sentence if the head that is called by the label takes from its score; else an empty string. Plain text."""
    value = float(parts.heads[parts.names.index(parts.label)]) if parts.label in parts.names else 0.0
    if round(value, PART_DIGITS) >= 0:
        return ""
    return (
        f"The label head {parts.label} takes {number(-value, PART_DIGITS)} from the score of its own label here: the "
        "name of a head is a convention."
    )


def arcs_table(arcs: Sequence[OuterArc]) -> str:
    """The arcs into a span."""
    rows = [[shorten(one.word), one.deprel, shorten(one.head) or "(root)", number(one.margin)] for one in arcs]
    return _table("Its head", ["word", "deprel", "depends on", "margin"], rows, [False] * len(rows))


def _table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[bool]) -> str:
    """A table of plain text; columns of numbers are right-aligned, marked rows are highlighted."""
    classes = [' class="lal-number"' if name in NUMBERS else "" for name in names]
    head = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(names, classes, strict=True))
    body = []
    for row, is_marked in zip(rows, marked, strict=True):
        cells = [f"<td{kind}><bdi>{escape(cell)}</bdi></td>" for cell, kind in zip(row, classes, strict=True)]
        body.append(f"<tr{MARK if is_marked else ''}>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(title)}</caption>"
    table = f"{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
    return f'{_STYLE}<table class="lal-table">{table}</table>'

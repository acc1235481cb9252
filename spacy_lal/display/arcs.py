"""Dependency arcs as SVG: from each head to its dependents, deprels on the lines, the root marked.

Arcs have levels, so that neither lines nor deprels overlap; deprels stand upright in gaps of the lines, which every
browser and converter draws. *Not* here: Docs.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from .colors import DEFAULT_COLOR
from .markup import escape, visible
from .svg import number, pill_text, pill_width, pills, text_width

DEPREL_SIZE = 11  # pixels of letters
ROOT = "ROOT"
_LEVEL, _LOW_LEVEL, _MANY_LEVELS = 21.0, 14.0, 12  # pixels between two levels; less where there are many
_FIRST = 18.0  # pixels from the words to the lowest line
_RADIUS, _ARROW, _PAD = 7.0, 7.0, 4.0
_SPREAD, _MOST_SPREAD = 5.0, 24.0  # pixels between arcs that leave a word on one side, and for all of them


class Arc(NamedTuple):
    """An arc between words, counted from 0: the dependent, its head, the deprel, and the level of its line, from 1."""

    dependent: int
    head: int
    deprel: str
    level: int


class ArcDrawing(NamedTuple):
    """Arcs as markup, and how far they reach from the words, in pixels."""

    markup: str
    height: float


def level_arcs(heads: Sequence[Optional[int]], deprels: Sequence[str]) -> List[Arc]:
    """The arcs of a sentence, short ones first; each lies above all overlapping shorter arcs.

    heads (Sequence[Optional[int]]): The head of each word, counted from 1; 0 for a root and None for an unknown head,
        which have no arcs.
    deprels (Sequence[str]): The deprel of each word; plain text.
    """
    found: List[Arc] = []
    arcs = [(dependent, head - 1) for dependent, head in enumerate(heads) if head]
    for dependent, head in sorted(arcs, key=lambda arc: (abs(arc[0] - arc[1]), arc)):
        left, right = sorted((dependent, head))
        below = [
            arc.level for arc in found if min(arc.dependent, arc.head) < right and left < max(arc.dependent, arc.head)
        ]
        found.append(Arc(dependent, head, visible(deprels[dependent]), max(below, default=0) + 1))
    return found


def least_widths(arcs: Sequence[Arc], heads: Sequence[Optional[int]], gap: float) -> List[float]:
    """The width that the column of each word needs: deprels find room between neighbours, and so do marks of roots.

    gap (float): Pixels between two columns.
    """
    widths = [pill_width(ROOT) if head == 0 else 0.0 for head in heads]
    for arc in arcs:
        first, last = sorted((arc.dependent, arc.head))
        inside = sum(widths[first + 1 : last]) + gap * (last - first)
        needed = text_width(arc.deprel) * DEPREL_SIZE + 2 * (_RADIUS + _PAD + _SPREAD)
        for word in (first, last):
            widths[word] = max(widths[word], needed - inside)
    return widths


def draw_arcs(
    arcs: Sequence[Arc],
    heads: Sequence[Optional[int]],
    places: Sequence[float],
    *,
    base: float,
    below: bool = False,
    square: bool = False,
) -> ArcDrawing:
    """Draw the arcs of a sentence on one side of its words.

    arcs (Sequence[Arc]): Of `level_arcs`. heads (Sequence): As there.
    places (Sequence[float]): The middle of each word, in pixels; falling for writing from right to left.
    base (float): Where the arcs end at the words, in pixels. below (bool): Whether they hang below the words.
    square (bool): Corners without rounding.
    """
    n_levels = max((arc.level for arc in arcs), default=0)
    step = _LEVEL if n_levels <= _MANY_LEVELS else _LOW_LEVEL
    height = _FIRST + n_levels * step + 22
    down = 1.0 if below else -1.0
    lines, arrows, texts = [], [], []
    offsets = _starts(arcs, places)
    for arc, offset in zip(arcs, offsets, strict=True):
        start, end = places[arc.head] + offset, places[arc.dependent]
        y = base + down * (_FIRST + (arc.level - 1) * step)
        side = 1.0 if end > start else -1.0
        radius = 0.0 if square else min(_RADIUS, abs(end - start) / 2)
        gap = text_width(arc.deprel) * DEPREL_SIZE + 2 * _PAD if arc.deprel else 0.0
        middle, room = (start + end) / 2, abs(end - start) - 2 * radius
        half = min(gap, max(room, 0.0)) / 2
        lines.append(
            f"M{number(start)} {number(base)}{_corner(start, y, side * radius, down * radius, up=True)}"
            f"H{number(middle - side * half)}M{number(middle + side * half)} {number(y)}"
            f"{_corner(end, y, side * radius, down * radius, up=False)}V{number(base + down * _ARROW)}"
        )
        arrows.append(_arrow(end, base, down))
        if arc.deprel:
            place = f'x="{number(middle)}" y="{number(y + 0.36 * DEPREL_SIZE)}"'
            texts.append(f"<text {place}>{escape(arc.deprel)}</text>")
    roots = [places[word] for word, head in enumerate(heads) if head == 0]
    top = base + down * (height - 10)
    for x in roots:
        lines.append(f"M{number(x)} {number(top)}V{number(base + down * _ARROW)}")
        arrows.append(_arrow(x, base, down))
    markup = (
        f'<path fill="none" stroke="currentColor" stroke-opacity=".55" d="{"".join(lines)}"/>'
        f'<path fill-opacity=".7" d="{"".join(arrows)}"/><g font-size="{DEPREL_SIZE}">{"".join(texts)}</g>'
        + pills([(x, top, pill_width(ROOT), DEFAULT_COLOR) for x in roots])
        + "".join(pill_text(x, top, ROOT) for x in roots)
    )
    return ArcDrawing(markup, height)


def _starts(arcs: Sequence[Arc], places: Sequence[float]) -> List[float]:
    """Where each arc leaves its head, in pixels beside the middle: the longest arc of a side next to the middle."""
    sides: Dict[Tuple[int, bool], List[int]] = {}
    for i in sorted(range(len(arcs)), key=lambda i: -abs(arcs[i].dependent - arcs[i].head)):
        is_right = places[arcs[i].dependent] > places[arcs[i].head]
        sides.setdefault((arcs[i].head, is_right), []).append(i)
    offsets = [0.0] * len(arcs)
    for (_, is_right), members in sides.items():
        step = min(_SPREAD, _MOST_SPREAD / len(members))
        for place, i in enumerate(members, start=1):
            offsets[i] = (1.0 if is_right else -1.0) * step * place
    return offsets


def _corner(x: float, y: float, dx: float, dy: float, up: bool) -> str:
    """A line from the words that turns at the height y, or one along it that turns to the words."""
    if up:
        bend = f"Q{number(x)} {number(y)} {number(x + dx)} {number(y)}" if dx else ""
        return f"V{number(y - dy)}{bend}"
    return f"H{number(x - dx)}" + (f"Q{number(x)} {number(y)} {number(x)} {number(y - dy)}" if dx else "")


def _arrow(x: float, base: float, down: float) -> str:
    return f"M{number(x)} {number(base)}l-3.5 {number(down * _ARROW)}h7z"

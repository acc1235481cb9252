"""One picture of a whole parse: words on one line, the tree above, arcs below, and a
row of bands for each predicate, from its first to its last role."""

from collections.abc import Sequence
from typing import NamedTuple

from ..trees.parse import Heads, Parse
from ..trees.roles import PREDICATE_ROLE
from .colors import INK_ON_PALE, role_color
from .markup import shorten, visible
from .roles import PredicateRow
from .svg import Band, Svg, bands, path, picture, svg_text, text_width
from .tree import DESCENT, GAP, TreeLayout

ROOT = "ROOT"
# Pixels.
ROW = 22.0  # of a row of roles
SIZE = 11  # of letters below the words
LEVEL = 20.0  # between the lines of arcs
FIRST = 18.0  # from the words to the highest line
ARROW = 7.0  # of an arrow
BESIDE = 5.0  # between the lines that leave a word and the line that reaches it
PADDING = 10.0  # around the name of an arc or of a role
BOLD = 1.08  # how much wider bold letters are


class Arc(NamedTuple):
    """An arc between words, counted from 0, and the level of its line, from 1."""

    dependent: int
    head: int
    deprel: str
    level: int

    @property
    def ends(self) -> tuple[int, int]:
        """Its words, in the order of the sentence."""
        return min(self.dependent, self.head), max(self.dependent, self.head)


def draw_parse(
    parse: Parse,
    rows: Sequence[PredicateRow] = (),
    *,
    title: str = "Parse",
    direction: str = "ltr",
) -> Svg:
    """Draw a tree above its words, arcs and roles below. Without constituents, nothing
    is above the words.
    rows (Sequence[PredicateRow]): The predicates, if roles are known."""
    heads = parse.heads or ()
    arcs = _arcs(parse)
    least = _least_widths(heads, arcs, rows)
    tree = parse.to_tree()
    if not parse.constituents and isinstance(tree[0], list):
        tree.set_label("")
    layout = TreeLayout(tree, direction == "rtl", least)
    places = [word.x for word in layout.words]
    base = layout.baseline + DESCENT + 5
    under, top = _draw_arcs(arcs, heads, places, base)
    roles = _draw_roles(layout, rows, top)
    size = (layout.width, top + ROW * len(rows) + 2)
    description = f"{parse.to_brackets()} {describe_arcs(parse)}"
    return picture(
        f"{layout.draw()}{under}{roles}", "lal-parse", size, title, description
    )


def describe_arcs(parse: Parse) -> str:
    """The arcs in words: "dog: nsubj of barks; barks: root"."""
    described = []
    arcs = zip(parse.words, parse.heads or (), parse.deprels, strict=True)
    for word, head, deprel in arcs:
        shown = "no head" if head is None else "root"
        if head:
            shown = f"{deprel} of {parse.words[head - 1]}"
        described.append(f"{word}: {shown}")
    return "; ".join(described)


# Places


def _arcs(parse: Parse) -> list[Arc]:
    """Short arcs first; each lies beyond all overlapping shorter ones."""
    pairs = zip(parse.heads or (), parse.deprels, strict=True)
    arcs = [
        Arc(dependent, head - 1, visible(deprel), 1)
        for dependent, (head, deprel) in enumerate(pairs)
        if head
    ]
    arcs.sort(key=lambda arc: (arc.ends[1] - arc.ends[0], arc))
    placed: list[Arc] = []
    for arc in arcs:
        below = [shorter.level for shorter in placed if _overlap(shorter, arc)]
        placed.append(arc._replace(level=max(below, default=0) + 1))
    return placed


def _overlap(arc: Arc, other: Arc) -> bool:
    start, end = arc.ends
    other_start, other_end = other.ends
    return start < other_end and other_start < end


def _least_widths(
    heads: Heads, arcs: Sequence[Arc], rows: Sequence[PredicateRow]
) -> list[float]:
    """The least width of each word's column, for the names below."""
    needs = [
        (word, word, _bold_width(ROOT)) for word, head in enumerate(heads) if head == 0
    ]
    for arc in arcs:
        needs.append((*arc.ends, text_width(arc.deprel) * SIZE + PADDING))
    for row in rows:
        for (start, end), role in row.spans.items():
            needs.append((start, end - 1, _bold_width(_name(row, role))))
    least = [0.0] * len(heads)
    for first, last, width in needs:
        others = sum(least[first + 1 : last + 1]) + GAP * (last - first)
        least[first] = max(least[first], width - others)
    return least


def _bold_width(name: str) -> float:
    return text_width(name) * SIZE * BOLD + PADDING


def _name(row: PredicateRow, role: str) -> str:
    return shorten(visible(row.name)) if role == PREDICATE_ROLE else visible(role)


# Drawing


def _draw_arcs(
    arcs: Sequence[Arc],
    heads: Heads,
    places: Sequence[float],
    base: float,
) -> tuple[str, float]:
    """The arcs below a line, and where what is below them begins."""
    n_levels = max((arc.level for arc in arcs), default=0)
    bottom = base + FIRST + n_levels * LEVEL
    arrows = []
    lines = []
    names = []
    for arc in arcs:
        end = places[arc.dependent]
        side = BESIDE if end > places[arc.head] else -BESIDE
        start = places[arc.head] + side
        y = base + FIRST + (arc.level - 1) * LEVEL
        lines.append(path("M", start, base, "V", y, "H", end, "V", base + ARROW))
        names.append(svg_text((start + end) / 2, y + SIZE, arc.deprel))
    for place, head in zip(places, heads, strict=True):
        if head is not None:
            arrows.append(
                path("M", place, base, "l", -ARROW / 2, ARROW, "h", ARROW, "z")
            )
        if head == 0:
            lines.append(path("M", place, bottom, "V", base + ARROW))
            look = ' font-weight="bold"'
            names.append(svg_text(place, bottom + SIZE, ROOT, look))
    markup = (
        '<path fill="none" stroke="currentColor" stroke-opacity=".55" '
        f'd="{"".join(lines)}"/><path fill-opacity=".7" d="{"".join(arrows)}"/>'
        f'<g font-size="{SIZE}">{"".join(names)}</g>'
    )
    return markup, bottom + SIZE + 8


def _draw_roles(layout: TreeLayout, rows: Sequence[PredicateRow], top: float) -> str:
    """A row of bands for each predicate, each under its words."""
    drawn = []
    names = []
    for i, row in enumerate(rows):
        y = top + ROW * (i + 0.5)
        for (start, end), role in row.spans.items():
            name = _name(row, role)
            first = layout.words[start].sides
            last = layout.words[end - 1].sides
            left = min(first[0], last[0])
            right = max(first[1], last[1])
            middle = (left + right) / 2
            width = max(right - left + GAP - 4, _bold_width(name))
            drawn.append(Band(middle, y, width, role_color(role)))
            meaning = visible(row.meanings.get(role, ""))
            both = f"{name}: {meaning}"
            if meaning and _bold_width(both) <= width:
                name = both
            names.append(svg_text(middle, y + 0.36 * SIZE, name))
    look = f'font-size="{SIZE}" font-weight="bold" fill="{INK_ON_PALE}"'
    return f"{bands(drawn, ROW - 4, 'butt')}<g {look}>{''.join(names)}</g>"

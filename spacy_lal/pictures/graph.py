"""A picture of a graph of facts: things on an ellipse, and arrows between them with
what is said of them."""

from itertools import cycle
from math import cos, pi, sin
from typing import Dict, FrozenSet, List, Sequence, Tuple

from .colors import FAMILY_COLORS
from .svg import (
    PILL,
    Band,
    Svg,
    picture,
    pill_text,
    pill_width,
    pills,
    stand_alone,
    svg_text,
)

Edge = Tuple[str, str, str]
_LEAST_RADIUS = 110.0  # pixels, of the ellipse's longer half
_RADIUS_OF_EACH = 16.0
_FLATNESS = 0.75  # the shorter half by the longer
# Where the arrowheads of three lines are, by their lengths: labels that cross are apart
_MIDDLES = (0.55, 0.4, 0.65)
_ABOVE_LINE = 6  # pixels from a label's baseline to the line
_LINE_HEIGHT = 13
_ARROW = (
    '<defs><marker id="lal-arrow" markerWidth="9" markerHeight="9" refX="5" refY="4" '
    'orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>'
)
_LABEL = ' font-size="11" paint-order="stroke" stroke="Canvas" stroke-width="3"'


def draw_graph(edges: Sequence[Edge], title: str = "Graph of facts") -> str:
    """Draw a graph as an SVG file.

    edges (Sequence[Tuple[str, str, str]]): Subject, label and object of each fact.
    title (str): The picture's name."""
    return stand_alone([graph_picture(edges, title)])


def graph_picture(edges: Sequence[Edge], title: str = "Graph of facts") -> Svg:
    """Draw a graph as an element of a page, as `draw_graph`."""
    names = _things(edges)
    width = max(map(pill_width, names), default=0.0)
    radius = _LEAST_RADIUS + _RADIUS_OF_EACH * len(names)
    full_width = 2 * radius + width
    full_height = 2 * _FLATNESS * radius + 2 * PILL
    places = _places(names, radius, (full_width / 2, full_height / 2))
    arrows = _arrows(edges, places)
    body = _ARROW + "".join(arrows) + _pills(places)
    described = "; ".join(" ".join(edge) for edge in edges)
    size = (full_width, full_height)
    return picture(body, "lal-graph", size, title, described)


def _things(edges: Sequence[Edge]) -> List[str]:
    """Give each subject and object once, in their order."""
    ends = [end for subject, _, thing in edges for end in (subject, thing)]
    return list(dict.fromkeys(ends))


def _pills(places: Dict[str, Tuple[float, float]]) -> str:
    """Draw the names of things in pills."""
    color = FAMILY_COLORS["noun phrase"]
    bands = []
    texts = []
    for name, (x, y) in places.items():
        bands.append(Band(x, y, pill_width(name), color))
        texts.append(pill_text(x, y, name))
    return pills(bands) + "".join(texts)


def _places(
    names: Sequence[str], radius: float, middle: Tuple[float, float]
) -> Dict[str, Tuple[float, float]]:
    """Place things at equal angles, the first one at the top."""
    places = {}
    for i, name in enumerate(names):
        angle = 2 * pi * i / len(names) - pi / 2
        x = middle[0] + radius * cos(angle)
        y = middle[1] + _FLATNESS * radius * sin(angle)
        places[name] = (x, y)
    return places


def _arrows(edges: Sequence[Edge], places: Dict[str, Tuple[float, float]]) -> List[str]:
    """Draw the lines and their labels; labels of one pair of things stand below each
    other."""
    drawn = []
    rows: Dict[FrozenSet[str], int] = {}
    middles = cycle(_MIDDLES)
    for subject, label, thing in edges:
        x, y = places[subject]
        to_x, to_y = places[thing]
        middle = next(middles)
        at_x = x + middle * (to_x - x)
        at_y = y + middle * (to_y - y)
        drawn.append(_line([(x, y), (at_x, at_y), (to_x, to_y)]))
        pair = frozenset((subject, thing))
        row = rows.get(pair, 0)
        rows[pair] = row + 1
        baseline = at_y - _ABOVE_LINE + _LINE_HEIGHT * row
        drawn.append(svg_text(at_x, baseline, label, _LABEL))
    return drawn


def _line(points: Sequence[Tuple[float, float]]) -> str:
    """Draw a line through points, with an arrowhead at those within."""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    look = 'fill="none" stroke="currentColor" marker-mid="url(#lal-arrow)"'
    return f'<path d="M{path}" {look}/>'

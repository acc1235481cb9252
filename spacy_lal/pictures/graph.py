"""A picture of a graph of facts: things on an ellipse, and arrows between them with
what is said of them."""

from math import cos, pi, sin
from typing import Dict, List, Sequence, Tuple

from .colors import FAMILY_COLORS
from .svg import (
    PILL,
    Band,
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
_MIDDLE = 0.55  # where the arrowhead of a line is, by its length
_ARROW = (
    '<defs><marker id="lal-arrow" markerWidth="9" markerHeight="9" refX="5" refY="4" '
    'orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>'
)
_LABEL = ' font-size="11" paint-order="stroke" stroke="Canvas" stroke-width="3"'


def draw_graph(edges: Sequence[Edge], title: str = "Graph of facts") -> str:
    """Draw a graph as an SVG file.

    edges (Sequence[Tuple[str, str, str]]): Subject, label and object of each fact.
    title (str): The picture's name."""
    names = list(dict.fromkeys(x for one, _, other in edges for x in (one, other)))
    width = max(map(pill_width, names), default=0.0)
    radius = _LEAST_RADIUS + _RADIUS_OF_EACH * len(names)
    size = (2 * radius + width, 2 * _FLATNESS * radius + 2 * PILL)
    places = _places(names, radius, (size[0] / 2, size[1] / 2))
    color = FAMILY_COLORS["noun phrase"]
    boxes = [Band(*places[name], pill_width(name), color) for name in names]
    texts = [pill_text(*places[name], name) for name in names]
    body = "".join([_ARROW, *_arrows(edges, places), pills(boxes), *texts])
    said = "; ".join(" ".join(edge) for edge in edges)
    return stand_alone([picture(body, "lal-graph", size, title, said)])


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
    labels: Dict[Tuple[float, ...], int] = {}
    for subject, label, thing in edges:
        x, y = places[subject]
        to_x, to_y = places[thing]
        at_x = x + _MIDDLE * (to_x - x)
        at_y = y + _MIDDLE * (to_y - y)
        line = f"M{x:.1f} {y:.1f}L{at_x:.1f} {at_y:.1f}L{to_x:.1f} {to_y:.1f}"
        look = 'fill="none" stroke="currentColor" marker-mid="url(#lal-arrow)"'
        drawn.append(f'<path d="{line}" {look}/>')
        pair = tuple(sorted((x, y, to_x, to_y)))
        row = labels.get(pair, 0)
        labels[pair] = row + 1
        drawn.append(svg_text(at_x, at_y - 6 + 13 * row, label, _LABEL))
    return drawn

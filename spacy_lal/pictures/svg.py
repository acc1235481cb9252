"""SVG: widths of texts, the parts that drawings share, files that stand alone, and PNG
by a converter."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple, Union
from unicodedata import category, east_asian_width

from .colors import INK_ON_PALE
from .markup import escape, scroll_box

FONT = "Arial, Helvetica, Noto Sans, Noto Sans CJK SC, sans-serif"
# Pixels of a pill: its height, its letters, and room left and right of them.
PILL = 18.0
PILL_SIZE = 12
PILL_PADDING = 7.0
# A picture grows and shrinks to these shares of its size, and then scrolls: smaller
# letters cannot be read.
MOST_SCALE = 1.35
LEAST_SCALE = 0.8
# A file is light, or dark and transparent, as the reader's system is.
_STYLE = (
    "<style>@media (prefers-color-scheme: dark) { .lal-file { color: #e8e8e8; "
    "color-scheme: dark } .lal-canvas { fill: none } }</style>"
)
_MARGIN = 12  # pixels around all pictures
_GAP = 24  # pixels between two
NO_CONVERTER = (
    "writing PNG needs CairoSVG: pip install 'spacy-lal[display]'; SVG and HTML need "
    "nothing"
)


class Svg(NamedTuple):
    """A picture: one `<svg>` element with the colours of the text around it, its size
    in pixels, and its name."""

    markup: str
    width: float
    height: float
    title: str


def picture(
    body: str, kind: str, size: tuple[float, float], title: str, description: str
) -> Svg:
    """A drawing of some markup as an element with a class, and a name and a description
    for screen readers."""
    width, height = map(number, size)
    markup = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(title)}" fill="currentColor" font-family="{FONT}" '
        f'text-anchor="middle">{naming(title, description)}{body}</svg>'
    )
    return Svg(markup, *size, title)


def naming(title: str, description: str) -> str:
    """The elements `<title>` and `<desc>`."""
    return f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"


def fitted(drawing: Svg) -> str:
    """The picture for a page: as wide as its box, up to a third more than its own
    width; it scrolls where letters would be too small."""
    most = number(drawing.width * MOST_SCALE)
    least = number(drawing.width * LEAST_SCALE)
    size = f"width: 100%; max-width: {most}px; min-width: {least}px; height: auto"
    markup = drawing.markup.replace(">", f' style="{size}">', 1)
    return scroll_box(markup, drawing.title)


def pill_width(text: str) -> float:
    """The width of a label in a pill, in pixels."""
    return max(text_width(text) * PILL_SIZE + 2 * PILL_PADDING, PILL)


class Band(NamedTuple):
    """A box: its middle (x, y), its width, and its colour."""

    x: float
    y: float
    width: float
    color: str


def pills(places: Sequence[Band]) -> str:
    """Rounded boxes of the height `PILL`."""
    inner = [band._replace(width=max(band.width - PILL, 0.1)) for band in places]
    return bands(inner, PILL, "round")


def bands(places: Sequence[Band], height: float, cap: str) -> str:
    """Boxes as thick lines whose ends are "butt", or "round" and longer by half of the
    height. One path a colour keeps files small."""
    paths: dict[str, list[str]] = {}
    for x, y, width, color in places:
        line = path("M", x - width / 2, y, "h", width)
        paths.setdefault(color, []).append(line)
    look = f'fill="none" stroke-width="{number(height)}" stroke-linecap="{cap}"'
    drawn = [
        f'<path {look} stroke="{color}" d="{"".join(lines)}"/>'
        for color, lines in paths.items()
    ]
    return "".join(drawn)


def svg_text(x: float, y: float, text: str, look: str = "") -> str:
    """A `<text>` whose middle is x and whose baseline is y. look (str): More
    attributes."""
    return f'<text x="{number(x)}" y="{number(y)}"{look}>{escape(text)}</text>'


def pill_text(x: float, y: float, text: str) -> str:
    """The letters of a pill with the middle (x, y)."""
    look = f' fill="{INK_ON_PALE}" font-size="{PILL_SIZE}" font-weight="bold"'
    return svg_text(x, y + 0.36 * PILL_SIZE, text, look)


def text_width(text: str) -> float:
    """The width of a text in em, in a sans-serif font; an estimate from above, since
    fonts differ."""
    return sum(map(_glyph_width, text))


def _glyph_width(char: str) -> float:
    kind = category(char)
    if kind in ("Mn", "Me", "Cf"):  # combining marks, joiners
        return 0.0
    is_pictograph = 0x1F000 <= ord(char) < 0x20000
    if east_asian_width(char) in "WF" or is_pictograph:
        return 1.1
    if char in "mwMWGOQ@%&\u2026\u2014":
        return 1.0
    if char in "ijlftrI.,;:!|'`()[]{} ":
        return 0.4
    if kind == "Lu":
        return 0.74
    return 0.6 if kind[0] in "LNPZ" and ord(char) < 0x600 else 0.9


def number(value: float) -> str:
    """A number of pixels with at most one decimal place: "3", "2.2"."""
    return f"{value:.1f}".removesuffix(".0")


def path(*steps: Union[str, float]) -> str:
    """A path as SVG has it, from commands and numbers of pixels."""
    return " ".join(step if isinstance(step, str) else number(step) for step in steps)


def stand_alone(pictures: Sequence[Svg]) -> str:
    """One SVG file with pictures one below the other: dark letters on white or, where
    the reader's system is dark, light letters without a background. Programs without
    such a setting show it light."""
    parts = []
    top = float(_MARGIN)
    for drawing in pictures:
        place = f"translate({_MARGIN} {number(top)})"
        parts.append(f'<g transform="{place}">{drawing.markup}</g>')
        top += drawing.height + _GAP
    bottom = top - _GAP + _MARGIN if pictures else top
    # Whole pixels: a converter needs them.
    width = ceil(max((drawing.width for drawing in pictures), default=0) + 2 * _MARGIN)
    height = ceil(bottom)
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" color="#1a1a1a" class="lal-file">'
    )
    canvas = '<rect class="lal-canvas" width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([start, _STYLE, canvas, *parts, "</svg>\n"])


def svg_to_png(svg: str, scale: float = 2.0) -> bytes:
    """Convert an SVG file by CairoSVG; scale is the number of pixels for each pixel of
    the drawing.

    RAISES (ValueError): It is not installed."""
    try:
        from cairosvg import svg2png
    except (ImportError, OSError) as err:  # OSError: its library cairo is missing
        raise ValueError(NO_CONVERTER) from err
    return bytes(svg2png(bytestring=svg.encode("utf8"), scale=scale))

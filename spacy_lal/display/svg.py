"""Pictures as SVG: widths of texts, the parts that drawings share, and files that stand alone. *Not* here: the drawing
of a tree (`tree.py`) and of arcs (`arcs.py`)."""

from math import ceil
from typing import Dict, List, NamedTuple, Sequence, Tuple
from unicodedata import category, east_asian_width

from .colors import INK_ON_PALE
from .markup import escape, scroll_box

THEMES = ("auto", "light", "dark")
FONT = "Arial, Helvetica, Noto Sans, Noto Sans CJK SC, sans-serif"
PILL, PILL_SIZE, PILL_PADDING = 18.0, 12, 7.0  # pixels: height, letters, and room left and right of them
LEAST_SCALE = 0.6  # a picture shrinks to this share of its size, and then scrolls: smaller letters can't be read
_CANVAS, _INK = {"light": "#ffffff", "dark": "#16181d"}, {"light": "#1a1a1a", "dark": "#e8e8e8"}
_MARGIN, _GAP = 12, 24  # pixels around all pictures, and between two

# Widths in em, rather too large than too small: fonts differ, and no letter may be cut off.
_NARROW, _WIDE = frozenset("ijlftrI.,;:!|'`()[]{} "), frozenset("mwMWGOQ@%&\u2026\u2014")
_NARROW_WIDTH, _SMALL_WIDTH, _CAPITAL_WIDTH, _WIDE_WIDTH, _FULL_WIDTH = 0.4, 0.6, 0.74, 1.0, 1.1
_PICTOGRAPHS = range(0x1F000, 0x20000)


class Svg(NamedTuple):
    """A picture: one `<svg>` element with the colours of the text around it.

    markup (str): The element. width, height (float): Pixels.
    title (str): Its name; plain text. description (str): Its content in words or brackets; plain text, may be empty.
    """

    markup: str
    width: float
    height: float
    title: str
    description: str = ""


def opening(kind: str, width: float, height: float, title: str, description: str = "", extra: str = "") -> str:
    """The first tag of a drawing, with its name and description for screen readers.

    kind (str): Its class. extra (str): More attributes, as markup.
    """
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    name = f' role="img" aria-label="{escape(title)}"' if title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" {size}{name} fill="currentColor" '
        f'font-family="{FONT}" text-anchor="middle"{extra}>{naming(title, description)}'
    )


def naming(title: str, description: str) -> str:
    """The elements `<title>` and `<desc>`; nothing for an empty string."""
    parts = [f"<title>{escape(title)}</title>"] if title else []
    return "".join([*parts, f"<desc>{escape(description)}</desc>"] if description else parts)


def fitted(picture: Svg) -> str:
    """The picture for a page: as wide as its box, up to its own width; it scrolls where letters would be too small."""
    width = f"width: 100%; max-width: {number(picture.width)}px; min-width: {number(picture.width * LEAST_SCALE)}px"
    style = f'<svg style="{width}; height: auto" '
    return scroll_box(picture.markup.replace("<svg ", style, 1), picture.title)


def pill_width(text: str) -> float:
    """The width of a label in a pill, in pixels."""
    return max(text_width(text) * PILL_SIZE + 2 * PILL_PADDING, PILL)


def pills(places: Sequence[Tuple[float, float, float, str]]) -> str:
    """Rounded boxes: the middle (x, y), the width, and the colour of each. One path a colour keeps files small."""
    paths: Dict[str, List[str]] = {}
    for x, y, width, color in places:
        length = max(width - PILL, 0.1)
        paths.setdefault(color, []).append(f"M{number(x - length / 2)} {number(y)}h{number(length)}")
    look = f'fill="none" stroke-width="{number(PILL)}" stroke-linecap="round"'
    return "".join(f'<path {look} stroke="{color}" d="{"".join(lines)}"/>' for color, lines in paths.items())


def pill_text(x: float, y: float, text: str) -> str:
    """The letters of a pill with the middle (x, y)."""
    place = f'x="{number(x)}" y="{number(y + 0.36 * PILL_SIZE)}"'
    return f'<text {place} fill="{INK_ON_PALE}" font-size="{PILL_SIZE}" font-weight="bold">{escape(text)}</text>'


def text_width(text: str) -> float:
    """The width of a text in em, in a sans-serif font; an estimate from above."""
    return sum(map(_glyph_width, text))


def _glyph_width(char: str) -> float:
    kind = category(char)
    if kind in ("Mn", "Me", "Cf"):  # combining marks, joiners
        return 0.0
    if east_asian_width(char) in "WF" or ord(char) in _PICTOGRAPHS:
        return _FULL_WIDTH
    if char in _WIDE:
        return _WIDE_WIDTH
    if char in _NARROW:
        return _NARROW_WIDTH
    if kind == "Lu":
        return _CAPITAL_WIDTH
    return _SMALL_WIDTH if kind[0] in "LNPZ" and ord(char) < 0x600 else 0.9


def number(value: float) -> str:
    """A number of pixels with at most one decimal place.

    >>> number(3.0), number(2.25)
    ('3', '2.2')
    """
    return f"{value:.1f}".removesuffix(".0")


def check_theme(theme: str) -> None:
    """Check the name of a theme.

    RAISES (ValueError): It is unknown.
    """
    if theme not in THEMES:
        raise ValueError(f"expected a theme of {', '.join(THEMES)}, got {theme!r}")


def stand_alone(pictures: Sequence[Svg], theme: str = "auto") -> str:
    """One SVG file with pictures one below the other. It has its own background and colours, and fetches nothing.

    theme (str): "light", "dark", or "auto": as the reader's system is; programs without such a setting show it light.
    RETURNS (str): The file's content. Without pictures, an empty drawing.
    RAISES (ValueError): The theme is unknown.
    """
    check_theme(theme)
    base = "dark" if theme == "dark" else "light"
    width = max((picture.width for picture in pictures), default=0) + 2 * _MARGIN
    parts: List[str] = []
    top: float = _MARGIN
    for picture in pictures:
        # Within another <svg>, x and y belong to the outer drawing. The file bears all names and descriptions.
        inner = picture.markup.replace(naming(picture.title, picture.description), "", 1)
        inner = inner.replace(' role="img"', "", 1)
        parts.append(f'<g transform="translate({_MARGIN} {number(top)})">{inner}</g>')
        top += picture.height + _GAP
    # Whole pixels: a converter would leave a part of the last one without background.
    width, height = ceil(width), ceil(top - _GAP + _MARGIN if pictures else 2 * _MARGIN)
    title = "; ".join(picture.title for picture in pictures)
    description = "\n".join(picture.description for picture in pictures if picture.description)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} color="{_INK[base]}" class="lal-file">'
        + naming(title, description),
        *([_DARK] if theme == "auto" else []),
        f'<rect class="lal-canvas" width="100%" height="100%" fill="{_CANVAS[base]}"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


_DARK = (
    "<style>@media (prefers-color-scheme: dark) { "
    f".lal-file {{ color: {_INK['dark']} }} .lal-canvas {{ fill: {_CANVAS['dark']} }} }}</style>"
)

"""Pictures as SVG: widths of texts, and files that stand alone. *Not* here: the drawing of a tree (`tree.py`)."""

from math import ceil
from typing import List, NamedTuple, Sequence
from unicodedata import category, east_asian_width

from .markup import escape

THEMES = ("auto", "light", "dark")
FONT = "Arial, Helvetica, 'Noto Sans', 'Noto Sans CJK SC', 'Noto Color Emoji', sans-serif"
_CANVAS, _INK = {"light": "#ffffff", "dark": "#16181d"}, {"light": "#1a1a1a", "dark": "#e8e8e8"}
_MARGIN, _GAP = 12, 24  # pixels around all pictures, and between two

# Widths in em, rather too large than too small: fonts differ, and no letter may be cut off.
_NARROW, _WIDE = frozenset("ijlftrI.,;:!|'`()[]{} "), frozenset("mwMWGOQ@%&\u2026\u2014")
_NARROW_WIDTH, _SMALL_WIDTH, _CAPITAL_WIDTH, _WIDE_WIDTH, _FULL_WIDTH = 0.4, 0.6, 0.74, 1.0, 1.1
_PICTOGRAPHS = range(0x1F000, 0x20000)


class Svg(NamedTuple):
    """A picture: one `<svg>` element whose colours are those of the text around it.

    markup (str): The element. width, height (float): Pixels.
    title (str): Its name; plain text.
    """

    markup: str
    width: float
    height: float
    title: str


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


def stand_alone(pictures: Sequence[Svg], theme: str = "auto") -> str:
    """One SVG file with pictures one below the other. It has its own background and colours, and fetches nothing.

    theme (str): "light", "dark", or "auto": as the reader's system is; programs without such a setting show it light.
    RETURNS (str): The file's content. Without pictures, an empty drawing.
    RAISES (ValueError): The theme is unknown.
    """
    if theme not in THEMES:
        raise ValueError(f"expected a theme of {', '.join(THEMES)}, got {theme!r}")
    base = "dark" if theme == "dark" else "light"
    width = max((picture.width for picture in pictures), default=0) + 2 * _MARGIN
    parts: List[str] = []
    top: float = _MARGIN
    for picture in pictures:
        # Within another <svg>, x and y are those of the outer drawing.
        parts.append(f'<g transform="translate({_MARGIN} {number(top)})">{picture.markup}</g>')
        top += picture.height + _GAP
    # Whole pixels: a converter would leave a part of the last one without background.
    width, height = ceil(width), ceil(top - _GAP + _MARGIN if pictures else 2 * _MARGIN)
    title = "; ".join(picture.title for picture in pictures)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} color="{_INK[base]}" class="lal-file">',
        *([f"<title>{escape(title)}</title>"] if title else []),
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

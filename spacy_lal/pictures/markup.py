"""Text made safe for markup and for terminals: every string of a Doc enters a drawing,
a message or a table through this module. And the page around drawings."""

import html
import json
import re
from pathlib import Path
from typing import Any

# Characters of a word in a drawing: a longer one would push the rest out of sight.
MAX_SHOWN = 28
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {
    0x7F: 0x2421
}  # U+0007 -> its picture, U+2407
# Forbidden in XML or HTML, and the overrides of writing direction, which would
# misrepresent a word.
_UNSEEN = re.compile("[\x80-\x9f\u202d\u202e\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# In a terminal also embeddings and isolates: no end of an element stops them.
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_UNPRINTABLE = re.compile(
    f"[\x80-\x9f{_DIRECTIONS}\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_KEPT = {ord("\t"), ord("\n")}
_TERMINAL_PICTURES = {
    code: picture for code, picture in _PICTURES.items() if code not in _KEPT
}
_JSON_RAW = re.compile(f"[\x7f-\x9f{_DIRECTIONS}]")  # not escaped by json.dumps
_BREAKS = re.compile(r"[\t\n\r\f\v\u0085\u2028\u2029]+")
# Nothing is fetched and no script runs, even if unescaped markup gets in.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
# At the edges of a box that scrolls; where its content ends, the page's colour scrolls
# over them.
_CANVAS = (
    "var(--lal-canvas, var(--jp-layout-color0, var(--vscode-editor-background, "
    "Canvas)))"
)
_SHADOWS = (
    f"background: linear-gradient(to right, {_CANVAS} 40%, transparent) left / "
    "3rem 100%, "
    f"linear-gradient(to left, {_CANVAS} 40%, transparent) right / 3rem 100%, "
    "linear-gradient(to right, #8889, transparent) left / .8rem 100%, "
    "linear-gradient(to left, #8889, transparent) right / .8rem 100%; "
    "background-repeat: no-repeat; "
    "background-attachment: local, local, scroll, scroll"
)
_STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf8")


def visible(text: str) -> str:
    """The text with visible characters for those forbidden in a document (control
    characters, lone surrogates), and a space for each run of tabs and line breaks. It
    is not escaped."""
    return _UNSEEN.sub("\ufffd", _BREAKS.sub(" ", text).translate(_PICTURES))


def printable(text: str) -> str:
    """The text made safe for a terminal: visible characters replace, one by one,
    control characters (escape sequences included, tabs and newlines excepted) and marks
    of writing direction."""
    return _UNPRINTABLE.sub("\ufffd", text.translate(_TERMINAL_PICTURES))


def printable_json(value: Any, **options: Any) -> str:
    """JSON that is safe for a terminal and reads back as the same value. options (Any):
    For `json.dumps`."""
    text = json.dumps(value, ensure_ascii=False, **options)
    return _JSON_RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escape(text: str) -> str:
    """The text escaped for markup: between tags, or in a quoted attribute."""
    return html.escape(visible(text), quote=True)


def shorten(text: str, limit: int = MAX_SHOWN) -> str:
    """A word of at most `limit` characters: a longer word keeps its beginning and
    end."""
    if len(text) <= limit:
        return text
    end = limit // 3
    return f"{text[: limit - end - 1]}\u2026{text[-end:]}"


def scroll_box(content: str, label: str) -> str:
    """Markup in a box that scrolls if it is too wide, by keyboard too; a shadow shows
    an edge with more behind it.
    label (str): Its name; plain text."""
    return (
        '<div class="lal-scroll" role="region" tabindex="0" '
        f'aria-label="{escape(label)}" '
        f'style="overflow-x: auto; max-width: 100%; {_SHADOWS}">{content}</div>'
    )


def fold(heading: str, content: str, is_open: bool = False, group: str = "") -> str:
    """Markup that a click on its heading opens and closes. heading, content (str):
    Markup. group (str): Of folds with the same, one is open at a time."""
    state = ' open=""' * is_open
    if group:
        state += f' name="{escape(group)}"'
    return f"<details{state}><summary>{heading}</summary>{content}</details>"


def html_page(
    title: str, body: str, *, note: str = "", lang: str = "en", direction: str = "ltr"
) -> str:
    """A self-contained HTML page around markup: no script, font or picture from
    elsewhere, dark or light by the reader's setting, fit to print. It is also
    well-formed XML. title, note (str): Its title, and its first line (default: the
    title); plain text."""
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(lang)}" '
        f'dir="{escape(direction)}">\n<head>\n<meta charset="utf-8" />\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(note or title)}</h1>\n{body}\n</body>\n</html>\n"
    )

"""Text made safe for markup and for terminals, whoever wrote it: every string of a Doc comes into a drawing, a message
or a table through this module."""

import html
import json
import re
from typing import Any
from unicodedata import combining, east_asian_width

MAX_SHOWN = 28  # characters of a word in a drawing: what is longer would push everything else out of sight
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}  # U+0007 -> its picture, U+2407
# What XML or HTML forbids, and the overrides of writing direction, which would show another word than there is.
_UNSEEN = re.compile("[\x80-\x9f\u202d\u202e\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# For a terminal also embeddings and isolates: it has no end of an element to stop them.
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_UNPRINTABLE = re.compile(f"[\x80-\x9f{_DIRECTIONS}\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_KEPT = {ord("\t"), ord("\n")}
_TERMINAL_PICTURES = {code: picture for code, picture in _PICTURES.items() if code not in _KEPT}
_JSON_RAW = re.compile(f"[\x7f-\x9f{_DIRECTIONS}]")  # what json.dumps leaves as it is
_BREAKS = re.compile(r"[\t\n\r\f\v\u0085\u2028\u2029]+")


def visible(text: str) -> str:
    """The text with what no document may contain (control characters, lone surrogates) replaced by what can be seen,
    and each line break by a space. Not escaped yet."""
    return _UNSEEN.sub("\ufffd", _BREAKS.sub(" ", text).translate(_PICTURES))


def printable(text: str) -> str:
    """The text as a terminal may have it: escape sequences, other control characters but tabs and newlines, and marks
    of writing direction are replaced by what can be seen, one character by one."""
    return _UNPRINTABLE.sub("\ufffd", text.translate(_TERMINAL_PICTURES))


def printable_json(value: Any, **options: Any) -> str:
    """JSON that a terminal may have and that reads back as the same value: what `printable` replaces is escaped.

    options (Any): For `json.dumps`.
    """
    text = json.dumps(value, ensure_ascii=False, **options)
    return _JSON_RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escape(text: str) -> str:
    """The text as markup that shows it: good between tags, and in an attribute that stands in quotes."""
    return html.escape(visible(text), quote=True)


def shorten(text: str, limit: int = MAX_SHOWN) -> str:
    """A word of at most `limit` characters: of a longer one, the beginning and the end."""
    if len(text) <= limit:
        return text
    end = limit // 3
    return f"{text[: limit - end - 1]}\u2026{text[-end:]}"


def shown_width(text: str) -> int:
    """About how many Latin letters a text is wide: a Chinese one counts as two, a combining mark as none."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def scroll_box(content: str, label: str) -> str:
    """Markup in a box that scrolls by itself where it is too wide, by keyboard too.

    content (str): Markup. label (str): What it is, for those who hear it; plain text.
    """
    return (
        f'<div class="lal-scroll" role="region" tabindex="0" aria-label="{escape(label)}" '
        f'style="overflow-x: auto; max-width: 100%">{content}</div>'
    )

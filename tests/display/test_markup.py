"""No string comes into a drawing but as text."""

import json
from xml.etree import ElementTree

import pytest

from spacy_lal.display.markup import escape, printable, printable_json, scroll_box, shorten, shown_width, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("dog", "dog"),
        ("a\tb\r\nc", "a b c"),
        ("\x00\x07\x1b\x7f", "\u2400\u2407\u241b\u2421"),
        ("\x9b\ud800\ufffe", "\ufffd" * 3),
        ("\u202edog", "\ufffddog"),
        ("\u05e9\u05dc\u05d5\u05dd \U0001f408", "\u05e9\u05dc\u05d5\u05dd \U0001f408"),
    ],
)
def test_visible(text: str, shown: str):
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\"x' onload='y", "&lt;", "]]>", "-->", "\x00\ud800<"])
def test_escaped_text_reads_as_itself(text: str):
    element = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert (element.text, element.get("b"), len(element)) == (visible(text), visible(text), 0)


# A title, a colour, a cursor that goes up, an 8-bit CSI and OSC, a bell, a carriage return, and text turned round.
ESCAPES = "\x1b]0;owned\x07 \x1b[31m \x1b[2A \x9b2J \x9d8;;x\x9c \r\x08\x7f\x00 \u202e \u2066 \u2069"


def test_a_terminal_gets_no_control_characters():
    shown = printable(ESCAPES + "\tdog\n\u05e9 \U0001f408 e\u0301 \u200d")
    assert shown.endswith("\tdog\n\u05e9 \U0001f408 e\u0301 \u200d")
    assert not set(shown) & {*map(chr, [*range(9), *range(11, 32), *range(127, 160)]), *"\u202e\u2066\u2069"}
    assert len(printable(ESCAPES)) == len(ESCAPES)
    assert printable("\ud800").encode() == "\ufffd".encode()


def test_json_for_a_terminal_reads_back():
    value = {"text": ESCAPES, "\x9b": [ESCAPES, "\u00e9\U0001f408"]}
    text = printable_json(value)
    assert json.loads(text) == value and printable(text) == text and "\u00e9\U0001f408" in text


def test_shorten():
    assert shorten("dog") == "dog"
    assert shorten("x" * 28) == "x" * 28
    assert shorten("ab" * 50 + "c", 10) == "ababab\u2026abc"
    assert [len(shorten("y" * 99, limit)) for limit in (3, 10, 28)] == [3, 10, 28]


def test_shown_width():
    assert [shown_width(text) for text in ("", "dog", "\u6211\u4eec", "e\u0301")] == [0, 3, 4, 1]


def test_scroll_box_has_a_name():
    box = ElementTree.fromstring(scroll_box("<b>x</b>", 'a "tree"'))
    assert (box.get("role"), box.get("aria-label"), box.get("tabindex")) == ("region", 'a "tree"', "0")

"""Drawings of strings and numbers: trees, whole parses, heat maps, SVG files, markup,
colours."""

import json
import random
import re
from dataclasses import replace
from typing import Any, List
from xml.etree import ElementTree

import numpy as np
import pytest
from nltk.tree import Tree
from spacy.displacy.render import DEFAULT_LABEL_COLORS, EntityRenderer, SpanRenderer

from spacy_lal.pictures.colors import (
    DEFAULT_COLOR,
    INK_ON_PALE,
    LABEL_COLORS,
    ROLE_COLORS,
    chain_color,
    label_legend,
)
from spacy_lal.pictures.heatmap import NEGATIVE, POSITIVE, heatmap
from spacy_lal.pictures.markup import (
    escape,
    printable,
    printable_json,
    shorten,
    visible,
)
from spacy_lal.pictures.parse import draw_parse
from spacy_lal.pictures.roles import PredicateRow
from spacy_lal.pictures.svg import pill_width, stand_alone, text_width
from spacy_lal.pictures.tree import SIZE, tree_to_svg, tree_to_text
from spacy_lal.trees import Parse, parse_tree

SVG = "{http://www.w3.org/2000/svg}"
TREE = "(S (VP (VB Select) (NP (NP (DT the) (NN person)) (VP (VBG driving)))))"


def texts(svg: str) -> List[str]:
    return [
        "".join(node.itertext())
        for node in ElementTree.fromstring(svg).iter(f"{SVG}text")
    ]


def test_tree():
    drawing = tree_to_svg(parse_tree(TREE), title="A tree")
    root = ElementTree.fromstring(drawing.markup)
    assert (root.tag, root.get("role"), root.get("aria-label")) == (
        f"{SVG}svg",
        "img",
        "A tree",
    )
    assert (root[0].text, root[1].text) == ("A tree", TREE)
    words = [
        "S",
        "VP",
        "VB",
        "Select",
        "NP",
        "NP",
        "DT",
        "the",
        "NN",
        "person",
        "VP",
        "VBG",
        "driving",
    ]
    assert texts(drawing.markup) == words
    lines, *boxes = root.iter(f"{SVG}path")
    assert (
        lines.get("d").count("M") == 8
    )  # a line for each node but the root and the words
    counts = {path.get("stroke"): path.get("d").count("M") for path in boxes}
    assert counts == {
        LABEL_COLORS["S"]: 1,
        LABEL_COLORS["VP"]: 2,
        LABEL_COLORS["NP"]: 2,
    }
    assert tree_to_text(parse_tree(TREE)).splitlines()[-1].split() == [
        "Select",
        "the",
        "person",
        "driving",
    ]
    mirrored = tree_to_svg(parse_tree("(S (A a) (B b))"), direction="rtl")
    assert texts(mirrored.markup) == ["S", "B", "b", "A", "a"]


def test_a_deep_tree():
    tree = Tree("X", ["x"])
    for _ in range(3000):
        tree = Tree("X", [tree])
    assert len(texts(tree_to_svg(tree).markup)) == 3002
    assert tree_to_text(tree).startswith("(X (X ")


def with_heads(tree: Tree, heads: list, deprel: str) -> Parse:
    parse = Parse.from_tree(tree)
    return replace(parse, heads=heads, deprels=[deprel] * len(heads))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_nothing_overlaps_and_nothing_is_clipped(seed: int, direction: str):
    rng = random.Random(seed)
    words = [
        "a",
        ".",
        "W" * 12,
        "\u5317\u4eac\u5927\u5b66",
        "\U0001f389",
        "e\u0301" * 9,
        "x" * 60,
        "<b>&",
    ]

    def make(depth: int) -> Tree:
        label = rng.choice(["S", "WHADVP", "NP", "A" * 20, "."])
        if depth == 0 or rng.random() < 0.2:
            return Tree(label, [rng.choice(words)])
        return Tree(label, [make(depth - 1) for _ in range(rng.randint(1, 4))])

    tree = make(4)
    n = len(tree.leaves())
    heads = [0, *(rng.randint(1, n) for _ in range(n - 1))]
    rows = [
        PredicateRow(
            "give.01", {(0, 1): "V", **({(1, n): "ARGM-TMP"} if n > 1 else {})}
        )
    ]
    for drawing in (
        tree_to_svg(tree, direction=direction),
        draw_parse(with_heads(tree, heads, "x:y"), rows),
    ):
        root = ElementTree.fromstring(drawing.markup)
        found = []
        for group in root.iter():
            for node in group.findall(f"{SVG}text"):
                size = float(node.get("font-size", group.get("font-size", SIZE)))
                is_pill = node.get("font-weight")
                half = (
                    pill_width(node.text)
                    if is_pill
                    else text_width(node.text or "") * size
                ) / 2
                x, y = float(node.get("x")), float(node.get("y"))
                found.append((node.text, x - half, x + half, y))
        for i, (one, left, right, y) in enumerate(found):
            assert (
                -0.1 <= left and right <= drawing.width + 0.1 and 0 < y < drawing.height
            )
            for other, left2, right2, y2 in found[i + 1 :]:
                assert (
                    abs(y - y2) >= 10 or right <= left2 + 0.2 or right2 <= left + 0.2
                ), (one, other)


def test_a_band_says_what_its_role_is_where_there_is_room():
    tree = parse_tree(
        "(S (NP I) (VP (V gave) (NP (D the) (J old) (J green) (N books))))"
    )
    meanings = {"ARG0": "giver", "ARG1": "thing given"}
    row = PredicateRow("give.01", {(0, 1): "ARG0", (2, 6): "ARG1"}, meanings)
    drawing = draw_parse(with_heads(tree, [2, 0, 6, 6, 6, 2], "x"), [row])
    root = ElementTree.fromstring(drawing.markup)
    texts = [node.text for node in root.iter(f"{SVG}text")]
    assert texts[-2:] == ["ARG0", "ARG1: thing given"]


def test_svg_files():
    one, two = (
        tree_to_svg(parse_tree("(S (A a) (B b))")),
        tree_to_svg(parse_tree("(NP (NN <b>))")),
    )
    root = ElementTree.fromstring(stand_alone([one, two]))
    places = [group.get("transform") for group in root.findall(f"{SVG}g")]
    tops = [float(place[place.index(" ") : -1]) for place in places]
    assert (
        tops[1] >= tops[0] + one.height
        and float(root.get("height")) >= tops[1] + two.height
    )
    assert float(root.get("width")) >= max(one.width, two.width)
    assert "prefers-color-scheme: dark" in root.findtext(f"{SVG}style")
    assert ElementTree.fromstring(stand_alone([])).find(f"{SVG}g") is None


def rows_of(html: str) -> List[Any]:
    """Every row of numbers: its name and its cells."""
    bodies = ElementTree.fromstring(html).iter("tbody")
    return [
        ("".join(row.find("th").itertext()), row.findall("td"))
        for body in bodies
        for row in body.iter("tr")
    ]


def test_heat_map():
    values = np.eye(5) * [0.1, 0.5, 0.3, 0.2, 0.4]
    html = heatmap(values, list("abcde"), list("vwxyz"), n_shown=2, title="<Attention>")
    assert [name for name, _ in rows_of(html)] == ["b", "e"]
    root = ElementTree.fromstring(html)
    assert "<Attention>" in "".join(root.find(".//p").itertext())
    assert root.findall("p")[1].text == "2 of 5 rows are shown."
    options = {
        "first": [1, 2],
        "outlined": [(1, 0)],
        "note": "<why>",
        "totals": [("score", [20.0])],
    }
    html = heatmap([[0.9], [-0.01], [0.5]], list("abc"), ["x"], **options)
    found = rows_of(html)
    assert [name for name, _ in found] == ["score", "b", "c", "a"]
    assert [(cells[0].text, cells[0].get("class")) for _, cells in found[:2]] == [
        ("20", None),
        ("\u2212.01", "lal-outlined"),
    ]
    assert ElementTree.fromstring(html).findall("p")[1].text == "<why>"
    (row,) = rows_of(heatmap([[-2.0, 0.0, 1.0]], ["a"], ["x", "y", "z"]))
    assert [cell.get("style") for cell in row[1]] == [
        f"background:{NEGATIVE}a6",
        None,
        f"background:{POSITIVE}53",
    ]
    assert (
        rows_of(heatmap([], [], [])) == []
        and rows_of(heatmap([[0.0]], ["a"], ["x"])) == []
    )


@pytest.mark.parametrize("n_columns", [3, 40])
def test_names_are_text(n_columns: int):
    name = '<script>alert("1")</script>'
    html = heatmap([[0.5] * n_columns], [name], [name] * n_columns, title=name)
    root = ElementTree.fromstring(html)
    assert not list(root.iter("script"))
    assert (
        root.find(".//tbody//th").get("title")
        == "".join(root.find(".//thead//th").itertext())
        == name
    )
    assert not [
        word for word in ("http", "url(", "@import", "src=", "href=") if word in html
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\r\nc", "a b c"),
        ("\x00\x07\x1b\x7f", "\u2400\u2407\u241b\u2421"),
        ("\x9b\ud800\ufffe", "\ufffd" * 3),
        ("\u202edog", "\ufffddog"),
        ("\u05e9\u05dc\u05d5\u05dd \U0001f408", "\u05e9\u05dc\u05d5\u05dd \U0001f408"),
        ("<script>\"x' onload='y &lt; ]]> -->", "<script>\"x' onload='y &lt; ]]> -->"),
    ],
)
def test_markup(text: str, shown: str):
    element = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert (visible(text), element.text, element.get("b"), len(element)) == (
        shown,
        shown,
        shown,
        0,
    )
    assert [len(shorten("y" * 99, limit)) for limit in (3, 10, 28)] == [3, 10, 28]


def test_a_terminal_gets_no_control_characters():
    # A title, a colour, a cursor that goes up, an 8-bit CSI and OSC, a bell, a carriage
    # return, and text turned round.
    escapes = (
        "\x1b]0;owned\x07 \x1b[31m \x1b[2A \x9b2J \x9d8;;x\x9c \r\x08\x7f\x00 \u202e "
        "\u2066 \u2069"
    )
    shown = printable(escapes + "\tdog\n\u05e9 \U0001f408 e\u0301 \u200d")
    assert shown.endswith("\tdog\n\u05e9 \U0001f408 e\u0301 \u200d") and len(
        printable(escapes)
    ) == len(escapes)
    assert not set(shown) & {
        *map(chr, [*range(9), *range(11, 32), *range(127, 160)]),
        *"\u202e\u2066\u2069",
    }
    value = {"text": escapes, "\x9b": [escapes, "\u00e9\U0001f408"]}
    text = printable_json(value)
    assert (
        json.loads(text) == value
        and printable(text) == text
        and "\u00e9\U0001f408" in text
    )


def luminance(color: str) -> float:
    """WCAG 2's relative luminance."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours():
    for renderer in (SpanRenderer(), EntityRenderer()):
        assert (
            renderer.colors["NP"] == LABEL_COLORS["NP"]
            and renderer.colors["ORG"] == DEFAULT_LABEL_COLORS["ORG"]
        )
    assert not set(LABEL_COLORS) & set(DEFAULT_LABEL_COLORS)
    for color in [*LABEL_COLORS.values(), *ROLE_COLORS.values(), DEFAULT_COLOR]:
        assert re.fullmatch("#[0-9a-f]{6}", color)
        assert (luminance(color) + 0.05) / (
            luminance(INK_ON_PALE) + 0.05
        ) >= 7  # WCAG's AAA
    legend = ElementTree.fromstring(label_legend(["S", "NP", "VP", "NML", "<H>", "NP"]))
    assert ["".join(item.itertext()) for item in legend] == [
        "NP NML noun phrase",
        "VP verb phrase",
        "S clause",
    ]
    assert label_legend(["<H>"]) == ""
    assert (
        chain_color(("UNKNOWN", "VP")) == LABEL_COLORS["VP"]
        and chain_color(()) == DEFAULT_COLOR
    )

"""Trees as SVG and as letters."""

import random
import re
from typing import List
from xml.etree import ElementTree

import pytest
from nltk.tree import Tree

from spacy_lal.display.colors import INK_ON_PALE, LABEL_COLORS
from spacy_lal.display.svg import PILL, pill_width, text_width
from spacy_lal.display.tree import tree_to_svg, tree_to_text
from spacy_lal.display.tree_layout import SIZE
from spacy_lal.trees import parse_tree

SVG = "{http://www.w3.org/2000/svg}"
TREE = "(S (VP (VB Select) (NP (NP (DT the) (NN person)) (VP (VBG driving)))))"
HOSTILE = ["<script>alert(1)</script>", '"onload="x', "&amp;", "]]>", "\x07", "a\nb", 'stroke="black"', "{0}", "%s"]


def texts(svg: str) -> List[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_label_and_word_is_drawn():
    svg = tree_to_svg(parse_tree(TREE), title="A tree")
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert (root.get("role"), root.get("aria-label")) == ("img", "A tree")
    assert root[0].text == "A tree" and root[1].tag == f"{SVG}desc" and root[1].text == TREE
    assert texts(svg) == ["S", "VP", "VB", "Select", "NP", "NP", "DT", "the", "NN", "person", "VP", "VBG", "driving"]
    # A line for each node, but for the root, and for the words, which stand below their tags.
    assert root.find(f"{SVG}path").get("d").count("M") == 8


def test_colours():
    root = ElementTree.fromstring(tree_to_svg(parse_tree(TREE)))
    lines, *boxes = root.iter(f"{SVG}path")
    assert root.get("fill") == lines.get("stroke") == "currentColor"
    assert {path.get("stroke"): path.get("d").count("M") for path in boxes} == {
        LABEL_COLORS["S"]: 1,
        LABEL_COLORS["VP"]: 2,
        LABEL_COLORS["NP"]: 2,
    }
    inks = {text.text: text.get("fill") for text in root.iter(f"{SVG}text")}
    assert {inks[label] for label in ("S", "VP", "NP")} == {INK_ON_PALE}
    assert inks["Select"] is inks["VB"] is None  # as the text around


def test_hostile_words_are_text():
    tree = Tree("S", [Tree("<X>", [word]) for word in HOSTILE])
    svg = tree_to_svg(tree, title="<b>")
    assert texts(svg)[2::2] == [*HOSTILE[:4], "\u2407", "a b", *HOSTILE[6:]]
    assert texts(svg)[1] == "<X>"
    assert not list(ElementTree.fromstring(svg).iter(f"{SVG}script"))
    assert tree.leaves() == HOSTILE


def test_long_words_are_shortened():
    assert texts(tree_to_svg(Tree("NN", ["x" * 500])))[1] == "x" * 18 + "\u2026" + "x" * 9


def test_right_to_left_is_mirrored():
    tree = parse_tree("(S (A a) (B b))")
    assert texts(tree_to_svg(tree, direction="rtl")) == ["S", "B", "b", "A", "a"]


def test_wide_letters_have_room():
    widths = [
        float(ElementTree.fromstring(tree_to_svg(Tree("S", [Tree("N", [word])]))).get("width"))
        for word in ("abcdefgh", "\u5317" * 8)
    ]
    assert widths[1] > 1.5 * widths[0]


def test_a_deep_tree():
    tree = Tree("X", ["x"])
    for _ in range(3000):
        tree = Tree("X", [tree])
    assert len(texts(tree_to_svg(tree))) == 3002
    assert tree_to_text(tree).startswith("(X (X ")


def boxes(svg: str):
    """Text, and its left, right and baseline, by the widths that the drawing reckons with."""
    found = []
    for node in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        size = float(node.get("font-size", SIZE))
        half = (pill_width(node.text) if node.get("font-weight") else text_width(node.text) * size) / 2
        x, y = float(node.get("x")), float(node.get("y"))
        found.append((node.text, x - half, x + half, y))
    return found


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_nothing_overlaps_and_nothing_is_clipped(seed: int, direction: str):
    rng = random.Random(seed)
    words = ["a", ".", "W" * 12, "\u5317\u4eac\u5927\u5b66", "word", "\U0001f389", "e\u0301" * 9, "x" * 60]

    def make(depth: int) -> Tree:
        label = rng.choice(["S", "WHADVP", "NP", "A" * 20, "."])
        if depth == 0 or rng.random() < 0.2:
            return Tree(label, [rng.choice(words)])
        children = [make(depth - 1) if rng.random() < 0.9 else rng.choice(words) for _ in range(rng.randint(1, 4))]
        return Tree(label, children)

    tree = make(4)
    svg = tree_to_svg(tree, direction=direction)
    root, found = ElementTree.fromstring(svg), boxes(svg)
    width, height = float(root.get("width")), float(root.get("height"))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    for _, left, right, y in found:
        assert -0.1 <= left and right <= width + 0.1 and 0.8 * SIZE - 0.1 <= y <= height - 0.3 * SIZE
    for i, (one, left, right, y) in enumerate(found):
        for other, left2, right2, y2 in found[i + 1 :]:
            assert abs(y - y2) >= SIZE or right <= left2 + 0.2 or right2 <= left + 0.2, (one, other)
    n_words = len(tree.leaves())
    lowest = max(y for *_, y in found)
    assert sum(y == lowest for *_, y in found) == n_words  # on one line
    lines = [float(x) for x in re.findall(r"[ML]([\d.]+) ", root.find(f"{SVG}path").get("d"))]
    assert bool(lines) is (len(found) > 2) and all(0 <= x <= width for x in lines)
    for path in list(root.iter(f"{SVG}path"))[1:]:
        for x, length in re.findall(r"M([\d.]+) [\d.]+h([\d.]+)", path.get("d")):
            assert PILL / 2 - 0.1 <= float(x) and float(x) + float(length) + PILL / 2 <= width + 0.1


def test_letters():
    lines = tree_to_text(parse_tree(TREE)).splitlines()
    assert lines[0].strip() == "S"
    assert lines[-1].split() == ["Select", "the", "person", "driving"]

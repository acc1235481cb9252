"""Trees as SVG and as letters."""

import sys
from typing import List
from xml.etree import ElementTree

import pytest
from nltk.tree import Tree

from spacy_lal.display.tree import MAX_DEPTH, tree_to_svg, tree_to_text
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
    assert root[0].text == "A tree"
    assert texts(svg) == ["S", "VP", "VB", "Select", "NP", "NP", "DT", "the", "NN", "person", "VP", "VBG", "driving"]
    assert len(list(root.iter(f"{SVG}line"))) == 12  # one a node, but for the root


def test_colours_are_those_around():
    root = ElementTree.fromstring(tree_to_svg(parse_tree(TREE)))
    assert {line.get("stroke") for line in root.iter(f"{SVG}line")} == {"currentColor"}
    assert {text.get("fill") for text in root.iter(f"{SVG}text")} == {"currentColor"}


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
        float(ElementTree.fromstring(tree_to_svg(Tree("S", [Tree("N", [word])]))).get("viewBox").split(",")[2])
        for word in ("abcdefgh", "\u5317" * 8)
    ]
    assert widths[1] > 1.5 * widths[0]


def test_a_tree_too_deep_for_drawing():
    tree = Tree("X", ["x"])
    for _ in range(MAX_DEPTH - 2):
        tree = Tree("X", [tree])
    assert len(texts(tree_to_svg(tree))) == MAX_DEPTH
    with pytest.raises(ValueError, match=f"{MAX_DEPTH + 1} levels: expected at most {MAX_DEPTH}"):
        tree_to_svg(Tree("X", [tree]))
    for _ in range(3000):
        tree = Tree("X", [tree])
    assert tree_to_text(tree).startswith("(X (X ")


def test_without_svgling(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "svgling", None)
    monkeypatch.setitem(sys.modules, "svgling.core", None)
    with pytest.raises(ImportError, match=r"pip install 'spacy-lal\[display\]'"):
        tree_to_svg(parse_tree(TREE))


def test_letters():
    lines = tree_to_text(parse_tree(TREE)).splitlines()
    assert lines[0].strip() == "S"
    assert lines[-1].split() == ["Select", "the", "person", "driving"]

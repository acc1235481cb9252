"""Arcs: levels, room for deprels, places of arrows; and the picture of a whole parse."""

import random
import re
from typing import List, Tuple
from xml.etree import ElementTree

import pytest
from nltk.tree import Tree

from spacy_lal.display.arcs import DEPREL_SIZE, ROOT, level_arcs
from spacy_lal.display.parse_picture import PredicateRow, draw_dependencies, draw_parse
from spacy_lal.display.svg import PILL, pill_width, text_width
from spacy_lal.display.tree_layout import SIZE
from spacy_lal.trees import parse_tree

SVG = "{http://www.w3.org/2000/svg}"
TREE = parse_tree("(S (VP (VB Select) (NP (NP (DT the) (NN person)) (VP (VBG driving)))))")
HEADS, DEPRELS = [0, 3, 1, 3], ["ROOT", "det", "obj", "acl"]
WORDS = TREE.leaves()


def draw(heads: List[int], direction: str = "ltr") -> ElementTree.Element:
    words = [f"w{i}" for i in range(len(heads))]
    deprels = [f"obl:unmarked{i}" if head else "root" for i, head in enumerate(heads)]
    svg = draw_dependencies(words, [["NN"]] * len(words), heads, deprels, title="Arcs", direction=direction)
    return ElementTree.fromstring(svg.markup)


def boxes(root: ElementTree.Element) -> List[Tuple[str, float, float, float]]:
    found = []
    shift = float(re.search(r"translate\(0 ([\d.]+)\)", root.find(f"{SVG}g").get("transform")).group(1))
    inside = set(root.find(f"{SVG}g").iter())
    for node in root.iter(f"{SVG}text"):
        size = float(node.get("font-size") or (DEPREL_SIZE if node.text.startswith("obl") else SIZE))
        half = (pill_width(node.text) if node.text == ROOT else text_width(node.text) * size) / 2
        y = float(node.get("y")) + (shift if node in inside else 0)
        found.append((node.text, float(node.get("x")) - half, float(node.get("x")) + half, y))
    return found


def test_levels():
    arcs = level_arcs(HEADS, DEPRELS)
    assert [(arc.dependent, arc.head, arc.level) for arc in arcs] == [(1, 2, 1), (3, 2, 1), (2, 0, 2)]
    assert [arc.level for arc in level_arcs([3, 4, 0, 3], ["x"] * 4)] == [1, 1, 2]  # the last two cross


def projective(rng: random.Random, n: int) -> List[int]:
    heads = [0] * n

    def attach(words: List[int], head: int) -> None:
        if words:
            root = rng.choice(words)
            heads[root] = head
            attach([word for word in words if word < root], root + 1)
            attach([word for word in words if word > root], root + 1)

    attach(list(range(n)), 0)
    return heads


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
@pytest.mark.parametrize("seed", range(10))
def test_nothing_overlaps_and_nothing_is_clipped(seed: int, direction: str):
    rng = random.Random(seed)
    n = rng.randint(1, 14)
    heads = projective(rng, n) if seed % 2 else [0, *(rng.randint(1, n) for _ in range(n - 1))]
    heads = [head if head != i else 0 for i, head in enumerate(heads, start=1)]
    root = draw(heads, direction)
    width, height = float(root.get("width")), float(root.get("height"))
    found = boxes(root)
    assert sum(text == ROOT for text, *_ in found) == heads.count(0)
    for i, (one, left, right, y) in enumerate(found):
        assert 0 <= left and right <= width and DEPREL_SIZE * 0.8 <= y <= height
        for other, left2, right2, y2 in found[i + 1 :]:
            assert abs(y - y2) > 10 or right <= left2 + 0.2 or right2 <= left + 0.2, (one, other)


def test_arrows_point_at_dependents():
    root = draw([0, 3, 1, 3])
    places = {text: (left + right) / 2 for text, left, right, _ in boxes(root)}
    lines, arrows = list(root.find(f"{SVG}g").iter(f"{SVG}path"))[:2]
    ends = [float(x) for x in re.findall(r"M([\d.]+) ", arrows.get("d"))]
    assert ends == pytest.approx([places["w1"], places["w3"], places["w2"], places["w0"]], abs=0.1)
    starts = [float(x) for x in re.findall(r"M([\d.]+) 0V", lines.get("d"))]
    assert [round(start - places[head]) for start, head in zip(starts, ("w2", "w2", "w0"), strict=True)] == [-5, 5, 5]
    mirrored = draw([0, 3, 1, 3], "rtl")
    places = {text: left for text, left, *_ in boxes(mirrored)}
    assert places["w0"] > places["w1"] > places["w3"] and mirrored.get("direction") == "rtl"


def test_many_arcs_stay_in_sight():
    n = 60
    root = draw([n] * (n - 1) + [0])
    assert float(root.get("height")) < 1000
    assert len(re.findall("M", root.find(f".//{SVG}path").get("d"))) == 2 * (n - 1) + 1


def test_whole_parse():
    rows = [PredicateRow("select.01", {(0, 1): "V", (1, 4): "ARG1"}), PredicateRow("drive.01", {(3, 4): "V"})]
    picture = draw_parse(TREE, HEADS, DEPRELS, rows, title="A parse")
    root = ElementTree.fromstring(picture.markup)
    texts = {node.text: node for node in root.iter(f"{SVG}text")}
    assert list(texts)[-6:] == ["acl", "obj", "ROOT", "select.01", "ARG1", "drive.01"]
    heights = [float(texts[text].get("y")) for text in ("S", "Select", "det", "obj", "ROOT", "select.01", "drive.01")]
    assert heights == sorted(set(heights))
    assert {float(texts[word].get("y")) for word in WORDS} == {heights[1]}
    assert root.findtext(f"{SVG}desc").endswith(
        "Select: root; the: det of person; person: obj of Select; driving: acl of person"
    )
    for path in root.iter(f"{SVG}path"):
        for x, length in re.findall(r"M([\d.-]+) [\d.]+h([\d.]+)", path.get("d")):
            assert PILL / 2 - 0.1 <= float(x) and float(x) + float(length) + PILL / 2 <= picture.width + 0.1


def test_a_deep_tree_is_drawn():
    tree = Tree("N", ["word"])
    for _ in range(1500):
        tree = Tree("X", [tree])
    assert "word: root" in draw_parse(tree, [0], ["ROOT"]).markup


def test_hostile_strings_are_text():
    tree = parse_tree("(S (A a) (B b))")
    rows = [PredicateRow("<script>", {(0, 1): "V", (1, 2): '"<b>'})]
    markup = draw_parse(tree, [0, 1], ["ROOT", "<i>"], rows, title='"<u>').markup
    root = ElementTree.fromstring(markup)
    assert {"<script>", '"<b>', "<i>"} <= {node.text for node in root.iter(f"{SVG}text")}
    assert {node.tag.removeprefix(SVG) for node in root.iter()} == {"svg", "title", "desc", "path", "g", "text"}

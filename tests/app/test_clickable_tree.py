"""Each node of a drawn tree bears its span of words, and nothing else."""

from xml.etree import ElementTree

import pytest
from nltk.tree import Tree

from spacy_lal.app.clickable_tree import clickable_tree
from spacy_lal.app.explained import Explainer
from spacy_lal.display.markup import scroll_box
from spacy_lal.display.tree import tree_to_svg

TREE = Tree.fromstring("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps) (ADVP (RB now))))")
NODES = [
    ("S", 0, 4),
    ("NP", 0, 2),
    ("DT", 0, 1),
    ("the", 0, 1),
    ("NN", 1, 2),
    ("cat", 1, 2),
    ("VP", 2, 4),
    ("VBZ", 2, 3),
    ("sleeps", 2, 3),
    ("ADVP", 3, 4),
    ("RB", 3, 4),
    ("now", 3, 4),
]


def nodes(markup: str) -> list:
    return [node for node in ElementTree.fromstring(markup).iter("text") if node.get("data-start")]


@pytest.mark.parametrize("mirrored", [False, True])
def test_spans(mirrored):
    drawing = scroll_box(tree_to_svg(TREE, title="A tree", direction="rtl" if mirrored else "ltr"), "A tree")
    markup = clickable_tree(drawing, TREE, (0, 2), mirrored=mirrored)
    found = [(node.text, int(node.get("data-start")), int(node.get("data-end"))) for node in nodes(markup)]
    assert sorted(found) == sorted(NODES)
    assert (found == NODES) is not mirrored
    assert [node.text for node in nodes(markup) if node.get("class") == "lal-chosen"] == ["NP"]
    assert {node.text for node in nodes(markup) if node.get("tabindex") == "0"} == {"S", "NP", "VP", "ADVP"}
    assert "ns0:" not in markup and 'role="img"' not in markup


def test_marked_arguments():
    drawing = scroll_box(tree_to_svg(TREE, title="A tree"), "A tree")
    markup = clickable_tree(drawing, TREE, (0, 2), marked={(0, 2): "ARG0 <b>", (2, 3): "V"})
    marked = {
        node.text: node.findtext("title") for node in nodes(markup) if "lal-argument" in (node.get("class") or "")
    }
    agent = dict.fromkeys(("NP", "DT", "the", "NN", "cat"), "ARG0 <b>")
    assert marked == {**agent, "VBZ": "V", "sleeps": "V"}
    assert [node.text for node in nodes(markup) if "lal-chosen" in (node.get("class") or "")] == ["NP"]


def test_a_phrase_of_one_word_within_an_argument_is_none_itself():
    drawing = scroll_box(tree_to_svg(TREE, title="A tree"), "A tree")
    markup = clickable_tree(drawing, TREE, (0, 2), marked={(2, 4): "V"})
    marked = [node.text for node in nodes(markup) if "lal-argument" in (node.get("class") or "")]
    assert marked == ["VP", "VBZ", "sleeps", "RB", "now"]


def test_a_drawing_of_another_tree():
    drawing = scroll_box(tree_to_svg(TREE[0], title="A tree"), "A tree")
    with pytest.raises(ValueError, match="12 nodes, got one of 5"):
        clickable_tree(drawing, TREE, (0, 2))


def test_hostile_words_stay_text(nlp):
    words = '<script>alert(1)</script> "><img src=x onerror=alert(1)> &amp; \u202egnp.exe \x07 .'
    (sentence,) = Explainer(nlp).explain(words)
    root = ElementTree.fromstring(sentence.tree((0, 1)))
    assert {element.tag for element in root.iter()} == {"div", "svg", "title", "desc", "text", "path"}
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    assert any("<" in (node.text or "") for node in root.iter("text"))
    assert "\u202e" not in sentence.tree((0, 1)) and "\x07" not in sentence.tree((0, 1))


def test_a_deep_tree():
    tree = Tree("N", ["word"])
    for _ in range(1500):
        tree = Tree("X", [tree])
    markup = clickable_tree(tree_to_svg(tree), tree, (0, 1))
    assert len(nodes(markup)) == 1502

"""Maps of attention: every cell in its place, chosen pairs outlined, colours of the text around."""

from xml.etree import ElementTree

import pytest

from spacy_lal.display.attention_map import CELL, attention_map

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ["<START>", "<b>&", "\x07", "x" * 60, "<STOP>"]
WEIGHTS = [[0.0] * 5 for _ in range(5)]
WEIGHTS[1][3], WEIGHTS[4][0], WEIGHTS[2][2] = 0.8, 0.4, 0.001
CHOSEN = [[i == j for j in range(5)] for i in range(5)]


def cells(picture):
    """Hover texts -> rectangles."""
    root = ElementTree.fromstring(picture.markup)
    return {rect[0].text: rect for rect in root.iter(f"{SVG}rect") if len(rect)}


def test_cells_stand_in_the_row_of_the_query_and_the_column_of_the_key():
    found = cells(attention_map(WEIGHTS, TOKENS, title="A map"))
    assert set(found) == {"<b>& \u2192 " + "x" * 11 + "\u2026" + "x" * 6 + ": 0.8", "<STOP> \u2192 <START>: 0.4"}
    strong, weak = found.values()
    assert float(weak.get("y")) - float(strong.get("y")) == 3 * CELL
    assert float(strong.get("x")) - float(weak.get("x")) == 3 * CELL
    assert float(strong.get("fill-opacity")) > 1.9 * float(weak.get("fill-opacity")) > 0.5
    assert not any(rect.get("stroke") for rect in found.values())


def test_chosen_pairs_are_outlined():
    picture = attention_map(WEIGHTS, TOKENS, chosen=CHOSEN)
    outlined = [text for text, rect in cells(picture).items() if rect.get("stroke") == "currentColor"]
    assert len(outlined) == 5 and all(text.endswith(", chosen") for text in outlined)
    assert "chosen by the selector" in picture.markup
    assert "chosen" not in attention_map(WEIGHTS, TOKENS).markup


def test_names_and_colours():
    picture = attention_map(WEIGHTS, TOKENS, title="<A map>")
    root = ElementTree.fromstring(picture.markup)
    assert root.get("fill") == "currentColor" and root.get("aria-label") == "<A map>"
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert texts[0] == "<A map>" and texts.count("<b>&") == texts.count("\u2407") == 2 and texts[-1] == "0.8"
    assert not list(root.iter(f"{SVG}b"))
    for rect in root.iter(f"{SVG}rect"):
        assert float(rect.get("x")) + float(rect.get("width")) <= picture.width
        assert float(rect.get("y")) + float(rect.get("height")) <= picture.height


def test_an_empty_map_and_wrong_numbers():
    ElementTree.fromstring(attention_map([], []).markup)
    ElementTree.fromstring(attention_map([[0.0]], ["a"]).markup)
    for weights in ([[1.0]], [[1.0, 0.0], [1.0]]):
        with pytest.raises(ValueError, match="weights: expected 2 rows"):
            attention_map(weights, ["a", "b"])
    with pytest.raises(ValueError, match="chosen: expected 1 rows"):
        attention_map([[1.0]], ["a"], chosen=[])
    for value in (-0.1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="expected finite numbers that are not negative"):
            attention_map([[value]], ["a"])

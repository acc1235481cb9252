"""The labels' colours, as displaCy knows them."""

import re
from xml.etree import ElementTree

from spacy.displacy.render import DEFAULT_LABEL_COLORS, EntityRenderer, SpanRenderer

from spacy_lal.display.colors import DEFAULT_COLOR, INK_ON_PALE, LABEL_COLORS, chain_color, family_name
from spacy_lal.display.legend import label_legend
from spacy_lal.display.roles import _FAMILIES as ROLE_COLORS


def luminance(color: str) -> float:
    """WCAG 2's relative luminance."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_displacy_knows_them():
    for renderer in (SpanRenderer(), EntityRenderer()):
        assert renderer.colors["NP"] == LABEL_COLORS["NP"]
        assert renderer.colors["ORG"] == DEFAULT_LABEL_COLORS["ORG"]


def test_no_entity_label_changes_its_colour():
    assert not set(LABEL_COLORS) & set(DEFAULT_LABEL_COLORS)


def test_letters_are_readable_on_them():
    for color in [*LABEL_COLORS.values(), *ROLE_COLORS.values(), DEFAULT_COLOR]:
        assert re.fullmatch("#[0-9a-f]{6}", color)
        assert (luminance(color) + 0.05) / (luminance(INK_ON_PALE) + 0.05) >= 7  # WCAG's AAA


def test_legend():
    root = ElementTree.fromstring(label_legend(["S", "NP", "VP", "NML", "<H>", "NP"]))
    assert ["".join(item.itertext()) for item in root] == ["S clause", "NP NML noun phrase", "VP verb phrase"]
    assert LABEL_COLORS["NP"] in root[1][0].get("style")
    assert label_legend(["<H>"]) == "" == family_name("<H>")


def test_colour_of_a_chain():
    assert chain_color(("S", "VP")) == LABEL_COLORS["S"]
    assert chain_color(("UNKNOWN", "VP")) == LABEL_COLORS["VP"]
    assert chain_color(("UNKNOWN",)) == chain_color(()) == DEFAULT_COLOR

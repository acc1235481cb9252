"""The drawn pictures of README and docs: `python docs/pictures/draw.py`.

en_lal_md makes the trees and the arcs. It has no roles; the roles are set by hand, by PropBank. The screenshots beside
them are of `lal explain` and `lal app` in Chromium.
"""

from pathlib import Path

import spacy

from spacy_lal.annotations import set_propositions
from spacy_lal.render import render
from spacy_lal.trees.propositions import Proposition

FOLDER = Path(__file__).parent
SENTENCE = "She gave him the book that he had asked for."
ROLES = [
    Proposition(1, "give.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG2"), (3, 10, "ARG1")), "give"),
    Proposition(8, "ask.02", ((3, 5, "ARG1"), (5, 6, "R-ARG1"), (6, 7, "ARG0"), (8, 9, "V")), "ask"),
]


def main() -> None:
    doc = spacy.load("en_lal_md")(SENTENCE)
    for style, name in (("tree", "tree"), ("dep", "arcs")):
        (FOLDER / f"{name}.svg").write_text(render(doc, style=style, format="svg"), encoding="utf8")
    set_propositions(doc, ROLES)
    (FOLDER / "parse.svg").write_text(render(doc, style="parse", format="svg"), encoding="utf8")


if __name__ == "__main__":
    main()

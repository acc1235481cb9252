"""The drawn pictures of README and docs: `python docs/pictures/draw.py`.

en_lal_md finds the trees, the arcs and the roles. `shoot.py` makes the screenshots
beside them."""

from pathlib import Path

import spacy

from spacy_lal.pictures import render

FOLDER = Path(__file__).parent
SENTENCE = "She gave him the book that he wanted."


def main() -> None:
    doc = spacy.load("en_lal_md")(SENTENCE)
    for style, name in (("dep", "arcs"), ("parse", "parse")):
        (FOLDER / f"{name}.svg").write_text(
            render(doc, style=style, format="svg"), encoding="utf8"
        )


if __name__ == "__main__":
    main()

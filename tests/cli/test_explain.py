"""`lal explain`: a page that needs nothing else, pictures."""

import sys
import types
from xml.etree import ElementTree

import pytest
import spacy
from spacy.tokens import Doc

from spacy_lal.annotations import set_propositions
from spacy_lal.cli.explain import explain_page
from spacy_lal.trees.roles import Proposition

HEADINGS = ["Parse", "Label attention", "Contributions"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def nlp(pipeline):
    return spacy.load(pipeline)


def test_page(lal, pipeline, tmp_path):
    output = tmp_path / "page.html"
    result = lal(
        "explain", "The old cat sleeps. Go on <b>now</b>!", "-m", pipeline, "-o", output
    )
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Wrote {output}: 2 sentences\n"
    html = output.read_text(encoding="utf-8")
    root = ElementTree.fromstring(html)
    assert [h2.text for h2 in root.iter("h2")] == [
        "The old cat sleeps.",
        "Go on <b>now</b>!",
    ]
    for section in root.iter("section"):
        assert [
            details.find("summary").text for details in section.findall("details")
        ] == HEADINGS
        folds = [details.get("open") for details in section.findall("details")]
        assert folds == ["", None, None]
        (picture,) = section.findall(f".//{SVG}svg[@role]")
        names = [text.text for text in picture.iter(f"{SVG}text")]
        assert "S" in names and "ROOT" in names  # the tree, and the arcs
        assert "lal-legend" in [box.get("class") for box in section.iter("div")]
    assert not list(root.iter("script")) and not list(root.iter("b"))
    assert not [n for n in root.iter() for name in n.attrib if name in ("src", "href")]
    assert "url(" not in html and "@import" not in html


def test_roles_of_a_page(nlp):
    """Where the Doc has roles, they are in the picture, and described below it."""
    doc = nlp("The old cat sleeps . Go on !")
    set_propositions(doc, [Proposition(3, "sleep.01", ((0, 3, "ARG0"), (3, 4, "V")))])
    for section in ElementTree.fromstring(explain_page(nlp, [doc])).iter("section"):
        found = [details.find("summary").text for details in section.findall("details")]
        assert found == ["Parse", "Roles", *HEADINGS[1:]]
        names = [text.text for text in section.iter(f"{SVG}text")]
        assert ("ARG0" in names) == ("sleeps" in names)


def test_a_wrong_parse_has_little_confidence(en_lal_md):
    texts = ("She gave him the book that he wanted.", "The old man the boat.")
    page = explain_page(en_lal_md, list(en_lal_md.pipe(texts)))
    sections = ElementTree.fromstring(page).iter("section")
    said = "All heads are right with a probability of "
    right, wrong = (
        float(section.findtext("p").removeprefix(said).rstrip("."))
        for section in sections
    )
    assert right > 0.9 and wrong < 0.7


def test_a_page_says_what_a_pipeline_does_not_give(nlp):
    doc = Doc(nlp.vocab, words=["Go", "on"], sent_starts=[True, False])
    (section,) = ElementTree.fromstring(explain_page(nlp, [doc])).iter("section")
    notes = [details.findtext("div/p") for details in section.findall("details")]
    assert "no constituents" in notes[0]
    assert notes[1] is None  # label attention needs no parse
    assert section.find("p") is None  # no heads, no confidence
    for docs in ([], [nlp("")], [nlp(" \n")]):
        assert not list(ElementTree.fromstring(explain_page(nlp, docs)).iter("section"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("Go on!", "-o", "x.pdf"),
            "got x.pdf; `lal parse -f` writes other",
        ),
        (
            ("Go on!", "-o", "x.gif"),
            "expected -o FILE that ends in .html, .svg",
        ),
        (("-", "-o", "-"), "expected a text, got nothing but whitespace"),
    ],
)
def test_bad_calls(lal, pipeline, args, message):
    result = lal("explain", *args, "-m", pipeline)
    assert result.exit_code == 2 and message in result.stderr


def svg_words(svg):
    return {text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")}


def test_pictures(lal, pipeline, tmp_path, monkeypatch):
    given = []
    module = types.ModuleType("cairosvg")
    module.svg2png = lambda bytestring, scale: (
        given.append(bytestring) or b"\x89PNG of cairo"
    )
    monkeypatch.setitem(sys.modules, "cairosvg", module)
    for name in ("trees.SVG", "trees.png"):
        assert (
            lal(
                "explain",
                "The old cat sleeps. Go on!",
                "-m",
                pipeline,
                "-o",
                tmp_path / name,
            ).exit_code
            == 0
        )
    svg = (tmp_path / "trees.SVG").read_text(encoding="utf-8")
    shown = {"The", "old", "sleeps", "Go", "on", "ROOT"}
    assert shown <= svg_words(svg) and "prefers-color-scheme: dark" in svg
    assert (tmp_path / "trees.png").read_bytes() == b"\x89PNG of cairo"
    assert "sleeps" in svg_words(given[0].decode())
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = lal("explain", "Go on now!", "-m", pipeline, "-o", tmp_path / "other.png")
    assert result.exit_code == 2 and not (tmp_path / "other.png").exists()
    assert "pip install 'spacy-lal[display]'" in result.stderr

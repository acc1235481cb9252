"""`python -m spacy lal explain`: a page that needs nothing else, or letters."""

import sys
import types
from xml.etree import ElementTree

import pytest
import spacy
from spacy.tokens import Doc

from spacy_lal.annotations import set_propositions
from spacy_lal.cli.explain import LONG_SENTENCE, explain_page
from spacy_lal.trees.propositions import Proposition

HEADINGS = ["Tree", "Arcs", "Constituents", "Label attention", "Contributions"]


def test_page(lal, pipeline, tmp_path):
    output = tmp_path / "page.html"
    result = lal("explain", "The old cat sleeps. Go on <b>now</b>!", "-m", pipeline, "-o", output)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Wrote {output}: 2 sentences\n"
    html = output.read_text(encoding="utf-8")
    root = ElementTree.fromstring(html)
    assert [h2.text for h2 in root.iter("h2")] == ["The old cat sleeps.", "Go on <b>now</b>!"]
    for section in root.iter("section"):
        assert [details.find("summary").text for details in section.findall("details")] == HEADINGS
        assert [details.get("open") for details in section.findall("details")] == ["", "", "", "", None]
        svgs = section.findall(".//{http://www.w3.org/2000/svg}svg[@role]")
        assert len(svgs) == 2
        # Attention has a folded table; the few heads of this pipeline fit into one of contributions.
        assert [len(list(details.iter("table"))) for details in section.findall("details")] == [0, 0, 0, 2, 1]
        assert "lal-legend" in [box.get("class") for box in section.iter("div")]
    assert "a head does not always speak for the label" in root.find("body/p").text
    assert not list(root.iter("script")) and not list(root.iter("b"))
    assert not [n for n in root.iter() for name in n.attrib if name in ("src", "href")]
    assert "url(" not in html and "@import" not in html


def test_roles_of_a_page(pipeline):
    """Where the Doc has roles: a click on a predicate shows its arguments."""
    nlp = spacy.load(pipeline)
    doc = nlp("The old cat sleeps . Go on !")
    set_propositions(doc, [Proposition(3, "sleep.01", ((0, 3, "ARG0"), (3, 4, "V")))])
    sections = list(ElementTree.fromstring(explain_page(nlp, [doc])).iter("section"))
    for section in sections:
        assert [details.find("summary").text for details in section.findall("details")] == [
            "Tree",
            "Roles",
            *HEADINGS[1:],
        ]
    predicate = sections[0].find("details/div/div/details")
    assert "".join(predicate.find("summary").itertext()) == "sleeps sleep.01" and predicate.get("open") == ""


def test_long_sentences_are_folded(pipeline):
    nlp = spacy.load(pipeline)
    (section,) = ElementTree.fromstring(explain_page(nlp, [nlp("the " * LONG_SENTENCE + "cat")])).iter("section")
    assert [details.get("open") for details in section.findall("details")] == ["", None, None, None, None]


def test_letters(lal, pipeline):
    result = lal("explain", "The old cat sleeps.", "--model", pipeline)
    assert result.exit_code == 0
    assert result.stdout == lal("parse", pipeline, "--text", "The old cat sleeps.", "-f", "tree").stdout


def test_stdin(lal, pipeline, tmp_path):
    output = tmp_path / "page.html"
    result = lal("explain", "-", "-m", pipeline, "-o", output, stdin=b"The old\ncat sleeps.\n\nGo on!\n")
    assert result.exit_code == 0
    headings = [h2.text for h2 in ElementTree.parse(output).iter("h2")]
    assert headings == ["The old cat sleeps.", "Go on!"]


def test_what_a_pipeline_does_not_give_is_said(pipeline):
    nlp = spacy.load(pipeline)
    doc = Doc(nlp.vocab, words=["Go", "on"], sent_starts=[True, False])
    (section,) = ElementTree.fromstring(explain_page(nlp, [doc])).iter("section")
    notes = [details.findtext("div/p") for details in section.findall("details")]
    assert "no constituents" in notes[0] and "no dependencies" in notes[1] and "no constituents" in notes[2]
    assert notes[3] is None  # label attention needs no parse
    assert notes[4] is not None


def test_empty_page(pipeline):
    nlp = spacy.load(pipeline)
    for docs in ([], [nlp("")], [nlp(" \n")]):
        assert not list(ElementTree.fromstring(explain_page(nlp, docs)).iter("section"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("Go on!", "-m", "nowhere"), "can't load the pipeline 'nowhere'"),
        (("Go on!", "-m", "{pipeline}", "-o", "{pipeline}"), "can't write"),
        (("Go on!", "-m", "{pipeline}", "-o", "x.pdf"), "ends in .html, .svg or .png after -o, got x.pdf"),
        (("Go on!", "-m", "{pipeline}", "-o", "x.conllu"), "`lal parse -f` writes other formats"),
        (("a\udce9", "-m", "{pipeline}"), "TEXT: expected UTF-8"),
        ((" \n", "-m", "{pipeline}"), "expected a text, got nothing but whitespace"),
        (("-", "-m", "{pipeline}"), "expected a text, got nothing but whitespace"),
    ],
)
def test_bad_calls(lal, pipeline, args, message):
    result = lal("explain", *(arg.format(pipeline=pipeline) for arg in args))
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def svg_words(svg):
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [text.text for text in texts if text.text[0].islower() or text.text in ("The", "Go", ".", "!")]


@pytest.mark.parametrize("name", ["trees.svg", "TREES.SVG"])
def test_svg(lal, pipeline, tmp_path, name):
    output = tmp_path / name
    result = lal("explain", "--text", "The old cat sleeps. Go on!", "-m", pipeline, "-o", output)
    assert result.exit_code == 0, result.output
    svg = output.read_text(encoding="utf-8")
    assert [word for word in svg_words(svg) if word not in ".!"] == ["The", "old", "cat", "sleeps", "Go", "on"]
    assert "prefers-color-scheme: dark" in svg


def test_png_by_cairosvg(lal, pipeline, tmp_path, monkeypatch):
    given = []
    module = types.ModuleType("cairosvg")
    module.svg2png = lambda bytestring, scale: given.append(bytestring) or b"\x89PNG of cairo"
    monkeypatch.setitem(sys.modules, "cairosvg", module)
    output = tmp_path / "trees.png"
    assert lal("explain", "--text", "The old cat sleeps.", "-m", pipeline, "-o", output).exit_code == 0
    assert output.read_bytes() == b"\x89PNG of cairo"
    assert "sleeps" in svg_words(given[0].decode()) and b"prefers-color-scheme" not in given[0]


def test_png_without_converter(lal, pipeline, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    output = tmp_path / "trees.png"
    result = lal("explain", "--text", "Go on!", "-m", pipeline, "-o", output)
    assert result.exit_code == 1 and not output.exists()
    assert "pip install 'spacy-lal[display]'" in result.stderr and "rsvg-convert" in result.stderr
    assert lal("explain", "--text", "Go on!", "-m", pipeline, "-o", tmp_path / "page.html").exit_code == 0


@pytest.mark.parametrize(
    "word",
    [
        "missing.txt",
        "notes/missing",
        "./missing",
        "C:\\texts\\a",
        "my notes.txt",
        "missing.JSONL",
        "either/or",
        "a.b.c",
    ],
)
def test_a_missing_file_is_no_text(lal, pipeline, word, tmp_path, monkeypatch):
    """A file name is never parsed as a text."""
    monkeypatch.chdir(tmp_path)
    result = lal("explain", word, "-m", pipeline, "-o", "page.html")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("can't find the file ") and f"--text: --text {word!r}" in result.stderr
    assert not list(tmp_path.iterdir())
    given = lal("explain", "--text", word, "-m", pipeline)
    assert given.exit_code == 0 and given.stdout


@pytest.mark.parametrize("name", ["parse", "explain"])
def test_a_missing_file_of_every_reader(lal, pipeline, name):
    result = lal(name, "missing.txt", "-m", pipeline)
    assert result.exit_code == 1
    assert result.stderr == "can't find the file missing.txt; a text is given by --text: --text 'missing.txt'\n"


@pytest.mark.parametrize("text", ["Go on!", "Hello", "He left.", "It costs 10.5", "U.S.", "Go on.Now! He left"])
def test_a_text_is_a_text(lal, pipeline, text):
    result = lal("explain", text, "-m", pipeline)
    assert result.exit_code == 0
    assert result.stdout == lal("explain", "--text", text, "-m", pipeline).stdout


def test_a_file(lal, pipeline, tmp_path, monkeypatch):
    """An existing file is read, whatever its name; blank lines end a text."""
    monkeypatch.chdir(tmp_path)
    for name in ("letter.txt", "Hello", "Go on!"):
        (tmp_path / name).write_text("The old\ncat sleeps.\n\nHe left.\n")
        result = lal("explain", name, "-m", pipeline)
        assert result.exit_code == 0
        assert result.stdout == lal("explain", "-", "-m", pipeline, stdin=(tmp_path / name).read_bytes()).stdout
        assert "left" in result.stdout and "cat" in result.stdout
    same = lal("explain", "Hello", "-m", pipeline, "-o", "Hello")
    assert same.exit_code == 1 and "read and written at once" in same.stderr


def test_a_folder_is_neither(lal, pipeline, tmp_path):
    result = lal("explain", tmp_path, "-m", pipeline)
    assert result.exit_code == 1 and "can't find the file" in result.stderr

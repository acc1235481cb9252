"""`render`: every style, of every kind of Doc, is sound markup in which all text is
text."""

import sys
from typing import Any, List
from xml.etree import ElementTree

import pytest
import spacy
from spacy import displacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from tiny_pipeline import SENTENCES, train

from spacy_lal import pictures as render_module
from spacy_lal.annotations import sentence_words, set_propositions
from spacy_lal.interpret import constituent_contributions
from spacy_lal.pictures import STYLES, render
from spacy_lal.trees.roles import Proposition

SVG = "{http://www.w3.org/2000/svg}"
OF_THE_DOC = ("tree", "dep", "parse")
HOSTILE = [
    "<script>alert(1)</script>",
    '"onload="x',
    "&amp;",
    "]]>",
    "\x07",
    "{0}{text}",
    "%s$a$",
    "x" * 500,
    "\u202ex",
]


@Language.component("tests_render_roles")
def set_roles(doc: Doc) -> Doc:
    """In place of lal_srl: the second word of a sentence is a predicate, the first its
    argument."""
    words = [sentence for sentence in sentence_words(doc) if len(sentence) > 1]
    args = [((a, a + 1, "ARG0"), (b, b + 1, "V")) for a, b, *_ in words]
    set_propositions(doc, [Proposition(one[1][0], "x.01", one) for one in args])
    return doc


def make_doc(number: int = 0, vocab: Any = None) -> Doc:
    gold = SENTENCES[number]
    doc = Doc(
        vocab or Vocab(),
        **{key: gold[key] for key in ("words", "heads", "deps", "tags")},
    )
    doc.spans["constituents"] = [Span(doc, *span) for span in gold["spans"]]
    return doc


@pytest.fixture(scope="module")
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser")
    train(nlp, steps=4)
    nlp.add_pipe("tests_render_roles")
    return nlp


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<x>{html}</x>")


def shown(html: str) -> str:
    return " ".join(" ".join(parsed(html).itertext()).split())


def svg_texts(html: str) -> List[str]:
    return ["".join(node.itertext()) for node in parsed(html).iter(f"{SVG}text")]


def test_tree():
    html = render(make_doc(1))
    assert svg_texts(html)[:4] == ["S", "VP", "VB", "Select"]
    assert (
        parsed(html).find("div").get("aria-label")
        == "Constituency tree: Select the person driving ."
    )


def test_arcs():
    html = render(make_doc(1), style="dep")
    texts = svg_texts(html)
    tagged = "VB Select DT the NN person VBG driving . ."
    assert texts == [*tagged.split(), "det", "acl", "obj", "punct", "ROOT"]
    (svg,) = parsed(html).iter(f"{SVG}svg")
    assert "Select: root; the: det of person; " in svg.findtext(f"{SVG}desc")
    assert svg.get("role") == "img"
    assert render(make_doc(1), style="dep") == html


def test_whole_parse():
    doc = make_doc(1)
    html = render(doc, style="parse")
    assert (
        svg_texts(html)[:4] == ["S", "VP", "VB", "Select"]
        and svg_texts(html)[-1] == "ROOT"
    )
    description = parsed(html).find(f".//{SVG}desc").text
    assert description.startswith("(S (VP (VB Select)") and description.endswith(
        "punct of Select"
    )
    set_propositions(
        doc, [Proposition(0, "select.<1>", ((0, 1, "V"), (1, 4, "ARG1")), "select")]
    )
    assert svg_texts(render(doc, style="parse"))[-3:] == ["ROOT", "select.<1>", "ARG1"]
    assert svg_texts(render(doc[1:4], style="parse"))[-1] == "ROOT"
    bare = Doc(Vocab(), words=["Go"], heads=[0], deps=["ROOT"])
    with pytest.raises(ValueError, match="style 'parse': the Doc has no constituents"):
        render(bare, style="parse")


@pytest.mark.parametrize("style", ["attention", "contributions"])
def test_label_heads(nlp: Language, style: str):
    doc = nlp("She sees a dog in the park. Select the person driving.")
    html = render(doc, style=style, nlp=nlp, options={"n_shown": 2})
    tables = list(parsed(html).iter("table"))
    names = {th.get("title") for th in parsed(html).iter("th")}
    heads = set(nlp.get_pipe("lal_parser").label_data["constituents"])
    own = [
        list(dict.fromkeys(one.label for one in constituent_contributions(nlp, sent)))
        for sent in doc.sents
    ]
    if style == "attention":
        assert {"<START>", "She", "driving", "<STOP>"} <= names
        assert [len(list(table.find("tbody"))) for table in tables] == [2, 2]
        everything = render(doc, style=style, nlp=nlp, options={"n_shown": len(heads)})
        assert heads <= {th.get("title") for th in parsed(everything).iter("th")}
    else:
        assert {"score", "bias", "label heads, sum"} <= names
    # The labels of the parse come first.
    more = render(doc, style=style, nlp=nlp, options={"n_shown": len(own[0])})
    rows = ["".join(row.find("th").itertext()) for row in parsed(more).find(".//tbody")]
    assert rows[-len(own[0]) :] == own[0]
    (first, _) = doc.sents
    assert html.startswith(render(first, style=style, nlp=nlp, options={"n_shown": 2}))
    with pytest.raises(
        ValueError, match=f"'{style}' asks the network again: expected the pipeline"
    ):
        render(doc, style=style)


@pytest.mark.parametrize("style", OF_THE_DOC)
def test_hostile_text(style: str):
    n = len(HOSTILE)
    vocab = Vocab()
    labels = ["<i>", '"&', "</svg>"]
    doc = Doc(
        vocab,
        words=HOSTILE,
        heads=[0] * n,
        deps=["ROOT", *["</svg><b>"] * (n - 1)],
        tags=["<t>"] * n,
    )
    doc.spans["constituents"] = [Span(doc, 0, n, label) for label in labels]
    for page in (False, True):
        html = render(doc, style=style, page=page, options={"add_lemma": True})
        root = ElementTree.fromstring(html)
        assert not {node.tag.rpartition("}")[2] for node in root.iter()} & {
            "script",
            "b",
            "i",
            "t",
        }
        assert not [
            name
            for node in root.iter()
            for name in node.attrib
            if name.startswith("on")
        ]
        text = "".join(root.itertext())
        for word in HOSTILE[1:4] + HOSTILE[5:7]:
            assert word in text
        assert "\u2407" in text and "\u202e" not in text
        assert "x" * 18 + "\u2026" in text or "x" * 11 + "\u2026" in text
    if style != "dep":
        assert all(label in text for label in labels)


@pytest.mark.parametrize("style", OF_THE_DOC)
@pytest.mark.parametrize("page", [False, True])
def test_empty_docs(style: str, page: bool):
    for docs in (Doc(Vocab()), [], [Doc(Vocab()), Doc(Vocab())]):
        html = render(docs, style=style, page=page)
        assert (
            ElementTree.fromstring(html).find("body/div") is None
            if page
            else html.strip() == ""
        )


@pytest.mark.parametrize("style", STYLES)
def test_whitespace_is_left_out(nlp: Language, style: str):
    doc = nlp("  She \n\n sees a  dog. \t Select the person.\n")
    html = render(
        doc,
        style=style,
        nlp=nlp,
        options={"n_shown": 3} if style == "attention" else {},
    )
    assert "She" in shown(html) and "person" in shown(html)
    if style == "dep":
        words = [text for text in svg_texts(html) if text not in ("X", "ROOT")]
        assert words[:5] == ["She", "sees", "a", "dog", "."]


def test_roles(nlp: Language):
    doc = nlp("She sees a <dog>. Select the person.")
    assert shown(render(doc, style="roles")).startswith(
        "sees x.01 She ARG0 sees V a <dog>."
    )
    assert render(doc, style="roles") == "\n".join(
        render(sent, style="roles") for sent in doc.sents
    )
    assert (
        shown(render(doc[1:3], style="roles"))
        == "sees a This sentence has no predicate."
    )
    folded = parsed(render(next(doc.sents), style="roles", options={"folded": True}))
    assert [details.get("open") for details in folded.iter("details")] == [""]
    ElementTree.fromstring(render(doc, style="roles", page=True))
    with pytest.raises(ValueError, match="one sentence, got one over 2"):
        render(doc[2:9], style="roles")


def test_several_sentences_are_several_pictures(nlp: Language):
    doc = nlp("She sees a dog. Select the person.")
    for style in OF_THE_DOC:
        together = render(doc, style=style)
        assert together == "\n".join(render(sent, style=style) for sent in doc.sents)
        assert together == render(list(doc.sents), style=style)


def test_right_to_left():
    words = ["\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd"]
    doc = Doc(spacy.blank("he").vocab, words=words, heads=[0, 0], deps=["ROOT", "x"])
    doc.spans["constituents"] = [Span(doc, 0, 2, "NP")]
    assert svg_texts(render(doc))[2::2] == words[::-1]
    assert svg_texts(render(doc, style="dep"))[1:4:2] == words[::-1]
    page = ElementTree.fromstring(render(doc, style="dep", page=True))
    assert (page.get("lang"), page.get("dir")) == ("he", "rtl")


@pytest.mark.parametrize(
    ("style", "missing"),
    [
        ("tree", "no constituents"),
        ("dep", "no dependencies"),
        ("parse", "no constituents"),
        ("roles", "no semantic roles"),
    ],
)
def test_no_parse(style: str, missing: str):
    doc = Doc(Vocab(), words=["Go", "on"], sent_starts=[True, False])
    with pytest.raises(ValueError, match=f"style '{style}': the Doc has {missing}"):
        render(doc, style=style)


def test_bad_calls():
    with pytest.raises(
        ValueError,
        match=("expected a style of tree, dep, parse, roles, attention, .*, got 'ent'"),
    ):
        render(make_doc(), style="ent")
    with pytest.raises(ValueError, match="no sentence boundaries"):
        render(Doc(Vocab(), words=["Go", "on"]))


def test_svg_format():
    svg = render([make_doc(0), make_doc(1)], format="svg")
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg" and len(root.findall(f"{SVG}g")) == 2
    assert [text.text for text in root.iter(f"{SVG}text")][-3:] == ["driving", ".", "."]
    arcs = ElementTree.fromstring(render(make_doc(1), style="dep", format="svg"))
    assert [node.text for node in arcs.iter(f"{SVG}text")][-2:] == ["punct", "ROOT"]
    assert "\n" not in render(make_doc(), format="svg", minify=True)
    for nothing in (Doc(Vocab()), []):
        assert (
            ElementTree.fromstring(render(nothing, format="svg")).find(f"{SVG}g")
            is None
        )


def test_bad_calls_of_svg_format():
    for style, page in (
        ("roles", False),
        ("contributions", False),
        ("tree", True),
    ):
        with pytest.raises(
            ValueError, match="goes with the styles tree, dep, parse, without page"
        ):
            render(make_doc(), style=style, format="svg", page=page)
    with pytest.raises(ValueError, match="expected a format of html, svg, got 'png'"):
        render(make_doc(), format="png")
    with pytest.raises(ValueError, match="no constituents"):
        render(Doc(Vocab(), words=["Go"]), format="svg")


def test_page_and_minify():
    root = ElementTree.fromstring(render([make_doc(0), make_doc(1)], page=True))
    assert len(root.findall("body/div")) == 2
    assert "\n" not in render(make_doc(), style="dep", page=True, minify=True)


def test_wrapper_and_notebook(monkeypatch: pytest.MonkeyPatch):
    displayed = []
    module = type(
        "display",
        (),
        {"HTML": staticmethod(lambda html: html), "display": displayed.append},
    )
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    html = render(make_doc())
    assert render(make_doc(), jupyter=True) is None
    assert displayed == [f'<span class="tex2jax_ignore">{html}</span>']
    monkeypatch.setattr(render_module, "is_in_jupyter", lambda: True)
    assert render(make_doc(), jupyter=False) == html
    assert render(make_doc()) is None
    monkeypatch.setattr(displacy, "RENDER_WRAPPER", lambda markup: f"[{markup}]")
    assert render(make_doc(), jupyter=False) == f"[{html}]"

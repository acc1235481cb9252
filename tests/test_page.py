"""The interactive page, run by Streamlit's own tests: no browser, no server. They are
skipped without Streamlit."""

import json
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import Any, Callable, List, Mapping
from xml.etree import ElementTree

import pytest
from interpret.tiny_parser import tiny_nlp
from spacy.language import Language

from spacy_lal.export import read_parses
from spacy_lal.interpret import constituent_margins

pytest.importorskip("streamlit")
PAGE = Path(__file__).parents[1] / "examples" / "app" / "page.py"
HOSTILE = (
    "<script>alert(1)</script> **bold** $x$ :material/bolt: [a](javascript:alert(1)) "
    "{{7*7}} \u202egnp.exe ."
)


@pytest.fixture(scope="module")
def nlp() -> Language:
    """Sentencizer and parser, trained on two sentences."""
    nlp = tiny_nlp()
    nlp.add_pipe("sentencizer", first=True)
    return nlp


@pytest.fixture(scope="module")
def pipeline(nlp: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on disk."""
    path = tmp_path_factory.mktemp("app") / "model"
    nlp.to_disk(path)
    return path


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs the page once, as `streamlit run page.py -- PIPELINE` does."""
    from streamlit.testing.v1 import AppTest

    def run(pipeline: object, query: Mapping[str, str] = MappingProxyType({})) -> Any:
        monkeypatch.setattr(sys, "argv", [str(PAGE), str(pipeline)])
        page = AppTest.from_file(str(PAGE), default_timeout=300)
        for key, value in query.items():
            page.query_params[key] = value
        return page.run()

    return run


def parse(page: Any, text: str) -> None:
    page.text_area(key="text").set_value(text)
    page.button[0].click().run()
    assert not page.exception


def markup(page: Any) -> List[str]:
    return [one.proto.body for one in page.get("html")]


def test_numbers_of_each_constituent(
    start: Callable[..., Any], pipeline: Path, nlp: Any
):
    page = start(pipeline)
    assert not page.exception
    parse(page, "She sees a dog in the park.")
    for i, one in enumerate(
        constituent_margins(nlp, nlp("She sees a dog in the park."))
    ):
        page.selectbox(key="constituent").select_index(i).run()
        assert page.metric[0].value == f"{one.margin:.2f}"
        assert (
            page.selectbox(key="first").value,
            page.selectbox(key="last").value,
        ) == (one.start, one.end - 1)
    page.selectbox(key="first").set_value(0).run()
    page.selectbox(key="last").set_value(2).run()
    assert not page.exception and page.query_params["words"] in ("1-3", ["1-3"])


def test_address_sentences_and_pictures(start: Callable[..., Any], pipeline: Path):
    page = start(
        pipeline,
        {
            "text": "She sees a dog. Select the person driving.",
            "sentence": "2",
            "words": "2-3",
        },
    )
    assert not page.exception and page.selectbox(key="sentence").value == 1
    assert (page.selectbox(key="first").value, page.selectbox(key="last").value) == (
        1,
        2,
    )
    for picture in page.radio(key="picture").options:
        page.radio(key="picture").set_value(picture).run()
        assert not page.exception
    page.selectbox(key="sentence").set_value(0).run()
    assert not page.exception and page.selectbox(key="last").value == 4


def test_a_new_page_shows_a_parse_and_asks_for_nothing(
    start: Callable[..., Any], pipeline: Path
):
    page = start(pipeline)
    assert not page.exception and not page.metric
    assert any("Click a node of the tree" in one for one in markup(page))
    page.selectbox(key="constituent").select_index(0).run()
    assert [one.label for one in page.metric] == ["Margin", "Probability"]
    said = ("very sure</strong>", " sure</strong>", "unsure</strong>")
    assert any(one.endswith(said) for one in markup(page))


def test_complexity_of_the_text_by_marking(start: Callable[..., Any], en_lal_md: Any):
    page = start("en_lal_md")
    parse(page, "I know that she left because he came. I slept.")
    tables = [one.value for one in page.dataframe]
    measured = [table for table in tables if "measure" in table]
    counts = next(table for table in measured if "T" in set(table["measure"]))
    values = dict(zip(counts["measure"], counts["value"], strict=True))
    assert [values[name] for name in ("W", "S", "T", "DC")] == [10, 2, 2, 2]
    page.selectbox(key="structure").set_value("DC").run()
    marked = next(one for one in markup(page) if "<mark style" in one)
    assert re.sub(r' style="[^"]*"', "", marked) == (
        "<p>I know <mark>that she left <mark>because he came</mark></mark>. "
        "I slept.</p>"
    )


def test_facts_of_the_text(start: Callable[..., Any], en_lal_md: Any):
    page, _ = shown(en_lal_md, "She left.")
    text = "Google, not Apple, bought DeepMind.\n\nLarry Page founded Google. He fled."
    rows = page.fact_rows(en_lal_md(text))
    assert page.edges_of(rows) == [
        ("Google", "buy", "DeepMind"),
        ("Larry Page", "found", "Google"),
    ]
    assert {row["sentence"] for row in rows if row["subject"] == "Larry Page"} == {2}
    assert page.dot_of([('a "b\\', "c", "d")]).splitlines()[1] == (
        '"a \\"b\\\\" -> "d" [label="c"]'
    )
    app = start("en_lal_md")
    parse(app, text)
    table = next(one.value for one in app.dataframe if "relation" in one.value)
    assert list(table["relation"])[-1] == "flee"
    (chart,) = app.get("graphviz_chart")
    assert '"Larry Page" -> "Google"' in chart.proto.spec
    parse(app, "Wow!")
    assert any("has no facts" in one for one in markup(app))


def test_a_long_text_is_cut_and_says_so(start: Callable[..., Any], pipeline: Path):
    page = start(pipeline)
    parse(page, "She left. " * 600)
    assert any("first 5,000 of 6,000 characters" in one for one in markup(page))


def test_measures_have_meanings(en_lal_md: Any):
    page, _ = shown(en_lal_md, "She left.")
    names = [name for names in page.MEASURES.values() for name in names]
    assert all(page.meaning_of(name) for name in names)
    assert page.meaning_of("DC/C") == "dependent clauses for each of clauses"


def module() -> Any:
    """The page as a module."""
    spec = spec_from_file_location("page", PAGE)
    page = module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


def shown(nlp: Any, text: str) -> Any:
    """A parsed sentence, as the page keeps it."""
    page = module()
    (sentence,) = read_parses(nlp(text))
    return page, page.Shown(nlp, RLock(), sentence)


def test_the_wrong_parse_says_so(en_lal_md: Any):
    _, right = shown(en_lal_md, "She gave him the book that he wanted.")
    _, wrong = shown(en_lal_md, "The old man the boat.")
    assert right.verdict().startswith("The parser is sure of this parse (0.9")
    assert "unsure: The old <mark" in wrong.verdict()


def test_card_beside_a_node(en_lal_md: Any):
    page, one = shown(en_lal_md, "She gave him the book that he wanted.")
    lines = page.facts(one.span((3, 5)), one.report((3, 5))).split("<br>")
    assert lines == [
        "<strong>NP: the book \u2013 fairly sure</strong>",
        "book: obj of gave \u2013 sure",
    ]
    lines = page.facts(one.span((1, 2)), one.report((1, 2))).split("<br>")
    assert lines == ["<strong>VBD: gave</strong>", "gave: the root \u2013 very sure"]


NODE = """
import draw from "./script.mjs"
const asked = []
const box = (focus) => ({
  dataset: focus ? { focus } : {},
  set innerHTML(html) { this.html = html },
  get firstElementChild() { return this.html ? {} : null },
  querySelector: (selector) => { asked.push(selector) },
})
for (const focus of ["", "[data-start=\\"3\\"]"])
  draw({
    data: { drawing: "<div></div>" },
    parentElement: { querySelector: () => box(focus) },
    setTriggerValue() {},
  })
console.log(JSON.stringify(asked))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="wants node")
def test_the_drawing_takes_the_focus_that_was_there(tmp_path: Path):
    (tmp_path / "script.mjs").write_text(module().SCRIPT, encoding="utf8")
    (tmp_path / "run.mjs").write_text(NODE, encoding="utf8")
    output = subprocess.check_output(["node", tmp_path / "run.mjs"], text=True)
    assert json.loads(output) == ['[role=button][data-start="3"]']


@pytest.mark.parametrize("span", [(0, 9), (3, 5), (1, 2), (2, 3)])
def test_one_node_is_outlined(en_lal_md: Any, span: Any):
    _, one = shown(en_lal_md, "She gave him the book that he wanted.")
    (drawing,) = ElementTree.fromstring(one.tree(span, None)).iter("svg")
    (box,) = (node for node in drawing if node.get("class") == "lal-chosen")
    middle = float(box.get("x")) + float(box.get("width")) / 2
    start, end = map(str, span)
    nodes = [
        node
        for node in drawing.iter("text")
        if (node.get("data-start"), node.get("data-end")) == (start, end)
    ]
    assert f"{middle:.1f}" in {f"{float(node.get('x')):.1f}" for node in nodes}


def test_markup_of_words_is_escaped_on_the_card(nlp: Any):
    page, one = shown(nlp, "<b>dog</b>")
    card = page.facts(one.span(), one.report((0, len(one.words))))
    assert "<b>" not in card and "&lt;" in card


@pytest.mark.parametrize("text", [" \n ", "Go", HOSTILE, "a " * 160])
def test_odd_texts(start: Callable[..., Any], pipeline: Path, text: str):
    page = start(pipeline)
    parse(page, text)
    assert "<script>" not in "".join(markup(page))
    for kind in ("markdown", "error", "metric", "caption"):
        assert "alert" not in str([str(one.value) for one in getattr(page, kind)])


def test_no_such_pipeline(start: Callable[..., Any], tmp_path: Path):
    page = start(tmp_path / "<b>none")
    assert not page.exception and any("&lt;b&gt;none" in one for one in markup(page))

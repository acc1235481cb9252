"""The page's script, run by Streamlit's own tests: no browser, no server."""

import sys
from pathlib import Path
from typing import Any, Callable, List

import pytest
from app.hostile import HOSTILE

from spacy_lal.app import PAGE
from spacy_lal.app.explained import MAX_EXPLAINED, Explainer
from spacy_lal.app.report_tables import number, share

pytestmark = pytest.mark.app
TIMEOUT = 300  # seconds; a busy machine loads slowly


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], Any]:
    """Runs the page once, as `streamlit run page.py -- PIPELINE` does."""
    from streamlit.testing.v1 import AppTest

    def run(pipeline: object) -> Any:
        monkeypatch.setattr(sys, "argv", [str(PAGE), str(pipeline)])
        return AppTest.from_file(str(PAGE), default_timeout=TIMEOUT).run()

    return run


def parse(page: Any, text: str) -> None:
    page.text_area(key="text").set_value(text)
    page.button[0].click().run()
    assert not page.exception


def markup(page: Any) -> List[str]:
    return [one.proto.body for one in page.get("html")]


def test_numbers_of_what_is_chosen(start: Callable, pipeline: Path, nlp: Any):
    page = start(pipeline)
    assert not page.exception
    parse(page, "She sees a dog in the park.")
    (sentence,) = Explainer(nlp).explain("She sees a dog in the park.")
    for i, one in enumerate(sentence.constituents):
        page.selectbox(key="constituent").select_index(i).run()
        report = sentence.report(one.start, one.end)
        score = next((best.score for best in report.alternatives if best.label == one.label), report.parts.score)
        expected = [number(report.margin), number(score), share(report.probability)]
        assert [metric.value for metric in page.metric] == expected
        words = (page.selectbox(key="first").value, page.selectbox(key="last").value)
        assert words == (one.start, one.end - 1)
    assert len({one.margin for one in (sentence.report(*span[:2]) for span in sentence.constituents)}) > 1


def test_any_words(start: Callable, pipeline: Path, nlp: Any):
    page = start(pipeline)
    parse(page, "She sees a dog in the park.")
    (sentence,) = Explainer(nlp).explain("She sees a dog in the park.")
    spans = [one[:2] for one in sentence.constituents]
    first, last = next((i, j - 1) for i in range(1, 7) for j in range(i + 2, 8) if (i, j) not in spans)
    page.selectbox(key="last").set_value(last).run()
    page.selectbox(key="first").set_value(first).run()
    assert page.selectbox(key="constituent").value is None
    report = sentence.report(first, last + 1)
    assert page.metric[0].value == "\u2013" and page.metric[2].value == share(report.probability)
    page.selectbox(key="first").set_value(7).run()  # the last word is before it: they change places
    assert (page.selectbox(key="first").value, page.selectbox(key="last").value) == (last, 7)


def test_another_sentence_and_another_text(start: Callable, pipeline: Path):
    page = start(pipeline)
    parse(page, "She sees a dog. Go on!")
    page.selectbox(key="constituent").select_index(1).run()
    page.selectbox(key="sentence").select_index(1).run()
    assert page.selectbox(key="last").options == ["1. Go", "2. on", "3. !"]
    assert (page.selectbox(key="first").value, page.selectbox(key="last").value) == (0, 2)
    parse(page, "Run")
    assert "sentence" not in [one.key for one in page.selectbox]
    assert page.selectbox(key="last").options == ["1. Run"]


def test_every_picture(start: Callable, pipeline: Path):
    page = start(pipeline)
    for name in page.radio(key="picture").options:
        page.radio(key="picture").set_value(name).run()
        assert not page.exception
        if name != "Arcs":  # a drawing: test_browser.py looks at it
            shown = page.code[0].value if name in ("Brackets", "CoNLL-U") else markup(page)[-1]
            assert "telescope" in shown


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "a" * 5000, "the " * (MAX_EXPLAINED + 1)])
def test_odd_texts(start: Callable, pipeline: Path, text: str):
    page = start(pipeline)
    parse(page, text)
    if not text.strip():
        assert "nothing but whitespace" in markup(page)[-1]
    parse(page, "She sees a dog.")  # and then all is well again
    assert page.selectbox(key="last").options[-1] == "5. ."


def test_hostile_text_gets_into_no_markdown(start: Callable, pipeline: Path):
    page = start(pipeline)
    parse(page, HOSTILE)
    for name in page.radio(key="picture").options:
        page.radio(key="picture").set_value(name).run()
        readers = [page.markdown, page.caption, page.title, page.header, page.error, page.warning, page.info]
        written = [one.value for kind in readers for one in kind] + [one.value + one.label for one in page.metric]
        written += [one.label for kind in (page.selectbox, page.radio, page.text_area) for one in kind]
        assert written and not [text for text in written if "pwned" in text or "evil" in text]
        assert not [text for text in markup(page) if "<script" in text or "<img" in text or "<style>body" in text]


def test_no_such_pipeline(start: Callable, tmp_path: Path):
    page = start(tmp_path / "<b>nowhere")
    assert not page.exception
    assert "Can&#x27;t load the pipeline" in markup(page)[0] and "<b>" not in markup(page)[0]

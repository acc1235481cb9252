"""The page's script, run by Streamlit's own tests: no browser, no server."""

import re
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any, Callable, Dict, List, Mapping

import pytest
from app.hostile import HOSTILE

from spacy_lal.app import PAGE
from spacy_lal.app.explained import MAX_EXPLAINED, Explainer
from spacy_lal.app.report_tables import number, share

pytestmark = pytest.mark.app
TITLE = "Label Attention Layer parser"
EXAMPLES = ("She saw the man with the telescope. The old cat sleeps on the mat.", "Select the person driving.")
TIMEOUT = 300  # seconds; a busy machine loads slowly


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], Any]:
    """Runs the page once, as `streamlit run page.py -- PIPELINE` does."""
    from streamlit.testing.v1 import AppTest

    def run(pipeline: object, query: Mapping[str, str] = MappingProxyType({})) -> Any:
        monkeypatch.setattr(sys, "argv", [str(PAGE), str(pipeline)])
        page = AppTest.from_file(str(PAGE), default_timeout=TIMEOUT)
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


def test_examples(start: Callable, pipeline: Path):
    page = start(pipeline)
    assert page.title[0].value == TITLE and page.text_area(key="text").value == EXAMPLES[0]
    page.button_group(key="example").set_value(1).run()
    assert not page.exception
    assert page.text_area(key="text").value == page.session_state.parsed_text == EXAMPLES[1]
    assert page.button_group(key="example").value is None


def test_the_address_is_read_and_written(start: Callable, pipeline: Path):
    def query_of(page: Any) -> Dict[str, str]:
        return {key: value if isinstance(value, str) else value[-1] for key, value in page.query_params.items()}

    query = {"text": "Go on! She sees a dog.", "sentence": "2", "words": "3-4", "embed": "true"}
    page = start(pipeline, query)
    assert not page.exception
    assert (page.selectbox(key="sentence").value, page.selectbox(key="first").value) == (1, 2)
    assert query_of(page) == query
    page.selectbox(key="sentence").select_index(0).run()
    assert query_of(page) == {"text": query["text"], "embed": "true"}
    for odd in ({"sentence": "9", "words": "0-99"}, {"sentence": "x", "words": "2-1"}, {"text": HOSTILE}):
        assert not start(pipeline, {"text": "She sees a dog.", **odd}).exception


def test_the_head_is_shown_before_the_pipeline_is_loaded():
    names = ("spacy", "nltk", "torch", "numpy", "thinc")
    code = f"import sys, spacy_lal.app.permalink, spacy_lal.lang; print([m for m in {names} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
    # The page's own imports are these two and Streamlit; everything else comes after the form.
    head = PAGE.read_text(encoding="utf8").partition("def load")[0]
    imported = set(re.findall(r"^(?:from|import) ([\w.]+)", head, re.MULTILINE))
    assert imported == {"sys", "typing", "streamlit", "spacy_lal.app.permalink", "spacy_lal.lang"}


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

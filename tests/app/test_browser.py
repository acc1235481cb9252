"""The page in a real browser, headless: `python -m spacy lal app`, and Chromium that types, parses, and clicks.

Debian's Chromium, or another that the variable CHROMIUM names; without either, the one that Playwright has fetched.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator, List
from urllib.request import urlopen

import pytest
from app.hostile import HOSTILE

from spacy_lal.app import DARK, LIGHT
from spacy_lal.app.explained import ExplainedSentence, Explainer
from spacy_lal.app.report_tables import number

pytestmark = pytest.mark.app
PATIENCE = 300  # seconds for a step that is quick on a quiet machine
TEXT = "She sees a dog in the park."
LONG = " ".join(["The dog that she sees in the park", "and the person who is driving"] * 8).replace(" ", "  ") + " ."


@pytest.fixture(scope="module")
def address(pipeline: Path) -> Iterator[str]:
    """Where the command serves the page, on a free port, until the tests are over."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "spacy", "lal", "app", str(pipeline), "--headless", "--port", str(port)]
    with subprocess.Popen(command) as server:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                urlopen(f"http://localhost:{port}/_stcore/health", timeout=PATIENCE).close()
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < deadline
                time.sleep(0.5)
        yield f"http://localhost:{port}"
        server.terminate()
        assert server.wait(PATIENCE) == 0
    with socket.socket() as gone:
        assert gone.connect_ex(("localhost", port)) != 0  # the server went with the command


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        # Who is root in a container can't have the sandbox.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any, address: str) -> Iterator[Callable]:
    """Opens the page; at the end, nothing has run, spoken up, or been fetched from elsewhere."""
    said: List[str] = []
    contexts: List[Any] = []

    def open_page(text: str, scheme: str = "light") -> Any:
        context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 1400})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.extend([request.url] * ("//localhost" not in request.url)))
        page.goto(address)
        page.get_by_role("heading", name="Label Attention Layer parser").wait_for()
        page.get_by_label("Text", exact=True).fill(text)
        page.get_by_role("button", name="Parse").click()
        first_word = re.match(r"\w+", text).group()  # type: ignore[union-attr]
        page.locator("svg.lal-tree text").filter(has_text=first_word).first.wait_for()
        rest(page)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("typeof window.pwned") == "undefined"
        context.close()
    # A data: or blob: address is the page's own.
    assert not [one for one in said if not one.startswith(("data:", "blob:"))]


def rest(page: Any) -> None:
    """Wait until Streamlit has no more to do."""
    page.wait_for_timeout(300)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def margin(page: Any) -> Any:
    return page.get_by_test_id("stMetric").filter(has_text="Margin").get_by_test_id("stMetricValue")


def shown(value: Any) -> Any:
    from playwright.sync_api import expect

    return expect(value)


@pytest.fixture
def explained(nlp: Any) -> ExplainedSentence:
    return Explainer(nlp).explain(TEXT)[0]


def test_click_at_constituents(visit: Callable, explained: ExplainedSentence):
    expected = [number(explained.report(one.start, one.end).margin) for one in explained.constituents]
    assert len(set(expected)) > 1
    page = visit(TEXT)
    for one, value in zip(explained.constituents, expected, strict=True):
        node = page.locator(f'[role=button][data-start="{one.start}"][data-end="{one.end}"]').first
        node.click()
        shown(margin(page)).to_have_text(value, timeout=PATIENCE * 1000)
        assert page.locator(".lal-chosen").first.text_content() == one.label.split("::")[0]
    node.focus()
    page.keyboard.press("Shift+Tab")  # to the constituent before it
    page.keyboard.press("Enter")
    before = explained.constituents[-2]
    shown(page.locator(".lal-chosen").first).to_have_attribute("data-start", str(before.start))
    shown(margin(page)).to_have_text(expected[-2], timeout=PATIENCE * 1000)


def test_choose_from_the_lists(visit: Callable, explained: ExplainedSentence):
    page = visit(TEXT)
    last = explained.constituents[-1]
    page.get_by_label("Constituent (or click in the tree)").click()
    page.get_by_role("option").last.click()
    expected = number(explained.report(last.start, last.end).margin)
    shown(margin(page)).to_have_text(expected, timeout=PATIENCE * 1000)
    page.get_by_label("First word").click()
    page.get_by_role("option", name="1. She").click()
    rest(page)
    report = explained.report(0, last.end)
    shown(margin(page)).to_have_text(number(report.margin), timeout=PATIENCE * 1000)
    if report.alternatives:
        shown(page.get_by_role("table").filter(has_text="Best labels")).to_contain_text(
            number(report.alternatives[0].score)
        )


def test_the_address_leads_back(visit: Callable, explained: ExplainedSentence):
    page = visit(f"Go on! {TEXT}")
    page.get_by_label("Sentence", exact=True).click()
    page.get_by_role("option").last.click()
    rest(page)
    last = explained.constituents[-1]
    page.locator(f'[role=button][data-start="{last.start}"][data-end="{last.end}"]').first.click()
    page.wait_for_url(f"**words={last.start + 1}-{last.end}*")
    other = page.context.new_page()
    other.goto(page.url)
    shown(other.locator(".lal-chosen").first).to_have_attribute("data-start", str(last.start), timeout=PATIENCE * 1000)
    assert other.get_by_label("Text", exact=True).input_value() == f"Go on! {TEXT}"


def test_files_are_saved(visit: Callable, tmp_path: Path):
    page = visit(TEXT)
    found = {}
    for name, suffix in (("SVG", "svg"), ("brackets", "ptb"), ("CoNLL-U", "conllu"), ("JSON", "json")):
        with page.expect_download() as saving:
            page.get_by_role("button", name=f"Download {name}").click()
        assert saving.value.suggested_filename == f"parse.{suffix}"
        saving.value.save_as(tmp_path / suffix)
        found[suffix] = (tmp_path / suffix).read_text(encoding="utf8")
    assert all("park" in content for content in found.values())
    assert found["svg"].startswith("<svg") and found["ptb"].startswith("(") and found["conllu"].startswith("# ")


def test_every_picture(visit: Callable):
    page = visit(TEXT)
    arcs = page.locator("svg.lal-arcs")
    assert arcs.get_by_text("park", exact=True).is_visible()
    assert arcs.locator("path").first.bounding_box()["width"] > 50
    for name, part in [("Constituents", ".lal-scroll span[dir]"), ("Label attention", "td"), ("Contributions", "td")]:
        page.get_by_test_id("stRadio").get_by_text(name, exact=True).click()
        rest(page)
        assert page.get_by_test_id("stHtml").last.locator(part).first.is_visible()
    for name in ("Brackets", "CoNLL-U"):
        page.get_by_test_id("stRadio").get_by_text(name, exact=True).click()
        rest(page)
        assert "park" in page.get_by_test_id("stCode").text_content()


def test_hostile_text_is_text(visit: Callable):
    page = visit(HOSTILE)
    for name in ("Arcs", "Constituents", "Label attention", "Contributions", "Brackets", "CoNLL-U"):
        page.get_by_test_id("stRadio").get_by_text(name, exact=True).click()
        rest(page)
        for tag in ("img[src=x]", "iframe", "[onload]", "[onerror]", "a[href*=evil]", "img[src*=evil]", ".katex"):
            assert page.locator(tag).count() == 0, (name, tag)
        assert page.evaluate("getComputedStyle(document.body).display") == "block"  # no style of the text's
    assert "<script>window.pwned=1</script>" in page.get_by_test_id("stCode").text_content()


def test_long_sentences_scroll_by_themselves(visit: Callable):
    page = visit(LONG)
    assert len(LONG.split()) > 100
    width = "document.querySelector('[data-testid=stMain]').scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) <= 0
    box = page.locator(".lal-scroll").first
    box.evaluate("box => { box.scrollLeft = 400 }")
    page.locator("[role=button][data-start]").last.click()  # far on the right
    shown(page.locator(".lal-chosen").first).to_be_attached()
    rest(page)
    assert box.evaluate("box => box.scrollLeft") > 0  # still where the reader was


@pytest.mark.parametrize("scheme, canvas", [("light", LIGHT), ("dark", DARK)])
def test_light_and_dark(visit: Callable, scheme: str, canvas: str):
    page = visit("She sees a <b>dog</b> and \u05e9\u05dc\u05d5\u05dd.", scheme)
    background = page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    red, green, blue = (int(canvas[i : i + 2], 16) for i in (1, 3, 5))
    assert background == f"rgb({red}, {green}, {blue})"
    ink = page.locator("svg.lal-tree text:not([font-weight])").first.evaluate("text => getComputedStyle(text).fill")
    brightness = [int(one) for one in ink.strip("rgb()").split(", ")]
    assert (min(brightness) > 200) if scheme == "dark" else (max(brightness) < 80)

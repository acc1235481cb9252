"""The screenshots of docs: `python docs/pictures/shoot.py`. Needs en_lal_md, Playwright
and Chromium, Pillow, and the app at ADDRESS (`lal app --port 8600
--headless`)."""

import io
import shutil
from pathlib import Path
from typing import Any

import spacy
from PIL import Image
from playwright.sync_api import sync_playwright

from spacy_lal.cli.explain import explain_page
from spacy_lal.pictures import render

FOLDER = Path(__file__).parent
ADDRESS = "http://localhost:8600"
APP = "After the storm had passed, she gave the children the book that they wanted."
NODE = "[role=button][data-start='0'][data-end='5']"  # After the storm had passed
PAGE = "She gave him the book that he wanted."
TABLE = "She gave him the book that he had bought. The window was broken by the storm."
HEIGHT = 400  # pixels; pictures are as high as what they show
MOST_NARROW = 860  # pixels; the app on a narrow screen shows what fits into one
NARROW = 420
PATIENCE = 240_000  # milliseconds


def main() -> None:
    nlp = spacy.load("en_lal_md")
    page = explain_page(nlp, [nlp(PAGE)])
    table = render(nlp(TABLE), style="roles", jupyter=False)
    with sync_playwright() as playwright:
        # Who is root in a container can't have the sandbox.
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            for width, app_width, page_width in (
                ("wide", 1280, 1100),
                ("narrow", NARROW, NARROW),
            ):
                name = f"{scheme}_{width}.png"
                shoot_app(visit(browser, scheme, app_width), FOLDER / f"app_{name}")
                shoot_page(
                    visit(browser, scheme, page_width), page, FOLDER / f"page_{name}"
                )
        body = f'<body style="margin: 18px; font-family: sans-serif">{table}</body>'
        shoot_page(
            visit(browser, "light", 600), body, FOLDER.parent / "how_to" / "roles.png"
        )
        browser.close()


def visit(browser: Any, scheme: str, width: int) -> Any:
    page = browser.new_page(
        color_scheme=scheme, viewport={"width": width, "height": HEIGHT}
    )
    page.set_default_timeout(PATIENCE)
    return page


def shoot_app(page: Any, path: Path) -> None:
    """The app with a sentence and the card of a node, in a window as high as it where
    that is wide."""
    page.goto(ADDRESS)
    page.locator(
        "svg.lal-parse"
    ).first.wait_for()  # a text that is entered before may be lost
    rest(page)
    page.get_by_label("Text", exact=True).fill(APP)
    page.get_by_role("button", name="Parse").click()
    page.locator("svg.lal-parse text").filter(has_text="storm").first.wait_for()
    rest(page)
    page.locator(NODE).first.click()
    page.locator(".lal-facts").wait_for()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    rest(page)
    height = page.evaluate(
        "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
    )
    width = page.viewport_size["width"]
    if width == NARROW:
        height = min(height, MOST_NARROW)
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(1000)
    save(page.screenshot(), path)


def rest(page: Any) -> None:
    """Wait until Streamlit has no more to do."""
    page.wait_for_timeout(500)
    page.locator(
        '[data-testid="stApp"][data-test-script-state="notRunning"]'
    ).wait_for()


def shoot_page(page: Any, html: str, path: Path) -> None:
    """A page, unfolded."""
    page.set_content(html)
    page.evaluate(
        "document.querySelectorAll('section > details').forEach(one => { one.open = "
        "true })"
    )
    save(page.screenshot(full_page=True), path)


def save(screenshot: bytes, path: Path) -> None:
    """Write a picture with a palette: a third of the bytes."""
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    picture.quantize(128, kmeans=4, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()

"""The page is one file, sound as XML, and its strings are text."""

from xml.etree import ElementTree

import pytest

from spacy_lal.display.page import Picture, Section, html_page, page

NAME = "</title><script>'\"&"


def test_page():
    sections = [
        Section(NAME, [Picture(NAME, "<b>x</b>"), Picture("y", "", is_open=False)]),
        Section("two", []),
    ]
    html = page(NAME, sections, note=NAME, intro=NAME, lang='e"n', direction="rtl")
    assert html.startswith("<!DOCTYPE html>\n<html ")
    root = ElementTree.fromstring(html)
    assert (root.get("lang"), root.get("dir")) == ('e"n', "rtl")
    assert root.find("head/title").text == root.find("body/h1").text == root.find(".//h2").text == NAME
    assert root.find("body/p").text == NAME
    assert [details.get("open") for details in root.iter("details")] == ["", None]
    assert [summary.text for summary in root.iter("summary")] == [NAME, "y"]
    assert root.find(".//b").text == "x"
    assert len(list(root.iter("section"))) == 2


def test_nothing_comes_from_elsewhere_nor_runs():
    html = page("x", [])
    root = ElementTree.fromstring(html)
    policy = root.find("head/meta[@http-equiv]").get("content")
    assert "default-src 'none'" in policy
    assert "script" not in policy
    assert not list(root.iter("script")) and not list(root.iter("link"))
    for banned in ("http:", "https:", "url(", "@import"):
        assert banned not in html


def test_dark_light_and_print():
    style = ElementTree.fromstring(page("x", [])).find("head/style").text
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    dark, light = (html_page("x", "", theme=theme) for theme in ("dark", "light"))
    assert "prefers-color-scheme" not in dark + light
    assert "--lal-canvas: #16181d" in dark and "#16181d" not in light
    with pytest.raises(ValueError, match="expected a theme of auto, light, dark, got 'blue'"):
        html_page("x", "", theme="blue")

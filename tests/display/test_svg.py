"""SVG files that stand alone, and their conversion to PNG."""

import os
import sys
import types
from pathlib import Path
from xml.etree import ElementTree

import pytest

from spacy_lal.display.png import ConversionError, check_converter, svg_to_png
from spacy_lal.display.svg import Svg, stand_alone, text_width
from spacy_lal.display.tree import draw_tree
from spacy_lal.trees import parse_tree

SVG = "{http://www.w3.org/2000/svg}"


def picture(text: str) -> Svg:
    return draw_tree(parse_tree(text), title=text)


def test_pictures_lie_one_below_the_other():
    one, two = picture("(S (A a) (B b))"), picture("(NP (NN <b>))")
    file = stand_alone([one, two])
    root = ElementTree.fromstring(file)
    assert root.tag == f"{SVG}svg" and root.findtext(f"{SVG}title") == f"{one.title}; {two.title}"
    places = [group.get("transform") for group in root.findall(f"{SVG}g")]
    tops = [float(place[place.index(" ") : -1]) for place in places]
    assert tops[1] >= tops[0] + one.height
    assert float(root.get("height")) >= tops[1] + two.height
    assert float(root.get("width")) >= max(one.width, two.width)
    assert "<b>" not in file and not [n for n in root.iter() for name in n.attrib if "href" in name or name == "src"]


def test_themes():
    svgs = [picture("(NN a)")]
    auto, light, dark = (ElementTree.fromstring(stand_alone(svgs, theme)) for theme in ("auto", "light", "dark"))
    assert auto.get("color") == light.get("color") != dark.get("color")
    assert auto.find(f"{SVG}rect").get("fill") == "#ffffff" != dark.find(f"{SVG}rect").get("fill")
    assert dark.get("color") in auto.findtext(f"{SVG}style") and light.find(f"{SVG}style") is None
    with pytest.raises(ValueError, match="expected a theme of auto, light, dark, got 'black'"):
        stand_alone(svgs, "black")


def test_no_pictures():
    root = ElementTree.fromstring(stand_alone([]))
    assert float(root.get("width")) > 0 and root.find(f"{SVG}g") is None


def test_widths_are_no_less_than_those_of_fonts():
    # In Arial and DejaVu Sans Bold, the widest of the usual fonts, in em.
    for text, least in (("i", 0.34), ("W", 1.0), ("m", 0.95), ("WHADVP", 4.3), ("\u5317", 1.0), ("\U0001f389", 1.0)):
        assert text_width(text) >= least
    assert text_width("e\u0301") == text_width("e") and text_width("") == 0


def fake_program(folder: Path, script: str) -> None:
    path = folder / "rsvg-convert"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf8")
    path.chmod(0o755)


@pytest.fixture
def no_cairosvg(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin{os.pathsep}/usr/bin")


def test_cairosvg_comes_first(monkeypatch):
    module = types.ModuleType("cairosvg")
    module.svg2png = lambda bytestring, scale: b"PNG " + bytestring + str(scale).encode()
    monkeypatch.setitem(sys.modules, "cairosvg", module)
    assert svg_to_png("<svg/>", scale=3.0) == b"PNG <svg/>3.0"

    def fail(bytestring, scale):
        raise MemoryError("too large")

    module.svg2png = fail
    with pytest.raises(ConversionError, match="CairoSVG can't convert the drawing: MemoryError: too large"):
        svg_to_png("<svg/>")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_rsvg_convert(no_cairosvg, tmp_path):
    fake_program(tmp_path, 'printf "PNG %s " "$*"; cat')
    check_converter()
    assert svg_to_png("<svg>\u5317</svg>") == "PNG --format png --zoom 2.0 <svg>\u5317</svg>".encode()
    fake_program(tmp_path, "cat > /dev/null; echo 'no memory' >&2; exit 3")
    with pytest.raises(ConversionError, match="rsvg-convert can't convert the drawing: no memory"):
        svg_to_png("<svg/>")


def test_no_converter(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    for call in (check_converter, lambda: svg_to_png("<svg/>")):
        with pytest.raises(ImportError, match=r"pip install 'spacy-lal\[display\]'.*rsvg-convert"):
            call()

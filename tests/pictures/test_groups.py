"""`docs/pictures/groups.py`: dots and medians of groups of texts."""

import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

PROGRAM = Path(__file__).parents[2] / "docs" / "pictures" / "groups.py"
TABLE = "id,CN/C\na/1.txt,1.0\na/2.txt,3.0\nb<c/1.txt,2.0\nb<c/2.txt,\n"


@pytest.fixture
def groups():
    return runpy.run_path(str(PROGRAM))


def test_a_dot_is_a_text_and_a_line_a_median(groups, tmp_path):
    table = tmp_path / "table.csv"
    picture = tmp_path / "picture.svg"
    table.write_text(TABLE)
    groups["main"](str(table), "CN/C", str(picture))
    svg = ElementTree.fromstring(picture.read_text())
    dots = [float(one.get("cx")) for one in svg.findall(".//{*}circle")]
    lines = [one.get("d") for one in svg.findall(".//{*}path")]
    texts = [one.text for one in svg.findall(".//{*}text")]
    assert len(dots) == 3
    middle = (dots[0] + dots[1]) / 2
    assert dots[2] == pytest.approx(middle)
    assert [line.startswith(f"M{middle:.1f} ") for line in lines] == [True, True, False]
    assert texts == ["a", "b<c", "0", "0.5", "1", "1.5", "2", "2.5", "3", "CN/C"]


def test_the_table_has_no_such_column(groups, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(TABLE)
    with pytest.raises(KeyError, match="CN/T"):
        groups["main"](str(table), "CN/T", str(tmp_path / "picture.svg"))

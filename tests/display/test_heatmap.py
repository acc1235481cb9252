"""Heat maps: every number is there, the rows that matter come first, names are text."""

import re
from typing import Dict, List, Tuple
from xml.etree import ElementTree

import numpy as np
import pytest

from spacy_lal.display.heatmap import NEGATIVE, POSITIVE, heatmap


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(html)


def rows_of(html: str) -> List[Tuple[str, List[ElementTree.Element]]]:
    """Every row of numbers: its name and its cells."""
    found = []
    for body in parsed(html).iter("tbody"):
        for row in body.iter("tr"):
            found.append(("".join(row.find("th").itertext()), row.findall("td")))
    return found


def test_numbers_on_hover():
    html = heatmap([[0.25, 0.75], [0.001, 0.5]], ["NP", "VP"], ["a", "dog"], title="Attention")
    titles = [[cell.get("title") for cell in cells] for _, cells in rows_of(html)]
    assert titles == [["NP, a: 0.25", "NP, dog: 0.75"], [None, "VP, dog: 0.5"]]
    assert [[cell.text for cell in cells] for _, cells in rows_of(html)] == [[".25", ".75"], [None, ".50"]]
    assert "Attention" in "".join(parsed(html).find(".//p").itertext())
    assert [th.get("title") for th in parsed(html).find(".//thead").iter("th")] == ["a", "dog"]


def test_strongest_rows_first_and_the_rest_folded():
    values = np.eye(5) * [0.1, 0.5, 0.3, 0.2, 0.4]
    html = heatmap(values, list("abcde"), list("vwxyz"), n_shown=2, row_kind="label heads")
    assert [name for name, _ in rows_of(html)] == ["b", "e", "c", "d", "a"]
    (folded,) = parsed(html).iter("details")
    assert folded.get("open") is None
    assert folded.find("summary").text == "3 more label heads"
    assert len(list(folded.find(".//tbody"))) == 3


def test_sorted_by_what_is_given():
    html = heatmap([[9.0, 0.1], [0.0, 0.9]], ["a", "b"], ["<START>", "dog"], sort_by=[0.1, 0.9])
    assert [name for name, _ in rows_of(html)] == ["b", "a"]


def test_first_rows_outlines_and_a_note():
    html = heatmap(
        [[0.9], [-0.01], [0.5]], list("abc"), ["x"], first=[1, 2], outlined=[(1, 0)], note="<why>", n_shown=2
    )
    rows = rows_of(html)
    assert [name for name, _ in rows] == ["b", "c", "a"]
    assert (rows[0][1][0].get("class"), rows[0][1][0].text) == ("lal-outlined", "\u2212.01")
    assert parsed(html).findall("p")[1].text == "<why>"
    assert [cell.get("title") for _, cells in rows for cell in cells] == ["b, x: -0.01", "c, x: 0.5", None]


def test_nothing_folded_where_all_is_shown():
    assert not list(parsed(heatmap([[1.0]], ["a"], ["b"])).iter("details"))


def test_tints():
    html = heatmap([[-2.0, 0.0, 1.0]], ["a"], ["x", "y", "z"])
    assert [cell.get("class") for cell in rows_of(html)[0][1]] == ["n20", None, "p10"]
    rules = dict(re.findall(r"\.lal-heatmap \.(\w+){background-color:(#\w+)}", html))
    assert (rules["n20"], rules["p20"], rules["p10"]) == (f"{NEGATIVE}a6", f"{POSITIVE}a6", f"{POSITIVE}53")
    assert len(rules) == 40 and ".n1{" not in heatmap([[0.5]], ["a"], ["x"])
    assert [cell.text for cell in rows_of(html)[0][1]] == ["\u22122.0", None, "1.0"]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.85, 0.1], [".85", ".10"]),
        ([0.042, -0.0051], [".042", "\u2212.005"]),
        ([1.0, 0.25], ["1.00", ".25"]),
        ([120.0, 31.4], ["120", "31"]),
        ([3e-7, 1e-7], [".00000030", ".00000010"]),
    ],
)
def test_digits(values: List[float], shown: List[str]):
    cells = rows_of(heatmap([values], ["a"], ["x", "y"]))[0][1]
    assert [cell.text for cell in cells] == shown


def test_a_scale_of_ones_own():
    cells: Dict[float, ElementTree.Element] = {
        scale: rows_of(heatmap([[0.5]], ["a"], ["x"], scale=scale))[0][1][0] for scale in (0.25, 0.5, 1.0)
    }
    assert [cells[scale].get("class") for scale in (0.25, 0.5, 1.0)] == ["p20", "p20", "p10"]


def test_totals_stand_above_without_tint():
    html = heatmap([[0.1, 0.2]], ["NP"], ["x", "y"], totals=[("score", [20.0, -3.0])], n_shown=0)
    first, second = rows_of(html)
    assert (first[0], second[0]) == ("score", "NP")
    assert [(cell.text, cell.get("class")) for cell in first[1]] == [("20", None), ("\u22123", None)]
    assert second[1][1].get("class") == "p20"


@pytest.mark.parametrize("n_columns", [3, 40])
def test_hostile_names_are_text(n_columns: int):
    name = '<script>alert("1")</script>'
    html = heatmap([[0.5] * n_columns], [name], [name] * n_columns, title=name, row_kind=name, n_shown=0)
    root = parsed(html)
    assert not list(root.iter("script"))
    assert root.find(".//tbody//th").get("title") == name
    assert "".join(root.find(".//thead//th").itertext()) == name
    assert name in root.find(".//summary").text


def test_nothing_comes_from_elsewhere():
    html = heatmap([[0.5] * 30] * 30, [f"h{i}" for i in range(30)], [f"w{i}" for i in range(30)])
    for banned in ("http", "url(", "@import", "src=", "href="):
        assert banned not in html


def test_empty():
    assert rows_of(heatmap([], [], [])) == []
    assert rows_of(heatmap([[]], ["a"], [])) == [("a", [])]
    assert rows_of(heatmap([[0.0]], ["a"], ["x"]))[0][1][0].get("class") is None


@pytest.mark.parametrize(
    ("values", "rows", "columns", "options", "message"),
    [
        ([[1.0]], ["a", "b"], ["x"], {}, "a name for each of the 1 rows, got 2"),
        ([[1.0, 2.0]], ["a"], ["x"], {}, "row 'a': expected a number for each of the 1 columns, got 2"),
        ([[float("nan")]], ["a"], ["x"], {}, "finite"),
        ([[1.0]], ["a"], ["x"], {"sort_by": []}, "sort_by: expected a number for each of the 1 rows, got 0"),
        ([[1.0]], ["a"], ["x"], {"scale": 0.0}, "scale: expected a number above 0, got 0"),
        ([[1.0]], ["a"], ["x"], {"totals": [("sum", [1.0, 2.0])]}, "row 'sum': expected a number for each of the 1"),
    ],
)
def test_what_does_not_fit(values, rows, columns, options, message: str):
    with pytest.raises(ValueError, match=message):
        heatmap(values, rows, columns, **options)

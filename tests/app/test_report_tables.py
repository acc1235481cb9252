"""Numbers as a reader sees them, and tables of escaped text."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from spacy_lal.app.explained import Alternative, OuterArc
from spacy_lal.app.report_tables import alternatives_table, arcs_table, number, own_head_note, parts_table, share


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.234, "1.23"),
        (-0.5, "\u22120.50"),
        (0.0, "0.00"),
        (-0.001, "0.00"),
        (float("inf"), "\u221e"),
        (-float("inf"), "\u2212\u221e"),
        (float("nan"), "\u2013"),
        (None, "\u2013"),
    ],
)
def test_number(value, shown):
    assert number(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.0 %"),
        (1e-6, "< 0.1 %"),
        (0.123, "12.3 %"),
        (0.99999, "> 99.9 %"),
        (1.0, "100.0 %"),
        (None, "\u2013"),
        (float("nan"), "\u2013"),
    ],
)
def test_share(value, shown):
    assert share(value) == shown


def rows(table: str) -> list:
    body = ElementTree.fromstring(f"<div>{table}</div>").find("table/tbody")
    return [["".join(cell.itertext()) for cell in row] for row in body]


def test_alternatives():
    best = [Alternative("NP", 2.0, 0.5), Alternative("", 0.0, 0.25), Alternative("<H>", -1.0, float("nan"))]
    table = alternatives_table(best, "NP")
    assert rows(table) == [
        ["NP", "2.00", "50.0 %"],
        ["(no constituent)", "0.00", "25.0 %"],
        ["(no constituent: <H>)", "\u22121.00", "\u2013"],
    ]
    assert table.count('<tr class="lal-marked">') == 1


def test_parts_add_up(sentence):
    one = sentence.constituents[0]
    parts = sentence.report(one.start, one.end).parts
    for n_shown in (2, len(parts.heads)):
        table = parts_table(parts, n_shown)
        values = [float(value.replace("\u2212", "-")) for _, value in rows(table)]
        assert sum(values[:-1]) == pytest.approx(values[-1], abs=0.0005 * len(values) + 0.0002)
        assert ("other label heads" in table) is (n_shown == 2)
    assert f"What the score of {one.label} is made of" in table


def test_a_head_that_does_not_mean_its_label_is_named(sentence):
    one = sentence.constituents[0]
    parts = sentence.report(one.start, one.end).parts
    own = parts.names.index(parts.label)
    for value, told in ((-5.2, f"The label head {one.label} takes 5.200 from"), (0.5, ""), (-0.0001, "")):
        heads = parts.heads.copy()
        heads[own] = value
        note = own_head_note(replace(parts, heads=heads))
        assert note.startswith(told) and bool(note) is bool(told)
    assert own_head_note(replace(parts, label="?")) == ""


def test_hostile_words_stay_text():
    table = arcs_table([OuterArc("<script>alert(1)</script>", '"><b>', "<img src=x onerror=alert(1)>" * 99, None)])
    assert not re.search(r"<(script|img|b)[ >]", table)
    assert rows(table)[0][0].startswith("<script>")
    assert max(map(len, rows(table)[0])) < 30
    assert rows(arcs_table([OuterArc("a", "root", "", 1.0)])) == [["a", "root", "(root)", "1.00"]]

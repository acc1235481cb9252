"""The page's address: what is written is read again, and nonsense is ignored."""

import pytest

from spacy_lal.app.permalink import MAX_LINKED, MAX_TEXT, Link, read_link, write_link


@pytest.mark.parametrize(
    "link", [Link("Go on! <b>&", 0, None), Link("Go on!", 2, (0, 1)), Link("\u5317\u4eac", 0, (3, 9))]
)
def test_round_trip(link):
    query = {"embed": "true", "sentence": "7", "words": "1-1"}
    write_link(query, *link)
    assert read_link(query) == link and query["embed"] == "true"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, Link("", 0, None)),
        ({"sentence": "-1", "words": "3"}, Link("", 0, None)),
        ({"sentence": "0", "words": "a-b"}, Link("", 0, None)),
        ({"sentence": "\u0663", "words": "\u0661-\u0662"}, Link("", 0, None)),
        ({"sentence": "9" * 5000, "words": "1-" + "9" * 5000}, Link("", 0, None)),
        ({"text": "x" * 9999}, Link("x" * MAX_TEXT, 0, None)),
    ],
)
def test_anything_may_come(query, expected):
    assert read_link(query) == expected


def test_long_texts_are_not_linked():
    query = {"text": "old", "sentence": "2", "words": "1-2"}
    write_link(query, "x" * (MAX_LINKED + 1), 1, (0, 1))
    assert query == {}

"""Triples in the text's own words, and what is said to be so."""

import pytest


def triples(doc):
    return [(str(one), one.factuality) for one in doc._.triples]


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "He is a man who hates cats.",
            [("(He; is; a man)", "asserted"), ("(a man; hates; cats)", "asserted")],
        ),
        (
            "Anna, not Tom, stole it.",
            [("(Anna; stole; it)", "asserted"), ("(Tom; not stole; it)", "negated")],
        ),
        ("He failed to pay the bill.", [("(He; failed to pay; the bill)", "negated")]),
        (
            "The company was founded by Ada in 1990.",
            [("(The company; was founded by; Ada)", "asserted")],
        ),
        (
            "He served as the first Prime Minister of Australia.",
            [("(He; served as; the first Prime Minister of Australia)", "asserted")],
        ),
        (
            "She left without paying the bill.",
            [("(She; without paying; the bill)", "negated")],
        ),
    ],
)
def test_triples_keep_the_words_and_say_what_is_so(en_lal_md, text, expected):
    assert triples(en_lal_md(text)) == expected


def test_who_did_nothing_is_denied(en_lal_md):
    found = en_lal_md("Neither Anna nor Tom stole it.")._.triples
    assert [one.subject for one in found] == ["Anna", "Tom"]
    assert all(one.negated for one in found)


def test_confidence_is_a_probability(en_lal_md):
    found = en_lal_md("The company was founded by Ada in 1990.")._.triples
    assert [one.arguments for one in found] == [("in 1990",)]
    assert all(0 < one.confidence < 1 for one in found)

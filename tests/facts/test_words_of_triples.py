"""Whole phrases, times, and the noun of "What I love is ..."."""

import pytest

TRIPLES = {
    "We enjoyed yesterday's workshop.": ["(We; enjoyed; yesterday 's workshop)"],
    "Last week's storm destroyed the pier.": [
        "(Last week 's storm; destroyed; the pier)"
    ],
    "The team lost Saturday's game.": ["(The team; lost; Saturday 's game)"],
    "The city's mayor signed it.": [
        "(The city; has; mayor)",
        "(The city 's mayor; signed; it)",
    ],
    "She was the first woman who flew across the Atlantic.": [
        "(She; was; the first woman who flew across the Atlantic)",
        "(the first woman; flew across; the Atlantic)",
    ],
    "This is the worst laptop I have ever owned.": [
        "(This; is; the worst laptop I have ever owned)",
        "(I; have ever owned; the worst laptop)",
    ],
    "The first woman who flew across the Atlantic was Amelia.": [
        "(The first woman; flew across; the Atlantic)",
        "(The first woman who flew across the Atlantic; was; Amelia)",
    ],
    "He was the first man to walk on the moon.": [
        "(He; was; the first man to walk on the moon)",
        "(the first man; walk on; the moon)",
    ],
    "Anyone who breaks the rules pays a fine.": [
        "(Anyone; breaks; the rules)",
        "(Anyone who breaks the rules; pays; a fine)",
    ],
    "The house he lives in has a garden.": [
        "(he; lives in; The house)",
        "(The house; has; a garden)",
    ],
    "They read the book you asked for.": [
        "(They; read; the book)",
        "(you; asked for; the book)",
    ],
    "What I love is the small garden.": [
        "(I; love; the small garden)",
        "(What I love; is; the small garden)",
    ],
    "What surprised me was the price.": [
        "(the price; surprised; me)",
        "(What surprised me; was; the price)",
    ],
    "All he wanted was a quiet life.": [
        "(he; wanted; a quiet life)",
        "(All he wanted; was; a quiet life)",
    ],
    "What the judge said was wrong.": [
        "(the judge; said; What)",
        "(What the judge said; was; wrong)",
    ],
    "The bridge collapsed in 1990.": ["(The bridge; collapsed in; 1990)"],
    "Anna slept.": [],
    "It is an old house, which has a garden.": [
        "(It; is; an old house)",
        "(an old house; has; a garden)",
    ],
}


@pytest.mark.parametrize("text", TRIPLES)
def test_words_of_triples(en_lal_md, text):
    assert [str(one) for one in en_lal_md(text)._.triples] == TRIPLES[text]

"""Whole phrases, times, and the noun of "What I love is ..."."""

import pytest
from spacy.tokens import Doc

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
        "(She; flew across; the Atlantic)",
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
        "(He; walk on; the moon)",
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
        "(It; has; a garden)",
    ],
}

TRIPLES |= {
    "They are to meet the queen in May.": [
        "(They; are to meet; the queen)",
        "(They; are to meet the queen in; May)",
    ],
    "Sue believes that Tom is to marry Ann.": [
        "(Sue; believes that; Tom is to marry Ann)",
        "(Tom; is to marry; Ann)",
    ],
    "His plan is to sell the car.": [
        "(His; has; plan)",
        "(His plan; is; to sell the car)",
    ],
    "The shop sells tea, salt and rice.": [
        "(The shop; sells; tea)",
        "(The shop; sells; salt)",
        "(The shop; sells; rice)",
    ],
    "In 1900 it was sold to Kim.": [
        "(it; was sold to; Kim)",
        "(it; was sold; In 1900)",
    ],
    "It was sold to Kim in 1900.": [
        "(It; was sold to; Kim)",
        "(It; was sold in; 1900)",
    ],
    "Kim won the race last year in Oslo.": [
        "(Kim; won; the race)",
        "(Kim; won the race; last year)",
        "(Kim; won the race in; Oslo)",
    ],
    "Bob is a musician who lived in Paris.": [
        "(Bob; is; a musician)",
        "(a musician; lived in; Paris)",
        "(Bob; lived in; Paris)",
    ],
    "Jason Smith (born 1969) is a singer.": ["(Jason Smith; is; a singer)"],
    "Lee et al. found a gene.": ["(Lee; found; a gene)"],
    'The film "Jaws" frightened him.': [
        "(The film; be; Jaws)",
        "(The film; frightened; him)",
    ],
    'He called it "a trap".': ["(He; called; it a trap)"],
    '"It is a trap."': ["(It; is; a trap)"],
    "At noon, the temperature was 30 degrees.": ["(the temperature; was; 30 degrees)"],
    "He was forced to try to sell the house.": [
        "(He; was forced to try to sell; the house)"
    ],
    "Plants wilt, lose their leaves, and die.": [
        "(Plants; lose; their leaves)",
        "(their; has; leaves)",
    ],
}


@pytest.mark.parametrize("text", TRIPLES)
def test_words_of_triples(parse, text):
    assert [str(one) for one in parse(text)._.triples] == TRIPLES[text]


def test_triples_of_a_doc_are_those_of_its_sentences(parse):
    docs = [
        parse("Tom sold the car or the boat."),
        parse("Kim said that Tom sold the car."),
    ]
    whole = Doc.from_docs([docs[1], docs[1], docs[0]])
    triples = [str(one) for doc in (docs[1], docs[1], docs[0]) for one in doc._.triples]
    assert [str(one) for one in whole._.triples] == triples


def test_an_argument_keeps_its_not(parse):
    (triple,) = parse("He drove home, not quickly.")._.triples
    assert triple.arguments == ("not quickly",)


EDGES = {
    "Her mother sold the car.": [("Her mother", "sell", "the car")],
    "He lives in Oslo, Norway.": [],
    "Where is Anna?": [],
    "Kim said that Tom sold the car.": [("Tom", "sell", "the car")],
}


@pytest.mark.parametrize("text", EDGES)
def test_edges_are_what_one_would_keep(parse, text):
    edges = [
        (one.subject.text, one.label, one.object.text)
        for one in parse(text)._.relations
        if one.is_edge
    ]
    assert edges == EDGES[text]

"""Triples in the text's own words, and what is said to be so."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_lal.annotations import get_triples


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


DEFINITIONS = {
    "Python is a language used by scientists.": "(scientists; used; a language)",
    "It was the driver who caused the crash.": "(the driver; caused; the crash)",
    "Those are problems we cannot solve.": "(we; solve; problems)",
    "Ann and her old uncle are kind people that didn't harm my son.": (
        "(kind people; harm; my son)"
    ),
    "They are students working in a lab.": "(students; working; -)",
    "She was the first woman to win the prize.": "(the first woman; win; the prize)",
}


@pytest.mark.parametrize("text", DEFINITIONS)
def test_the_noun_of_a_definition_is_the_subject_or_object(en_lal_md, text):
    assert DEFINITIONS[text] in map(str, en_lal_md(text)._.relations)


FACTUALITY = {
    ("She bought apples but not pears.", "pears"): "negated",
    ("The bank, not the customer, paid the fee.", "the customer"): "negated",
    ("Anna rather than Tom paid the bill.", "Tom"): "negated",
    ("He watched TV instead of helping his mother.", "helping"): "negated",
    ("The plant closes unless the state pays the debt.", "pays"): "hypothetical",
    ("It is unlikely that the bank paid the fine.", "paid"): "hypothetical",
    ("If he had paid the bill, the bank would have gone.", "paid"): "hypothetical",
    ("Had he paid the bill, the bank would have gone.", "paid"): "hypothetical",
    ("He denied that he had paid the bill.", "paid"): "negated",
    ("She refused to sign the contract.", "sign"): "negated",
    ("Did the bank pay the fine?", "pay"): "hypothetical",
    ("I wish he had paid the bill.", "paid"): "hypothetical",
    ("Kim said that he had paid the bill.", "paid"): "reported",
    ("He didn't fail to pay the bill.", "pay"): "asserted",
    ("No customer paid the bill.", "paid"): "negated",
}


@pytest.mark.parametrize("text, word", FACTUALITY)
def test_factuality(en_lal_md, text, word):
    found = {
        one.factuality
        for one in en_lal_md(text)._.relations
        if word in map(str, (one.subject, one.predicate, one.object))
        and one.kind == "verb"
    }
    assert found == {FACTUALITY[text, word]}


def test_correlatives_and_goals(en_lal_md):
    both = en_lal_md("Both Anna and Tom signed the form.")._.relations
    assert [str(one.subject) for one in both] == ["Anna", "Tom"]
    (ran,) = en_lal_md("She ran to the bus.")._.relations
    assert ran.object is None
    assert str(en_lal_md("Both parents signed it.")._.relations[0].subject) == (
        "Both parents"
    )


def test_nested(en_lal_md):
    doc = en_lal_md("He became a founding justice of the High Court.")
    assert [str(one) for one in get_triples(doc, nested=True)] == [
        "(He; became; a founding justice of the High Court)",
        "(He; became a founding justice of; the High Court)",
    ]
    doc = en_lal_md("It deals with cases of fraud in relation to direct taxes.")
    assert "(It; deals with cases of fraud in relation to; direct taxes)" in [
        str(one) for one in get_triples(doc, nested=True)
    ]


def test_a_language_without_words_for_facts_says_so():
    words = ["Il", "dort"]
    vocab = spacy.blank("fr").vocab
    doc = Doc(vocab, words, heads=[1, 1], deps=["nsubj", "ROOT"])
    with pytest.raises(ValueError, match="read in en, not in 'fr'"):
        get_triples(doc)

"""Lemmas of 200 frequent verbs and 200 frequent nouns in several forms each, from the
tables of French and Icelandic alone."""

from pathlib import Path
from typing import Iterator, Tuple

import pytest

from spacy_lal.lang import LANGUAGES

LISTS = Path(__file__).parent.parent / "data" / "lemmas"
ALLOWED = 0.04  # several words have the same form


def pairs(path: Path) -> Iterator[Tuple[str, str]]:
    """Forms with their lemma, which begins each line of the list."""
    for line in path.read_text(encoding="utf8").splitlines():
        lemma, *forms = line.split()
        yield from ((form, lemma) for form in forms)


@pytest.mark.parametrize("pos", ["VERB", "NOUN"])
@pytest.mark.parametrize("lang", ["fr", "is"])
def test_lemmas_of_frequent_words(lang: str, pos: str) -> None:
    lemma_of = LANGUAGES[lang].lemmas
    assert lemma_of is not None
    found = [
        (form, lemma, lemma_of(form, "", pos, "?"))
        for form, lemma in pairs(LISTS / f"{lang}_{pos}.txt")
    ]
    wrong = [f"{form}: {answer}" for form, lemma, answer in found if answer != lemma]
    assert len(found) > 200
    assert len(wrong) <= ALLOWED * len(found), wrong


@pytest.mark.parametrize(
    ("lang", "word", "pos", "answer", "lemma"),
    [
        ("fr", "boit", "VERB", "boir", "boire"),
        ("fr", "Viendra", "VERB", "viendra", "venir"),
        ("fr", "sœurs", "NOUN", "sœurs", "sœur"),
        ("fr", "passionnées", "ADJ", "passionnée", "passionné"),
        ("fr", "passionnées", "VERB", "passionnée", "passionner"),
        ("fr", "kg", "NOUN", "kg", "kg"),  # as in Sequoia
        ("fr", "Leur", "DET", "Leur", "son"),  # as in Sequoia
        ("fr", "-t-elle", "PRON", "t-elle", "lui"),  # as in Sequoia
        ("fr", "Paris", "PROPN", "Paris", "Paris"),
        ("is", "bókina", "NOUN", "bókina", "bók"),
        ("is", "svæfi", "VERB", "svæfi", "sofa"),
        ("is", "Andra", "PROPN", "Andra", "Andri"),
        ("is", "barnafjölskyldur", "NOUN", "barnafjölskyldur", "barnafjölskylda"),
        ("is", "Facebook-síðu", "NOUN", "Facebook-síðu", "Facebook-síða"),
        ("is", "betri", "ADJ", "betri", "góður"),
    ],
)
def test_lemmas(lang: str, word: str, pos: str, answer: str, lemma: str) -> None:
    lemma_of = LANGUAGES[lang].lemmas
    assert lemma_of is not None
    assert lemma_of(word, "", pos, answer) == lemma

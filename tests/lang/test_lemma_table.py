"""Lemmas from a file of forms."""

import gzip
from pathlib import Path

import pytest

from spacy_lal.lang.lemma_table import LemmaTable

LINES = "fils\tNOUN\tfils\tfil\nsuis\tAUX\têtre\nsuis\tVERB\tsuivre\n"


def write(path: Path, text: str) -> LemmaTable:
    path.write_bytes(gzip.compress(text.encode("utf8")))
    return LemmaTable(path)


@pytest.mark.parametrize(
    ("word", "pos", "answer", "lemma"),
    [
        ("suis", "AUX", "suir", "être"),
        ("Suis", "VERB", "suir", "suivre"),
        ("fils", "NOUN", "fill", "fils"),  # the likeliest
        ("fils", "NOUN", "fil", "fil"),  # an answer that the table has
        ("fils", "PROPN", "Fils", "Fils"),  # a form that it lacks
    ],
)
def test_lemmas_of_a_table(
    tmp_path: Path, word: str, pos: str, answer: str, lemma: str
) -> None:
    table = write(tmp_path / "lemmas.tsv.gz", LINES)
    assert table(word, "", pos, answer) == lemma


def test_a_line_without_lemma_is_refused(tmp_path: Path) -> None:
    table = write(tmp_path / "lemmas.tsv.gz", LINES + "va\tVERB\n")
    with pytest.raises(ValueError, match=r"line 4: expected a form, .*'va\\tVERB\\n'"):
        table("va", "", "VERB", "va")

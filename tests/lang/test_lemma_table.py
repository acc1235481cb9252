"""Lemmas from a file of forms."""

import gzip
from pathlib import Path

import pytest

from spacy_lal import lang
from spacy_lal.lang.lemma_table import LemmaTable

LINES = "fils\tNOUN\tfils fil\nsuis\tAUX\têtre\nsuis\tVERB\tsuivre\n"


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


@pytest.mark.parametrize(
    ("word", "pos", "lemma"),
    [
        ("Barnafjölskyldur", "NOUN", "barnafjölskylda"),
        ("Facebook-fjölskyldur", "NOUN", "Facebook-fjölskylda"),
        ("fjölskyldur", "NOUN", "fjölskylda"),
        ("afjölskyldur", "NOUN", "afjölskyldur"),  # too short a first part
        ("barnafjölskyldur", "VERB", "barnafjölskyldur"),
        ("stórreykjavíkur", "NOUN", "stórreykjavíkur"),  # a name
    ],
)
def test_a_compound_has_the_lemma_of_its_last_part(
    tmp_path: Path, word: str, pos: str, lemma: str
) -> None:
    lines = "fjölskyldur\tNOUN\tfjölskylda\nreykjavíkur\tNOUN\tReykjavík\n"
    path = write(tmp_path / "lemmas.tsv.gz", lines).path
    table = LemmaTable(path, compounds=frozenset({"NOUN"}))
    assert table(word, "", pos, word) == lemma


@pytest.mark.parametrize(
    ("word", "pos", "lemma"),
    [
        ("ketti", "VERB", "köttur"),  # the table knows no such verb
        ("ketti", "PROPN", "ketti"),
        ("leita", "ADJ", "leita"),  # of a noun or of a verb
        ("reykjavíkur", "NOUN", "reykjavíkur"),  # a name is in capitals
        ("Reykjavíkur", "NOUN", "Reykjavík"),
    ],
)
def test_a_form_that_the_tag_does_not_fit(
    tmp_path: Path, word: str, pos: str, lemma: str
) -> None:
    lines = "ketti\tNOUN\tköttur\nleita\tNOUN\tleit\nleita\tVERB\tleitað\n"
    path = write(tmp_path / "a.gz", f"{lines}reykjavíkur\tNOUN\tReykjavík\n").path
    mistaken = {"VERB": ("NOUN", "ADJ"), "ADJ": ("NOUN", "VERB")}
    assert LemmaTable(path, mistaken=mistaken)(word, "", pos, word) == lemma


@pytest.mark.parametrize("path", sorted(Path(lang.__file__).parent.glob("*/*.tsv.gz")))
def test_lines_have_three_columns_in_order(path: Path) -> None:
    lines = gzip.decompress(path.read_bytes()).split(b"\n")
    assert lines.pop() == b""
    assert {line.count(b"\t") for line in lines} == {2}
    assert lines == sorted(lines)

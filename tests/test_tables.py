"""`to_rows` and `to_frame`: tables of Docs."""

import pytest
from spacy.language import Language

from spacy_lal import to_frame, to_rows
from spacy_lal.annotations import set_units
from spacy_lal.tables import KINDS

TEXTS = ["Anna, not Tom, leads the firm. She left.", " ", "He sold it."]


@pytest.fixture(scope="module")
def docs(en_lal_md: Language):
    """With a unit a sentence."""
    docs = list(en_lal_md.pipe(TEXTS))
    for doc in docs:
        sentences = [sent for sent in doc.sents if not sent.text.isspace()]
        set_units(doc, [(sent.start, sent.end, 7) for sent in sentences])
    return docs


@pytest.mark.parametrize("kind", KINDS)
def test_rows_have_the_columns_of_their_kind(docs, kind):
    rows = list(to_rows(docs, kind, ["a", "b", "c"]))
    assert {tuple(row) for row in rows} == {KINDS[kind].columns}
    whole = KINDS[kind].is_of_docs
    assert {row["id"] for row in rows} == ({*"abc"} if whole else {*"ac"})
    assert {row["sentence"] for row in rows} == ({None} if whole else {1, 2})


def test_values(docs):
    relations = [
        (row["id"], row["sentence"], row["subject"], row["label"], row["factuality"])
        for row in to_rows(docs, "relations")
    ]
    assert (0, 1, "Tom", "not lead", "negated") in relations
    assert (2, 1, "He", "sell", "asserted") in relations
    roles = [(row["role"], row["argument"]) for row in to_rows(docs[2:], "roles")]
    assert roles == [("ARG0", "He"), ("ARG1", "it")]
    (parse,) = to_rows(docs[2:], "parse")
    assert parse["text"] == "He sold it." and parse["brackets"].startswith("(S (NP")
    (unit,) = to_rows(docs[2:], "units")
    assert unit["text"] == unit["unit"] == "He sold it." and unit["number"] == "7"
    words = [row["W"] for row in to_rows(docs, "sentences")]
    assert words == [6, 2, 3]
    assert [row["W"] for row in to_rows(docs, "complexity")] == [8, 0, 3]


def test_a_frame_has_its_columns_without_rows(docs):
    pandas = pytest.importorskip("pandas")
    frame = to_frame(docs, "parse")
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 3
    assert list(to_frame([], "roles").columns) == list(KINDS["roles"].columns)


def test_wrong_calls(docs):
    with pytest.raises(ValueError, match="expected a table of parse, roles, relations"):
        next(to_rows(docs, "tree"))
    with pytest.raises(ValueError, match="zip"):
        list(to_rows(docs, "parse", ["a"]))

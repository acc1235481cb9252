"""`search_trees`: patterns of tgrep over Docs, as Spans."""

import pickle

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

import spacy_lal
from spacy_lal.annotations import UnparsedDocError, set_sentence_starts
from spacy_lal.search import search_trees
from spacy_lal.trees.tgrep import Pattern
from spacy_lal.trees.tree_index import PatternError

WORDS = [
    "\n",
    "Select",
    "the",
    " ",
    "person",
    "driving",
    ".",
    "We",
    "saw",
    "her",
    "!",
    "\n",
]
TAGS = ["_SP", "VB", "DT", "_SP", "NN", "VBG", ".", "PRP", "VBD", "PRP", ".", "_SP"]
SPANS = [(1, 7, "S"), (1, 6, "VP"), (2, 6, "NP"), (2, 5, "NP"), (5, 6, "VP")]
SPANS += [(7, 11, "S"), (7, 8, "NP"), (8, 10, "VP"), (9, 10, "NP")]


@pytest.fixture
def doc():
    doc = Doc(English().vocab, words=WORDS, tags=TAGS)
    set_sentence_starts(doc, [0, 7])
    doc.spans["constituents"] = [Span(doc, *span) for span in SPANS]
    return doc


def found(docs, pattern):
    return [(span.start, span.end, span.label_) for span in search_trees(docs, pattern)]


def test_spans(doc):
    assert spacy_lal.search_trees is search_trees
    assert found(doc, "NP") == [(2, 6, "NP"), (2, 5, "NP"), (7, 8, "NP"), (9, 10, "NP")]
    assert found(doc, "NP < NP") == [(2, 6, "NP")]
    assert found(doc, "VP $. /[.]/") == [(1, 6, "VP"), (8, 10, "VP")]
    assert found(doc, "PRP < her") == [(9, 10, "PRP")] and found(doc, "her") == [
        (9, 10, "")
    ]
    assert found(doc, "QP") == []
    assert [span.text for span in search_trees(doc, "NP > S")] == ["We"]
    assert all(
        isinstance(span, Span) and span.doc is doc for span in search_trees(doc, "*")
    )


def test_unary_chains_are_nodes():
    doc = Doc(Vocab(), words=["Go"])
    doc.spans["constituents"] = [Span(doc, 0, 1, "S"), Span(doc, 0, 1, "VP")]
    assert found(doc, "*") == [(0, 1, "S"), (0, 1, "VP"), (0, 1, "X"), (0, 1, "")]
    assert found(doc, "S <: VP") == [(0, 1, "S")]


def test_docs_spans_and_lists(doc):
    first, second = doc.sents
    assert found(second, "NP") == [(7, 8, "NP"), (9, 10, "NP")]
    assert found(doc[2:6], "NP") == [(2, 6, "NP"), (2, 5, "NP")]
    assert found(doc[2:5], "NP > (NP > VP)") == [
        (2, 5, "NP")
    ]  # with the tree around it
    assert found([doc, second], "S") == [(1, 7, "S"), (7, 11, "S"), (7, 11, "S")]
    assert (
        found(iter([]), "S") == found(Doc(Vocab()), "S") == found(doc[3:3], "S") == []
    )
    assert found(doc, Pattern("S")) == found(doc, "S")


def test_stored_and_retokenized_docs(doc):
    expected = found(doc, "NP << driving")
    for copy in (
        next(DocBin(docs=[doc]).get_docs(doc.vocab)),
        pickle.loads(pickle.dumps(doc)),
        doc.copy(),
    ):
        assert found(copy, "NP << driving") == expected == [(2, 6, "NP")]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:5])
    assert found(doc, "NP") == [(2, 4, "NP"), (2, 3, "NP"), (5, 6, "NP"), (7, 8, "NP")]


def test_errors(doc):
    with pytest.raises(PatternError, match="at character 5"):
        search_trees(doc, "NP <")  # at once, not at the first match
    with pytest.raises(UnparsedDocError, match="the Doc has no constituents"):
        list(search_trees(Doc(Vocab(), words=["a"]), "NP"))
    unbounded = Doc(Vocab(), words=["a", "b"])
    unbounded.spans["constituents"] = []
    with pytest.raises(UnparsedDocError, match="no sentence boundaries"):
        list(search_trees(unbounded, "NP"))
    with pytest.raises(ValueError, match="expected a Doc or a Span, got str"):
        list(search_trees(["text"], "NP"))

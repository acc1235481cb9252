"""Parses on a Doc: written, read, saved, and asked for by benepar's names."""

import pickle

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span

from spacy_lal.annotations import (
    SPANS_KEY,
    SentenceParse,
    get_constituents,
    install_extensions,
    sentence_words,
    set_parses,
    set_sentence_starts,
)
from spacy_lal.annotations.parses import IncompleteHeadsWarning

install_extensions()
SELECT = SentenceParse(
    [(0, 4, "S::VP"), (1, 4, "NP"), (1, 3, "NP"), (3, 4, "VP")], [0, 3, 1, 3], ["root", "det", "obj", "acl"]
)
SELECT_TREE = "(S (VP (VB Select) (NP (NP (DT the) (NN person)) (VP (VBG driving)))))"


def make_doc(words, tags=None, starts=(0,)):
    doc = Doc(English().vocab, words=words, tags=tags)
    set_sentence_starts(doc, starts)
    return doc


@pytest.fixture
def doc():
    doc = make_doc(["Select", "the", "person", "driving"], ["VB", "DT", "NN", "VBG"])
    set_parses(doc, [SELECT])
    return doc


def test_heads_and_constituents_are_written_and_read_back(doc):
    assert [t.head.i for t in doc] == [0, 2, 0, 2]
    assert [t.dep_ for t in doc] == ["root", "det", "obj", "acl"]
    assert [(s.start, s.end, s.label_) for s in doc.spans[SPANS_KEY]] == [
        (0, 4, "S"),
        (0, 4, "VP"),
        (1, 4, "NP"),
        (1, 3, "NP"),
        (3, 4, "VP"),
    ]
    assert get_constituents(doc) == [SELECT.constituents]
    assert doc._.parse_string == SELECT_TREE


def test_benepars_names(doc):
    sent = next(doc.sents)
    assert sent._.parse_string == SELECT_TREE
    assert sent._.labels == ("S", "VP")
    assert [s.text for s in sent._.children] == ["Select", "the person driving"]
    assert [s.text for s in sent._.constituents] == [
        "Select the person driving",
        "Select",
        "the person driving",
        "the person",
        "the",
        "person",
        "driving",
    ]
    assert doc[1:3]._.parent.text == "the person driving"
    assert doc[1:3]._.parse_string == "(NP (DT the) (NN person))"
    assert sent._.parent is None
    assert doc[3]._.labels == ("VP",)
    assert doc[3]._.parse_string == "(VP (VBG driving))"
    assert doc[0]._.parse_string == "(VB Select)"
    assert doc[0]._.parent.text == sent.text
    assert sent._.tree.label() == "S"


def test_off_the_tree_there_is_nothing(doc):
    span = doc[0:2]
    assert span._.parse_string is None and span._.tree is None and span._.parent is None
    assert span._.labels == () and list(span._.constituents) == [] and list(span._.children) == []
    assert doc[0:0]._.parse_string is None
    unparsed = make_doc(["a", "b"])
    assert unparsed._.parse_string is None and unparsed[0]._.labels == () and unparsed[:]._.parse_string is None
    two = make_doc(["a", "b"], starts=[0, 1])
    set_parses(two, [SentenceParse([], [0], ["ROOT"])] * 2)
    assert two[0:2]._.parse_string is None
    assert two._.parse_string == "(X a)\n(X b)"


def test_whitespace_takes_no_part():
    doc = make_doc(["\n", "Select", "  ", "the", "person", "driving", " ", "\t"])
    set_parses(doc, [SELECT])
    assert sentence_words(doc) == [[1, 3, 4, 5]]
    assert [t.head.i for t in doc] == [1, 1, 1, 4, 1, 4, 5, 6]
    assert doc[2].dep_ == "dep" and len(list(doc.sents)) == 1
    assert doc._.parse_string == SELECT_TREE.replace("VB S", "X S").replace("DT", "X").replace("NN", "X").replace(
        "VBG", "X"
    )
    assert doc[0:8]._.labels == ("S", "VP") and doc[0]._.parse_string is None


def test_a_sentence_of_whitespace_keeps_its_place():
    doc = make_doc([" ", "\n", "Go", " "], starts=[0, 2])
    set_parses(doc, [SentenceParse([], [], []), SentenceParse([(0, 1, "S::VP")], [0], ["ROOT"])])
    assert [(s.start, s.end) for s in doc.sents] == [(0, 2), (2, 4)]
    assert [t.head.i for t in doc] == [0, 0, 2, 2]
    assert doc._.parse_string == "(S (VP (X Go)))"


def test_non_projective_arcs_leave_sentences_alone():
    doc = make_doc(list("abcdefgh"), starts=[0, 6])
    heads = [0, 4, 1, 1, 2, 3]
    set_parses(doc, [SentenceParse([(0, 6, "S")], heads, ["x"] * 6), SentenceParse([(0, 2, "S")], [2, 0], ["x"] * 2)])
    assert [(s.start, s.end) for s in doc.sents] == [(0, 6), (6, 8)]
    assert [t.head.i for t in doc][:6] == [0, 3, 0, 0, 1, 2]


def test_a_parse_survives_storage(doc):
    expected = ([t.head.i for t in doc], doc._.parse_string)
    copies = [
        Doc(doc.vocab).from_bytes(doc.to_bytes()),
        next(DocBin(docs=[doc], store_user_data=False).get_docs(doc.vocab)),
        pickle.loads(pickle.dumps(doc)),
        doc.copy(),
    ]
    for copy in copies:
        assert ([t.head.i for t in copy], copy._.parse_string) == expected


def test_no_overwriting_on_request(doc):
    set_parses(doc, [SentenceParse([(0, 4, "FRAG")], [2, 0, 2, 2], ["x"] * 4)], overwrite=False)
    assert doc._.parse_string == SELECT_TREE and doc[0].head.i == 0
    set_parses(doc, [SentenceParse([(0, 4, "FRAG")], [2, 0, 2, 2], ["x"] * 4)])
    assert doc[:]._.labels == ("FRAG",) and doc[0].head.i == 1


def test_heads_are_filled_in_where_a_sentence_has_none():
    parses = [SentenceParse([(0, 2, "S")], [2, 0], ["x", "ROOT"]) for _ in range(4)]
    doc = make_doc(["a", "b", "c", "d", "e", "f", "g", "h", "\n"], starts=[0, 2, 4, 6, 8])
    parses.append(SentenceParse([], [], []))
    doc[0].head, doc[0].dep_, doc[1].head, doc[1].dep_ = doc[0], "ROOT", doc[0], "given"
    doc[4].dep_ = "given"
    starts = [token.is_sent_start for token in doc]
    with pytest.warns(IncompleteHeadsWarning, match="lacks a head for token 5, 'f'") as caught:
        set_parses(doc, parses, overwrite=False)
    assert len(caught) == 1
    assert [token.dep_ for token in doc][:8] == ["ROOT", "given", "x", "ROOT", "given", "", "x", "ROOT"]
    assert [token.head.i for token in doc][:8] == [0, 0, 3, 3, 4, 5, 7, 7]
    assert [token.is_sent_start for token in doc] == starts
    assert len(doc.spans[SPANS_KEY]) == 4
    assert doc[8].dep_ == "ROOT"  # white space


def test_what_is_kept_keeps_its_method():
    doc = make_doc(list("abcd"), starts=[0, 2])
    trees_alone = SentenceParse([(0, 2, "OLD")], None, None, "split")
    joint = SentenceParse([(0, 2, "NEW")], [2, 0], ["x", "ROOT"], "joint")

    def methods():
        return [sentence._.parse_method for sentence in doc.sents]

    set_parses(doc, [trees_alone, trees_alone])
    assert methods() == ["split", "split"]
    doc[0].dep_ = doc[1].dep_ = "given"
    set_parses(doc, [joint, joint], overwrite=False)  # all of the first is kept, the tree of the second
    assert methods() == ["split", None] and doc[2].dep_ == "x"
    del doc.spans[SPANS_KEY]
    set_parses(doc, [joint, joint], overwrite=False)  # the heads of both are kept
    assert methods() == [None, None] and doc[:2]._.labels == ("NEW",)
    set_parses(doc, [joint, joint])
    assert methods() == ["joint", "joint"]


def test_as_many_tokens_as_before_but_others():
    doc = make_doc(["aa", "b", "c", "dd", "e", "f"])
    spans = [(0, 6, "S"), (1, 3, "NP"), (4, 6, "VP")]
    set_parses(doc, [SentenceParse(spans, [0, 1, 2, 3, 4, 5], ["ROOT", *["x"] * 5])])
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[0], ["a", "a"], heads=[(doc[0], 0), (doc[0], 0)])
        retokenizer.merge(doc[4:6])
    assert len(doc) == 6
    stored = Doc(doc.vocab).from_bytes(doc.to_bytes())
    both = Doc.from_docs([doc, doc])
    expected = ["aa b c dd e f", "b c", "e f"]
    for other in (doc.copy(), stored, doc):
        assert [span.text for span in other.spans[SPANS_KEY]] == expected
    assert [span.text for span in both.spans[SPANS_KEY]] == expected * 2


def test_a_parse_that_does_not_fit():
    doc = make_doc(["a", "b"])
    with pytest.raises(ValueError, match="one parse for each of the Doc's 1 sentences, got 2"):
        set_parses(doc, [SELECT, SELECT])
    with pytest.raises(ValueError, match="each of the 2 words"):
        set_parses(doc, [SentenceParse([], [0], ["x"])])


def test_no_sentence_boundaries_names_the_way_out():
    doc = Doc(English().vocab, words=["a", "b"])
    with pytest.raises(ValueError, match="sentencizer"):
        sentence_words(doc)
    assert sentence_words(Doc(English().vocab)) == []
    assert sentence_words(Doc(English().vocab, words=["a"])) == [[0]]


def test_an_extension_that_exists_is_left_alone():
    Span.set_extension("labels", default="mine", force=True)
    try:
        install_extensions()
        assert make_doc(["a"])[:]._.labels == "mine"
    finally:
        Span.remove_extension("labels")
        install_extensions()

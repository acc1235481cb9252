"""Parses after the tokens of a Doc, or its span group, have changed: right, or refused."""

import pickle
import subprocess
import sys
import warnings

import pytest
from spacy import displacy
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.tokens.underscore import Underscore

from spacy_lal.annotations import (
    SPANS_KEY,
    SentenceParse,
    constituent_tokens,
    get_constituents,
    install_extensions,
    set_parses,
    set_sentence_starts,
)
from spacy_lal.annotations.retokenized import as_doc, carry_over
from spacy_lal.annotations.span_groups import (
    IN_ORDER,
    LostConstituentsWarning,
    StaleParseError,
    is_in_order,
    is_untouched,
)
from spacy_lal.export import to_conllu
from spacy_lal.pictures import render
from spacy_lal.treebanks.copies import copy_tokens
from spacy_lal.trees import CrossingSpansError

install_extensions()
CITY = [(0, 7, "S"), (0, 1, "NP"), (1, 6, "VP"), (2, 6, "PP"), (3, 6, "NP"), (4, 6, "NX")]
SAW = [(0, 4, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "NP")]
CITY_TREE = "(S (NP (X He)) (VP (X lives) (PP (X in) (NP (X New York City)))) (X .))"
SAW_TREE = "(S (NP (X We)) (VP (X saw) (NP (X her))) (X .))"


@pytest.fixture
def doc():
    words = "He lives in New York City . We saw her .".split()
    doc = Doc(English().vocab, words=words, spaces=[word not in ("City", "her") for word in words])
    set_sentence_starts(doc, [0, 7])
    heads = [2, 0, 6, 6, 6, 2, 2]
    parses = [
        SentenceParse(CITY, heads, ["ROOT" if not head else "x" for head in heads], "joint"),
        SentenceParse(SAW, [2, 0, 2, 2], ["x", "ROOT", "x", "x"], "split"),
    ]
    set_parses(doc, parses)
    return doc


def merge(doc, *ranges):
    with doc.retokenize() as retokenizer:
        for start, end in ranges:
            retokenizer.merge(doc[start:end])
    return doc


def split(doc, i, *parts):
    """In two; the second depends on what the token depended on."""
    with doc.retokenize() as retokenizer:
        head = doc[i].head if doc[i].head.i != i else (doc[i], 1)
        retokenizer.split(doc[i], list(parts), heads=[(doc[i], 1), head])
    return doc


def test_merged_tokens(doc):
    merge(doc, (3, 6))
    first, second = doc.sents
    assert doc._.parse_string == f"{CITY_TREE}\n{SAW_TREE}"
    assert (first._.parse_string, second._.parse_string) == (CITY_TREE, SAW_TREE)
    assert (first._.parse_method, second._.parse_method) == ("joint", "split")
    assert doc[3]._.labels == ("NP",) and doc[3]._.parent.text == "in New York City"
    assert [span.text for span in second._.children] == ["We", "saw her", "."]
    assert second._.tree.leaves() == ["We", "saw", "her", "."]
    assert "(NNP" not in to_conllu(doc) and "New-U+0020-York-U+0020-City" in to_conllu(doc)
    assert "New York City" in render(doc, style="spans", jupyter=False)
    assert constituent_tokens(doc)[-4:] == [(5, 9, "S"), (5, 6, "NP"), (6, 8, "VP"), (7, 8, "NP")]
    copied = copy_tokens(doc, [3], with_arcs=False)
    assert [(span.start, span.end, span.label_) for span in copied.spans[SPANS_KEY]][-1] == (0, 1, "NP")


def test_a_split_token(doc):
    split(doc, 9, "h", "er")
    assert get_constituents(doc)[0] == CITY
    assert (2, 4, "NP") in get_constituents(doc)[1]


def test_as_many_merged_as_split(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[3:5])
        retokenizer.split(doc[9], ["h", "er"], heads=[(doc[9], 1), doc[8]])
    with pytest.warns(LostConstituentsWarning, match="left out.*merge_entities"):
        found = get_constituents(doc)
    assert found[0] == [(0, 6, "S"), (0, 1, "NP"), (1, 5, "VP"), (2, 5, "PP"), (3, 5, "NP")]
    assert found[1] == [(0, 5, "S"), (0, 1, "NP"), (1, 4, "VP"), (2, 4, "NP")]


def test_a_constituent_within_a_merged_token_is_none_and_no_loss(doc):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert merge(doc, (3, 6))._.parse_string.startswith(CITY_TREE)


def test_white_space_merged_with_a_word():
    doc = Doc(English().vocab, words=["Go", "\n", "on"], spaces=[False, False, False])
    set_sentence_starts(doc, [0])
    set_parses(doc, [SentenceParse([(0, 2, "S"), (0, 1, "VP")], [0, 1], ["ROOT", "x"])])
    assert merge(doc, (0, 2))._.parse_string == "(S (VP (X Go-U+000A-)) (X on))"


def test_a_span_of_the_former_tokens_is_refused(doc):
    second = list(doc.sents)[1]
    merge(doc, (3, 6))
    for read in (
        lambda: second._.parse_string,
        lambda: second._.labels,
        lambda: second._.parse_method,
        lambda: render(second, jupyter=False),
        lambda: as_doc(second),
    ):
        with pytest.raises(StaleParseError, match=r"were merged or split.*doc.char_span\(27, 38\)"):
            read()
    assert doc.char_span(27, 38)._.parse_string == SAW_TREE


def test_parts_and_sums_of_docs(doc):
    merge(doc, (3, 6))
    assert [as_doc(sent)._.parse_string for sent in doc.sents] == [CITY_TREE, SAW_TREE]
    assert doc[0:5].as_doc()._.parse_string is None  # spaCy leaves span groups out
    carry_over(doc)
    assert Doc.from_docs([doc, doc])._.parse_string == "\n".join([CITY_TREE, SAW_TREE] * 2)


def test_a_part_keeps_the_methods_of_its_sentences(doc):
    assert [as_doc(sent)[:]._.parse_method for sent in doc.sents] == ["joint", "split"]
    assert as_doc(doc[8:10])[:]._.parse_method == "split"
    both = as_doc(doc[1:11])
    assert (both[0:6]._.parse_method, both[6:10]._.parse_method) == ("joint", "split")


def test_carry_over(doc):
    doc = Doc(doc.vocab).from_bytes(doc.to_bytes())  # with groups of spaCy's own
    merge(doc, (3, 6))
    with pytest.raises(IndexError):  # spaCy's
        doc.to_bytes()
    carry_over(doc)
    assert is_in_order(doc.spans[SPANS_KEY])
    stored = next(DocBin(docs=[doc]).get_docs(doc.vocab))
    for one in (doc, stored, pickle.loads(pickle.dumps(doc)), doc.copy()):
        assert one._.parse_string == f"{CITY_TREE}\n{SAW_TREE}"
        assert [sent._.parse_method for sent in one.sents] == ["joint", "split"]
    unparsed = English()("a b")
    carry_over(unparsed)
    assert not unparsed.spans


@pytest.mark.parametrize("ranges", [[(3, 6)], [(2, 5), (7, 9)]])
def test_spacy_itself_reads_and_stores_merged_tokens(doc, ranges):
    merge(doc, *ranges)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostConstituentsWarning)
        expected, places = doc._.parse_string, constituent_tokens(doc)
        stored = next(DocBin(docs=[doc]).get_docs(doc.vocab))
        copies = [doc.copy(), stored, pickle.loads(pickle.dumps(doc)), doc.copy().copy()]
        for one in (doc, *copies):
            assert one._.parse_string == expected and constituent_tokens(one) == places
            assert [(span.start, span.end, span.label_) for span in one.spans[SPANS_KEY] if len(span)] == places
            assert is_untouched(one.spans[SPANS_KEY])
            assert displacy.render(one, style="dep", jupyter=False)
            options = {"spans_key": SPANS_KEY}
            assert "New York" in displacy.render(one, style="span", options=options, jupyter=False)
        assert [span["end"] for span in doc.to_json()["spans"][SPANS_KEY]][0] == 26
    del copies[0].spans[SPANS_KEY][1]
    assert not is_untouched(copies[0].spans[SPANS_KEY])


def test_docs_with_merged_tokens_put_together(doc):
    merge(doc, (2, 6))
    with pytest.raises(ValueError, match="E873"):  # "New York City" is a part of a token
        Doc.from_docs([doc, doc])
    carry_over(doc)
    assert Doc.from_docs([doc, doc])._.parse_string == "\n".join([doc._.parse_string] * 2)


def test_a_docbin_that_forgets_spaces():
    doc = split(Doc(English().vocab, words=["ab", "c"]), 0, "a", "b")
    set_sentence_starts(doc, [0])
    set_parses(doc, [SentenceParse([(0, 3, "S"), (1, 3, "NP")], [0, 1, 1], ["ROOT", "x", "x"])])
    stored = next(DocBin(docs=[doc]).get_docs(doc.vocab))
    assert stored.text != doc.text
    assert stored._.parse_string == stored[:]._.parse_string == "(S (X a) (NP (X b) (X c)))"
    merge(stored, (0, 2))
    with pytest.raises(StaleParseError, match="3 tokens in 4 characters.*2 tokens in 5 characters"):
        stored._.parse_string  # noqa: B018


def test_constituents_by_hand(doc):
    group = doc.spans[SPANS_KEY]
    group[1] = Span(doc, 8, 10, "X")  # elsewhere than a sentence of pre-order would look
    assert "(X (VP (X saw) (NP (X her))))" in list(doc.sents)[1]._.parse_string
    assert "(NP (X He))" not in list(doc.sents)[0]._.parse_string
    doc.spans[SPANS_KEY] = list(reversed(list(group)))
    assert doc._.parse_string.startswith("(S (X He) (VP (X lives)")
    doc.spans[SPANS_KEY] = SpanGroup(doc, spans=[Span(doc, 0, 3, "A"), Span(doc, 2, 4, "B"), Span(doc, 8, 8, "C")])
    for read in (lambda: doc._.parse_string, lambda: doc[0]._.labels, lambda: list(doc[0:7]._.constituents)):
        with pytest.raises(CrossingSpansError, match="constituents must nest, got two that cross"):
            read()
    assert doc[7:11]._.parse_string == "(TOP (X We) (X saw) (X her) (X .))"


def test_a_constituent_over_two_sentences_is_left_out_with_a_warning(doc):
    doc.spans[SPANS_KEY] = [Span(doc, 0, 9, "S"), Span(doc, 7, 9, "NP")]
    with pytest.warns(LostConstituentsWarning, match="beyond the end of a sentence"):
        assert doc[0:7]._.labels == ()
    # In order, as far as attributes tell: once written, sentences were split.
    doc.spans[SPANS_KEY].attrs[IN_ORDER] = 2
    with pytest.warns(LostConstituentsWarning):
        assert doc[0:7]._.labels == ()
    assert doc[7:9]._.labels == ("NP",)


def test_no_method_for_what_is_no_part_of_a_sentence(doc):
    merge(doc, (6, 8))
    assert doc[0:3]._.parse_method == "joint" and doc[7:9]._.parse_method == "split"
    assert doc[6:7]._.parse_method is None


def test_getters_can_be_sent_to_other_processes():
    state = pickle.loads(pickle.dumps(Underscore.get_state()))
    assert {"parse_string", "labels", "parent"} <= set(state[0])


READ = """
import sys
from spacy.lang.en import English
from spacy.tokens import DocBin
from spacy_lal.annotations import install_extensions
install_extensions()
print(*(doc._.parse_string for doc in DocBin().from_disk(sys.argv[1]).get_docs(English().vocab)))
"""


def test_a_docbin_in_a_fresh_process(doc, tmp_path):
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    command = [sys.executable, "-c", READ, str(tmp_path / "docs.spacy")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == doc._.parse_string

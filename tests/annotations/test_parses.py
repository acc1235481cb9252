"""Parses on a Doc: written, read, stored; and after tokens have changed: right, left
out with a warning, or refused."""

import pickle
import warnings

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span
from tiny_parses import parse_of

from spacy_lal.annotations import (
    METHODS_KEY,
    SPANS_KEY,
    LostAnnotationsWarning,
    StaleParseError,
    as_doc,
    carry_over,
    constituent_tokens,
    get_constituents,
    install_extensions,
    sentence_words,
    set_parses,
    set_sentence_starts,
)
from spacy_lal.trees import Constituent, SpanError

install_extensions()
SELECT = parse_of(
    [(0, 4, "S::VP"), (1, 4, "NP"), (1, 3, "NP"), (3, 4, "VP")],
    [0, 3, 1, 3],
    ["root", "det", "obj", "acl"],
)
SELECT_TREE = "(S (VP (X Select) (NP (NP (X the) (X person)) (VP (X driving)))))"
CITY = [
    (0, 7, "S"),
    (0, 1, "NP"),
    (1, 6, "VP"),
    (2, 6, "PP"),
    (3, 6, "NP"),
    (4, 6, "NX"),
]
SAW = [(0, 4, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "NP")]
CITY_TREE = "(S (NP (X He)) (VP (X lives) (PP (X in) (NP (X New_York_City)))) (X .))"
SAW_TREE = "(S (NP (X We)) (VP (X saw) (NP (X her))) (X .))"


def constituents(*triples):
    return [Constituent(*triple) for triple in triples]


def make_doc(words, starts=(0,), spaces=None):
    doc = Doc(English().vocab, words=words, spaces=spaces)
    set_sentence_starts(doc, starts)
    return doc


@pytest.fixture
def doc():
    words = "He lives in New York City . We saw her .".split()
    doc = make_doc(words, [0, 7], [word not in ("City", "her") for word in words])
    heads = [2, 0, 6, 6, 6, 2, 2]
    first = parse_of(
        CITY, heads, ["ROOT" if not head else "x" for head in heads], "joint"
    )
    set_parses(
        doc, [first, parse_of(SAW, [2, 0, 2, 2], ["x", "ROOT", "x", "x"], "split")]
    )
    return doc


def merge(doc, *ranges):
    with doc.retokenize() as retokenizer:
        for start, end in ranges:
            retokenizer.merge(doc[start:end])
    return doc


def round_trips(doc):
    yield doc
    yield doc.copy()
    yield Doc(doc.vocab).from_bytes(doc.to_bytes())
    yield pickle.loads(pickle.dumps(doc))
    yield next(DocBin(docs=[doc], store_user_data=False).get_docs(doc.vocab))


# Writing


def test_written_read_and_stored():
    doc = make_doc("Select the person driving".split())
    set_parses(doc, [SELECT])
    for one in round_trips(doc):
        assert [t.head.i for t in one] == [0, 2, 0, 2] and [t.dep_ for t in one] == [
            "root",
            "det",
            "obj",
            "acl",
        ]
        spans = [(s.start, s.end, s.label_) for s in one.spans[SPANS_KEY]]
        assert spans == [
            (0, 4, "S"),
            (0, 4, "VP"),
            (1, 4, "NP"),
            (1, 3, "NP"),
            (3, 4, "VP"),
        ]
        assert (
            get_constituents(one) == [SELECT.constituents]
            and one._.parse_string == SELECT_TREE
        )


def test_whitespace_takes_no_part():
    doc = make_doc(["\n", "Select", "  ", "the", "person", "driving", " ", "\t"])
    set_parses(doc, [SELECT])
    assert sentence_words(doc) == [[1, 3, 4, 5]]
    assert [t.head.i for t in doc] == [1, 1, 1, 4, 1, 4, 5, 6]
    assert doc[2].dep_ == "dep" and len(list(doc.sents)) == 1
    assert (
        doc._.parse_string == SELECT_TREE
        and doc[0:8]._.labels == ("S", "VP")
        and doc[0]._.parse_string is None
    )
    alone = make_doc([" ", "\n", "Go", " "], starts=[0, 2])
    set_parses(
        alone,
        [
            parse_of([], [], [], "joint"),
            parse_of([(0, 1, "S::VP")], [0], ["ROOT"]),
        ],
    )
    assert [(s.start, s.end) for s in alone.sents] == [(0, 2), (2, 4)] and [
        t.head.i for t in alone
    ] == [0, 0, 2, 2]
    assert alone._.parse_string == "(S (VP (X Go)))" and not alone.spans[METHODS_KEY]


def test_no_overwriting_on_request():
    doc = make_doc(list("abcd"), starts=[0, 2])
    trees_alone = parse_of([(0, 2, "OLD")], None, None, "split")
    joint = parse_of([(0, 2, "NEW")], [2, 0], ["x", "ROOT"], "joint")

    def state():
        return [
            (sent._.labels, sent[0].dep_, sent._.parse_method) for sent in doc.sents
        ]

    set_parses(doc, [trees_alone] * 2)
    assert state() == [(("OLD",), "", "split")] * 2
    set_parses(
        doc, [joint] * 2, overwrite=False
    )  # heads alone: tree and heads of two searches have no method
    assert state() == [(("OLD",), "x", None)] * 2
    set_parses(doc, [joint] * 2)
    set_parses(
        doc,
        [parse_of([(0, 2, "NEWER")], [0, 1], ["y", "y"], "split")] * 2,
        overwrite=False,
    )
    assert state() == [(("NEW",), "x", "joint")] * 2
    del doc.spans[SPANS_KEY]
    set_parses(
        doc,
        [parse_of([(0, 2, "NEWER")], [0, 1], ["y", "y"], "split")] * 2,
        overwrite=False,
    )
    assert state() == [(("NEWER",), "x", None)] * 2


def test_what_does_not_fit():
    doc = make_doc(["a", "b"])
    with pytest.raises(
        ValueError, match="one parse for each of the Doc's 1 sentences, got 2"
    ):
        set_parses(doc, [SELECT, SELECT])
    with pytest.raises(ValueError, match="is shorter"):
        set_parses(doc, [parse_of([], [0], ["x"])])
    with pytest.raises(ValueError, match="sentencizer"):
        sentence_words(Doc(English().vocab, words=["a", "b"]))
    assert sentence_words(Doc(English().vocab)) == [] and sentence_words(
        Doc(English().vocab, words=["a"])
    ) == [[0]]


# Other tokens


def test_merged_tokens(doc):
    stored = list(round_trips(doc))
    for one in stored:
        merge(one, (3, 6))
        with warnings.catch_warnings():
            warnings.simplefilter(
                "error"
            )  # a constituent within the merged token is none, and no loss
            assert one._.parse_string == f"{CITY_TREE}\n{SAW_TREE}"
        first, second = one.sents
        assert (first._.parse_string, second._.parse_string) == (CITY_TREE, SAW_TREE)
        assert (first._.parse_method, second._.parse_method) == ("joint", "split")
        assert one[3]._.labels == ("NP",) and one[3]._.parent.text == "in New York City"
        assert [span.text for span in second._.children] == ["We", "saw her", "."]
        assert constituent_tokens(one)[-4:] == constituents(
            (5, 9, "S"), (5, 6, "NP"), (6, 8, "VP"), (7, 8, "NP")
        )
        assert [as_doc(sent)._.parse_string for sent in one.sents] == [
            CITY_TREE,
            SAW_TREE,
        ]


def test_as_many_merged_as_split(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[3:5])
        retokenizer.split(doc[9], ["h", "er"], heads=[(doc[9], 1), doc[8]])
    assert len(doc) == 11
    with pytest.warns(
        LostAnnotationsWarning, match="left out.*merge_entities"
    ) as caught:
        found = get_constituents(doc)
    assert len(caught) == 1
    assert found[0] == constituents(
        (0, 6, "S"), (0, 1, "NP"), (1, 5, "VP"), (2, 5, "PP"), (3, 5, "NP")
    )
    assert found[1] == constituents(
        (0, 5, "S"), (0, 1, "NP"), (1, 4, "VP"), (2, 4, "NP")
    )


def test_a_span_of_the_former_tokens_is_refused(doc):
    second = list(doc.sents)[1]
    merge(doc, (3, 6))
    for read in (
        lambda: second._.parse_string,
        lambda: second._.parse_method,
        lambda: as_doc(second),
    ):
        with pytest.raises(
            StaleParseError, match=r"were merged or split.*doc.char_span\(27, 38\)"
        ):
            read()
    assert doc.char_span(27, 38)._.parse_string == SAW_TREE


def test_carry_over(doc):
    """What spaCy itself reads, it reads by former tokens."""
    merge(doc, (3, 6))
    with pytest.raises(IndexError, match="E035"):
        doc.to_bytes()
    carry_over(doc)
    for one in round_trips(doc):
        assert one._.parse_string == f"{CITY_TREE}\n{SAW_TREE}"
        assert [sent._.parse_method for sent in one.sents] == ["joint", "split"]
    assert Doc.from_docs([doc, doc])._.parse_string == "\n".join(
        [CITY_TREE, SAW_TREE] * 2
    )
    unparsed = English()("a b")
    carry_over(unparsed)
    assert not unparsed.spans


def test_parts_of_a_doc(doc):
    assert [as_doc(sent)[:]._.parse_method for sent in doc.sents] == ["joint", "split"]
    both = as_doc(doc[1:11])
    assert (both[0:6]._.parse_method, both[6:10]._.parse_method) == ("joint", "split")
    assert both[0:5]._.labels == ("VP",) and both._.trees[0].label() == "TOP"
    merge(doc, (6, 8))
    assert doc[6:7]._.parse_method is None


def test_a_docbin_that_forgets_spaces():
    doc = make_doc(["a", "b", "c"], spaces=[False, True, True])
    doc.has_unknown_spaces = True
    set_parses(
        doc, [parse_of([(0, 3, "S"), (1, 3, "NP")], [0, 1, 1], ["ROOT", "x", "x"])]
    )
    stored = next(DocBin(docs=[doc]).get_docs(doc.vocab))
    assert stored.text != doc.text
    assert (
        stored._.parse_string
        == stored[:]._.parse_string
        == "(S (X a) (NP (X b) (X c)))"
    )
    merge(stored, (0, 2))
    with pytest.raises(StaleParseError, match="3 tokens in 4 characters"):
        stored._.parse_string  # noqa: B018


def test_constituents_by_hand(doc):
    group = doc.spans[SPANS_KEY]
    group[1] = Span(doc, 0, 1, "X")
    group.append(Span(doc, 8, 9, "Y"))
    assert (
        "(S (X (X He)) (VP" in doc._.parse_string
        and doc[8]._.labels == ("Y",)
        and doc[0]._.labels == ("X",)
    )
    doc.spans[SPANS_KEY] = [
        Span(doc, *span) for span in reversed([(0, 7, "S"), (1, 6, "VP"), (7, 11, "Y")])
    ]
    assert doc._.parse_string.startswith("(S (X He) (VP (X lives)") and doc[
        7:11
    ]._.labels == ("Y",)
    doc.spans[SPANS_KEY] = [
        Span(doc, 0, 3, "A"),
        Span(doc, 2, 4, "B"),
        Span(doc, 8, 8, "C"),
    ]
    for read in (
        lambda: doc._.parse_string,
        lambda: doc[0]._.labels,
        lambda: list(doc[0:7]._.constituents),
    ):
        with pytest.raises(
            SpanError, match="constituents must nest, got two that cross"
        ):
            read()
    assert doc[7:11]._.parse_string == "(TOP (X We) (X saw) (X her) (X .))"
    doc.spans[SPANS_KEY] = [Span(doc, 0, 9, "S"), Span(doc, 7, 9, "NP")]
    with pytest.warns(LostAnnotationsWarning, match="beyond the end of a sentence"):
        assert doc[0:7]._.labels == ()
    assert doc[7:9]._.labels == ("NP",)

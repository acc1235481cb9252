"""Constraints on a Doc: what is stored, what survives, what is refused."""

import pickle
from typing import Any, Dict, List, Tuple

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_lal.annotations import (
    CONSTRAINTS_KEY,
    ContradictionError,
    HeadConstraint,
    SpanConstraint,
    StaleParseError,
    constrain,
    get_constraints,
)

NLP = spacy.blank("en")
WORDS = ["The", "old", "man", "\n", "the", "boats", ".", "Stop", "it", "!"]


def make_doc(sentences: bool = True, **kwargs: Any) -> Doc:
    starts = [i in (0, 7) for i in range(len(WORDS))] if sentences else None
    return Doc(NLP.vocab, words=WORDS, sent_starts=starts, **kwargs)  # type: ignore[arg-type]


def test_stored_and_read():
    doc = make_doc()
    constrain(
        doc,
        constituents=[doc[0:2], Span(doc, 4, 6, label="NP"), (0, 7, "S")],
        heads={doc[0]: doc[1], 2: 2},
        forbidden=[(1, 3), (7, 9, "VP")],
    )
    assert get_constraints(doc) == [
        SpanConstraint(0, 2),
        SpanConstraint(4, 6, "NP"),
        SpanConstraint(0, 7, "S"),
        SpanConstraint(1, 3, "", True),
        SpanConstraint(7, 9, "VP", True),
        HeadConstraint(0, 1),
        HeadConstraint(2, 2),
    ]
    constrain(doc, heads={8: 7})
    assert get_constraints(doc) == [HeadConstraint(8, 7)]
    constrain(doc)
    assert get_constraints(doc) == [] and CONSTRAINTS_KEY not in doc.spans


def test_survives():
    doc = make_doc()
    constrain(doc, constituents=[(4, 6, "NP")], heads={0: 1}, forbidden=[(0, 2)])
    expected = get_constraints(doc)
    assert get_constraints(doc.copy()) == expected
    assert get_constraints(pickle.loads(pickle.dumps(doc))) == expected
    assert get_constraints(Doc(NLP.vocab).from_bytes(doc.to_bytes())) == expected
    (stored,) = DocBin(docs=[doc]).get_docs(NLP.vocab)
    assert get_constraints(stored) == expected


def test_a_docbin_without_spaces():
    """It loses the spaces of a Doc that was made without them."""
    doc = Doc(NLP.vocab, words=["Stop", "it", "!"], spaces=[False] * 3)
    constrain(doc, constituents=[(1, 2, "NP")], heads={1: 0})
    (stored,) = DocBin(docs=[doc]).get_docs(NLP.vocab)
    assert get_constraints(stored) == get_constraints(doc)


def test_merged_tokens_outside_and_inside():
    doc = make_doc()
    constrain(doc, constituents=[(4, 7), (7, 9, "VP")], heads={8: 7})
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        retokenizer.merge(doc[4:6])
    assert get_constraints(doc) == [
        SpanConstraint(3, 5),
        SpanConstraint(5, 7, "VP"),
        HeadConstraint(6, 5),
    ]


@pytest.mark.parametrize(
    "constraints, named",
    [
        ({"constituents": [(5, 7)]}, "constraint on 'boats .'"),
        ({"forbidden": [(3, 5)]}, "constraint on"),
        ({"heads": {5: 4}}, "constraint on the head of 'boats'"),
        ({"heads": {6: 5}}, "constraint on the head of 'boats'"),
    ],
)
def test_merged_tokens_across_are_refused(constraints: Dict[str, Any], named: str):
    doc = make_doc()
    constrain(doc, **constraints)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[4:6])
    with pytest.raises(StaleParseError, match=f"{named}.* does not fit the tokens"):
        get_constraints(doc)


def test_split_tokens():
    doc = make_doc()
    constrain(doc, constituents=[(4, 6)])
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[5], ["bo", "ats"], heads=[doc[4], doc[4]])
    assert get_constraints(doc) == [SpanConstraint(4, 7)]
    doc = make_doc()
    constrain(doc, heads={5: 4})
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[5], ["bo", "ats"], heads=[doc[4], doc[4]])
    with pytest.raises(StaleParseError, match="head of 'boats' does not fit"):
        get_constraints(doc)


CONTRADICTIONS: List[Tuple[Dict[str, Any], str, int]] = [
    (
        {"constituents": [(0, 2), (1, 3, "NP"), (4, 6)]},
        "must not cross: doc.0:2. 'The old' is a constituent; .* NP",
        2,
    ),
    (
        {"constituents": [(0, 3, "S::NP")], "forbidden": [(0, 4)]},
        "both known and forbidden.*is no constituent",
        2,
    ),
    (
        {"constituents": [(0, 3, "S::NP")], "forbidden": [(0, 3, "NP")]},
        "both known and forbidden",
        2,
    ),
    (
        {"heads": {0: 1, 1: 2, 2: 0, 5: 4}},
        "a cycle: the head of doc.0. 'The' is doc.1. 'old'; .*'man' is doc.0.",
        3,
    ),
    (
        {"heads": {0: 0, 2: 2}},
        "a sentence has one root: doc.0. 'The' is a root; doc.2. 'man' is a root",
        2,
    ),
    (
        {"constituents": [(4, 9)]},
        "crosses a sentence boundary: doc.4:9. 'the boats . Stop it' is a constituent",
        1,
    ),
    (
        {"heads": {0: 8}},
        "the head is in another sentence: the head of doc.0. 'The' is doc.8. 'it'",
        1,
    ),
    ({"heads": {0: 1, 1: 0, 2: 8}}, "another sentence", 1),
]


@pytest.mark.parametrize("constraints, message, n", CONTRADICTIONS)
def test_contradictions(constraints: Dict[str, Any], message: str, n: int):
    doc = make_doc()
    constrain(doc, constituents=[(0, 7)])
    with pytest.raises(ContradictionError, match=message) as error:
        constrain(doc, **constraints)
    assert len(error.value.constraints) == n
    again = pickle.loads(pickle.dumps(error.value))  # as worker processes send it
    assert (
        str(again) == str(error.value) and again.constraints == error.value.constraints
    )
    assert get_constraints(doc) == [SpanConstraint(0, 7)]  # unchanged


def test_without_sentences_the_rest_is_checked():
    doc = make_doc(sentences=False)
    constrain(doc, constituents=[(4, 9)], heads={0: 8, 1: 1, 2: 2})
    with pytest.raises(ContradictionError, match="cycle"):
        constrain(doc, heads={0: 1, 1: 0})
    constrain(
        doc, constituents=[(0, 4), (0, 3), (3, 7)]
    )  # doc[3] is whitespace: they do not cross


@pytest.mark.parametrize(
    "constraints, message",
    [
        ({"constituents": [(3, 3)]}, "0 <= start < end <= 10 .* got .3, 3."),
        ({"constituents": [(3, 4)]}, "got .3, 4."),
        (
            {"constituents": ["NP"]},
            "expected a Span of this Doc, .start, end. or .* got 'NP'",
        ),
        ({"forbidden": [(0, 1, 2)]}, "expected a Span"),
        (
            {"heads": {0: 10}},
            "a head is a Token of this Doc or its index, 0 to 9, .* got 10",
        ),
        ({"heads": {True: 0}}, "got True"),
        ({"heads": {0: 3}}, "a head is .* no whitespace, got 3"),
        ({"constituents": [make_doc()[0:2]]}, "a Span of this Doc.*got The old"),
        ({"heads": {make_doc()[0]: 1}}, "a Token of this Doc.*got The"),
        ({"forbidden": "NP"}, "expected a Span of this Doc, .* got 'N'"),
    ],
)
def test_bad_arguments(constraints: Dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        constrain(make_doc(), **constraints)

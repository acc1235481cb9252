"""Marks of notes and citations: which tokens they are, and how they join a parse."""

from typing import List, Tuple

import pytest
import spacy
from spacy.tokens import Doc
from tiny_parses import parse_of

from spacy_lal.annotations import (
    constituents_within,
    constrain,
    note_tokens,
    read_words,
    sentence_words,
    set_constituents,
    with_notes,
    without_notes,
)
from spacy_lal.trees import Parse

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy-lal.WebTokenizer.v1"}}}
NLP = spacy.blank("en", config=CONFIG)


def notes(text: str) -> str:
    doc = NLP.make_doc(text)
    return " ".join(doc[i].text for i in note_tokens(doc))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("She died in 1950.[3] Her son lived on.", "[ 3 ]"),
        ("It was burnt.[note 2] It was rebuilt.", "[ note 2 ]"),
        ("It fell,[6] but rose again.", "[ 6 ]"),
        ("It rose.[1][2] Then", "[ 1 ] [ 2 ]"),
        ("He said so (ibid.).", "( ibid. )"),
        ("The king[a] died[Note 1] in[p. 12] bed[lower-alpha 3]", None),
        ("It is big.[citation needed] So", "[ citation needed ]"),
        ("Some critics [who?] left.", "[ who ? ]"),
        ("five medals.[4]:23 She", "[ 4 ] : 23"),
        ("sales,³ and costs.⁴,⁵ So", "³ ⁴,⁵"),
        ("All prices* include tax.** So", "* **"),
        ("The poet† died.‡ She", "† ‡"),
        ("boils.[1, 2] Ice melts.[3–5]", "[ 1 , 2 ] [ 3 – 5 ]"),
        ("as new.[3]–[5] It was.[1],[2] So[†]", "[ 3 ] – [ 5 ] [ 1 ] , [ 2 ] [ † ]"),
        ("We saw *this* and **that**.", ""),
        ("an area of 5 m² and 10² or x²", ""),
        ("2*3 and M*A*S*H and A* search", ""),
        ("It fell in 1950 [3] but rose [4, 5].", "[ 3 ] [ 4 , 5 ]"),
        ("in cells [2,3], they say [8-12]", "[ 2,3 ] [ 8 - 12 ]"),
        ("as found [17], [18], [21]–[24] before", "[ 17 ] , [ 18 ] , [ 21 ] – [ 24 ]"),
        ("[3] is a number, see [4] for it", ""),
        ("As in [3], the list [4] of [5] and [6]", ""),
        ("see [3], [4] or x, [3] a", "[ 3 ]"),
        ("x [3](a) and y [4]b and [1] a. [2] b.", ""),
        ("- [ ] buy milk\n- [x] done", ""),
        ("an [old] house", ""),
        ("* one\n* two", ""),
    ],
)
def test_tokens_of_marks(text: str, expected: str):
    if expected is None:
        expected = "[ a ] [ Note 1 ] [ p. 12 ] [ lower - alpha 3 ]"
    assert notes(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("in 1950.[3] Her son", "in 1950. Her son"),
        ("He left (ibid.). So", "He left. So"),
        ("Some critics [who?] left.", "Some critics left."),
        ("It rose.[1][2]", "It rose."),
    ],
)
def test_a_doc_without_its_marks(text: str, expected: str):
    seen = without_notes(NLP.make_doc(text))
    assert seen.doc.text == expected
    assert [seen.doc[i].text for i in range(len(seen.doc))] == [
        NLP.make_doc(text)[int(i)].text for i in seen.tokens
    ]


def test_a_doc_without_marks_is_itself():
    doc = NLP.make_doc("She died in 1950.")
    assert without_notes(doc).doc is doc


def test_no_sentence_begins_at_a_mark():
    doc = NLP.make_doc("She died in 1950.[3]\n\nHer son lived on.")
    assert [token.sent_start for token in doc][5:8] == [-1, -1, -1]
    assert [token.text for token in doc if token.sent_start == 1] == ["Her"]


def parsed(
    words: List[str], heads: List[int], spans: List[Tuple[int, int, str]]
) -> Tuple[Doc, Parse]:
    text = "".join(words).replace("_", " ")
    doc = NLP.make_doc(text)
    doc[0].is_sent_start = True
    for token in doc[1:]:
        token.is_sent_start = False
    deprels = ["dep"] * len(heads)
    deprels[-1] = "punct"
    (words_read,) = read_words(doc)
    return doc, parse_of(spans, heads, deprels, "joint", words_read)


def test_a_mark_after_a_stop_depends_on_the_head_of_the_stop():
    spans = [(0, 3, "S"), (1, 2, "VP")]
    doc, parse = parsed(["She_", "left", ".", "[3]"], [2, 0, 2], spans)
    assert read_words(doc) == [[0, 1, 2]]
    found = with_notes(doc, sentence_words(doc)[0], parse)
    assert found.heads == [2, 0, 2, 5, 2, 5]
    assert found.deprels == ["dep", "dep", "punct", "punct", "dep", "punct"]
    note = [(3, 6, "PRN"), (4, 5, "NP")]
    assert found.constituents == [(0, 6, "S"), (1, 2, "VP"), *note]


def test_a_mark_within_a_sentence_depends_on_the_word_before_it():
    spans = [(0, 4, "S"), (0, 2, "NP"), (2, 3, "VP")]
    doc, parse = parsed(["The_", "king", "*_", "died", "."], [2, 3, 0, 3], spans)
    found = with_notes(doc, sentence_words(doc)[0], parse)
    assert found.heads == [2, 4, 2, 0, 4]
    assert found.deprels[2] == "punct"
    assert found.constituents == [(0, 5, "S"), (0, 3, "NP"), (3, 4, "VP")]
    set_constituents(doc, [[0, 1, 2, 3, 4]], [found.constituents])
    assert constituents_within(doc, read_words(doc)) == [spans]


def test_a_mark_after_a_space_depends_on_the_predicate():
    doc = NLP.make_doc("It fell in 1950 [3].")
    for token in doc:
        token.is_sent_start = token.i == 0
    deprels = ["nsubj", "ROOT", "case", "obl", "punct"]
    parse = parse_of(None, [2, 0, 4, 2, 2], deprels, "joint", read_words(doc)[0])
    found = with_notes(doc, sentence_words(doc)[0], parse)
    assert found.heads == [2, 0, 4, 2, 6, 2, 6, 2]
    assert found.deprels[4:] == ["punct", "dep", "punct", "punct"]


def test_a_mark_after_a_space_is_outside_of_clauses_within():
    """It depends on the predicate of the sentence or of a conjunct of its clauses, and
    is in their verb phrase; before the predicate, in the phrase before it."""
    for text, heads, deprels, anchor in (
        (
            "I know that it fell [3].",
            [2, 0, 5, 5, 2, 2],
            ["nsubj", "ROOT", "mark", "nsubj", "ccomp", "punct"],
            "know",
        ),
        (
            "Kim came and saw us [3].",
            [2, 0, 4, 2, 4, 2],
            ["nsubj", "ROOT", "cc", "conj", "obj", "punct"],
            "saw",
        ),
        (
            "Men of action [3, 4] fell.",
            [4, 3, 1, 0, 4],
            ["nsubj", "case", "nmod", "ROOT", "punct"],
            "Men",
        ),
    ):
        doc = NLP.make_doc(text)
        for token in doc:
            token.is_sent_start = token.i == 0
        parse = parse_of([], heads, deprels, "joint", read_words(doc)[0])
        found = with_notes(doc, sentence_words(doc)[0], parse)
        number = next(token.i for token in doc if token.text == "3")
        assert doc[found.heads[number] - 1].text == anchor


def test_constituents_of_two_marks():
    doc, parse = parsed(["She_", "left", "[3]", "[4]", "."], [2, 0, 2], [(0, 3, "S")])
    found = with_notes(doc, sentence_words(doc)[0], parse)
    first, second = [(2, 5, "PRN"), (3, 4, "NP")], [(5, 8, "PRN"), (6, 7, "NP")]
    assert found.constituents == [(0, 9, "S"), *first, *second]


def test_further_numbers_of_a_mark_depend_on_the_first():
    doc, parse = parsed(["She_", "left", "[3,_5-7]", "."], [2, 0, 2], [])
    found = with_notes(doc, sentence_words(doc)[0], parse)
    assert [token.text for token in doc[2:8]] == ["[", "3", ",", "5", "-", "7"]
    assert found.heads[2:9] == [4, 2, 6, 4, 8, 4, 8]
    conjuncts = ["punct", "dep", "punct", "conj", "punct", "conj", "punct"]
    assert found.deprels[2:9] == conjuncts


def test_a_sentence_of_marks_is_read_as_it_is():
    doc = NLP.make_doc("So.[3]")
    for token in doc:
        token.is_sent_start = token.i in (0, 2)
    assert read_words(doc) == [[0, 1], [2, 3, 4]]


def test_marks_of_a_doc_with_constraints_are_words():
    doc = NLP.make_doc("She left.[3]")
    constrain(doc, constituents=[(0, 2)])
    assert note_tokens(doc) == []

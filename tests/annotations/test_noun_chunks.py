"""`doc.noun_chunks`: from constituents, or by spaCy's own rules; in order, never
nested, on any Doc."""

import pickle
from pathlib import Path
from typing import List, Sequence

import pytest
import spacy
from spacy.lang.en.syntax_iterators import noun_chunks as spacy_noun_chunks
from spacy.tokens import Doc, DocBin

from spacy_lal.annotations import (
    as_doc,
    install_noun_chunks,
    noun_chunks,
    set_constituents,
)
from spacy_lal.trees import Parse, parse_tree

# Trees, and their chunks in any of the parses.
TREES = [
    (
        "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) "
        "(NN mat)))) (. .))",
        ["The old cat", "the mat"],
    ),
    (
        "(NP (NP (DT the) (JJ old) (NN dog) (POS 's)) (NN food))",
        ["the old dog 's food"],
    ),
    (
        "(NP (NP (NP (DT the) (NN man)) (PP (IN in) (NP (DT the) (NN hat))) (POS 's)) "
        "(NN dog))",
        ["the man in the hat 's dog"],
    ),
    (
        "(NP (NP (DT the) (NN man)) (PP (IN in) (NP (DT the) (NN hat))))",
        ["the man", "the hat"],
    ),
    ("(NP (NP (DT the) (NNS cats)) (CC and) (NP (NNS dogs)))", ["the cats", "dogs"]),
    ("(NP (NN something) (ADJP (RB very) (JJ odd)))", ["something"]),
    ("(NP (DT the) (ADJP (RB very) (JJ old)) (NN man))", ["the very old man"]),
    ("(NP (NN page) (CD 5))", ["page 5"]),
    ("(NP (DT the) (NX (NX (NN cat)) (CC and) (NX (NN dog))))", ["the cat and dog"]),
    ("(S (NP (EX There)) (VP (VBZ is) (NP (DT a) (NN way))))", ["a way"]),
    ("(SBARQ (WHNP (WP Who)) (SQ (VP (VBZ is) (NP (PRP it)))) (. ?))", ["Who", "it"]),
    ("(S (NP (DT This)) (VP (VBZ is) (NP (PRP$ my) (NN dog))))", ["my dog"]),
    ("(NP (`` ``) (NNP Gold) ('' '') )", ["Gold"]),
    ("(S (VP (VB Go)))", []),
    ("(NP (NP (CD five)) (PP (IN of) (NP (PRP them))))", ["them"]),
    (
        "(NP (DT the) (NN man) (PP (IN in) (NP (DT the) (NN hat))))",
        ["the man", "the hat"],
    ),
]


def doc_of(tree: str, **annotations: Sequence) -> Doc:
    parse = Parse.from_tree(parse_tree(tree))
    words, tags, spans = parse.words, parse.tags, parse.constituents
    nlp = spacy.blank("en")
    doc = Doc(
        nlp.vocab,
        words=words,
        tags=tags,
        sent_starts=[i == 0 for i in range(len(words))],
        **annotations,
    )
    set_constituents(doc, [list(range(len(words)))], [spans])
    install_noun_chunks(nlp.vocab, [doc])
    return doc


def texts(doc: Doc) -> List[str]:
    return [chunk.text for chunk in doc.noun_chunks]


@pytest.mark.parametrize(
    "tree, chunks", TREES, ids=[" ".join(chunks) or "none" for _, chunks in TREES]
)
def test_base_noun_phrases_of_constituents(tree: str, chunks: List[str]):
    doc = doc_of(tree)
    assert texts(doc) == chunks
    assert {chunk.label_ for chunk in doc.noun_chunks} <= {"NP"}


def test_coordinated_nouns_of_a_flat_phrase_are_told_by_the_heads():
    tree = "(NP (NNS cats) (, ,) (JJ small) (NNS dogs) (CC and) (NN cow) (NN milk))"
    assert texts(doc_of(tree)) == ["cats , small dogs and cow milk"]
    heads = [0, 3, 3, 0, 6, 6, 0]
    deps = ["ROOT", "punct", "amod", "conj", "cc", "compound", "conj"]
    assert texts(doc_of(tree, heads=heads, deps=deps)) == [
        "cats",
        "small dogs",
        "cow milk",
    ]


def clear_doc(nlp) -> Doc:
    heads, deps = (
        [1, 1, 3, 1, 3, 6, 4],
        ["nsubj", "ROOT", "det", "dobj", "prep", "det", "pobj"],
    )
    pos = ["PRON", "VERB", "DET", "NOUN", "ADP", "DET", "NOUN"]
    return Doc(
        nlp.vocab,
        words="She sees a dog in the park".split(),
        heads=heads,
        deps=deps,
        pos=pos,
    )


def test_other_schemes_keep_spacys_rules():
    nlp = spacy.blank("en")
    expected = texts(clear_doc(nlp))
    install_noun_chunks(nlp.vocab)
    assert texts(clear_doc(nlp)) == expected == ["She", "a dog", "the park"]


def test_of_a_span():
    doc = doc_of(TREES[0][0])
    assert [chunk.text for chunk in doc[0:5].noun_chunks] == ["The old cat"]
    assert list(doc[1:3].noun_chunks) == []
    assert list(noun_chunks(doc[4:7])) == [(5, 7, doc.vocab.strings["NP"])]


def test_white_space_is_no_part():
    nlp = spacy.blank("en")
    words, tags = ["\n", "the", "  ", "cat", "\n"], ["_SP", "DT", "_SP", "NN", "_SP"]
    doc = Doc(nlp.vocab, words=words, tags=tags, sent_starts=[1, 0, 0, 0, 0])
    set_constituents(doc, [[1, 3]], [[(0, 2, "NP")]])
    assert [chunk[:2] for chunk in noun_chunks(doc)] == [(1, 4)]


def test_docs_keep_them_on_their_ways(tmp_path: Path):
    doc = doc_of(TREES[0][0])
    expected = texts(doc)
    assert texts(pickle.loads(pickle.dumps(doc))) == expected
    assert texts(Doc(doc.vocab).from_bytes(doc.to_bytes())) == expected
    assert texts(next(iter(DocBin(docs=[doc]).get_docs(doc.vocab)))) == expected
    assert texts(doc.copy()) == texts(as_doc(doc[:])) == expected


def test_merged_noun_chunks():
    heads, deps = (
        [2, 2, 3, 3, 6, 6, 3, 3],
        ["det", "amod", "nsubj", "ROOT", "case", "det", "obl", "punct"],
    )
    doc = spacy.blank("en").create_pipe("merge_noun_chunks")(
        doc_of(TREES[0][0], heads=heads, deps=deps)
    )
    assert [token.text for token in doc] == [
        "The old cat",
        "sleeps",
        "on",
        "the mat",
        ".",
    ]
    assert texts(doc) == ["The old cat", "the mat"]


def test_a_parser_brings_them_along():
    """To the vocabulary of its pipeline, and to that of another which it is added
    to."""
    nlp = spacy.blank("en")
    assert nlp.vocab.get_noun_chunks is spacy_noun_chunks
    nlp.add_pipe("lal_parser")
    assert nlp.vocab.get_noun_chunks is noun_chunks
    other = spacy.blank("en")
    other.add_pipe("lal_parser", source=nlp)
    doc = other("")
    assert other.vocab.get_noun_chunks is doc.noun_chunks_iterator is noun_chunks
    german = spacy.blank("de")
    german_rules = german.vocab.get_noun_chunks
    german.add_pipe("lal_parser")
    assert german.vocab.get_noun_chunks is german_rules

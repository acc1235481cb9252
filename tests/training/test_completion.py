"""Heads for trees and trees for heads: what is known stays, and what is found is the
best that goes with it."""

import warnings
from itertools import product
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed
from tiny_pipeline import SENTENCES

from spacy_lal.annotations import get_constituents, sentence_words
from spacy_lal.pipeline.decoders import make_joint_decoder
from spacy_lal.scores import ParserScores
from spacy_lal.training.completion import complete, known_cells, lacks
from spacy_lal.trees import EMPTY, SUB_HEAD, Constituent

Spans = Sequence[Tuple[int, int, str]]
# Other words than the parser has learned: binding has to hold where the scores are
# against it.
TREES: List[Tuple[List[str], Spans]] = [
    (
        ["Dogs", "see", "her", "dog", "."],
        [(0, 5, "S"), (0, 3, "NP"), (1, 3, "NP"), (3, 5, "VP")],
    ),
    (
        ["In", "the", "park", "she", "sees"],
        [(0, 5, "S"), (0, 3, "PP"), (1, 3, "NP"), (3, 5, "S"), (4, 5, "VP")],
    ),
    (["person", "the"], [(0, 2, "UNHEARD"), (0, 1, "NP")]),
    (["driving"], [(0, 1, "S"), (0, 1, "VP")]),
]
HEADS: List[Tuple[List[str], List[int]]] = [
    (["She", "sees", "a", "dog", "."], [1, 4, 3, 1, 4]),
    (["park", "the", "in", "She"], [0, 0, 1, 1]),
    (["driving"], [0]),
]


def trained(**config: Any) -> Language:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser", config=config)
    examples = [
        Example(nlp.make_doc(" ".join(one["words"])), gold(nlp, one))
        for one in SENTENCES
    ]
    nlp.initialize(lambda: examples)
    for _ in range(10):
        nlp.update(examples)
    return nlp


def gold(nlp: Language, one: Dict[str, Any]) -> Doc:
    doc = Doc(
        nlp.vocab,
        words=one["words"],
        heads=one["heads"],
        deps=one["deps"],
        tags=one["tags"],
    )
    doc.spans["constituents"] = [Span(doc, *span) for span in one["spans"]]
    return doc


@pytest.fixture(scope="module")
def nlp() -> Language:
    agreeing = {"@misc": "spacy-lal.joint_decoder.v1", "disagreement_cost": None}
    return trained(decoder=agreeing)


def of_trees(nlp: Language, *trees: Tuple[List[str], Spans]) -> Doc:
    words = [word for sentence, _ in trees for word in sentence]
    starts = np.cumsum([0, *(len(sentence) for sentence, _ in trees)]).tolist()
    doc = Doc(
        nlp.vocab,
        words=words,
        sent_starts=[i in starts for i in range(len(words))],
        tags=["X"] * len(words),
    )
    spans = [
        Span(doc, s + at, e + at, label)
        for at, (_, tree) in zip(starts[:-1], trees, strict=True)
        for s, e, label in tree
    ]
    doc.spans["constituents"] = spans
    return doc


def is_projective_tree(heads: Sequence[int]) -> bool:
    """heads: counted from 1; 0 is the root."""
    for word in range(1, len(heads) + 1):
        seen, head = {word}, word
        while head:
            head = heads[head - 1]
            if head in seen:
                return False
            seen.add(head)
    arcs = [(min(i, head), max(i, head)) for i, head in enumerate(heads, start=1)]
    return sum(head == 0 for head in heads) == 1 and not any(
        a < c < b < d for a, b in arcs for c, d in arcs
    )


def agree(heads: Sequence[int], tree: Spans) -> bool:
    """Whether each constituent has one word whose head is outside of it, and words
    outside hang on that one only."""
    for start, end, _ in tree:
        inside = range(start + 1, end + 1)
        tops = [word for word in inside if heads[word - 1] not in inside]
        others = {
            head
            for word, head in enumerate(heads, start=1)
            if word not in inside and head in inside
        }
        if len(tops) != 1 or not others <= set(tops):
            return False
    return True


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("words, tree", TREES[:3])
def test_heads_are_the_best_that_agree_with_the_tree(
    words: List[str], tree: Spans, seed: int
):
    """By enumeration of all heads."""
    n, random = len(words), np.random.default_rng(seed)
    labels = random.normal(size=(n + 1, n + 1, 5), scale=3.0).astype(np.float32)
    labels[..., EMPTY] = 0.0
    labels[
        ..., SUB_HEAD
    ] = (
        -1.0
    )  # to a decoder that asks nothing for nodes that are no constituents, as good as 0
    arcs = random.normal(size=(n + 1, n + 1), scale=3.0).astype(np.float32)
    deprels = random.normal(size=(n + 1, 2)).astype(np.float32)
    decoder = make_joint_decoder()
    scores = ParserScores(labels, arcs, deprels)
    constituents = [Constituent(*span) for span in tree]
    allowed = known_cells(scores, constituents, [None] * n)
    found = next(decoder.ranked(scores, allowed))
    agreeing = [
        heads
        for heads in product(range(n + 1), repeat=n)
        if is_projective_tree(heads) and agree(heads, tree)
    ]
    best = max(
        agreeing,
        key=lambda heads: sum(arcs[i, head] for i, head in enumerate(heads, start=1)),
    )
    assert tuple(found.heads.tolist()) == best
    assert {(start, end) for start, end, _ in found.spans.tolist()} == {
        (start, end) for start, end, _ in tree
    }


@pytest.mark.parametrize("words, tree", TREES)
def test_heads_agree_with_the_tree(nlp: Language, words: List[str], tree: Spans):
    doc = of_trees(nlp, (words, tree))
    (found,) = complete(nlp, nlp.get_pipe("lal_parser"), [doc])
    heads = [0 if token.head.i == token.i else token.head.i + 1 for token in found]
    assert is_projective_tree(heads) and agree(heads, tree)
    assert get_constituents(found) == get_constituents(doc)
    assert all(token.dep_ for token in found) and not lacks(found)


@pytest.mark.parametrize("words, heads", HEADS)
def test_trees_agree_with_the_heads(nlp: Language, words: List[str], heads: List[int]):
    doc = Doc(
        nlp.vocab,
        words=words,
        heads=heads,
        deps=["dep" if h != i else "ROOT" for i, h in enumerate(heads)],
    )
    (found,) = complete(nlp, nlp.get_pipe("lal_parser"), [doc])
    assert [token.head.i for token in found] == heads and [t.dep_ for t in found] == [
        t.dep_ for t in doc
    ]
    numbers = [0 if head == i else head + 1 for i, head in enumerate(heads)]
    (spans,) = get_constituents(found)
    assert agree(numbers, spans)
    assert lacks(doc) == "constituents"


def test_a_sentence_without_heads_stays_without(nlp: Language):
    words = ["She", "sees", "a", "dog", "a", "person"]
    doc = Doc(
        nlp.vocab, words=words, sent_starts=[True, False, True, False, True, False]
    )
    doc[0].head, doc[0].dep_, doc[1].dep_ = doc[1], "nsubj", "ROOT"
    doc[4].dep_ = "det"  # of the third sentence, one word has a head
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (found,) = complete(nlp, nlp.get_pipe("lal_parser"), [doc])
    assert [(t.head.i, t.dep_) for t in found] == [(t.head.i, t.dep_) for t in doc]
    assert len(get_constituents(found)) == 3


def test_alone_as_in_any_batch(nlp: Language):
    parser = nlp.get_pipe("lal_parser")
    docs = [of_trees(nlp, *TREES), *(of_trees(nlp, tree) for tree in TREES)]
    alone = [next(complete(nlp, parser, [doc])) for doc in docs]
    for batch_size in (2, 64):
        together = list(complete(nlp, parser, docs, batch_size=batch_size))
        for x, y in zip(alone, together, strict=True):
            assert [(t.head.i, t.dep_) for t in x] == [(t.head.i, t.dep_) for t in y]
    assert [sent.start for sent in alone[0].sents] == [
        sent.start for sent in docs[0].sents
    ]
    assert [token.tag_ for token in alone[0]] == ["X"] * len(docs[0])
    assert not docs[0].has_annotation("DEP")  # a copy, and not the Doc itself


def test_what_lacks_nothing_or_all_stays_as_it_is(nlp: Language):
    parser = nlp.get_pipe("lal_parser")
    both = gold(nlp, SENTENCES[0])
    neither = Doc(nlp.vocab, words=["She", "sees"], sent_starts=[True, False])
    empty = Doc(nlp.vocab)
    docs = list(complete(nlp, parser, [both, neither, empty, of_trees(nlp, TREES[0])]))
    assert [token.head.i for token in docs[0]] == SENTENCES[0]["heads"]
    assert [span.label_ for span in docs[0].spans["constituents"]] == [
        label for *_, label in SENTENCES[0]["spans"]
    ]
    assert not docs[1].has_annotation("DEP") and not docs[1].spans.get("constituents")
    assert not len(docs[2]) and docs[3].has_annotation("DEP")
    assert list(complete(nlp, parser, [])) == []


def test_whitespace_tokens_take_no_part(nlp: Language):
    doc = Doc(
        nlp.vocab,
        words=["\n", "She", " ", "sees", "\t"],
        sent_starts=[True, False, False, False, False],
    )
    doc.spans["constituents"] = [Span(doc, 0, 5, "S"), Span(doc, 1, 2, "NP")]
    (found,) = complete(nlp, nlp.get_pipe("lal_parser"), [doc])
    assert sentence_words(found) == [[1, 3]]
    assert {found[1].head.i, found[3].head.i} in ({1}, {3})
    assert found[2].head.i == 1 and found[4].head.i == 3


def test_errors(nlp: Language):
    parser = nlp.get_pipe("lal_parser")
    no_sentences = Doc(nlp.vocab, words=["She", "sees"])
    no_sentences.spans["constituents"] = [Span(no_sentences, 0, 2, "S")]
    with pytest.raises(ValueError, match="the Doc has no sentence boundaries"):
        list(complete(nlp, parser, [no_sentences]))
    heads_only = spacy.blank("en")
    heads_only.add_pipe("sentencizer")
    heads_only.add_pipe("lal_parser")
    docs = [gold(heads_only, one) for one in SENTENCES]
    for doc in docs:
        del doc.spans["constituents"]
    heads_only.initialize(
        lambda: [Example(heads_only.make_doc(doc.text), doc) for doc in docs]
    )
    with pytest.raises(
        ValueError,
        match=(
            "'lal_parser' has learned no constituents: expected a parser trained on "
            "both"
        ),
    ):
        list(complete(heads_only, heads_only.get_pipe("lal_parser"), docs))

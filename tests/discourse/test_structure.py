"""What the network of `lal_units` reads of a parse, against enumeration."""

import numpy as np
import pytest
from spacy.lang.en import English
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_lal.discourse.model import read_structure, subtree_ends
from spacy_lal.pipeline.lal_units import number_units


def random_heads(n_words: int, rng: np.random.Generator) -> np.ndarray:
    """A random tree, non-projective as a rule; the root is its own head."""
    order = rng.permutation(n_words)
    heads = np.zeros(n_words, dtype="int64")
    heads[order[0]] = order[0]
    for i, word in enumerate(order[1:], start=1):
        heads[word] = order[rng.integers(i)]
    return heads


def subtree(heads: np.ndarray, top: int) -> set[int]:
    """The words below and at a word, found from each of them."""
    inside = set()
    for word in range(len(heads)):
        above = word
        while above != top and heads[above] != above:
            above = heads[above]
        if above == top:
            inside.add(word)
    return inside


@pytest.mark.parametrize("n_words", [1, 2, 5, 17])
def test_subtrees_end_where_their_words_do(n_words: int) -> None:
    rng = np.random.default_rng(n_words)
    for _ in range(20):
        heads = random_heads(n_words, rng)
        subtrees = [subtree(heads, word) for word in range(n_words)]
        first, last = subtree_ends(heads)
        assert first.tolist() == [min(inside) for inside in subtrees]
        assert last.tolist() == [max(inside) for inside in subtrees]


def test_a_chain_of_a_thousand_words_is_read() -> None:
    heads = np.maximum(np.arange(1000) - 1, 0)
    first, last = subtree_ends(heads)
    assert first.tolist() == list(range(1000))
    assert set(last) == {999}


def make_doc(vocab: Vocab, text: str, heads: list[int], starts: list[int]) -> Doc:
    words = text.split("|")
    is_start = [i in starts for i in range(len(words))]
    tags = ["_SP" if word.isspace() else "NN" for word in words]
    deps = ["ROOT" if i == head else "dep" for i, head in enumerate(heads)]
    doc = Doc(vocab, words, sent_starts=is_start, tags=tags)
    for token, head, dep in zip(doc, heads, deps, strict=True):
        token.head, token.dep_ = doc[head], dep
    return doc


def test_words_hear_their_neighbours() -> None:
    """The man | who slept | left: `The` begins the subtree of the root `left`, `who`
    that of `slept`, which hangs on `man`; before `left` that of `man` ends."""
    vocab = English().vocab
    man = make_doc(vocab, "The|man|who|slept|left", [1, 4, 3, 1, 4], [0])
    none = 5
    assert read_structure([man]).neighbours.tolist() == [
        [none, 1, 4, none, none, none],
        [0, 2, 1, 4, 0, 1],
        [1, 3, 3, 1, 1, 4],
        [2, 4, 3, 1, 2, 3],
        [3, none, 4, none, 1, 4],
    ]


def test_docs_are_read_side_by_side_and_white_space_is_left_out() -> None:
    """Sentences and Docs end the neighbourhood; an empty Doc adds nothing."""
    vocab = English().vocab
    first = make_doc(vocab, "Go|\n|on|Stop", [0, 0, 0, 3], [0, 3])
    second = make_doc(vocab, "\n|We|see", [1, 2, 2], [0])
    structure = read_structure([first, Doc(vocab), second])
    assert structure.words.tolist() == [0, 2, 3, 5, 6]
    before, after, *_ = structure.neighbours.T.tolist()
    assert before == [5, 0, 5, 5, 3]
    assert after == [1, 5, 5, 4, 5]
    alone = [read_structure([doc]) for doc in (first, second)]
    labels = np.concatenate([part.labels for part in alone])
    assert (structure.labels == labels).all()


def test_a_doc_without_a_parse_is_refused() -> None:
    doc = Doc(English().vocab, ["No", "parse"], sent_starts=[True, False])
    with pytest.raises(ValueError, match="'No parse ' has no DEP: .* lal_parser"):
        read_structure([doc])


def test_a_part_joins_the_unit_that_its_words_depend_on() -> None:
    """[The man] [who slept] [left]; and [Tired,] [the man] [who slept] [left], whose
    adverbial clause hangs on `left`, too."""
    heads = [1, 4, 3, 1, 4]
    deprels = ["det", "nsubj", "nsubj", "acl:relcl", "ROOT"]
    flags = [False, False, True]
    assert number_units(heads, deprels, [0, 2, 4], flags) == [1, 2, 1]
    assert number_units(heads, deprels, [0, 2, 4], [False] * 3) == [1, 2, 3]
    heads = [6, 0, 3, 6, 5, 3, 6]
    deprels = ["advcl", "punct", "det", "nsubj", "nsubj", "acl:relcl", "ROOT"]
    flags = [False, False, False, True]
    assert number_units(heads, deprels, [0, 2, 4, 6], flags) == [1, 2, 3, 2]


def test_a_part_without_arcs_is_a_unit_of_its_own() -> None:
    """So is the second part of a sentence, whatever it hangs on, and one that an
    adverbial clause alone is bound to."""
    flags = [False, True, True]
    roots = ["ROOT"] * 3
    assert number_units([0, 1, 2], roots, [0, 1, 2], flags) == [1, 2, 3]
    assert number_units([1, 1], ["nsubj", "ROOT"], [0, 1], flags[:2]) == [1, 2]
    deprels = ["advcl", "punct", "ROOT"]
    assert number_units([2, 2, 2], deprels, [0, 1, 2], flags) == [1, 2, 3]

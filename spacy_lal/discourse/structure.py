"""What the network of `lal_units` reads of parses: labels of each word, and the words
that it hears, its neighbours in the text and in the tree."""

from typing import NamedTuple, Sequence, Tuple

import numpy
from numpy import ndarray
from spacy.tokens import Doc

N_LABELS = 3
N_NEIGHBOURS = 6
_COLUMNS = ["IS_SPACE", "SENT_START", "HEAD", "DEP", "TAG"]


class Structure(NamedTuple):
    """The n words of some Docs, white space left out, one Doc after the other.

    words (ndarray): The place of each among all tokens. *Shape:* (n,)
    labels (ndarray): Hashes of its deprel and its tag, and a number for the ends of
        subtrees that it is. *Shape:* (n, N_LABELS), uint64
    neighbours (ndarray): The words before and after it; the highest word whose subtree
        it begins, and the head of that; the highest word whose subtree the word before
        it ends, and the head of that. n: none in its sentence. *Shape:* (n,
        N_NEIGHBOURS)"""

    words: ndarray
    labels: ndarray
    neighbours: ndarray


def read_structure(docs: Sequence[Doc]) -> Structure:
    """Read the parses of Docs.

    RAISES (ValueError): A Doc has no sentences, heads or tags."""
    for doc in docs:
        _check(doc)
    tokens = numpy.concatenate([doc.to_array(_COLUMNS) for doc in docs])
    lengths = [len(doc) for doc in docs]
    tokens[numpy.cumsum([0, *lengths[:-1]]), 1] = 1
    is_word = tokens[:, 0] == 0
    words = numpy.flatnonzero(is_word)
    offsets, deprels, tags = tokens[is_word, 2:].T
    places = numpy.arange(len(words))
    place_of = numpy.cumsum(is_word) - 1
    heads = place_of[words + offsets.astype("int64")]
    first, last = subtree_ends(heads)
    is_end = [first == places, last == places, heads < places]
    is_end += [first[heads] == places, last[heads] == places]
    kinds = sum(flag * 2**i for i, flag in enumerate(is_end))
    sentences = numpy.cumsum(tokens[:, 1] == 1)[is_word]
    return Structure(
        words,
        numpy.stack([deprels, tags, kinds], axis=1).astype("uint64"),
        _neighbours(heads, sentences, first, last),
    )


def _check(doc: Doc) -> None:
    """RAISES (ValueError): A Doc has no sentences, heads or tags."""
    columns = {"SENT_START": "senter", "DEP": "lal_parser", "TAG": "tagger"}
    for column, component in columns.items():
        if len(doc) > 1 and not doc.has_annotation(column):
            raise ValueError(
                f"units are found in parsed sentences, and the Doc {doc.text[:40]!r} "
                f"has no {column}: expected a component that sets it, such as "
                f"{component}, before lal_units; in training, in "
                "training.annotating_components"
            )


def _neighbours(
    heads: ndarray, sentences: ndarray, first: ndarray, last: ndarray
) -> ndarray:
    """The neighbours of words.

    sentences (ndarray): The number of each word's sentence. *Shape:* (n,)
    first, last (ndarray): See `subtree_ends`.
    RETURNS (ndarray): *Shape:* (n, N_NEIGHBOURS)"""
    none = len(heads)
    places = numpy.arange(none)
    padded = numpy.append(sentences, -1)
    before = numpy.where(padded[places - 1] == sentences, places - 1, none)
    after = numpy.where(padded[places + 1] == sentences, places + 1, none)
    head_of = numpy.append(numpy.where(heads == places, none, heads), none)
    begun = _highest(heads, first)
    ended = numpy.append(_highest(heads, last), none)[before]
    found = [before, after, begun, head_of[begun], ended, head_of[ended]]
    return numpy.stack(found, axis=1)


def subtree_ends(heads: ndarray) -> Tuple[ndarray, ndarray]:
    """The first and the last word of each word's subtree.

    heads (ndarray): A root is its own head. *Shape:* (n,)
    RETURNS (Tuple[ndarray, ndarray]): *Shapes:* (n,)"""
    first = numpy.arange(len(heads))
    last = first.copy()
    above = heads
    while True:  # each pass reaches twice as far up as the one before
        numpy.minimum.at(first, above, first.copy())
        numpy.maximum.at(last, above, last.copy())
        if (above[above] == above).all():
            return first, last
        above = above[above]


def _highest(heads: ndarray, ends: ndarray) -> ndarray:
    """For each word, the highest one whose subtree it begins, or ends; itself where
    there is none.

    ends (ndarray): The first, or the last, word of each subtree. *Shape:* (n,)
    RETURNS (ndarray): *Shape:* (n,)"""
    places = numpy.arange(len(heads))
    link = numpy.where(ends[heads] == ends, heads, places)
    while (link[link] != link).any():
        link = link[link]
    return numpy.where(ends == places, link, places)

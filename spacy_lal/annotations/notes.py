"""Marks of notes and citations in a Doc ("in 1950.[3]"). Components read a sentence as
if it had none; its marks join the parse afterwards."""

import re
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import List, NamedTuple, Optional, Pattern, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc, Token

from ..lang import token_rules
from ..lang.marks import EMPHASIS
from ..lang.universal import CLAUSE_DEPRELS
from ..trees import Constituent, Parse
from .constraints import CONSTRAINTS_KEY
from .parses import UNKNOWN_DEPREL
from .sentences import sentence_words

_PUNCT_DEPREL = "punct"
_CONJUNCT_DEPREL = "conj"
_CLOSING = frozenset("])")


class WithoutNotes(NamedTuple):
    """A Doc without marks of notes.
    doc (Doc): Its words and spaces.
    tokens (ndarray): The place of each of its tokens in the whole Doc. *Shape:* (n,).
    notes (List[Tuple[int, int]]): The marks, as half-open ranges of the whole Doc's
        tokens."""

    doc: Doc
    tokens: np.ndarray
    notes: List[Tuple[int, int]]


@cache
def _pattern(lang: str) -> Pattern[str]:
    """The marks of a language, each as the first group; or what is none."""
    notes = "|".join(rule.pattern for rule in token_rules(lang).notes)
    return re.compile(f"{EMPHASIS}|({notes})" if notes else "(?!)()")


def note_tokens(doc: Doc) -> List[int]:
    """Give the tokens of marks of notes, in order. A Doc with constraints has none,
    since they may name any token."""
    if CONSTRAINTS_KEY in doc.spans:
        return []
    found: List[int] = []
    for match in _pattern(doc.vocab.lang).finditer(doc.text):
        span = doc.char_span(*match.span(1)) if match[1] else None
        if span is not None and span.start:
            found += range(span.start, span.end)
    return found


def note_ranges(doc: Doc) -> List[Tuple[int, int]]:
    """Give the marks of notes, as half-open ranges of tokens."""
    return _runs(note_tokens(doc))


class DocSentences(NamedTuple):
    """The sentences of a Doc, as a component reads them once.
    words (List[List[int]]): The Doc indices of the words of each.
    read (List[List[int]]): Those of its words without marks of notes; of a sentence of
        such marks, all words."""

    words: List[List[int]]
    read: List[List[int]]


def read_sentences(doc: Doc) -> DocSentences:
    """Read the sentences of a Doc.
    RAISES (ValueError): Boundaries are not known."""
    sentences = sentence_words(doc)
    notes = set(note_tokens(doc))
    if not notes:
        return DocSentences(sentences, sentences)
    read = [[i for i in words if i not in notes] or words for words in sentences]
    return DocSentences(sentences, read)


def read_words(doc: Doc) -> List[List[int]]:
    """Give, for each sentence, the Doc indices of the words that are read."""
    return read_sentences(doc).read


def without_notes(doc: Doc) -> WithoutNotes:
    """Leave the marks of notes out of a Doc; without any, give the Doc itself. The
    word before a mark has the space after the mark."""
    runs = note_ranges(doc)
    if not runs:
        return WithoutNotes(doc, np.arange(len(doc)), [])
    spaces = [bool(token.whitespace_) for token in doc]
    for start, end in runs:
        spaces[start - 1] = spaces[end - 1]
    left_out = {i for run in runs for i in range(*run)}
    kept = [i for i in range(len(doc)) if i not in left_out]
    words = [doc[i].text for i in kept]
    seen = Doc(doc.vocab, words=words, spaces=[spaces[i] for i in kept])
    return WithoutNotes(seen, np.array(kept), runs)


def _runs(places: Sequence[int]) -> List[Tuple[int, int]]:
    """Give ascending numbers as half-open ranges."""
    groups = groupby(enumerate(places), key=lambda one: one[1] - one[0])
    runs = [[place for _, place in group] for _, group in groups]
    return [(run[0], run[-1] + 1) for run in runs]


def with_notes(doc: Doc, words: Sequence[int], parse: Parse) -> Parse:
    """Give the parse of all words of a sentence from the parse of its words without
    marks. A constituent has the marks within it; that of all read words has all marks;
    one that ends before a mark and has its head has the mark, too, unless the head is
    the word before the mark.
    words (Sequence[int]): The Doc indices of all words."""
    if len(words) == len(parse.tokens):
        return parse
    place_of = {word: place for place, word in enumerate(words)}
    places = [place_of[word] for word in parse.tokens]
    constituents = parse.constituents
    if constituents is not None:
        whole = (0, len(places))
        constituents = [
            constituent._replace(start=0, end=len(words))
            if (constituent.start, constituent.end) == whole
            else constituent._replace(
                start=places[constituent.start], end=places[constituent.end - 1] + 1
            )
            for constituent in constituents
        ]
    heads: Optional[List[int]] = None
    deprels: List[str] = []
    if parse.heads is not None:
        heads = [0] * len(words)
        deprels = [UNKNOWN_DEPREL] * len(words)
        for place, head, deprel in zip(places, parse.heads, parse.deprels, strict=True):
            heads[place] = places[head - 1] + 1 if head else 0
            deprels[place] = deprel
        tokens = [doc[word] for word in words]
        left_out = sorted(set(range(len(words))) - set(places))
        runs = _runs(left_out)
        for start, end in runs:
            _attach(tokens, start, end, heads, deprels)
        for start, end in reversed(runs):
            constituents = _lengthened(constituents, start, end, heads)
    return replace(
        parse,
        words=[doc[word].text for word in words],
        tokens=words,
        constituents=constituents,
        heads=heads,
        deprels=deprels,
    )


def _lengthened(
    constituents: Optional[Sequence[Constituent]],
    start: int,
    end: int,
    heads: Sequence[int],
) -> Optional[List[Constituent]]:
    """Add a mark, words start to end of a sentence, to the constituents before it that
    have its head, unless that is the word before it."""
    if constituents is None:
        return None
    outer = {heads[place] - 1 for place in range(start, end)} - set(range(start, end))
    outer -= {start - 1}
    return [
        constituent._replace(end=end)
        if constituent.end == start
        and any(constituent.start <= head < start for head in outer)
        else constituent
        for constituent in constituents
    ]


def _attach(
    tokens: Sequence[Token], start: int, end: int, heads: List[int], deprels: List[str]
) -> None:
    """Attach a mark, words start to end of a sentence, in place: its numbers and words
    to the word before it, to the head of a stop before it, or, after a space, to the
    predicate of the clause; further numbers to the first; its brackets to them."""
    before = start - 1
    is_after_stop = start > 0 and deprels[before] == _PUNCT_DEPREL and heads[before]
    if start == 0:
        anchor = heads.index(0, end) + 1
    elif is_after_stop:
        anchor = heads[before]
    elif tokens[before].whitespace_:
        anchor = _predicate(before, heads, deprels) + 1
    else:
        anchor = before + 1
    texts = [token.text for token in tokens[:end]]
    inner = [place for place in range(start, end) if texts[place].isalnum()]
    for place in range(start, end):
        heads[place] = anchor
        if place not in inner:
            deprels[place] = _PUNCT_DEPREL
            heads[place] = _neighbour(texts[place], place, inner, anchor)
        elif place > inner[0] and place - 1 not in inner:
            deprels[place] = _CONJUNCT_DEPREL
            heads[place] = inner[0] + 1


def _predicate(place: int, heads: Sequence[int], deprels: Sequence[str]) -> int:
    """Give the place of the predicate of the clause that a word is in."""
    while heads[place] and deprels[place].partition(":")[0] not in CLAUSE_DEPRELS:
        place = heads[place] - 1
    return place


def _neighbour(text: str, place: int, inner: Sequence[int], anchor: int) -> int:
    """Give the head, from 1, of a bracket or a comma: the word before a closing
    bracket, after another mark; without words, the anchor."""
    after = [one for one in inner if one > place]
    earlier = [one for one in inner if one < place]
    if earlier and (text in _CLOSING or not after):
        return earlier[-1] + 1
    return after[0] + 1 if after else anchor

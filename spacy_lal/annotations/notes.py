"""Marks of notes and citations in a Doc ("in 1950.[3]"), which components do not read
(`sentences.py`), join the parse afterwards."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Optional

from spacy.tokens import Doc, Token

from ..lang.universal import CLAUSE_DEPRELS
from ..trees import Constituent, Parse
from .parses import UNKNOWN_DEPREL
from .sentences import runs_of

_PUNCT_DEPREL = "punct"
_CONJUNCT_DEPREL = "conj"
_CLOSING = frozenset("])")


def with_notes(doc: Doc, words: Sequence[int], parse: Parse) -> Parse:
    """Give the parse of all words of a sentence from the parse of its words without
    marks. A constituent has the marks within it; that of all read words has all marks;
    one that ends before a mark and has its head has the mark, too, unless the head is
    the word before the mark.
    words (Sequence[int]): The Doc indices of all words."""
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
    heads: Optional[list[int]] = None
    deprels: list[str] = []
    if parse.heads is not None:
        heads = [0] * len(words)
        deprels = [UNKNOWN_DEPREL] * len(words)
        for place, head, deprel in zip(places, parse.heads, parse.deprels, strict=True):
            heads[place] = places[head - 1] + 1 if head else 0
            deprels[place] = deprel
        tokens = [doc[word] for word in words]
        left_out = sorted(set(range(len(words))) - set(places))
        runs = runs_of(left_out)
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
) -> Optional[list[Constituent]]:
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
    tokens: Sequence[Token], start: int, end: int, heads: list[int], deprels: list[str]
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

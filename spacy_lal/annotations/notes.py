"""Marks of notes and citations in a Doc ("in 1950.[3]"), which components do not read
(`sentences.py`), join the parse afterwards."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Optional

from spacy.tokens import Doc, Token

from ..lang import conventions
from ..lang.universal import CLAUSE_DEPRELS
from ..trees import Constituent, Parse
from .parses import UNKNOWN_DEPREL
from .sentences import runs_of

_PUNCT_DEPREL = "punct"
_CONJUNCT_DEPREL = "conj"
_CONJUNCT_DEPRELS = ("conj", "parataxis")
_OPENING = frozenset("([")
_CLOSING = frozenset("])")


def with_notes(doc: Doc, words: Sequence[int], parse: Parse) -> Parse:
    """Give the parse of all words of a sentence from the parse of its words without
    marks. A constituent has the marks within it; that of all read words has all marks;
    one that ends before a mark and has its head has the mark, too. A mark between
    brackets has the constituents that the language's treebank gives it:
    (PRN (-LRB- [) (NP (CD 3)) (-RRB- ])).
    words (Sequence[int]): The Doc indices of all words."""
    place_of = {word: place for place, word in enumerate(words)}
    places = [place_of[word] for word in parse.tokens]
    left_out = sorted(set(range(len(words))) - set(places))
    runs = runs_of(left_out)
    tokens = [doc[word] for word in words]
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
        for start, end in runs:
            _attach(tokens, start, end, heads, deprels)
        for start, end in reversed(runs):
            constituents = _lengthened(constituents, start, end, heads)
    if constituents is not None:
        constituents += _bracketed(tokens, left_out, conventions(doc.lang_).note_labels)
        constituents.sort(key=lambda constituent: (constituent.start, -constituent.end))
    return replace(
        parse,
        words=[doc[word].text for word in words],
        tokens=words,
        constituents=constituents,
        heads=heads,
        deprels=deprels,
    )


def _bracketed(
    tokens: Sequence[Token], marks: Sequence[int], labels: Sequence[str]
) -> Iterator[Constituent]:
    """The constituents of marks between brackets: brackets and content, and content.
    marks (Sequence[int]): Places of the words of marks.
    labels (Sequence[str]): Of both; empty for none."""
    opening = len(tokens)  # no bracket is open
    for place in marks:
        text = tokens[place].text
        if text in _OPENING:
            opening = place
        elif text in _CLOSING:
            if labels and place > opening + 1:
                yield Constituent(opening, place + 1, labels[0])
                yield Constituent(opening + 1, place, labels[1])
            opening = len(tokens)


def _lengthened(
    constituents: Optional[Sequence[Constituent]],
    start: int,
    end: int,
    heads: Sequence[int],
) -> Optional[list[Constituent]]:
    """Add a mark, words start to end of a sentence, to the constituents before it that
    have its head."""
    if constituents is None:
        return None
    outer = {heads[place] - 1 for place in range(start, end)} - set(range(start, end))
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
    predicate of the clause, or the head of the last phrase before it; further numbers
    to the first; its brackets to them."""
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
    inner = [
        place for place in range(start, end) if any(map(str.isalnum, texts[place]))
    ]
    for place in range(start, end):
        heads[place] = anchor
        if place not in inner:
            deprels[place] = _PUNCT_DEPREL
            heads[place] = _neighbour(texts[place], place, inner, anchor)
        elif place > inner[0] and place - 1 not in inner:
            deprels[place] = _CONJUNCT_DEPREL
            heads[place] = inner[0] + 1


def _predicate(place: int, heads: Sequence[int], deprels: Sequence[str]) -> int:
    """Give the place of the outermost head of a word that comes no later than the word:
    the predicate of the sentence, or of a conjunct of its clauses."""
    limit = place + 1
    names = [deprel.partition(":")[0] for deprel in deprels]
    while 0 < heads[place] <= limit:
        head = heads[place] - 1
        is_clause = not heads[head] or names[head] in CLAUSE_DEPRELS
        if is_clause and names[place] in _CONJUNCT_DEPRELS:
            break
        place = head
    return place


def _neighbour(text: str, place: int, inner: Sequence[int], anchor: int) -> int:
    """Give the head, from 1, of a bracket or a comma: the word before a closing
    bracket, after another mark; without words, the anchor."""
    after = [word for word in inner if word > place]
    earlier = [word for word in inner if word < place]
    if earlier and (text in _CLOSING or not after):
        return earlier[-1] + 1
    return after[0] + 1 if after else anchor

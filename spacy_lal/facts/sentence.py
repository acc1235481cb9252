"""A sentence as facts read it: its words are read from the Doc once, with their heads,
deprels of Universal Dependencies and tags, and handed down. Positions count the tokens
of the sentence from 0."""

from dataclasses import dataclass, field
from typing import Callable, Container, Dict, List, NamedTuple, Optional, Sequence

from spacy.tokens import Span, Token

from ..lang.clause_words import (
    ASSERTED,
    FACT,
    FUTURE,
    HYPOTHETICAL,
    NEGATED,
    NEGATIVE,
    OPEN,
    POSITIVE,
    REPORTED,
    ClauseWords,
)

VERBAL = ("aux", "aux:pass", "cop")
# A word with such a deprel heads no clause.
_NO_HEADS = (
    *VERBAL,
    "amod",
    "compound",
    "case",
    "mark",
    "fixed",
    "flat",
    "goeswith",
)
_HELPED = ("obj", "advcl")


class Context(NamedTuple):
    """What a text says of a clause (Saurí and Pustejovsky 2009, "FactBank").

    polarity (str): "+", or "-" for what is denied.
    certainty (str): "fact"; "future": what the writer says will be; "open": a
        condition, wish, question, possibility or command.
    source (Optional[Word]): The head of who says so; None for the writer alone.
    is_reported (bool): Whether somebody else says so, named or not."""

    polarity: str = POSITIVE
    certainty: str = FACT
    source: "Optional[Word]" = None
    is_reported: bool = False

    @property
    def factuality(self) -> str:
        """Names it by what matters most."""
        if self.certainty == OPEN:
            return HYPOTHETICAL
        if self.polarity == NEGATIVE:
            return NEGATED
        if self.certainty == FUTURE:
            return FUTURE
        return REPORTED if self.is_reported else ASSERTED


class Word:
    """A token of a sentence.

    i (int): Its position; `first`, `last`: the positions of the first and last word of
        its subtree; `depth`: its distance to the root.
    head (Word): The root is its own head. `children`: in the order of the text.
    roles (Dict[Word, str]): Of a predicate: the heads of its arguments.
    is_auxiliary (bool): Whether it only helps the next verb: "going to", "have to".
    is_predicate (bool): Whether it heads a clause: a verb that is no auxiliary, or a
        word with a copula.
    denial (Optional[Word]): The word that denies it.
    top (Word): The head of the whole verb: "going" of "going to leave".
    relative (Optional[Word]): The head of the relative clause around it.
    subject (Optional[Word]): Its subject, own or lent.
    outer, context (Context): What the clause above says of it, and that with its own
        words."""

    def __init__(self, token: Token, i: int, sentence: "Sentence") -> None:
        self.token = token
        self.i = self.first = self.last = i
        self.sentence = sentence
        self.lang = sentence.lang
        self.lower = token.lower_
        self.lemma = token.lemma_.lower() or self.lower
        self.tag = token.tag_
        self.pos = token.pos_
        self.dep = token.dep_
        self.depth = 0
        self.head = self.top = self
        self.children: List[Word] = []
        self.roles: Dict[Word, str] = {}
        self.is_auxiliary = self.is_predicate = False
        self.is_passive = self.is_finite = False
        self.denial: Optional[Word] = None
        self.relative: Optional[Word] = None
        self.subject: Optional[Word] = None
        self.outer = self.context = Context()

    def child(self, *deprels: str) -> "Optional[Word]":
        """Give the first child with one of the deprels."""
        for child in self.children:
            if child.dep in deprels:
                return child
        return None

    def word(self, words: Container[str], *deprels: str) -> "Optional[Word]":
        """Give the first child with one of the deprels that is one of some words."""
        for child in self.children:
            if child.dep in deprels and child.lower in words:
                return child
        return None

    def is_below(self, other: "Word") -> bool:
        """Tell whether another word stands above it."""
        word = self
        while word.depth > other.depth:
            word = word.head
        return word is other and self is not other


@dataclass
class Sentence:
    """A sentence that was read.

    span (Span): Its tokens; `words`: the same.
    lang (ClauseWords): The words of its language.
    confidence (Callable): How probably a relation is right that rests on tokens.
    words (List[Word]): In the order of the text; `order`: heads before their
        children."""

    span: Span
    lang: ClauseWords
    confidence: Callable[[Sequence[Token]], float]
    words: List[Word] = field(default_factory=list)
    order: List[Word] = field(default_factory=list)

    def __post_init__(self) -> None:
        start = self.span.start
        self.words = [Word(token, i, self) for i, token in enumerate(self.span)]
        for word in self.words:
            word.head = self.words[word.token.head.i - start]
            siblings = self.order if word.head is word else word.head.children
            siblings.append(word)
        for word in self.order:  # which grows
            for child in word.children:
                child.depth = word.depth + 1
            self.order += word.children
        for word in reversed(self.order):
            head = word.head
            head.first = min(head.first, word.first)
            head.last = max(head.last, word.last)
            _set_kind(word)

    def span_of(self, start: int, end: int, label: str = "") -> Span:
        """Give the tokens from one position to another."""
        first = self.span.start
        return Span(self.span.doc, first + start, first + end, label=label)


def _set_kind(word: Word) -> None:
    lang = word.lang
    tags = lang.tags
    deprels = {child.dep for child in word.children}
    verb = word.child("xcomp")
    if verb and word.lemma in lang.auxiliary_verbs and verb.child("mark"):
        is_gerund = word.tag == tags.gerund
        is_helping = is_gerund or word.lemma not in lang.auxiliary_gerunds
        word.is_auxiliary = is_helping and deprels.isdisjoint(_HELPED)
    is_verb = word.tag.startswith(tags.verbal)
    if word.pos:
        is_verb = word.pos in ("VERB", "AUX")
    is_head = "cop" in deprels or (is_verb and not word.is_auxiliary)
    word.is_predicate = is_head and word.dep not in _NO_HEADS

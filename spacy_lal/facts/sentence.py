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

    words (List[Word]): Of the sentence.
    i (int): Its position; `first`, `last`: the positions of the first and last word of
        its subtree; `depth`: its distance to the root.
    head (Word): The root is its own head. `children`: in the order of the text.
    roles (Dict[Word, str]): Of a predicate: the heads of its arguments.
    is_auxiliary (bool): Whether it only helps the next verb: "going to", "have to".
    is_predicate (bool): Whether it heads a clause: a verb that is no auxiliary, or a
        word with a copula.
    denial (Optional[Word]): The word that denies it.
    relative (Optional[Word]): The head of the relative clause around it.
    subject (Optional[Word]): Its subject, own or lent.
    outer, context (Context): What the clause above says of it, and that with its own
        words."""

    depth = 0
    is_auxiliary = False
    is_predicate = False
    is_passive = False
    is_finite = False
    denial: "Optional[Word]" = None
    relative: "Optional[Word]" = None
    subject: "Optional[Word]" = None
    outer = context = Context()

    def __init__(self, token: Token, sentence: "Sentence") -> None:
        start = sentence.span.start
        self.token = token
        self.sentence = sentence
        self.words = sentence.words
        self.lang = sentence.lang
        self.i = token.i - start
        self.first = token.left_edge.i - start
        self.last = token.right_edge.i - start
        self.lower = token.lower_
        self.lemma = token.lemma_.lower() or self.lower
        self.tag = token.tag_
        self.pos = token.pos_
        self.dep = token.dep_
        self.head = self
        self.children: List[Word] = []
        self.roles: Dict[Word, str] = {}

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

    @property
    def is_aside(self) -> bool:
        """Tells whether it begins with a comma."""
        return self.words[self.first].lower == self.lang.comma

    def is_below(self, other: "Word") -> bool:
        """Tell whether another word stands above it."""
        return other.first <= self.i <= other.last and self is not other


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
        self.words += [Word(token, self) for token in self.span]
        for word in self.words:
            word.head = self.words[word.token.head.i - start]
            siblings = self.order if word.head is word else word.head.children
            siblings.append(word)
        for word in self.order:  # which grows
            _set_kind(word)
            for child in word.children:
                child.depth = word.depth + 1
            self.order += word.children

    def span_of(self, start: int, end: int, label: str = "") -> Span:
        """Give the tokens from one position to another."""
        first = self.span.start
        return Span(self.span.doc, first + start, first + end, label=label)


def _set_kind(word: Word) -> None:
    lang = word.lang
    verb = word.child("xcomp")
    is_helping = word.tag == lang.gerund or word.lemma not in lang.auxiliary_gerunds
    if verb and verb.child("mark") and word.lemma in lang.auxiliary_verbs:
        word.is_auxiliary = is_helping and not word.child(*_HELPED)
    is_verb = word.pos in ("VERB", "AUX") and not word.is_auxiliary
    is_head = is_verb or word.child("cop") is not None
    word.is_predicate = is_head and word.dep not in _NO_HEADS

"""A sentence as facts read it: its words are read from the Doc once, with their heads,
deprels of Universal Dependencies and tags, and say which of them are the subjects and
objects of which. Words and tags are those of the language (`lang/clause_words.py`).
Positions count the tokens of the sentence from 0."""

from collections.abc import Callable, Container, Iterable, Sequence
from operator import attrgetter, itemgetter
from typing import (
    NamedTuple,
    Optional,
)

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
from ..trees.roles import CONTINUATION, PREDICATE_ROLE, REFERENCE, Proposition

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
OUTER_SUBJECTS = ("nsubj:outer", "csubj:outer")
INNER_SUBJECTS = ("nsubj", "csubj", "nsubj:pass", "csubj:pass")
SUBJECTS = (*INNER_SUBJECTS, *OUTER_SUBJECTS)
_OF_RELATIVES = ("xcomp", "conj", "nmod", "obl", "obj", *SUBJECTS)
_PARTS = (PREDICATE_ROLE, CONTINUATION, REFERENCE)
_LENT = ("conj", "xcomp", "advcl")
_NOUNS = ("NOUN", "PROPN")
# What a verb of saying may have said before another clause stands beside it
_CONTENTS = ("obj", "obl", "discourse", "advmod", "ccomp", "xcomp")


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
        self.pos = token.pos_ or ("VERB" if self.tag in self.lang.verbal else "")
        self.dep = token.dep_
        self.head = self
        self.children: list[Word] = []
        self.roles: dict[Word, str] = {}

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
        """Tell whether it is another word or stands below it."""
        return other.first <= self.i <= other.last

    @property
    def below(self) -> set[int]:
        """Gives its position and those of all words below it."""
        return set(range(self.first, self.last + 1))

    @property
    def clause(self) -> "Word":
        """Gives the head of a predicate's clause. A copula's clause is headed by the
        word that the copula joins to the subject."""
        return self.head if self.dep == "cop" else self

    @property
    def is_helped(self) -> bool:
        """Tells whether an auxiliary verb helps it: "going to leave"."""
        return self.dep == "xcomp" and self.head.is_auxiliary

    @property
    def is_due(self) -> bool:
        """Tells whether somebody is to do it: "was to sell the car"."""
        mark = self.word(self.lang.infinitive, "mark")
        verb = self.child(*VERBAL)
        if not mark or not verb:
            return False
        return verb.lemma == self.lang.copula and verb.i < mark.i

    @property
    def is_chosen(self) -> bool:
        """Tells whether a noun is one of several by what its clause says: "the first
        woman", "the worst car"."""
        lang = self.lang
        return any(
            x.lower in lang.inclusive or x.tag in lang.superlative
            for x in (self, *self.children)
        )

    @property
    def is_relative_word(self) -> bool:
        """Tells whether it is "who", "which" or "that" of a relative clause."""
        return self.tag in self.lang.relative

    @property
    def is_prepositional(self) -> bool:
        """Tells whether a participle is a complement with a preposition or a particle:
        "kept him from leaving", "accused him of stealing", "gave up stealing"."""
        lang = self.lang
        particle = self.head.child("compound:prt")
        link = particle or self.word(lang.complementing, "mark")
        if self.dep != "advcl" or self.i < self.head.i or not link:
            return False
        return lang.gerund in [x.tag for x in (self, *self.children)]

    @property
    def is_means(self) -> bool:
        """Tells whether it says by what something is done: "by heating sand"."""
        return self.word(self.lang.means, "mark") is not None

    @property
    def is_contrast(self) -> bool:
        """Tells whether a conjunct holds instead of the word before it: "Tom" of "not
        by Anna but by Tom", of "nobody but Tom"."""
        return self.word(self.lang.adversative, "cc", "case") is not None

    @property
    def is_denial(self) -> bool:
        """Tells whether it is an adverb that denies."""
        return self.dep == "advmod" and self.lower in self.lang.negations

    @property
    def shown(self) -> "Word":
        """Gives "longer" for "no" of "no longer"."""
        return self.head if self.head.dep == "advmod" else self

    @property
    def is_denied_noun(self) -> bool:
        """Tells whether a noun below another says who it was not: "Anna, not Tom",
        "Anna instead of Tom"."""
        is_replaced = self.word(self.lang.substituting, "case") is not None
        return is_replaced or (self.dep == "appos" and self.denial is not None)

    @property
    def is_limited(self) -> bool:
        """Tells whether it does not deny: "not" of "not only"."""
        following = self.words[self.i + 1 : self.i + 2]
        return any(x.lower in self.lang.limiting for x in following)

    @property
    def is_stranded(self) -> bool:
        """Tells whether a preposition after a verb has no noun: "the book you asked
        for"."""
        return self.dep == "obl" and self.tag in self.lang.prepositions

    @property
    def is_goal(self) -> bool:
        """Tells whether it is the goal of a verb of motion: "ran to the bus"."""
        is_moving = self.head.lemma in self.lang.motion
        return is_moving and self.word(self.lang.directions, "case") is not None

    @property
    def is_beside(self) -> bool:
        """Tells whether a clause after another one only stands beside it, though it
        hangs on its verb: "She wrote a letter; he ate the soup"."""
        inner = self.words[self.head.i + 1 : self.i]
        marks = {x.tag for x in inner if x.dep == "punct"}
        if not marks or marks & self.lang.opening or not self.child(*SUBJECTS):
            return False
        said = [x for x in inner if x.head is self.head or x is inner[0]]
        return any(x.dep in _CONTENTS for x in said)

    @property
    def agent(self) -> "Optional[Word]":
        """Gives who does it by roles."""
        return next((x for x, role in self.roles.items() if role == "ARG0"), None)

    @property
    def antecedent(self) -> "Word":
        """Gives the noun for a relative word; any other word stands for itself."""
        verb = self.head.relative
        is_bound = self.is_relative_word and not self.child("acl:relcl")
        return verb.head if verb and is_bound else self

    @property
    def named(self) -> "Word":
        """Gives the noun for "what" and "all" if a copula says it: "the price" of "What
        surprised me was the price"."""
        above = self.head
        is_open = self.is_relative_word or self.lower in self.lang.amounts
        is_said = self.dep == "nsubj" and above.pos in _NOUNS and above.child("cop")
        return above if is_open and is_said and not above.denial else self

    @property
    def object(self) -> "Optional[Word]":
        """Gives the object of an active verb: a thing, a clause, an antecedent, or "the
        fish" of "cooked and ate the fish" for both verbs."""
        thing = self.child("obj") or self.child("ccomp") or self.child("xcomp")
        if thing and not thing.is_beside:
            return thing
        if self.dep == "acl:relcl" and self.child(*SUBJECTS):
            before = self.words[self.first : self.i]
            is_own = self.head.lemma not in self.lang.adverbial_nouns
            if is_own and not any(x.is_relative_word for x in before):
                return self.head
        verb = self.child("conj")
        if not verb or verb.i != self.i + 2 or self.lemma in self.lang.intransitive:
            return None
        return verb.child("obj") if verb.child("cc") else None

    @property
    def conjuncts(self) -> "list[Word]":
        """Gives the words that are coordinated with a word before them, "Tom" of "Anna,
        not Tom" and "tanks instead of tractors" too, but no "etc."."""
        words = [self]
        for word in words:  # which grows
            later = [x for x in word.children if x.dep == "conj" or x.is_denied_noun]
            words += [x for x in later if x.i > word.i and x.lower not in x.lang.others]
        return words[1:]

    def set_grammar(self) -> None:
        """Find what a clause has from the clauses above, which were read before."""
        head = self.head
        verbs = [self, *[x for x in self.children if x.dep in VERBAL]]
        self.is_finite = any(x.tag in self.lang.finite for x in verbs)
        self.is_finite |= self.is_helped and head.is_finite
        self.is_passive = ":pass" in " ".join([x.dep for x in self.children])
        if self.tag == self.lang.participle and len(verbs) == 1:
            self.is_passive |= self.dep in ("acl", "advcl") or head.is_passive
        if self._is_relative():
            self.relative = self
        elif self.dep in _OF_RELATIVES:
            self.relative = head.relative
        if self.is_predicate or self.is_auxiliary or self.dep == "xcomp":
            subject = self.child(*INNER_SUBJECTS)
            self.subject = subject.antecedent if subject else self._lent_subject()
        elif self.dep == "cop":
            outer = head.child(*OUTER_SUBJECTS)
            is_outer = outer is not None and self is head.child("cop")
            self.subject = outer if is_outer else head.subject

    def _is_relative(self) -> bool:
        """Tell whether it heads a relative clause: with a relative word or without, the
        second half of "It was the driver who caused it", or "to win" of "the first
        woman to win"."""
        head = self.head
        if self.dep == "advcl:relcl":
            return bool(head.child("cop") and head.child("expl"))
        if self.dep == "advcl":
            return head.lower in self.lang.inclusive
        if self.dep == "acl":
            return not self.child("mark") or head.is_chosen
        return self.dep == "acl:relcl"

    def _lent_subject(self) -> "Optional[Word]":
        """Give the subject of the clause that controls it."""
        head = self.head
        if self.relative is self:
            return head.named
        if self.agent and not self.is_passive:
            return self.agent.antecedent  # "trained them to see it": the roles know
        if self.dep not in _LENT or self.child("expl"):
            return None
        is_asked = self.dep == "xcomp" and head.lemma not in self.lang.subject_control
        if is_asked or (self.is_prepositional and head.lemma in self.lang.of_gerunds):
            return head.child("obj", "iobj") or head.subject
        is_idle = (self.is_means and head.is_passive) or self.word(
            self.lang.loose, "mark"
        )
        return None if is_idle else head.subject


class Sentence:
    """A sentence that was read.

    span (Span): Its tokens; `words`: the same, in the order of the text; `order`: heads
        before their children.
    lang (ClauseWords): The words of its language.
    confidence (Callable): How probably a relation is right that rests on tokens."""

    def __init__(
        self,
        span: Span,
        lang: ClauseWords,
        roles: Iterable[Proposition],
        confidence: Callable[[Sequence[Token]], float],
    ) -> None:
        self.span = span
        self.lang = lang
        self.confidence = confidence
        self.words: list[Word] = []
        self.order: list[Word] = []
        start = span.start
        self.words += [Word(token, self) for token in span]
        for word in self.words:
            word.head = self.words[word.token.head.i - start]
            siblings = self.order if word.head is word else word.head.children
            siblings.append(word)
        for word in self.order:  # which grows
            _set_kind(word)
            for child in word.children:
                child.depth = word.depth + 1
            self.order += word.children
        for proposition in roles:
            word = self.words[proposition.token - start]
            for first, end, role in sorted(proposition.args, key=itemgetter(2)):
                if not role.startswith(_PARTS):
                    words = self.words[first - start : end - start]
                    word.roles[min(words, key=attrgetter("depth"))] = role
            _set_helping(word)

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


def _set_helping(word: Word) -> None:
    """Take "was" of "was to sell" for an auxiliary: the subject has a role of the
    verb."""
    subject = word.child("nsubj", "nsubj:outer")
    if subject and subject in word.roles and word.pos == "VERB":
        subject.dep = "nsubj"
        for child in word.children:
            child.dep = child.dep.replace("cop", "aux")

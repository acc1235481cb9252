"""`doc._.relations` says who did what to whom.

Relations come from heads with deprels of Universal Dependencies; roles, where a word
has some, name arguments and say which phrases are objects. A passive is turned round.
Each conjunct has a relation of its own. Relative words stand for their antecedents. A
verb without a subject takes the subject of the verb that controls it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Optional

from spacy.tokens import Span

from ..lang.clause_words import FACT, NEGATIVE, OPEN, POSITIVE
from ..trees.roles import is_core
from .contexts import is_disjunct
from .phrases import phrase, trimmed
from .relation import (
    APPOSITION,
    COPULA,
    NOMINAL,
    POSSESSIVE,
    PRESUPPOSED,
    VERB,
    Relation,
)
from .sentence import SUBJECTS, Context, Sentence, Word

_ARGUMENTS = ("obl", "obl:unmarked", "obl:agent", "advmod", "advcl", "iobj")
_NOUN_PARTS = ("nmod", "conj", "nmod:poss", "appos", "compound")


def relations_of(sentence: Sentence) -> list[Relation]:
    """Give the relations of a sentence, in the order of their predicates."""
    return [relation for word in sentence.words for relation in _of_word(word)]


def _of_word(word: Word) -> Iterator[Relation]:
    """Find the relations whose predicate is a word. An apposition and a possessor have
    one with their noun."""
    noun = word.head
    is_verb = word.pos == "VERB" or not word.child("cop")
    if word.dep == "cop" or (word.is_predicate and is_verb):
        yield from _of_verb(word)
    elif word.pos != "AUX" and not word.is_auxiliary:
        ends = _core(word)[:2]
        if len(ends) == 2:
            yield from _distributed(NOMINAL, word, *ends)
    if word.dep == "appos":
        if not word.is_denied_noun and "NUM" not in (word.pos, noun.pos):
            yield from _distributed(APPOSITION, word, noun, word)
    elif word.dep == "nmod:poss":
        if word.lemma not in word.lang.moments and noun.lemma not in word.lang.idle:
            yield from _distributed(POSSESSIVE, word, word.antecedent, noun)


def _core(word: Word) -> list[Word]:
    """Give the heads of a predicate's numbered roles, in their order. A goal of motion
    is none."""
    return [
        x.antecedent
        for x, role in word.roles.items()
        if is_core(role) and x.dep != "advmod" and not x.is_goal
    ]


def _of_verb(word: Word) -> Iterator[Relation]:
    """Find the relations of a verb or a copula."""
    clause = word.clause
    subject = word.subject
    if word is not clause:
        thing: Optional[Word] = clause
    elif clause.is_passive:
        thing = word.child("obj") or subject or _oblique_of(word, None)
        subject = word.child("obl:agent") or word.agent
    else:
        thing = word.object or _oblique_of(word, subject)
    thing = thing and thing.antecedent
    if subject or thing:
        is_copula = word is not clause or word.lemma == word.lang.copula
        yield from _distributed(COPULA if is_copula else VERB, word, subject, thing)


def _oblique_of(word: Word, subject: Optional[Word]) -> Optional[Word]:
    """Give the noun that a preposition joins to a verb without an object. Times and
    goals of motion are no objects."""
    nouns = _core(word)
    if not word.roles:
        later = [x for x in word.children if x.dep == "obl" and x.i > word.i]
        nouns = [x for x in later if x.token.ent_type_ not in word.lang.times]
    for noun in nouns:
        if not (noun is subject or noun.is_goal or word.is_below(noun)):
            return noun
    return None


def _distributed(
    kind: str, word: Word, subject: Optional[Word], thing: Optional[Word]
) -> Iterator[Relation]:
    """Make a relation for each pair of conjuncts of the subject and the object."""
    is_presupposed = kind in PRESUPPOSED
    predicate = word.child("case") if is_presupposed else word
    arguments = () if is_presupposed else _arguments(word, (subject, thing))
    for ends in product(_fillers(subject, word, kind), _fillers(thing, word, kind)):
        heads = [x for x in ends if x]
        context, denial = _stated_of(heads, word)
        if is_presupposed:
            context, denial = _presupposed(word.head), None
        yield Relation(
            phrase(ends[0], word),
            _predicate_span(predicate) if predicate else None,
            phrase(ends[1], word),
            kind,
            arguments,
            phrase(context.source, word),
            tuple([x.token for x in (word, *heads)]),
            word,
            ends,
            denial,
            context,
        )


def _predicate_span(word: Word) -> Span:
    particle = word.child("compound:prt")
    is_next = particle is not None and particle.i == word.i + 1
    return word.sentence.span_of(word.i, word.i + 1 + is_next)


def _arguments(word: Word, ends: Sequence[Optional[Word]]) -> tuple[Span, ...]:
    """Give further arguments and adjuncts."""
    clause = word.clause
    inner = [
        x for x in clause.children if x.dep in _ARGUMENTS or x.tag == word.lang.modal
    ]
    labels = {x: x.dep for x in inner} | word.roles
    return tuple(
        [
            trimmed(x, x.first, x.last + 1, label)
            for x, label in labels.items()
            if not (x in ends or x.is_denial or clause.is_below(x))
        ]
    )


def _fillers(head: Optional[Word], word: Word, kind: str) -> list[Optional[Word]]:
    """Give what fills a slot: its head and the head's conjuncts, up to the predicate's
    own clause. "My brother and Anna" has one owned."""
    if not head:
        return [None]
    is_owned = kind == POSSESSIVE and word.head is head
    is_clause = head.is_predicate and head is not word.clause
    if word.clause.is_below(head):
        head = head.named
        is_clause = False
    heads: list[Optional[Word]] = [head]
    for x in head.conjuncts:
        is_own = x.pos != head.pos or x.child("nmod:poss", "det")
        is_later = head.i < word.first <= x.i
        is_whole = x.child(*SUBJECTS) if is_clause else not x.is_predicate
        if is_whole and not (is_later or (is_owned and is_own)):
            heads.append(x)
    return heads


def _stated_of(heads: Sequence[Word], word: Word) -> tuple[Context, Optional[Word]]:
    """Give the context of a predicate with one pair of conjuncts, and the word that
    denies it. "but Tom" holds where another is denied; "or Tom" and "perhaps Tom" are
    open."""
    context = word.clause.context
    for noun in heads:
        is_open = noun.word(word.lang.doubting, "advmod", "orphan") or is_disjunct(noun)
        if noun.is_predicate:
            continue
        if noun.denial:
            return context._replace(polarity=NEGATIVE), noun.denial
        if context.polarity == POSITIVE and is_open:
            return context._replace(certainty=OPEN), None
        if noun.is_contrast:
            return context._replace(polarity=POSITIVE), None
    return context, word.clause.denial


def said_of(relation: Relation, noun: Word) -> Relation:
    """Give a relation as it is said of one of the nouns after a preposition: "in Paris,
    not in London"."""
    heads = [x for x in (*relation.ends, noun) if x]
    context, denial = _stated_of(heads, relation.word)
    return replace(relation, context=context, denial=denial)


def _presupposed(noun: Word) -> Context:
    """Give the context of what a noun phrase takes for granted: nobody denies or
    reports it, but it is open below what is wished, planned, failed or done without."""
    context = noun.context
    top = noun
    while top.dep in _NOUN_PARTS:
        top = top.head
    is_open = (
        context.certainty == OPEN
        or top.head.outer.polarity == NEGATIVE
        or (context.polarity == NEGATIVE and noun.is_chosen)  # "not their first title"
        or top.word(noun.lang.replacing, "case")  # "without Anna's consent"
    )
    is_kept = top.dep in SUBJECTS and not top.denial
    certainty = OPEN if is_open and not is_kept else FACT
    return Context(POSITIVE, certainty, context.source)

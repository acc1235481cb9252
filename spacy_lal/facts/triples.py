"""`doc._.triples` says relations in the text's own words, as open information
extraction does: a passive stays a passive, and the words of a relation (auxiliaries,
"not", particles, the preposition of an oblique) are words of the sentence, in its
order.

A confidence is the logistic of a sum of weights, which lie in the language's room: how
far people agree with triples of this kind (CaRB; fitted on the first half of its
development file). `Triple.source.confidence` says how sure the parser is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import (
    NamedTuple,
    Optional,
)

from spacy.tokens import Span

from ..lang.clause_words import NEGATED
from .phrases import (
    ADJUNCTS,
    ASIDE,
    CLAUSES,
    OUT_OF_PHRASE,
    PHRASES,
    case_of,
    heads_clause,
    is_adjunct,
    joining,
    words_of,
    words_of_verb,
    words_within,
    written,
)
from .relation import COPULA, POSSESSIVE, PRESUPPOSED, VERB, Relation
from .relations import relations_of, said_of
from .sentence import Sentence, Word

ADJUNCT = "adjunct"
INHERITED = "inherited"
_NESTED = ("nmod", "obl")
_OBJECTS = ("obj", "iobj", "expl")


@dataclass(frozen=True)
class Triple:
    """A fact in the text's own words; none of the three is empty.

    subject, relation, object (str): Words of the sentence, divided by spaces, in its
        order; "'s" and "n't" are words, as in the Penn Treebank. The relation of an
        apposition is "be", and of a possessive "has".
    arguments (Tuple[str, ...]): Further arguments and adjuncts, with prepositions.
    source (Relation): The relation that it says, with its Spans.
    features (Tuple[str, ...]): What its confidence is computed from."""

    subject: str
    relation: str
    object: str
    arguments: tuple[str, ...]
    source: Relation
    features: tuple[str, ...]

    @property
    def confidence(self) -> float:
        """Tells how probably people agree with it."""
        weights = self.source.word.lang.confidence
        total = sum([weights.get(name, 0.0) for name in self.features])
        return 1 / (1 + exp(-total))

    @property
    def factuality(self) -> str:
        """Tells whether the text says that it is so, as `Relation.factuality`."""
        return self.source.factuality

    @property
    def negated(self) -> bool:
        """Tells whether it is denied."""
        return self.factuality == NEGATED or self.source.denial is not None

    @property
    def attribution(self) -> Optional[Span]:
        """Gives who says so."""
        return self.source.attribution

    def __str__(self) -> str:
        return f"({self.subject}; {self.relation}; {self.object})"


class _Parts(NamedTuple):
    """The words of a triple, by position.

    source (Relation): The relation that it says.
    subject, relation, object (Set[int]): Its parts.
    head (Word): The head of the object; `others`: of further arguments.
    kind (str): What it is beside the relation's first triple."""

    source: Relation
    subject: set[int]
    relation: set[int]
    object: set[int]
    head: Word
    others: Sequence[Word] = ()
    kind: str = ""


def triples_of(sentence: Sentence, *, nested: bool = False) -> list[Triple]:
    """Give the triples of a sentence, each once."""
    triples: dict[tuple[str, ...], Triple] = {}
    for relation in relations_of(sentence):
        for parts in _of_relation(relation):
            inner = _within(parts) if nested else ()
            for triple in map(_triple, (parts, *inner)):
                key = (triple.subject, triple.relation, triple.object)
                if all(key):
                    triples.setdefault(key, triple)
    return list(triples.values())


def _triple(parts: _Parts) -> Triple:
    source = parts.source
    word = source.word
    lang = word.lang
    said = written(word.words, parts.relation)
    if source.kind in PRESUPPOSED:
        said = lang.owning if source.kind == POSSESSIVE else lang.copula
    others = [
        words_within(x, ASIDE) | {y.i for y in x.children if y.lower in lang.negations}
        for x in parts.others
    ]
    return Triple(
        written(word.words, parts.subject),
        said,
        written(word.words, parts.object),
        tuple([written(word.words, x) for x in others]),
        source,
        ("bias", source.kind, word.clause.dep, parts.kind),
    )


def _of_relation(relation: Relation) -> Iterator[_Parts]:
    """Give the triples of a relation. A verb or a copula has those of its grammatical
    subject and its object; then of each further phrase and its conjuncts, "(it; was
    sold to; Kim)" beside "(it; was sold in; 1900)"."""
    verb = relation.word
    clause = verb.clause
    subject = verb.subject
    if relation.kind in PRESUPPOSED:
        who, what = [words_of(x, verb) for x in relation.ends if x]
        yield _Parts(relation, who, set(), what, relation.ends[1] or verb)
    if relation.kind not in (VERB, COPULA) or not subject:
        return
    same = (subject, *subject.conjuncts)
    heads = [x for x in relation.ends if x]
    first = next((x for x in heads if x in same), subject)
    thing = next((x for x in heads if x not in same), clause.child("xcomp"))
    if thing and thing.dep == "xcomp" and thing is not clause:
        thing = clause.child("iobj") or thing
        if thing.is_predicate and thing.child("obj", "cop", *CLAUSES, *ADJUNCTS):
            return  # the infinitive's verb says both: "(He; tried to woo; Lydia)"
    words = words_of_verb(verb, relation.denial)
    adjuncts = [x for x in clause.children if is_adjunct(x) and x.i not in words]
    predicate = thing if thing in clause.conjuncts else clause
    if predicate is not clause:  # "is kind to him and rude to us"
        own = filter(is_adjunct, predicate.children)
        adjuncts = [x for x in adjuncts if not verb.i < x.i < predicate.i] + [*own]
    after = [x for x in adjuncts if x.i > predicate.i]
    phrases = [x for x in adjuncts if x.dep in PHRASES]
    phrases.sort(key=lambda x: x.i < clause.i)
    before: set[int] = set()
    if thing:
        others = [x for x in adjuncts if not thing.is_below(x)]
        yield from _said(relation, first, thing, others)
        phrases = [x for x in phrases if x in others]
        if thing is predicate or (thing.dep == "obj" and thing.i > clause.i):
            before = words_of(thing, verb)
            phrases = [x for x in phrases if x in after]
    for head in phrases or ([] if thing else after[:1]):
        is_main = not (thing or head in phrases[1:])
        others = [x for x in adjuncts if is_main and x is not head]
        kind = "" if is_main else ADJUNCT
        for noun in (head, *head.conjuncts):
            source = said_of(relation, noun)
            yield from _said(source, first, noun, others, before, kind)


def _said(
    source: Relation,
    first: Word,
    head: Word,
    others: Sequence[Word],
    before: Iterable[int] = (),
    kind: str = "",
) -> Iterator[_Parts]:
    """Give the triple of an object or a phrase. Its preposition belongs to the relation
    if it stands after the verb, and so does an object `before` it. What is said of a
    predicate noun is said of its subject, too: "X is a musician who lived in Paris"."""
    verb = source.word
    clause = verb.clause
    kept = words_of_verb(verb, source.denial).union(before)
    inner = words_of(head, verb)
    mark = head.child("mark")
    infinitive = clause.child("xcomp")
    kept |= joining(head, clause)
    if not clause.is_below(head):
        inner |= case_of(head)
    if mark and head is not clause and heads_clause(head):
        kept.add(mark.i)
    elif infinitive and head.dep in _OBJECTS and head.i > clause.i:
        inner |= words_within(infinitive, ASIDE)  # "forced him to leave"
    inner -= kept
    further = [x for x in others if x.i not in inner]
    subjects = {kind: words_of(first, verb)}
    is_relative = clause.relative is not None and clause.relative.head is first
    noun = first.subject if is_relative and first.child("cop") else None
    if noun and noun.dep != "expl":
        subjects[INHERITED] = words_of(noun, first)
    for name, who in subjects.items():
        yield _Parts(source, who - kept, kept, inner, head, further, name)


def _within(parts: _Parts) -> Iterator[_Parts]:
    """Give the triples of the prepositional phrases in an object: what stands before
    belongs to the relation."""
    before = parts.relation | parts.object
    heads = [parts.head]
    for head in heads:  # which grows, outer before inner
        for noun in head.children:
            case = case_of(noun)
            if noun.dep in _NESTED and noun.i in parts.object and case:
                heads.append(noun)
                words = words_within(noun, OUT_OF_PHRASE)
                kept = {i for i in before if i < min(words | case)} | case
                yield _Parts(parts.source, parts.subject, kept, words - kept, noun)

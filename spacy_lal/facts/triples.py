"""`doc._.triples` says relations in the text's own words, as open information
extraction does: a passive stays a passive, and the words of a relation (auxiliaries,
"not", particles, the preposition of an oblique) are words of the sentence, in its
order.

A confidence is the logistic of a sum of weights, which lie in the language's room: how
far people agree with triples of this kind (CaRB; fitted on the first half of its
development file). `Triple.source.confidence` says how sure the parser is."""

from dataclasses import dataclass, replace
from math import exp
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from spacy.tokens import Span

from ..lang.clause_words import NEGATED
from .grammar import (
    INNER_SUBJECTS,
    OUTER_SUBJECTS,
    SUBJECTS,
    clause_of,
    conjuncts,
    is_beside,
    is_means,
    is_outside,
    is_passive,
    is_relative,
)
from .phrases import (
    ADJUNCTS,
    ASIDE,
    CLAUSES,
    NESTED,
    OBLIQUES,
    OUT_OF_OWNED,
    OUT_OF_PHRASE,
    OUT_OF_PREDICATE,
    PHRASES,
    case_of,
    degree_of,
    denial_in,
    is_denial,
    without_ends,
    words_below,
    words_of_noun,
    words_of_verb,
    words_within,
    written,
)
from .relation import NOMINAL, POSSESSIVE, PRESUPPOSED, Relation
from .relations import relations_of, said_of
from .sentence import Sentence, Word

ADJUNCT = "adjunct"
INHERITED = "inherited"


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
    arguments: Tuple[str, ...]
    source: Relation
    features: Tuple[str, ...]

    @property
    def confidence(self) -> float:
        """Tells how probably people agree with it."""
        weights = self.source.word.lang.confidence
        total = sum(weights.get(name, 0.0) for name in self.features)
        return 1 / (1 + exp(-total))

    @property
    def factuality(self) -> str:
        """Tells whether the text says that it is so, as `Relation.factuality`."""
        return self.source.factuality

    @property
    def negated(self) -> bool:
        """Tells whether it is denied."""
        return self.factuality == NEGATED or self.source.negation is not None

    @property
    def modality(self) -> Optional[Span]:
        """Gives the modal verb."""
        return self.source.modality

    @property
    def attribution(self) -> Optional[Span]:
        """Gives who says so."""
        return self.source.attribution

    def __str__(self) -> str:
        return f"({self.subject}; {self.relation}; {self.object})"


@dataclass(frozen=True)
class _Parts:
    """The words of a triple, by position.

    source (Relation): The relation that it says.
    subject, relation, object (Set[int]): Its parts.
    heads (Tuple[Word, ...]): The heads of the object and of further arguments.
    kind (str): What it is beside the relation's first triple."""

    source: Relation
    subject: Set[int]
    relation: Set[int]
    object: Set[int]
    heads: Tuple[Word, ...]
    kind: str = ""


def triples_of(sentence: Sentence, *, nested: bool = False) -> List[Triple]:
    """Give the triples of a sentence, each once."""
    triples: Dict[Tuple[str, ...], Triple] = {}
    for relation in relations_of(sentence):
        for triple in _of_relation(relation, nested=nested):
            key = (triple.subject, triple.relation, triple.object)
            if all(key):
                triples.setdefault(key, triple)
    return list(triples.values())


def _of_relation(relation: Relation, *, nested: bool) -> Iterator[Triple]:
    if relation.kind in PRESUPPOSED:
        yield from _of_nouns(relation)
    elif relation.kind != NOMINAL:
        for parts in _of_verb(relation):
            yield _triple(parts)
            if nested:
                yield from map(_triple, _within(parts))


def _triple(parts: _Parts) -> Triple:
    words = parts.source.word.sentence.words
    further = [words_within(x, ASIDE) | denial_in(x) for x in parts.heads[1:]]
    return Triple(
        written(words, parts.subject),
        written(words, parts.relation),
        written(words, parts.object),
        tuple([text for text in (written(words, x) for x in further) if text]),
        parts.source,
        _features(parts.source, parts.kind),
    )


def _features(source: Relation, kind: str = "") -> Tuple[str, ...]:
    return ("bias", source.kind, clause_of(source.word).dep, kind)


def _ends(relation: Relation) -> Tuple[Optional[Word], Optional[Word]]:
    """Give the heads of subject and object."""
    words = relation.word.sentence.words
    start = relation.word.sentence.span.start
    heads = [words[token.i - start] for token in relation.tokens[1:]]
    subject = heads[0] if relation.subject else None
    return subject, heads[-1] if relation.object else None


def _of_nouns(relation: Relation) -> Iterator[Triple]:
    """Give the triple of an apposition or a possessive."""
    subject, thing = _ends(relation)
    if not subject or not thing:
        return
    words = relation.word.sentence.words
    is_owned = relation.kind == POSSESSIVE
    owned = words_within(thing, OUT_OF_OWNED if is_owned else OUT_OF_PHRASE)
    lang = relation.word.lang
    yield Triple(
        written(words, words_within(subject, OUT_OF_PREDICATE)),
        lang.owning if is_owned else lang.copula,
        written(words, owned),
        (),
        relation,
        _features(relation),
    )


def _of_verb(relation: Relation) -> Iterator[_Parts]:
    """Give the triples of a verb or a copula: of its grammatical subject and its
    object; without an object, of an oblique, and of the oblique's conjuncts; then of
    each further phrase."""
    verb = relation.word
    clause = clause_of(verb)
    copula = clause.child("cop")
    has_outer = copula is not None and clause.child(*OUTER_SUBJECTS) is not None
    is_inner = has_outer and verb is not copula
    subject = clause.child(*INNER_SUBJECTS) if is_inner else clause.subject
    if not subject:
        return
    ends = _ends(relation)
    if ends[0] and not clause.child(*SUBJECTS) and not is_passive(verb):
        subject = ends[0]  # "trained them to see it": the roles know
    heads = [x for x in ends if x]
    same = (subject, *conjuncts(subject))
    first = next((x for x in heads if x in same), subject)
    objects = [
        x for x in heads if x not in same and (x.dep != "expl" or x.i > clause.i)
    ]
    thing = _object_in(objects, verb, clause)
    words = _words_of_relation(relation, clause)
    adjuncts = [x for x in clause.children if _is_adjunct(x) and x.i not in words]
    if thing and _is_said_below(thing, clause):
        return
    said = [(relation, thing)] if thing else []
    main = thing or _main_oblique(clause, adjuncts)
    if main and not thing:
        said = [(said_of(relation, x), x) for x in (main, *conjuncts(main))]
    if not main:
        return
    further = tuple(x for x in adjuncts if x is not main and not main.is_below(x))
    for source, head in said:
        words = _words_of_relation(source, clause)
        inner, kept = _words_of_object(head, clause, words)
        if has_outer:
            said_words = _said_in(clause)
            inner = inner & said_words if is_inner else said_words
            kept = (kept | {verb.i}) & said_words if is_inner else kept - said_words
        others = tuple(x for x in further if x.i not in inner)
        parts = _Parts(
            source,
            words_of_noun(first, clause) - kept,
            kept,
            inner - kept,
            (head, *others),
        )
        yield parts
        yield from _beside(parts, first, clause)
        yield from _of_phrases(parts, clause)


def _object_in(objects: Sequence[Word], verb: Word, clause: Word) -> Optional[Word]:
    thing = objects[0] if objects else None
    if thing and thing.dep == "xcomp":
        after = [x for x in clause.children if x.i > clause.i]
        thing = next((x for x in after if x.dep in ("obj", "iobj")), thing)
    if thing and verb is not clause and thing.dep in CLAUSES:
        return clause  # "doubtful that he left"
    return None if thing and thing.dep == "ccomp" and is_beside(thing) else thing


def _beside(parts: _Parts, subject: Word, clause: Word) -> Iterator[_Parts]:
    """Say what is said of a predicate noun of its subject, too: "X is a musician who
    lived in Paris"."""
    noun = clause.head
    while clause.dep == "conj" and not is_relative(clause):
        clause = clause.head
        noun = clause.head
    if subject is noun and is_relative(clause) and noun.child("cop") and noun.subject:
        if noun.subject.dep != "expl" and noun.subject is not noun:
            words = words_of_noun(noun.subject, noun) - parts.relation
            yield replace(parts, subject=words, kind=INHERITED)


def _of_phrases(parts: _Parts, clause: Word) -> Iterator[_Parts]:
    """Give a triple of each further phrase: "(it; was sold to; Kim)" beside "(it; was
    sold in; 1900)"."""
    thing = parts.heads[0]
    before = parts.relation - case_of(thing)
    has_object = thing is clause or (thing.dep == "obj" and thing.i > clause.i)
    if has_object:
        before = parts.relation | without_ends(clause.sentence.words, parts.object)
    for head in parts.heads[1:]:
        if head.dep not in PHRASES or (has_object and head.i < clause.i):
            continue
        for noun in (head, *conjuncts(head)):
            source = said_of(parts.source, noun)
            words = words_of_noun(noun, clause)
            case = case_of(noun)
            kept = before | case
            if noun.i < clause.i:
                words, kept = words | case, before
            yield _Parts(source, parts.subject, kept, words - kept, (noun,), ADJUNCT)


def _said_in(clause: Word) -> Set[int]:
    """Give the words of a copula's clause: "that he left" of "is that he left"."""
    starts = [x for x in clause.children if x.dep in ("mark", *INNER_SUBJECTS)]
    first = starts[0].first if starts and starts[0].i < clause.i else clause.first
    return {i for i in words_below(clause) if i >= first}


def _is_adjunct(word: Word) -> bool:
    """Tell whether a word heads a further argument, and no relative word is in it."""
    if word.dep not in ADJUNCTS:
        return False
    asking = word.lang.tags.asking
    is_open = word.tag in asking or any(x.tag in asking for x in word.children)
    return not (is_open or is_denial(word) or _is_idle(word))


def _is_idle(word: Word) -> bool:
    return word.dep == "advmod" and is_outside(word, is_clause=True)


def _is_said_below(thing: Word, clause: Word) -> bool:
    """Tell whether the verb of an infinitive says both: "(He; tried to woo; Lydia)"."""
    is_shared = thing.dep == "xcomp" and thing.head is clause and thing.is_predicate
    return is_shared and thing.child("obj", "cop", *CLAUSES, *ADJUNCTS) is not None


def _main_oblique(clause: Word, adjuncts: List[Word]) -> Optional[Word]:
    """Give the first oblique, rather after the verb; or an adverb."""
    after = [x for x in adjuncts if x.i > clause.i]
    for words in (after, adjuncts):
        for word in words:
            if word.dep in OBLIQUES:
                return word
    means = [x for x in clause.children if x.i > clause.i and is_means(x)]
    return next(iter([*after, *means]), None)


def _words_of_relation(relation: Relation, clause: Word) -> Set[int]:
    """Give the words of the verb. A denial of the verb or of its conjuncts is among
    them; a denial that does not hold for "but Tom" is not."""
    words = words_of_verb(clause)
    if clause.denial:
        words -= words_below(clause.denial)
    span = relation.negation
    if not span:
        return words
    sentence = clause.sentence
    negation = sentence.words[span.root.i - sentence.span.start]
    if negation.head.dep == "advmod":
        negation = negation.head  # "longer" of "no longer"
    is_replacing = negation.head is clause and negation.lower in clause.lang.replacing
    is_shown = negation.dep == "advmod" or is_replacing
    return words | words_below(negation) if is_shown else words


def _words_of_object(
    head: Word, clause: Word, words: Set[int]
) -> Tuple[Set[int], Set[int]]:
    """Give the words of an object, and the words of the relation with the object's
    preposition. The preposition of an object before the verb stays with the object."""
    case = case_of(head)
    if head is clause:
        inner = words_within(head, OUT_OF_PREDICATE) | degree_of(head)
        copula = head.child("cop")
        if copula and copula.i < head.i:  # what is fronted is no part of it
            inner = {i for i in inner if i > copula.i}
        return inner, words | case
    if head.dep in CLAUSES and head.is_predicate:
        inner = words_within(head, OUT_OF_PHRASE)
        marks = [x.i for x in head.children if x.dep == "mark" and x.i < head.i]
        first = head.first
        while first in marks:
            words = words | {first}
            first += 1
        return inner, words | case
    inner = words_of_noun(head, clause)
    if head.i < clause.i:
        return inner if clause.is_below(head) else inner | case, words
    infinitive = clause.child("xcomp")
    if infinitive and head.dep in ("obj", "iobj", "expl"):
        inner = inner | words_within(infinitive, ASIDE)  # "forced him to leave"
    return inner, words | case


def _within(parts: _Parts) -> Iterator[_Parts]:
    """Give the triples of the prepositional phrases in an object: what stands before
    belongs to the relation."""
    before = parts.relation | parts.object
    for head in _phrases_in(parts.heads[0], parts.object):
        words = words_within(head, OUT_OF_PHRASE)
        case = case_of(head)
        first = min(words | case)
        kept = {i for i in before if i < first} | case
        yield replace(
            parts, relation=kept, object=words - kept, heads=(head,), kind=ADJUNCT
        )


def _phrases_in(head: Word, within: Set[int]) -> Iterator[Word]:
    """Give the heads of the prepositional phrases below a noun, outer before inner."""
    for child in head.children:
        is_phrase = child.i > head.i and child.dep in NESTED and child.child("case")
        if is_phrase and child.i in within:
            yield child
            yield from _phrases_in(child, within)

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
    COORDINATION,
    INNER_SUBJECTS,
    OUTER_SUBJECTS,
    SUBJECTS,
    VERBAL,
    child_above,
    clause_of,
    conjuncts,
    is_beside,
    is_chosen,
    is_mark,
    is_means,
    is_outside,
    is_passive,
    is_relative,
    is_stranded,
)
from .relations import (
    NOMINAL,
    POSSESSIVE,
    PRESUPPOSED,
    Relation,
    relations_of,
    said_of,
)
from .sentence import Sentence, Word

_ASIDE = ("acl:relcl", "advcl:relcl", "parataxis", "discourse", "vocative")
_CLAUSES = ("ccomp", "xcomp", "advcl")
_OBLIQUES = ("obl", "obl:agent")
_PHRASES = (*_OBLIQUES, "obl:unmarked")
_ADJUNCTS = (*_PHRASES, "iobj", "advmod")
_OUT_OF_PHRASE = (*_ASIDE, *COORDINATION, "appos", "case")
_OUT_OF_PREDICATE = (
    *_OUT_OF_PHRASE,
    *VERBAL,
    *SUBJECTS,
    *_ADJUNCTS,
    "advcl",
    "expl",
    "mark",
)
_OUT_OF_OWNED = (*_OUT_OF_PREDICATE, "nmod:poss", "punct")
_SHARED = ("aux", "aux:pass")
_NESTED = ("nmod", "obl")
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
    further = [_words(x, _ASIDE) | _denial_in(x) for x in parts.heads[1:]]
    return Triple(
        _text(words, parts.subject),
        _text(words, parts.relation),
        _text(words, parts.object),
        tuple([text for text in (_text(words, x) for x in further) if text]),
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
    owned = _words(thing, _OUT_OF_OWNED if is_owned else _OUT_OF_PHRASE)
    lang = relation.word.lang
    yield Triple(
        _text(words, _words(subject, _OUT_OF_PREDICATE)),
        lang.owning if is_owned else lang.copula,
        _text(words, owned),
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
            _words_of_noun(first, clause) - kept,
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
    if thing and verb is not clause and thing.dep in _CLAUSES:
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
            words = _words_of_noun(noun.subject, noun) - parts.relation
            yield replace(parts, subject=words, kind=INHERITED)


def _of_phrases(parts: _Parts, clause: Word) -> Iterator[_Parts]:
    """Give a triple of each further phrase: "(it; was sold to; Kim)" beside "(it; was
    sold in; 1900)"."""
    thing = parts.heads[0]
    before = parts.relation - _case_of(thing)
    has_object = thing is clause or (thing.dep == "obj" and thing.i > clause.i)
    if has_object:
        before = parts.relation | _trimmed(clause.sentence.words, parts.object)
    for head in parts.heads[1:]:
        if head.dep not in _PHRASES or (has_object and head.i < clause.i):
            continue
        for noun in (head, *conjuncts(head)):
            source = said_of(parts.source, noun)
            words = _words_of_noun(noun, clause)
            case = _case_of(noun)
            kept = before | case
            if noun.i < clause.i:
                words, kept = words | case, before
            yield _Parts(source, parts.subject, kept, words - kept, (noun,), ADJUNCT)


def _said_in(clause: Word) -> Set[int]:
    """Give the words of a copula's clause: "that he left" of "is that he left"."""
    starts = [x for x in clause.children if x.dep in ("mark", *INNER_SUBJECTS)]
    first = starts[0].first if starts and starts[0].i < clause.i else clause.first
    return {i for i in _below(clause) if i >= first}


def _is_adjunct(word: Word) -> bool:
    """Tell whether a word heads a further argument, and no relative word is in it."""
    if word.dep not in _ADJUNCTS:
        return False
    asking = word.lang.tags.asking
    is_open = word.tag in asking or any(x.tag in asking for x in word.children)
    return not (is_open or _is_denial(word) or _is_idle(word))


def _is_idle(word: Word) -> bool:
    return word.dep == "advmod" and is_outside(word, is_clause=True)


def _is_said_below(thing: Word, clause: Word) -> bool:
    """Tell whether the verb of an infinitive says both: "(He; tried to woo; Lydia)"."""
    is_shared = thing.dep == "xcomp" and thing.head is clause and thing.is_predicate
    return is_shared and thing.child("obj", "cop", *_CLAUSES, *_ADJUNCTS) is not None


def _main_oblique(clause: Word, adjuncts: List[Word]) -> Optional[Word]:
    """Give the first oblique, rather after the verb; or an adverb."""
    after = [x for x in adjuncts if x.i > clause.i]
    for words in (after, adjuncts):
        for word in words:
            if word.dep in _OBLIQUES:
                return word
    means = [x for x in clause.children if x.i > clause.i and is_means(x)]
    return next(iter([*after, *means]), None)


def _words_of_relation(relation: Relation, clause: Word) -> Set[int]:
    """Give the words of the verb. A denial of the verb or of its conjuncts is among
    them; a denial that does not hold for "but Tom" is not."""
    words = _words_of_verb(clause)
    if clause.denial:
        words -= _below(clause.denial)
    span = relation.negation
    if not span:
        return words
    sentence = clause.sentence
    negation = sentence.words[span.root.i - sentence.span.start]
    if negation.head.dep == "advmod":
        negation = negation.head  # "longer" of "no longer"
    is_replacing = negation.head is clause and negation.lower in clause.lang.replacing
    is_shown = negation.dep == "advmod" or is_replacing
    return words | _below(negation) if is_shown else words


def _words_of_verb(clause: Word) -> Set[int]:
    """Give a verb or copula with its auxiliaries, its particles and the adverbs before
    it. The verbs that control it ("was able to reinforce") and shared auxiliaries ("was
    arrested and jailed") belong to it, too."""
    words: Set[int] = set()
    while True:
        helping = [x for x in clause.children if x.dep in VERBAL]
        if not clause.child("cop"):
            words.add(clause.i)
        for child in clause.children:
            if child in helping or child.dep == "compound:prt" or _is_left(child):
                words |= _below(child)
            elif child.dep == "advmod" and _is_verbal_adverb(child, clause):
                words.add(child.i)
        head = clause.head
        if clause.dep != "xcomp" or head.child("obj", "iobj"):
            break
        words |= {
            x.i for x in head.children if x.dep == "advmod" and head.i < x.i < clause.i
        }
        words |= {x.i for x in clause.children if x.dep == "mark"}
        words.add(head.i)
        clause = head
    if clause.dep == "conj" and not helping:
        if clause.tag not in clause.lang.tags.finite:
            shared = [x for x in head.children if x.dep in _SHARED or _is_denial(x)]
            words |= {x.i for x in shared}
    return words


def _is_left(word: Word) -> bool:
    """Tell whether "if", or "for" of "the book you asked for", belongs to the verb."""
    lang = word.lang
    is_doubt = word.lower in lang.conditional or word.lower in lang.replacing
    return (word.dep == "mark" and is_doubt) or is_stranded(word)


def _is_denial(word: Word) -> bool:
    return word.dep == "advmod" and word.lower in word.lang.negations


def _is_verbal_adverb(adverb: Word, clause: Word) -> bool:
    """Tell whether an adverb belongs to the verb: "not", "perhaps", or one word between
    subject and verb."""
    lang = adverb.lang
    if is_outside(adverb, is_clause=True):
        return False
    if adverb.lower in lang.negations or adverb.lower in lang.doubting:
        return True
    is_alone = not adverb.children and adverb.tag not in lang.tags.asking
    subject = clause.child(*SUBJECTS)
    is_after = not subject or subject.i < adverb.i
    is_degree = adverb.i in _degree_of(clause)
    return is_after and is_alone and adverb.i < clause.i and not is_degree


def _degree_of(head: Word) -> Set[int]:
    """Give the words of an adverb right before an adjective: "slightly heavier"."""
    if head.pos != "ADJ" or not head.i:
        return set()
    before = head.sentence.words[head.i - 1]
    is_adverb = before.head is head and before.dep == "advmod"
    return _below(before) if is_adverb and not _is_denial(before) else set()


def _words_of_noun(head: Word, clause: Word) -> Set[int]:
    """Give the words of a noun, before the relative clause that says the relation."""
    if clause.is_below(head):
        return _words(head, _OUT_OF_PREDICATE) - _below(child_above(clause, head))
    return _words(
        head,
        _OUT_OF_PREDICATE
        if head.is_predicate and head.child("cop")
        else _OUT_OF_PHRASE,
    )


def _words_of_object(
    head: Word, clause: Word, words: Set[int]
) -> Tuple[Set[int], Set[int]]:
    """Give the words of an object, and the words of the relation with the object's
    preposition. The preposition of an object before the verb stays with the object."""
    case = _case_of(head)
    if head is clause:
        inner = _words(head, _OUT_OF_PREDICATE) | _degree_of(head)
        copula = head.child("cop")
        if copula and copula.i < head.i:  # what is fronted is no part of it
            inner = {i for i in inner if i > copula.i}
        return inner, words | case
    if head.dep in _CLAUSES and head.is_predicate:
        inner = _words(head, _OUT_OF_PHRASE)
        marks = [x.i for x in head.children if x.dep == "mark" and x.i < head.i]
        first = head.first
        while first in marks:
            words = words | {first}
            first += 1
        return inner, words | case
    inner = _words_of_noun(head, clause)
    if head.i < clause.i:
        return inner if clause.is_below(head) else inner | case, words
    infinitive = clause.child("xcomp")
    if infinitive and head.dep in ("obj", "iobj", "expl"):
        inner = inner | _words(infinitive, _ASIDE)  # "forced him to leave"
    return inner, words | case


def _within(parts: _Parts) -> Iterator[_Parts]:
    """Give the triples of the prepositional phrases in an object: what stands before
    belongs to the relation."""
    before = parts.relation | parts.object
    for head in _phrases_in(parts.heads[0], parts.object):
        words = _words(head, _OUT_OF_PHRASE)
        case = _case_of(head)
        first = min(words | case)
        kept = {i for i in before if i < first} | case
        yield replace(
            parts, relation=kept, object=words - kept, heads=(head,), kind=ADJUNCT
        )


def _phrases_in(head: Word, within: Set[int]) -> Iterator[Word]:
    """Give the heads of the prepositional phrases below a noun, outer before inner."""
    for child in head.children:
        is_phrase = child.i > head.i and child.dep in _NESTED and child.child("case")
        if is_phrase and child.i in within:
            yield child
            yield from _phrases_in(child, within)


def _below(word: Word) -> Set[int]:
    """Give a word and all words below it."""
    words = {word.i}
    stack = [word]
    while stack:
        children = stack.pop().children
        words.update([x.i for x in children])
        stack += children
    return words


def _words(head: Word, out: Tuple[str, ...]) -> Set[int]:
    """Give a word and the words below it, but for children with some deprels."""
    inner = {head.i}
    for child in head.children:
        if _is_part(child, out) and not is_outside(child, is_clause=head.is_predicate):
            inner |= _below(child)
    return inner


def _is_part(word: Word, out: Tuple[str, ...]) -> bool:
    """Tell whether a word is a part of its phrase: unless its deprel is one of some,
    but with the clause of "what he had cooked", "anyone who came", "the first woman who
    flew"."""
    if word.dep not in out:
        return True
    if word.dep not in _ASIDE[:2]:
        return False
    head = word.head
    tags = word.lang.tags
    is_free = head.tag in tags.asking or head.pos in ("PRON", "DET")
    first = word.sentence.words[word.first]
    return (is_free or is_chosen(head)) and first.text != tags.comma


def _case_of(head: Word) -> Set[int]:
    """Give the words of the preposition of a phrase, or of its first conjunct."""
    while True:
        words: Set[int] = set()
        for child in head.children:
            if child.dep == "case" and child.i < head.i:
                words |= _below(child)
        if words or head.dep != "conj":
            return words
        head = head.head


def _denial_in(word: Word) -> Set[int]:
    """Give the "not" of an argument: "not quickly"."""
    return {x.i for x in word.children if x.lower in word.lang.negations}


def _trimmed(words: Sequence[Word], places: Set[int]) -> Set[int]:
    """Give words without quotation marks, brackets and stops, and without marks at the
    ends."""
    kept = [words[i] for i in sorted(places)]
    kept = [x for x in kept if not x.token.is_space and x.tag not in x.lang.tags.silent]
    for place in (0, -1):
        while kept and is_mark(kept[place]):
            kept.pop(place)
    return {x.i for x in kept}


def _text(words: Sequence[Word], places: Set[int]) -> str:
    """Write words in the order of the sentence. A word with a hyphen is one word, as in
    the text."""
    text = ""
    before = None
    for i in sorted(_trimmed(words, places)):
        word = words[i]
        is_next = before is not None and before.i == i - 1
        is_hyphen = is_next and word.lang.tags.hyphen in (word.tag, before.tag)
        is_joined = is_hyphen and not before.token.whitespace_
        text += word.text if is_joined else f" {word.text}"
        before = word
    return text.strip()

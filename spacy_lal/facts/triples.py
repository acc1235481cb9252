"""`doc._.triples` says relations in the text's own words, as open information
extraction does: a passive stays a passive, and the words of a relation (auxiliaries,
"not", particles, the preposition of an oblique) are words of the sentence, in its
order.

A confidence is the logistic of a sum of weights, which lie in the language's room: how
far people agree with triples of this kind (CaRB; fitted on the first half of its
development file). `Triple.source.confidence` says how sure the parser is."""

from dataclasses import dataclass
from math import exp
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from spacy.tokens import Doc, Span, Token

from ..lang.clause_words import NEGATED
from .factuality import denial_of
from .grammar import (
    COORDINATION,
    INNER_SUBJECTS,
    OUTER_SUBJECTS,
    SUBJECTS,
    VERBAL,
    child_above,
    child_of,
    clause_of,
    conjuncts,
    has_child,
    is_chosen,
    is_means,
    is_outside,
    is_passive,
    is_predicate,
    is_stranded,
    subject_of,
    tags_of,
    without_marks,
    words_of,
)
from .relations import (
    APPOSITION,
    NOMINAL,
    POSSESSIVE,
    Relation,
    said_of,
)

_ASIDE = ("acl:relcl", "advcl:relcl", "parataxis", "discourse")
_CLAUSES = ("ccomp", "xcomp", "advcl")
_OBLIQUES = ("obl", "obl:agent")
_ADJUNCTS = (*_OBLIQUES, "obl:unmarked", "iobj", "advmod")
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


@dataclass(frozen=True)
class Triple:
    """A fact in the text's own words.

    subject, relation, object (str): Words of the sentence, divided by spaces, in its
        order; "'s" and "n't" are words, as in the Penn Treebank. The relation of an
        apposition is "be", and of a possessive "has".
    arguments (Tuple[str, ...]): Further arguments and adjuncts, with prepositions.
    source (Relation): The relation that it says, with its Spans."""

    subject: str
    relation: str
    object: str
    arguments: Tuple[str, ...]
    source: Relation

    @property
    def confidence(self) -> float:
        """Tells how probably people agree with it."""
        source = self.source
        features = ("bias", source.kind, clause_of(source.tokens[0]).dep_)
        weights = words_of(source.tokens[0]).confidence
        total = sum(weights.get(name, 0.0) for name in features)
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


def triples_of(relations: Sequence[Relation], *, nested: bool) -> List[Triple]:
    """Give the triples of relations."""
    found: Dict[Tuple[str, ...], Triple] = {}
    for relation in relations:
        for triple in _of_relation(relation, nested=nested):
            key = (triple.subject, triple.relation, triple.object)
            found.setdefault(key, triple)
    return list(found.values())


@dataclass(frozen=True)
class _Parts:
    """The words of a triple, by their places in the Doc.

    source (Relation): The relation that it says.
    subject, relation, object (Set[int]): Its parts.
    arguments (Tuple[Set[int], ...]): Further arguments.
    heads (Tuple[Token, ...]): The heads of the object and of the arguments."""

    source: Relation
    subject: Set[int]
    relation: Set[int]
    object: Set[int]
    arguments: Tuple[Set[int], ...]
    heads: Tuple[Token, ...]


def _of_relation(relation: Relation, *, nested: bool) -> Iterator[Triple]:
    if relation.kind in (APPOSITION, POSSESSIVE):
        yield from _of_nouns(relation)
    if relation.kind in (APPOSITION, POSSESSIVE, NOMINAL):
        return
    for parts in _of_verb(relation):
        yield _triple(parts)
        if nested:
            yield from map(_triple, _within(parts))


def _triple(parts: _Parts) -> Triple:
    doc = parts.source.sent.doc
    return Triple(
        _text(doc, parts.subject),
        _text(doc, parts.relation),
        _text(doc, parts.object),
        tuple(_text(doc, words) for words in parts.arguments),
        parts.source,
    )


def _of_nouns(relation: Relation) -> Iterator[Triple]:
    """Give the triple of an apposition or a possessive."""
    if not relation.subject or not relation.object:
        return
    doc = relation.sent.doc
    subject = _words(relation.subject.root, _OUT_OF_PREDICATE)
    is_owned = relation.kind == POSSESSIVE
    out = _OUT_OF_OWNED if is_owned else _OUT_OF_PHRASE
    thing = _words(relation.object.root, out)
    words = words_of(relation.tokens[0])
    name = words.owning if is_owned else words.copula
    yield Triple(_text(doc, subject), name, _text(doc, thing), (), relation)


def _of_verb(relation: Relation) -> Iterator[_Parts]:
    """Give the triples of a verb or a copula: of its grammatical subject and its
    object; without an object, of an oblique, and of the oblique's conjuncts."""
    verb = relation.tokens[0]
    clause = clause_of(verb)
    copula = child_of(clause, "cop")
    has_outer = copula is not None and has_child(clause, *OUTER_SUBJECTS)
    is_inner = has_outer and verb != copula
    subject = child_of(clause, *INNER_SUBJECTS) if is_inner else subject_of(clause)
    if not subject:
        return
    if relation.subject and not has_child(clause, *SUBJECTS) and not is_passive(verb):
        subject = relation.subject.root  # "trained them to see it": the roles know
    heads = [x.root for x in (relation.subject, relation.object) if x]
    subjects = [x for x in heads if x == subject or x in conjuncts(subject)]
    objects = [x for x in heads if x not in (subject, *subjects)]
    objects = [x for x in objects if x.dep_ != "expl" or x.i > clause.i]
    if objects and objects[0].dep_ == "xcomp":
        given = (x for x in clause.rights if x.dep_ in ("obj", "iobj"))
        objects[:1] = [next(given, objects[0])]
    if objects and verb == copula and objects[0].dep_ in _CLAUSES:
        objects[:1] = [clause]  # "doubtful that he left"
    first = subjects[0] if subjects else subject
    words = _words_of_relation(relation, clause)
    rest = [x for x in clause.children if _is_adjunct(x) and x.i not in words]
    if objects and _is_said_below(objects[0], clause):
        return
    said = [(relation, thing) for thing in objects[:1]]
    if not said:
        said = [(said_of(relation, x), x) for x in _obliques(clause, rest)]
    for source, thing in said:
        words = _words_of_relation(source, clause)
        found, kept = _words_of_object(thing, clause, words)
        if has_outer:
            said_words = _said_in(clause)
            found = found & said_words if is_inner else said_words
            kept = (kept | {verb.i}) & said_words if is_inner else kept - said_words
        outer = (x for x in rest if not _is_within(said[0][1], x))
        further = tuple(x for x in outer if x.i not in found)
        yield _Parts(
            source,
            _words_of_noun(first, clause) - kept,
            kept,
            found - kept,
            tuple(_words(x, _ASIDE) for x in further),
            (thing, *further),
        )


def _said_in(clause: Token) -> Set[int]:
    """Give the words of a copula's clause: "that he left" of "is that he left"."""
    starts = (x for x in clause.lefts if x.dep_ in ("mark", *INNER_SUBJECTS))
    first = next(starts, clause).left_edge.i
    return {i for i in _below(clause) if i >= first}


def _is_adjunct(token: Token) -> bool:
    """Tell whether a word heads a further argument, and no relative word is in it."""
    tags = tags_of(token)
    relative = (*tags.relative, tags.relative_adverb)
    is_open = any(x.tag_ in relative for x in (token, *token.children))
    is_idle = is_open or _is_denial(token) or is_outside(token, is_clause=True)
    return token.dep_ in _ADJUNCTS and not is_idle


def _is_within(token: Token, head: Token) -> bool:
    return token == head or head.is_ancestor(token)


def _is_said_below(thing: Token, clause: Token) -> bool:
    """Tell whether the verb of an infinitive says both: "(He; tried to woo; Lydia)"."""
    is_shared = thing.dep_ == "xcomp" and thing.head == clause and is_predicate(thing)
    return is_shared and has_child(thing, "obj", "cop", *_CLAUSES, *_ADJUNCTS)


def _obliques(clause: Token, rest: List[Token]) -> List[Token]:
    """Give the first oblique, rather after the verb, with conjuncts; or an adverb."""
    obliques = [x for x in rest if x.dep_ in _OBLIQUES]
    after = [x for x in obliques if x.i > clause.i]
    adverbs = [x for x in rest if x.i > clause.i]
    means = [x for x in clause.rights if is_means(x)]
    first = next(iter([*after, *obliques, *adverbs, *means]), None)
    return [first, *conjuncts(first)] if first else []


def _words_of_relation(relation: Relation, clause: Token) -> Set[int]:
    """Give the words of the verb. A denial of the verb or of its conjuncts is among
    them; a denial that does not hold for "but Tom" is not."""
    words = _words_of_verb(clause)
    denial = denial_of(clause)
    if denial:
        words -= _below(denial)
    if not relation.negation:
        return words
    negation = relation.negation.root
    if negation.head.dep_ == "advmod":
        negation = negation.head  # "longer" of "no longer"
    is_above = negation.head == clause
    is_replacing = is_above and negation.lower_ in words_of(clause).replacing
    is_shown = negation.dep_ == "advmod" or is_replacing
    return words | _below(negation) if is_shown else words


def _words_of_verb(clause: Token) -> Set[int]:
    """Give a verb or copula with its auxiliaries, its particles and the adverbs before
    it. The verbs that control it ("was able to reinforce") and shared auxiliaries ("was
    arrested and jailed") belong to it, too."""
    words = set() if child_of(clause, "cop") else {clause.i}
    for child in clause.children:
        if child.dep_ in (*VERBAL, "compound:prt") or _is_left(child):
            words |= _below(child)
        elif child.dep_ == "advmod" and _is_verbal_adverb(child, clause):
            words.add(child.i)
    head = clause.head
    if clause.dep_ == "xcomp" and not has_child(head, "obj", "iobj"):
        between = {x.i for x in head.rights if x.dep_ == "advmod" and x.i < clause.i}
        marks = {x.i for x in clause.children if x.dep_ == "mark"}
        return words | marks | between | {head.i} | _words_of_verb(head)
    is_bare = (
        not has_child(clause, *VERBAL) and clause.tag_ not in tags_of(clause).finite
    )
    if clause.dep_ == "conj" and is_bare:
        shared = (x for x in head.children if x.dep_ in _SHARED or _is_denial(x))
        words |= {x.i for x in shared}
    return words


def _is_left(token: Token) -> bool:
    """Tell whether "if", or "for" of "the book you asked for", belongs to the verb."""
    words = words_of(token)
    is_doubt = token.lower_ in words.conditional | words.replacing
    return is_stranded(token) or (token.dep_ == "mark" and is_doubt)


def _is_denial(token: Token) -> bool:
    return token.dep_ == "advmod" and token.lower_ in words_of(token).negations


def _is_verbal_adverb(adverb: Token, clause: Token) -> bool:
    """Tell whether an adverb belongs to the verb: "not", "perhaps", or one word between
    subject and verb."""
    words = words_of(adverb)
    if is_outside(adverb, is_clause=True):
        return False
    if adverb.lower_ in words.negations | words.doubting:
        return True
    is_alone = not any(adverb.children) and adverb.tag_ != words.tags.relative_adverb
    subject = child_of(clause, *SUBJECTS)
    is_after = not subject or subject.i < adverb.i
    is_degree = adverb.i in _degree_of(clause)
    return is_after and is_alone and adverb.i < clause.i and not is_degree


def _degree_of(head: Token) -> Set[int]:
    """Give the words of an adverb right before an adjective: "slightly heavier"."""
    before = head.nbor(-1) if head.i and head.pos_ == "ADJ" else head
    is_adverb = before.head == head and before.dep_ == "advmod"
    return _below(before) if is_adverb and not _is_denial(before) else set()


def _words_of_noun(head: Token, clause: Token) -> Set[int]:
    """Give the words of a noun, before the relative clause that says the relation."""
    if head.is_ancestor(clause):
        return _words(head, _OUT_OF_PREDICATE) - _below(child_above(clause, head))
    return _words(head, _OUT_OF_PHRASE)


def _words_of_object(
    head: Token, clause: Token, words: Set[int]
) -> Tuple[Set[int], Set[int]]:
    """Give the words of an object, and the words of the relation with the object's
    preposition. The preposition of an object before the verb stays with the object."""
    if head == clause:
        found = _words(head, _OUT_OF_PREDICATE) | _degree_of(head)
        return found, words | _case_of(head)
    found = _words_of_noun(head, clause)
    if head.i < clause.i:
        is_outer = head.is_ancestor(clause)
        return found if is_outer else found | _case_of(head), words
    if head.dep_ in _CLAUSES and is_predicate(head):
        first = head.left_edge
        while first.dep_ == "mark":
            words = words | {first.i}
            first = first.nbor()
        return found | _case_of(head), words
    infinitive = child_of(clause, "xcomp")
    if infinitive and head.dep_ in ("obj", "iobj", "expl"):
        found = found | _words(infinitive, _ASIDE)  # "forced him to leave"
    return found, words | _case_of(head)


def _within(parts: _Parts) -> Iterator[_Parts]:
    """Give the triples of the prepositional phrases in an object, and of further
    arguments: what stands before belongs to the relation."""
    thing, *further = parts.heads
    before = parts.relation | parts.object
    for head in _phrases_in(thing, parts.object):
        words = _words(head, _OUT_OF_PHRASE)
        first = min(words | _case_of(head))
        kept = {i for i in before if i < first} | _case_of(head)
        yield _Parts(parts.source, parts.subject, kept, words - kept, (), (head,))
    for head in further:
        words = _words(head, _OUT_OF_PHRASE)
        if head.dep_ in (*_OBLIQUES, "obl:unmarked") and head.i > thing.i:
            kept = before | _case_of(head)
            yield _Parts(parts.source, parts.subject, kept, words - kept, (), (head,))


def _phrases_in(head: Token, within: Set[int]) -> Iterator[Token]:
    """Give the heads of the prepositional phrases below a noun, outer before inner."""
    for child in head.rights:
        is_phrase = child.dep_ in _NESTED and has_child(child, "case")
        if is_phrase and child.i in within:
            yield child
            yield from _phrases_in(child, within)


def _below(token: Token) -> Set[int]:
    return {x.i for x in token.subtree}


def _words(head: Token, out: Tuple[str, ...]) -> Set[int]:
    """Give a word and the words below it, but for children with some deprels."""
    found = {head.i}
    is_clause = is_predicate(head)
    for child in head.children:
        if _is_part(child, out) and not is_outside(child, is_clause=is_clause):
            found |= _below(child)
    return found


def _is_part(token: Token, out: Tuple[str, ...]) -> bool:
    """Tell whether a word is a part of its phrase: unless its deprel is one of some,
    but with the clause of "what he had cooked", "anyone who came", "the first woman who
    flew"."""
    head = token.head
    words = words_of(token)
    is_free = head.tag_ == words.tags.relative_adverb or head.pos_ in ("PRON", "DET")
    is_free = is_free or is_chosen(head)
    is_inner = is_free and token.left_edge.lower_ != words.tags.comma
    return token.dep_ not in out or (is_inner and token.dep_ in _ASIDE[:2])


def _case_of(head: Token) -> Set[int]:
    """Give the words of the preposition of a phrase, or of its first conjunct."""
    cases = [x for x in head.lefts if x.dep_ == "case"]
    if not cases and head.dep_ == "conj":
        return _case_of(head.head)
    return {i for x in cases for i in _below(x)}


def _text(doc: Doc, words: Set[int]) -> str:
    """Write words in the order of the sentence, without marks at the ends. A word with
    a hyphen is one word, as in the text."""
    tokens = [doc[i] for i in sorted(words) if not doc[i].is_space]
    tags = tags_of(doc[0])
    text = ""
    for token in without_marks(tokens):
        before = doc[token.i - 1]
        is_hyphen = tags.hyphen in (token.tag_, before.tag_)
        is_joined = is_hyphen and before in tokens and not before.whitespace_
        text += token.text if is_joined else f" {token.text}"
    return text.strip()

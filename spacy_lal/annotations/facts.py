"""The door of the room of facts: `doc._.relations`, `doc._.triples`, `sent._.clauses`
and `simplify` read the sentences of a Doc here, with roles and constituents, once."""

from functools import partial
from typing import Iterator, List, Sequence, Union

from spacy.tokens import Doc, Span, Token

from ..facts import (
    Clause,
    Relation,
    Sentence,
    Triple,
    clauses_of,
    relations_of,
    set_contexts,
    simplify_sentence,
    triples_of,
)
from ..lang import clause_words, conventions
from .confidence import confidences_of
from .roles import get_propositions
from .span_groups import check_present


def get_clauses(span: Span) -> List[Clause]:
    """Give the clauses of a sentence, in the order of their verbs: kind, verb, subject,
    and whether they can stand alone. A Span has the clauses whose verbs lie in it. A
    Doc without heads has none."""
    check_present(span)
    clauses = [clause for x in read_sentences(span) for clause in clauses_of(x)]
    within = (x for x in clauses if span.start <= x.verb.i < span.end)
    return sorted(within, key=lambda clause: clause.verb.i)


def get_relations(item: Union[Doc, Span]) -> List[Relation]:
    """Give the relations of a Doc or Span, in the order of their predicates, from roles
    where there are some, else from heads. A Doc without heads has none.

    RAISES (StaleParseError): As `doc._.predicates`."""
    span = _checked(item)
    relations = [relation for x in read_sentences(span) for relation in relations_of(x)]
    return [x for x in relations if span.start <= x.tokens[0].i < span.end]


def get_triples(item: Union[Doc, Span], nested: bool = False) -> List[Triple]:
    """Give the triples of a Doc or Span, in the order of its sentences: one for each
    relation that has a subject and something said of it, and one for each further
    phrase with a preposition.

    nested (bool): Whether each prepositional phrase within an object gives a triple of
        its own, whose relation has the words before it: "(He; became a founding justice
        of; the High Court)".
    """
    span = _checked(item)
    triples = [
        one for x in read_sentences(span) for one in triples_of(x, nested=nested)
    ]
    within = range(span.start, span.end)
    return [one for one in triples if one.source.tokens[0].i in within]


def simplify(span: Span) -> List[str]:
    """Divide a sentence into sentences of one clause each: "The man left." and "The man
    bought it." for "The man, who bought it, left.". Coordinate, relative and some
    adverbial clauses ("because", "although", "while") are said alone, with the
    antecedent or the shared subject and auxiliary put in. No word is made up or
    changed, but for a capital and a full stop: complements, conditions, participles,
    questions, verbs with one object ("cooked and ate it") and relative clauses about an
    object stay where they are. A sentence stays whole where nothing can be said alone;
    a Span of several sentences or a part gives its sentences."""
    check_present(span)
    if not span.doc.has_annotation("DEP"):
        return [text for text in [span.text.strip()] if text]
    texts = [text for x in read_sentences(span) for text in simplify_sentence(x)]
    return [text for text in texts if text]


def _checked(item: Union[Doc, Span]) -> Span:
    span = item[:] if isinstance(item, Doc) else item
    check_present(span)
    return span


def read_sentences(span: Span) -> Iterator[Sentence]:
    """Read the sentences that a Span of a Doc with heads lies in."""
    doc = span.doc
    if not len(span) or not doc.has_annotation("DEP"):
        return
    lang = clause_words(doc.vocab.lang)
    helping = conventions(doc.vocab.lang).auxiliary_rolesets
    confidence = partial(_confidence, doc)
    for sent in span.sents:  # type: ignore[attr-defined]
        propositions = get_propositions(doc, sent.start, sent.end)
        roles = [one for one in propositions if one.roleset not in helping]
        sentence = Sentence(sent, lang, roles, confidence)
        set_contexts(sentence)
        yield sentence


def _confidence(doc: Doc, tokens: Sequence[Token]) -> float:
    return confidences_of(doc, "heads").of_relation(tokens)

"""The door of the room of facts: `doc._.relations`, `doc._.triples`, `sent._.clauses`
and `simplify` read a Doc here, with its roles and constituents."""

from typing import Union

from spacy.tokens import Doc, Span

from ..facts import clauses, relations, triples
from ..facts.grammar import Clause
from ..facts.relations import Relation
from ..facts.simplify import simplify_sentence
from ..facts.triples import Triple
from .confidence import confidences_of
from .parses import SPANS_KEY, get_constituents
from .predicates import get_span_predicates
from .span_groups import check_present


def get_clauses(span: Span) -> list[Clause]:
    """Give the clauses of a sentence, in the order of their verbs: kind, verb, subject,
    and whether they can stand alone. A Span has the clauses whose verbs lie in it. In a
    Doc without heads, constituents and tags give the clauses.
    RAISES (ValueError): There are constituents, but neither heads nor sentence
        boundaries."""
    check_present(span)
    doc = span.doc
    if doc.has_annotation("DEP"):
        return clauses.clauses_of(span)
    if SPANS_KEY not in doc.spans:
        return []
    found = clauses.clauses_in_constituents(doc, get_constituents(doc))
    within = (one for one in found if span.start <= one.verb.i < span.end)
    return sorted(within, key=lambda one: one.verb.i)


def get_relations(item: Union[Doc, Span]) -> list[Relation]:
    """Give the relations of a Doc or Span, in the order of their predicates, from roles
    where there are some, else from heads. A Doc without heads has none.

    RAISES (StaleParseError): As `doc._.predicates`."""
    span = item[:] if isinstance(item, Doc) else item
    check_present(span)
    if not span.doc.has_annotation("DEP"):
        return []
    return relations.relations_of(span, get_span_predicates(span), confidences_of)


def get_triples(item: Union[Doc, Span], nested: bool = False) -> list[Triple]:
    """Give the triples of a Doc or Span: one for each relation that has a subject and
    something said of it.

    nested (bool): Whether each prepositional phrase within an object, and each further
        argument, gives a triple of its own, whose relation has the words before it:
        "(He; became a founding justice of; the High Court)".
    """
    return triples.triples_of(get_relations(item), nested=nested)


def simplify(span: Span) -> list[str]:
    """Divide a sentence into sentences of one clause each: "The man left." and "The man
    bought it." for "The man, who bought it, left.". Coordinate, relative and some
    adverbial clauses ("because", "although", "while") are said alone, with the
    antecedent or the shared subject, auxiliary and object put in. No word is made up or
    changed, but for a capital and a full stop: complements, conditions, participles and
    questions stay where they are. A sentence stays whole where nothing can be said
    alone; a Span of several sentences or a part gives its sentences."""
    check_present(span)
    sentences = span.sents if len(span) and span.doc.has_annotation("DEP") else [span]  # type: ignore[attr-defined]
    return [text for one in sentences for text in simplify_sentence(one) if text]

"""`sent._.clauses` gives the clauses of a sentence. They come from
heads with deprels of Universal Dependencies, in a Doc without heads from
constituents."""

from typing import List

from spacy.tokens import Span, Token

from .constituents import clauses_in_constituents  # noqa: F401
from .grammar import (
    SUBJECTS,
    Clause,
    child_of,
    is_auxiliary,
    is_finite,
    is_predicate,
    phrase,
    subject_of,
    tags_of,
    top_of,
    trimmed,
)

_COORDINATE = "coordinate"
_KINDS = {
    "ROOT": "main",
    "acl:relcl": "relative",
    "advcl:relcl": "relative",
    "advcl": "adverbial",
    "conj": _COORDINATE,
    "parataxis": _COORDINATE,
    "list": _COORDINATE,
    "appos": _COORDINATE,
    "dep": _COORDINATE,
}


def clauses_of(span: Span) -> List[Clause]:
    """Give the clauses whose verbs lie in a Span, from heads."""
    return [_clause(token) for token in span if is_predicate(token)]


def _clause(token: Token) -> Clause:
    top = top_of(token)
    subject = subject_of(token)
    mark = child_of(top, "mark")
    kind = _KINDS.get(top.dep_, "complement")
    if top.dep_ == "acl" and not mark:
        kind = "relative"
    is_imperative = token.tag_ == tags_of(token).base
    has_subject = any(child_of(x, *SUBJECTS) for x in (token, top))
    is_own = has_subject or (not subject and is_imperative)
    is_outer = kind not in ("relative", "adverbial") and not mark
    is_alone = is_own and is_outer and (is_finite(token) or is_imperative)
    named = None
    if subject:
        is_before = subject.i < top.left_edge.i
        named = phrase(subject, 0, top.i if is_before else None)
    verb = child_of(token, "cop") or token
    return Clause(_range(token, top), kind, verb, named, is_alone)


def _range(token: Token, top: Token) -> Span:
    start = top.left_edge.i
    end = top.right_edge.i + 1
    is_next = top.dep_ == "acl:relcl" and top.head.i == start - 1
    if is_next and top.head.tag_ in tags_of(top).relative:
        start -= 1  # "what" of "what they found", which has no antecedent
    for child in (*top.children, *token.children):
        is_clause = is_predicate(child) or is_auxiliary(child)
        if child.dep_ not in ("conj", "parataxis") or not is_clause:
            continue
        if child.i > token.i:
            end = min(end, child.left_edge.i)
        else:
            start = child.right_edge.i + 1
    doc = token.doc
    while start < token.i and (doc[start].is_punct or doc[start].dep_ == "cc"):
        start += 1
    return trimmed(token, start, end)

"""`sent._.clauses` gives the clauses of a sentence, from heads with deprels of
Universal Dependencies."""

from dataclasses import dataclass
from typing import Optional

from spacy.tokens import Span, Token

from .phrases import phrase, trimmed
from .sentence import SUBJECTS, Sentence, Word

_JOINED = ("conj", "parataxis")
_RELATIVE = ("acl", "acl:relcl", "advcl:relcl")
_KINDS = {
    "ROOT": "main",
    "advcl": "adverbial",
    **dict.fromkeys(_RELATIVE, "relative"),
    **dict.fromkeys((*_JOINED, "list", "appos", "dep"), "coordinate"),
}
_INNER = ("relative", "adverbial")


@dataclass(frozen=True)
class Clause:
    """A clause of a sentence.

    span (Span): Its words, with the clauses that belong to it, without coordinate
        clauses, conjunction and outer marks.
    kind (str): "main", "complement", "relative", "adverbial" or "coordinate" (after
        another clause, with or without a conjunction).
    verb (Token): Its verb; the copula, where it has one.
    subject (Optional[Span]): Its subject, as in `Relation`: its own, an antecedent,
        or the subject of the clause around it.
    is_independent (bool): Whether it can stand alone: it has a finite verb and a
        subject of its own and nothing that subordinates it, or it is an imperative."""

    span: Span
    kind: str
    verb: Token
    subject: Optional[Span]
    is_independent: bool


def clauses_of(sentence: Sentence) -> list[Clause]:
    """Give the clauses of a sentence."""
    return [_clause(word) for word in sentence.words if word.is_predicate]


def _clause(word: Word) -> Clause:
    top = word
    while top.is_helped:
        top = top.head
    mark = top.child("mark")
    kind = _KINDS.get(top.dep, "complement")
    if top.dep == "acl" and mark:
        kind = "complement"
    is_named = word.child(*SUBJECTS) or top.child(*SUBJECTS)
    is_imperative = word.tag == word.lang.base and not word.subject
    is_own = is_named is not None if word.is_finite else is_imperative
    is_alone = is_own and kind not in _INNER and not mark
    verb = word.child("cop") or word
    start = top.first
    later = [
        x.first
        for x in (*top.children, *word.children)
        if x.dep in _JOINED and x.i > word.i and (x.is_predicate or x.is_auxiliary)
    ]
    while start < word.i and word.words[start].dep in ("punct", "cc"):
        start += 1
    span = trimmed(word, start, min([top.last + 1, *later]))
    return Clause(span, kind, verb.token, phrase(word.subject, verb), is_alone)

"""`sent._.clauses` gives the clauses of a sentence, from heads with deprels of
Universal Dependencies."""

from dataclasses import dataclass
from typing import List, Optional

from spacy.tokens import Span, Token

from .grammar import SUBJECTS
from .phrases import phrase, trimmed
from .sentence import Sentence, Word

_COORDINATE = "coordinate"
_KINDS = {
    "ROOT": "main",
    "acl": "relative",
    "acl:relcl": "relative",
    "advcl:relcl": "relative",
    "advcl": "adverbial",
    "conj": _COORDINATE,
    "parataxis": _COORDINATE,
    "list": _COORDINATE,
    "appos": _COORDINATE,
    "dep": _COORDINATE,
}
_INNER = ("relative", "adverbial")
_JOINED = ("conj", "parataxis")


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


def clauses_of(sentence: Sentence) -> List[Clause]:
    """Give the clauses of a sentence."""
    return [_clause(word) for word in sentence.words if word.is_predicate]


def _clause(word: Word) -> Clause:
    top = word.top
    mark = top.child("mark")
    kind = _KINDS.get(top.dep, "complement")
    if top.dep == "acl" and mark:
        kind = "complement"
    is_imperative = word.tag == word.lang.tags.base
    is_named = bool(word.child(*SUBJECTS) or top.child(*SUBJECTS))
    is_own = word.is_finite and is_named or is_imperative and not word.subject
    is_alone = is_own and kind not in _INNER and not mark
    verb = word.child("cop") or word
    subject = phrase(word.subject, verb)
    return Clause(_span(word), kind, verb.token, subject, is_alone)


def _span(word: Word) -> Span:
    """Give the words of a clause."""
    top = word.top
    words = word.sentence.words
    start = top.first
    end = top.last + 1
    for child in (*top.children, *word.children):
        is_clause = child.is_predicate or child.is_auxiliary
        if child.dep in _JOINED and is_clause and child.i > word.i:
            end = min(end, child.first)
        elif child.dep in _JOINED and is_clause:
            start = child.last + 1
    while start < word.i and words[start].dep in ("punct", "cc"):
        start += 1
    return trimmed(word, start, end)

"""`sent._.clauses` gives the clauses of a sentence. They come from heads with deprels
of Universal Dependencies, in a Doc without heads from constituents."""

from typing import List, Tuple

from .grammar import (
    SUBJECTS,
    Clause,
    is_finite,
    phrase,
    top_of,
    trimmed,
)
from .sentence import Sentence, Word

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


def clauses_of(sentence: Sentence) -> List[Clause]:
    """Give the clauses of a sentence, from heads."""
    return [_clause(word) for word in sentence.words if word.is_predicate]


def _clause(word: Word) -> Clause:
    top = top_of(word)
    subject = word.subject
    mark = top.child("mark")
    kind = _KINDS.get(top.dep, "complement")
    if top.head is top:
        kind = "main"
    if top.dep == "acl" and not mark:
        kind = "relative"
    is_imperative = word.tag == word.lang.tags.base
    has_subject = word.child(*SUBJECTS) or top.child(*SUBJECTS)
    is_own = has_subject or (not subject and is_imperative)
    is_outer = kind not in ("relative", "adverbial") and not mark
    is_alone = bool(is_own) and is_outer and (is_finite(word) or is_imperative)
    named = None
    if subject:
        is_before = subject.i < top.first
        named = phrase(subject, 0, top.i if is_before else None)
    verb = word.child("cop") or word
    span = trimmed(word, *_range(word, top))
    return Clause(span, kind, verb.token, named, is_alone)


def _range(word: Word, top: Word) -> Tuple[int, int]:
    start = top.first
    end = top.last + 1
    is_next = top.dep == "acl:relcl" and top.head.i == start - 1
    if is_next and top.head.tag in word.lang.tags.relative:
        start -= 1  # "what" of "what they found", which has no antecedent
    for child in (*top.children, *word.children):
        is_clause = child.is_predicate or child.is_auxiliary
        if child.dep not in ("conj", "parataxis") or not is_clause:
            continue
        if child.i > word.i:
            end = min(end, child.first)
        else:
            start = child.last + 1
    words = word.sentence.words
    while start < word.i and (words[start].token.is_punct or words[start].dep == "cc"):
        start += 1
    return start, end

"""Clauses of a Doc that has constituents of the Penn Treebank and tags, but no
heads."""

from typing import Any, Iterator, List, Sequence

from spacy.tokens import Doc, Span, Token

from ..lang.clause_words import ClauseWords
from ..trees import Parse
from .grammar import Clause


def clauses_in_constituents(
    doc: Doc, found: Sequence[Sequence[Any]], lang: ClauseWords
) -> Iterator[Clause]:
    """Give the clauses of a Doc's constituents, each with its verb."""
    from nltk.tree import (
        ParentedTree,
    )  # a fifth of the time that it takes to load a pipeline

    for sentence, constituents in zip(doc.sents, found, strict=True):
        words = [token for token in sentence if not token.is_space]
        if not words:
            continue
        tags = [token.tag_ or "X" for token in words]
        tree = Parse(words, tags, constituents).to_tree(ParentedTree)
        for node in tree.subtrees():
            yield from _of_phrase(node, lang)


def _of_phrase(node: Any, lang: ClauseWords) -> Iterator[Clause]:
    """Give the clause of a verb phrase, or of a clause without one ("Is it?"). The
    first phrase in another has none."""
    labels = lang.labels
    is_phrase = node.label() == labels.verb_phrase
    if not is_phrase and node.label() not in labels.clauses:
        return
    inner = node
    ends = []
    while phrases := _labelled(inner, labels.verb_phrase):
        inner = phrases[0]
        if len(phrases) > 1:
            ends.append(inner.leaves()[-1].i + 1)
    tags = lang.tags
    verbs = [child[0] for child in inner if child.label().startswith(tags.verbal)]
    is_later = _is_later(node, lang)
    around = _label(node.parent())
    is_inner = inner is not node
    if is_phrase:
        is_inner = around == labels.verb_phrase and not is_later
    if is_inner or not verbs:
        return
    has_clause = is_phrase and around in labels.clauses and not is_later
    clause = node.parent() if has_clause else node
    top = clause
    if _label(top.parent()) in (*labels.marked, labels.prepositional_phrase):
        top = top.parent()
    above = node.parent() if is_later else clause
    is_finite = top is above and any(verb.tag_ in tags.finite for verb in verbs)
    is_alone = is_finite and bool(_labelled(clause, labels.noun_phrase))
    while above is not None and not _labelled(above, labels.noun_phrase):
        above = above.parent()
    subject = None
    if above is not None:
        nouns = _labelled(above, labels.noun_phrase)
        named = nouns[-1 if is_phrase else 0].leaves()
        subject = _trimmed(named[-1], named[0].i, named[-1].i + 1)
    words = top.leaves()
    end = (*ends, words[-1].i + 1)[0]
    span = _trimmed(verbs[-1], words[0].i, end)
    yield Clause(span, _kind_in(top, lang), verbs[-1], subject, is_alone)


def _label(node: Any) -> str:
    return "" if node is None else str(node.label())


def _labelled(node: Any, label: str) -> List[Any]:
    return [child for child in node if child.label() == label]


def _is_later(node: Any, lang: ClauseWords) -> bool:
    """Tell whether a phrase follows one with the same label, or a conjunction."""
    if node.parent() is None:
        return False
    before = [child.label() for child in node.parent()[: node.parent_index()]]
    return node.label() in before or lang.labels.conjunction in before[1:]


def _kind_in(top: Any, lang: ClauseWords) -> str:
    """Tell the kind of a clause by the constituents around it."""
    above = top.parent()
    labels = lang.labels
    if above is None:
        return "main"
    if _is_later(top, lang):
        return "coordinate"
    is_in_clause = above.label() in labels.clauses
    if is_in_clause and not _labelled(above, labels.verb_phrase):
        return _kind_in(above, lang)
    word = top.leaves()[0]
    is_preposition = word.tag_ in lang.tags.prepositions
    if above.label() == labels.noun_phrase:
        return "complement" if is_preposition else "relative"
    is_marked = is_preposition and word.lower_ not in lang.complementizers
    is_marked = is_marked and top.label() in labels.marked
    is_prepositional = top.label() == labels.prepositional_phrase
    has_no_subject = is_in_clause and not _labelled(top, labels.noun_phrase)
    is_aside = _label(top.left_sibling()) == lang.tags.comma
    is_timed = word.lower_ in lang.temporal
    if is_prepositional or is_marked or is_timed or has_no_subject or is_aside:
        return "adverbial"
    is_argument = is_in_clause or above.label() in labels.predicates
    return "complement" if is_argument else "main"


def _trimmed(head: Token, start: int, end: int) -> Span:
    """Give the tokens around a word, without marks and white space at the ends."""
    tokens = head.doc[start:end]
    kept = [x.i for x in tokens if not (x.is_punct or x.is_space)]
    return head.doc[min([head.i, *kept]) : max([head.i, *kept]) + 1]

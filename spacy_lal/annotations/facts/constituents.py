"""Clauses of a Doc that has constituents of the Penn Treebank and tags, but no
heads."""

from typing import Any, Iterator, List

from spacy.tokens import Doc

from ...trees import spans_to_tree
from ..parses import get_constituents
from .grammar import ENGLISH, TAGS, Clause, trimmed

_CLAUSAL = ("S", "SBAR", "SBARQ", "SINV", "SQ")  # labels of constituents


def clauses_in_constituents(doc: Doc) -> Iterator[Clause]:
    """Give the clauses of a Doc's constituents, each with its verb."""
    from nltk.tree import (
        ParentedTree,
    )  # a fifth of the time that it takes to load a pipeline

    for sentence, constituents in zip(doc.sents, get_constituents(doc), strict=True):
        if words := [token for token in sentence if not token.is_space]:
            tree = spans_to_tree(
                words, [x.tag_ or "X" for x in words], constituents, make=ParentedTree
            )
            for node in tree.subtrees(lambda node: node.label() in ("VP", *_CLAUSAL)):
                yield from _of_phrase(node)


def _of_phrase(node: Any) -> Iterator[Clause]:
    """Give the clause of a verb phrase, or of a clause without one ("Is it?"). The
    first phrase in another has none."""
    inner, end, is_later, around = node, None, _is_later(node), _label(node.parent())
    while phrases := _labelled(inner, "VP"):
        inner, end = (
            phrases[0],
            end or (phrases[0].leaves()[-1].i + 1 if len(phrases) > 1 else None),
        )
    verbs = [child[0] for child in _labelled(inner, "VB", "VBG", "VBN", *TAGS.finite)]
    is_inner = (
        around == "VP" and not is_later if node.label() == "VP" else inner is not node
    )
    if is_inner or not verbs:
        return
    clause = top = (
        node.parent()
        if node.label() == "VP" and around in _CLAUSAL and not is_later
        else node
    )
    top = top.parent() if _label(top.parent()) in ("SBAR", "SBARQ", "PP") else top
    above, words = node.parent() if is_later else clause, top.leaves()
    is_finite = top is above and any(verb.tag_ in TAGS.finite for verb in verbs)
    is_alone = is_finite and bool(_labelled(clause, "NP"))
    while above is not None and not _labelled(above, "NP"):
        above = above.parent()
    named = (
        []
        if above is None
        else _labelled(above, "NP")[-1 if node.label() == "VP" else 0].leaves()
    )
    subject = trimmed(named[-1], named[0].i, named[-1].i + 1) if named else None
    yield Clause(
        trimmed(verbs[-1], words[0].i, end or words[-1].i + 1),
        _kind_in(top),
        verbs[-1],
        subject,
        is_alone,
    )


def _label(node: Any) -> str:
    return "" if node is None else str(node.label())


def _labelled(node: Any, *labels: str) -> List[Any]:
    return [child for child in node if child.label() in labels]


def _is_later(node: Any) -> bool:
    labels = (
        []
        if node.parent() is None
        else [child.label() for child in node.parent()[: node.parent_index()]]
    )
    return node.label() in labels or "CC" in labels[1:]


def _kind_in(top: Any) -> str:
    """Tell the kind of a clause by what is around it."""
    above, word = top.parent(), top.leaves()[0]
    if above is None or _is_later(top):
        return "main" if above is None else "coordinate"
    if above.label() in _CLAUSAL and not _labelled(above, "VP"):
        return _kind_in(above)
    is_marked = word.tag_ in TAGS.prepositions
    is_marked = is_marked and word.lower_ not in ENGLISH.complementizers
    if above.label() == "NP":
        return "complement" if word.tag_ in TAGS.prepositions else "relative"
    if (
        top.label() == "PP"
        or word.lower_ in ENGLISH.temporal
        or (top.label() == "SBAR" and is_marked)
    ):
        return "adverbial"
    if (above.label() in _CLAUSAL and not _labelled(top, "NP")) or _label(
        top.left_sibling()
    ) == ",":
        return "adverbial"
    return "complement" if above.label() in ("VP", "ADJP", *_CLAUSAL) else "main"

"""Copies of a gold Doc: some of its tokens with their annotations, or all of its tokens without annotations."""

from typing import List, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from ..annotations import (
    SPANS_KEY,
    constituent_tokens,
    get_propositions,
    has_propositions,
    has_sentences,
    sentence_bounds,
    set_propositions,
    set_sentence_starts,
)
from ..trees.propositions import PREDICATE_ROLE, Proposition

ATTRS = ("NORM", "TAG", "POS", "LEMMA", "MORPH", "ENT_IOB", "ENT_TYPE", "ENT_KB_ID", "ENT_ID")
ARCS = ("HEAD", "DEP")


def copy_tokens(
    doc: Doc, tokens: Sequence[int], *, words: Optional[Sequence[str]] = None, with_arcs: bool = True
) -> Doc:
    """Tokens of a gold Doc as a Doc, with their tags, constituents, sentences, heads, deprels and roles.

    A constituent or an argument keeps its remaining tokens. It is dropped if no token remains, or if a constituent
    around it has the same label and the same remaining tokens. A predicate is dropped with its token.

    doc (Doc): Left unchanged.
    tokens (Sequence[int]): Indices in the Doc, ascending.
    words (Optional[Sequence[str]]): Replacement words, one for each token.
    with_arcs (bool): Whether heads and deprels are copied.
    RAISES (ValueError): A token is copied without its head.
    """
    spaces = None if doc.has_unknown_spaces else _spaces(doc, tokens)
    copied = Doc(doc.vocab, words=[doc[i].text for i in tokens] if words is None else list(words), spaces=spaces)
    attrs: List[Union[int, str]] = [*ATTRS]
    array = doc.to_array(attrs)[list(tokens)]
    if with_arcs and doc.has_annotation("DEP"):
        attrs.extend(ARCS)
        array = np.hstack([array, _arcs(doc, tokens)])
    copied.from_array(attrs, array)  # type: ignore[arg-type]  # spaCy's stubs say int
    n_before = np.searchsorted(tokens, np.arange(len(doc) + 1))  # for each token, the number of copied tokens before it
    if has_sentences(doc):
        starts = {int(n_before[start]) for start, end in sentence_bounds(doc) if n_before[start] < n_before[end]}
        set_sentence_starts(copied, sorted(starts))
    if SPANS_KEY in doc.spans:
        spans = [Span(copied, start, end, label=label) for start, end, label in _constituents(doc, n_before.tolist())]
        copied.spans[SPANS_KEY] = SpanGroup(copied, name=SPANS_KEY, spans=spans)
    if has_propositions(doc):
        set_propositions(copied, _propositions(doc, tokens, n_before.tolist()))
    return copied


def copy_text(doc: Doc, *, with_sentences: bool, vocab: Optional[Vocab] = None) -> Doc:
    """The same tokens and spaces without annotations, as input for a pipeline.

    with_sentences (bool): Whether sentence boundaries, if known, are copied.
    vocab (Optional[Vocab]): Another vocab for the copy. None: the Doc's.
    """
    spaces = None if doc.has_unknown_spaces else [bool(token.whitespace_) for token in doc]
    copied = Doc(doc.vocab if vocab is None else vocab, words=[token.text for token in doc], spaces=spaces)
    if with_sentences and has_sentences(doc):
        set_sentence_starts(copied, [start for start, _ in sentence_bounds(doc)])
    return copied


def _spaces(doc: Doc, tokens: Sequence[int]) -> List[bool]:
    """Whether a space follows each token, directly or after tokens that are left out."""
    ends = [*tokens[1:], tokens[-1] + 1] if tokens else []
    return [any(doc[i].whitespace_ for i in range(token, end)) for token, end in zip(tokens, ends, strict=True)]


def _arcs(doc: Doc, tokens: Sequence[int]) -> np.ndarray:
    """HEAD and DEP of the tokens, as `Doc.from_array` expects them. *Shape:* (n_tokens, 2)."""
    array = doc.to_array([*ARCS])[list(tokens)]
    position = {token: i for i, token in enumerate(tokens)}
    for i, token in enumerate(tokens):
        head = token + int(array[i, 0].astype(np.int64))
        if head not in position:
            raise ValueError(
                f"expected the head of each token among the tokens, got {doc[token].text!r} (token {token}) without "
                f"its head {doc[head].text!r} (token {head})"
            )
        array[i, 0] = np.int64(position[head] - i).astype(np.uint64)
    return array


def _propositions(doc: Doc, tokens: Sequence[int], n_before: Sequence[int]) -> List[Proposition]:
    kept, found = set(tokens), []
    for token, roleset, args, lemma in get_propositions(doc):
        ranges = [(n_before[start], n_before[end], role) for start, end, role in args]
        ranges = [one for one in ranges if one[0] < one[1]]
        if token in kept and any(role == PREDICATE_ROLE for _, _, role in ranges):
            found.append(Proposition(n_before[token], roleset, tuple(ranges), lemma))
    return found


def _constituents(doc: Doc, n_before: Sequence[int]) -> List[Tuple[int, int, str]]:
    constituents: List[Tuple[int, int, str]] = []
    last_length = 0
    for start, end, label in constituent_tokens(doc):
        constituent = (n_before[start], n_before[end], label)
        if constituent[0] == constituent[1]:
            continue
        was_shorter = end - start < last_length  # False in a unary chain of the treebank
        if not (was_shorter and constituents[-1] == constituent):
            constituents.append(constituent)
            last_length = end - start
    return constituents

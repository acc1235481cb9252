"""Long sentences, which are read in pieces (`annotations/sentences.py`): the parses of
the pieces are joined."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Optional

import numpy as np
from spacy.tokens import Doc

from ..annotations import DocSentences, get_sentence_propositions
from ..trees import LabelVocab, split_chain
from ..trees.roles import Proposition
from .charts import DecodedParse

# The root of a later piece depends on the first piece's root as one of these.
ATTACHED_DEPRELS = ("parataxis", "dep")


def join_pieces(
    parses: Sequence[DecodedParse], labels: LabelVocab, deprels: dict[str, int]
) -> DecodedParse:
    """Join the parses of a sentence's pieces, each of one word or more. Their tops come
    under one node, with their most frequent label (of a unary chain, the outermost).
    The roots of later pieces depend on the first piece's root, as `parataxis` or `dep`
    if the vocabulary has either. Projective pieces make a projective tree, since no arc
    spans a root."""
    lengths = [len(parse.heads) for parse in parses]
    offsets = np.cumsum([0, *lengths])
    spans = []
    heads = []
    for parse, offset in zip(parses, offsets[:-1], strict=True):
        spans.append(parse.spans + [offset, offset, 0])
        heads.append(np.where(parse.heads > 0, parse.heads + offset, 0))
    top = _top_label(parses, labels)
    if top is not None:
        spans.insert(0, np.array([[0, offsets[-1], top]]))
    all_heads = np.concatenate(heads)
    all_deprels = np.concatenate([parse.deprels for parse in parses])
    first, *others = np.flatnonzero(all_heads == 0)
    all_heads[others] = first + 1
    attached = [deprels[name] for name in ATTACHED_DEPRELS if name in deprels]
    if attached:
        all_deprels[others] = attached[0]
    return DecodedParse(
        np.concatenate(spans).astype(np.int32),
        all_heads.astype(np.int32),
        all_deprels.astype(np.int32),
        "split",
    )


def _top_label(parses: Sequence[DecodedParse], labels: LabelVocab) -> Optional[int]:
    """The label of the node over all pieces; None if no piece has a tree."""
    tops = []
    for parse in parses:
        is_whole = len(parse.spans) and parse.spans[0, 1] == len(parse.heads)
        if is_whole:
            tops.append(int(parse.spans[0, 2]))
    outermost = [split_chain(labels.strings[top])[0] for top in tops]
    known = [labels.ids[label] for label in outermost if label in labels]
    counts = Counter(known or tops)
    return counts.most_common(1)[0][0] if counts else None


def cut_propositions(doc: Doc, sentences: DocSentences) -> Iterator[list[Proposition]]:
    """For each piece of each sentence, the propositions of its predicates, within
    it."""
    of_sentences = get_sentence_propositions(doc, sentences.read)
    for pieces, propositions in zip(sentences.pieces, of_sentences, strict=True):
        first = 0
        for piece in pieces:
            last = first + len(piece)
            for_piece = [
                proposition
                for proposition in propositions
                if first <= proposition.token < last
            ]
            yield [_within(proposition, first, last) for proposition in for_piece]
            first = last


def _within(proposition: Proposition, first: int, last: int) -> Proposition:
    """What lies within a piece of a sentence, in words of the piece."""
    parts = []
    for start, end, role in proposition.args:
        inner_start = max(start, first) - first
        inner_end = min(end, last) - first
        if inner_start < inner_end:
            parts.append((inner_start, inner_end, role))
    return proposition._replace(token=proposition.token - first, args=tuple(parts))

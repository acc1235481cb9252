"""Sentences of more than 500 words, which are cut into pieces of at most 200.

Charts grow with the square of a sentence's length, so a sentence is cut before the network runs. Network and decoder
treat a piece like a sentence. Sentences of hand-made treebanks are shorter: at most 90 words in EWT and GUM, 376 in
CRAFT.
"""

from collections import Counter
from typing import Dict, List, Optional, Sequence

import numpy as np
from spacy.tokens import Doc

from ..trees import LabelVocab, split_chain
from .decoders import MAX_JOINT_LENGTH, DecodedParse

MAX_LENGTH = 500
PIECE_LENGTH = MAX_JOINT_LENGTH
ATTACHED_DEPRELS = ("parataxis", "dep")  # attach the root of a later piece to the first piece's root


def cut_sentence(doc: Doc, words: Sequence[int]) -> List[List[int]]:
    """The pieces of a sentence: one, unless it has more than `MAX_LENGTH` words. From left to right, each piece ends at
    the last punctuation mark of the second half of its range; where there is none, it has `PIECE_LENGTH` words.

    words (Sequence[int]): The indices of the sentence's words.
    """
    if len(words) <= MAX_LENGTH:
        return [list(words)]
    pieces: List[List[int]] = []
    rest = list(words)
    while len(rest) > PIECE_LENGTH:
        ends = [i for i in range(PIECE_LENGTH // 2, PIECE_LENGTH + 1) if doc[rest[i - 1]].is_punct]
        end = ends[-1] if ends else PIECE_LENGTH
        pieces.append(rest[:end])
        rest = rest[end:]
    return [*pieces, rest] if rest else pieces


def join_pieces(parses: Sequence[DecodedParse], labels: LabelVocab, deprels: Dict[str, int]) -> DecodedParse:
    """Join the parses of a sentence's pieces.

    The tops of the pieces come under one node, with their most frequent label (of a unary chain, the outermost). The
    roots of later pieces depend on the first piece's root, as `parataxis` or `dep` if the vocabulary has either.
    Otherwise their deprels stay. Projective pieces make a projective tree, since no arc spans a root.

    parses (Sequence[DecodedParse]): The parses of the pieces, from left to right, each of one word or more.
    labels (LabelVocab): The vocabulary of the ids in `spans`.
    deprels (Dict[str, int]): The ids of the deprels.
    """
    if len(parses) == 1:
        return parses[0]
    offsets = np.cumsum([0, *(len(parse.heads) for parse in parses)])
    spans = [parse.spans + [offset, offset, 0] for parse, offset in zip(parses, offsets[:-1], strict=True)]
    tops = [int(parse.spans[0, 2]) for parse in parses if len(parse.spans) and parse.spans[0, 1] == len(parse.heads)]
    top = _common_top(tops, labels)
    if top is not None:
        spans.insert(0, np.array([[0, offsets[-1], top]]))
    heads = np.concatenate([parse.heads + (parse.heads > 0) * o for parse, o in zip(parses, offsets, strict=False)])
    deprel_ids = np.concatenate([parse.deprels for parse in parses])
    roots = np.flatnonzero(heads == 0)
    heads[roots[1:]] = roots[0] + 1
    attached = next((deprels[name] for name in ATTACHED_DEPRELS if name in deprels), None)
    if attached is not None:
        deprel_ids[roots[1:]] = attached
    return DecodedParse(
        np.concatenate(spans).astype(np.int32), heads.astype(np.int32), deprel_ids.astype(np.int32), "split"
    )


def _common_top(tops: Sequence[int], labels: LabelVocab) -> Optional[int]:
    outermost = [split_chain(labels.strings[top])[0] for top in tops]
    known = [labels.ids[label] for label in outermost if label in labels] or list(tops)
    return Counter(known).most_common(1)[0][0] if known else None

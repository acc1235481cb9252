"""The gold parses of Examples, on the predicted tokens and sentences.

Annotations that are missing or cannot be carried over to the predicted tokens are masked. So a treebank with only trees
or only dependencies can be trained on, and so can text whose gold tokens differ from the tokenizer's.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import (
    SPANS_KEY,
    CollapsedSpan,
    constituent_tokens,
    get_constituents,
    has_sentences,
    same_tokens,
    sentence_words,
    set_sentence_starts,
)
from ..trees import SUB_HEAD, LabelVocab, SpanError, collapse_chains, joint_spans, label_ids

MISSING = -1


class GoldParse(NamedTuple):
    """The gold parse of one predicted sentence of n words.

    labels (Optional[ndarray]): Shape: (n + 1, n + 1), int32: the label id of each span, 0 for no constituent. Where
        heads are known and scored, sub-head spans of the HPSG joint form are included. None: the tree is masked.
    heads (ndarray): Shape: (n,), int32: the head of each word, counted from 1; 0 is the root, -1 is masked.
    deprels (ndarray): Shape: (n,), int32: the deprel id of each word; -1 is masked.
    """

    labels: Optional[np.ndarray]
    heads: np.ndarray
    deprels: np.ndarray


def gold_parses(
    eg: Example, labels: LabelVocab, deprels: Dict[str, int], unknown: Optional[Set[str]] = None
) -> List[GoldParse]:
    """The gold parses of an Example, one for each sentence of `eg.predicted`, in order.

    eg (Example): Its predicted Doc has sentence boundaries; see `copy_sentence_starts`.
    labels (LabelVocab): A tree with an unknown label is masked.
    deprels (Dict[str, int]): An unknown deprel is masked. Empty for a parser of constituents alone: its trees have no
        sub-head spans.
    unknown (Optional[Set[str]]): Takes the labels and deprels that are masked because they are unknown.
    RAISES (ValueError): The predicted Doc has no sentence boundaries, or gold constituents cross.
    """
    sentences = sentence_words(eg.predicted)
    heads, arcs_deprels = aligned_arcs(eg)
    trees = _aligned_trees(eg, sentences)
    golds = []
    unknown = set() if unknown is None else unknown
    if deprels:
        unknown.update(deprel for deprel in arcs_deprels if deprel and deprel not in deprels)
    for words, spans in zip(sentences, trees, strict=True):
        position: Dict[Optional[int], int] = {word: i + 1 for i, word in enumerate(words)}
        sentence_heads = [0 if heads[w] == w else position.get(heads[w], MISSING) for w in words]
        try:
            scored_heads = sentence_heads if deprels else [MISSING] * len(words)
            chart = _label_chart(spans, scored_heads, [arcs_deprels[w] or "" for w in words], labels, unknown)
        except SpanError as err:
            text = " ".join(eg.predicted[w].text for w in words)
            raise ValueError(f"{err}; in the gold tree of {text!r}") from err
        golds.append(
            GoldParse(
                labels=chart,
                heads=np.array(sentence_heads, dtype=np.int32),
                deprels=np.array([deprels.get(arcs_deprels[w] or "", MISSING) for w in words], dtype=np.int32),
            )
        )
    return golds


def copy_sentence_starts(eg: Example) -> None:
    """Give a predicted Doc without sentence boundaries the reference's boundaries. A reference without boundaries is
    one sentence, or one for each of its outermost constituents if they cover it."""
    predicted, reference = eg.predicted, eg.reference
    if has_sentences(predicted) and len(predicted) != 1:
        return
    starts = [sent.start for sent in reference.sents] if has_sentences(reference) else _outermost_starts(reference)
    if not same_tokens(predicted, reference):
        y2x = eg.alignment.y2x
        starts = [int(y2x[start].min()) for start in starts if len(y2x[start])]
    set_sentence_starts(predicted, sorted({0, *starts}))


def _outermost_starts(doc: Doc) -> List[int]:
    starts, reached = [], 0
    for start, end, _ in constituent_tokens(doc):
        if start == reached:
            starts.append(start)
        if start >= reached:
            reached = end
    return starts if reached == len(doc) else [0]


def aligned_arcs(eg: Example) -> Tuple[Sequence[Optional[int]], Sequence[Optional[str]]]:
    """For each predicted token, the index of its head (a root's own index) and its deprel; None where missing."""
    if not eg.reference.has_annotation("DEP"):
        return [None] * len(eg.predicted), [None] * len(eg.predicted)
    if not same_tokens(eg.predicted, eg.reference):
        heads, deprels = eg.get_aligned_parse(projectivize=False)
        # spaCy gives a word without a gold head its own index, as it gives a root.
        return [head if deprel else None for head, deprel in zip(heads, deprels, strict=True)], deprels
    array = eg.reference.to_array(["HEAD", "DEP"])
    offsets = array[:, 0].astype(np.int64).tolist()
    strings = [eg.reference.vocab.strings[key] for key in array[:, 1]]
    return [i + offset if dep else None for i, (offset, dep) in enumerate(zip(offsets, strings, strict=True))], strings


def _aligned_trees(eg: Example, sentences: List[List[int]]) -> List[Optional[List[CollapsedSpan]]]:
    """For each predicted sentence, its gold constituents over word positions; None without a whole tree."""
    reference = eg.reference
    if SPANS_KEY not in reference.spans or not len(reference):
        return [None] * len(sentences)
    if same_tokens(eg.predicted, reference) and has_sentences(reference):
        if sentence_words(reference) == sentences:
            return [spans or None for spans in get_constituents(reference)]
    owner = {word: (s, i) for s, words in enumerate(sentences) for i, word in enumerate(words)}
    trees: List[Optional[list]] = [[] for _ in sentences]
    for start, end, label in constituent_tokens(reference):
        ends = _aligned_ends(eg, start, end)
        touched = {owner[x][0] for i in range(start, end) for x in eg.alignment.y2x[i].tolist() if x in owner}
        if ends is None or len(touched) != 1:
            for s in touched:
                trees[s] = None
            continue
        tree = trees[touched.pop()]
        if tree is not None:
            words = [owner[x][1] for x in range(ends[0], ends[1] + 1) if x in owner]
            tree.append((words[0], words[-1] + 1, label))
    return [collapse_chains(tree) if tree else None for tree in trees]


def _aligned_ends(eg: Example, start: int, end: int) -> Optional[Tuple[int, int]]:
    """First and last predicted token of a reference span; None if one of its ends falls inside a token."""
    first, last = eg.alignment.y2x[start].tolist(), eg.alignment.y2x[end - 1].tolist()
    if not first or not last or eg.alignment.x2y[first[0]][0] != start or eg.alignment.x2y[last[-1]][-1] != end - 1:
        return None
    return first[0], last[-1]


def _label_chart(
    spans: Optional[List[CollapsedSpan]], heads: List[int], deprels: List[str], labels: LabelVocab, unknown: Set[str]
) -> Optional[np.ndarray]:
    """The chart of gold label ids. None without a tree, with an unknown label, or if no constituent covers the
    sentence: every candidate of the margin loss has such a constituent."""
    if not spans or spans[0][:2] != (0, len(heads)):
        return None
    any_heads = any(head != MISSING for head in heads)
    joined = joint_spans(spans, heads, deprels=deprels) if any_heads else spans
    chart, unseen = label_ids(joined, len(heads), labels)
    if len(labels) > SUB_HEAD + 1:  # else the network scores no constituents
        unknown.update(unseen)
    return None if unseen else chart

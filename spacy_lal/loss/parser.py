"""The gold parses of Examples, on the predicted tokens and sentences; the training loss
of a parse and its gradient. Missing annotations, and those that cannot be carried over
to the predicted tokens, are masked. The loss is a margin over trees and cross-entropies
over arcs, deprels and label heads: Zhou & Zhao (2019) and the LAL paper, Eqs. 9, 11,
12, with the weights of the authors' code (docs/explanation/parser.md), and trees by
plain CKY. Departure: the authors divide the sum by the number of sentences. Adam is
scale-invariant, but spaCy's other components backpropagate sums over tokens to a shared
encoder."""

import math
from dataclasses import dataclass
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import (
    SPANS_KEY,
    CollapsedSpan,
    check_tree,
    constituent_tokens,
    get_constituents,
    has_sentences,
    same_tokens,
    sentence_words,
    set_sentence_starts,
)
from ..decode import cky
from ..layers.configs import FIRST_LABEL
from ..layers.input_configs import Block
from ..scores import MISSING, ParserScores, ScoresGradient, SparseGradient
from ..trees import SUB_HEAD, LabelVocab, collapse_chains, joint_spans, label_ids


class GoldParse(NamedTuple):
    """The gold parse of one predicted sentence of n words. labels: *Shape:* (n + 1, n +
    1), int32: label ids of spans, 0 for no constituent, sub-head spans of the joint
    form included where heads are known and scored. None: the tree is masked. heads,
    deprels: *Shapes:* (n,), int32: heads from 1, 0 is the root; deprel ids; -1 is
    masked."""

    labels: Optional[np.ndarray]
    heads: np.ndarray
    deprels: np.ndarray


def gold_parses(
    eg: Example,
    labels: LabelVocab,
    deprels: Dict[str, int],
    unknown: Optional[Set[str]] = None,
) -> List[GoldParse]:
    """The gold parses of an Example's predicted sentences; unknown labels and deprels
    are masked, and added to `unknown`. Without deprels, trees have no sub-head spans.

    RAISES (ValueError): The predicted Doc has no sentence boundaries, or gold
        constituents are no tree."""
    check_tree(eg.reference, "a gold Doc")
    sentences = sentence_words(eg.predicted)
    heads, arcs_deprels = aligned_arcs(eg)
    trees = _aligned_trees(eg, sentences)
    golds = []
    unknown = set() if unknown is None else unknown
    if deprels:
        unknown.update(
            deprel for deprel in arcs_deprels if deprel and deprel not in deprels
        )
    for words, spans in zip(sentences, trees, strict=True):
        position: Dict[Optional[int], int] = {
            word: i + 1 for i, word in enumerate(words)
        }
        sentence_heads = [
            0 if heads[w] == w else position.get(heads[w], MISSING) for w in words
        ]
        scored_heads = sentence_heads if deprels else [MISSING] * len(words)
        chart = _label_chart(
            spans, scored_heads, [arcs_deprels[w] or "" for w in words], labels, unknown
        )
        golds.append(
            GoldParse(
                labels=chart,
                heads=np.array(sentence_heads, dtype=np.int32),
                deprels=np.array(
                    [deprels.get(arcs_deprels[w] or "", MISSING) for w in words],
                    dtype=np.int32,
                ),
            )
        )
    return golds


def copy_sentence_starts(eg: Example) -> None:
    """Give a predicted Doc without sentence boundaries the reference's boundaries. A
    reference without boundaries is one sentence, or one for each of its outermost
    constituents if they cover it."""
    predicted = eg.predicted
    reference = eg.reference
    if has_sentences(predicted) and len(predicted) != 1:
        return
    starts = (
        [sent.start for sent in reference.sents]
        if has_sentences(reference)
        else _outermost_starts(reference)
    )
    if not same_tokens(predicted, reference):
        y2x = eg.alignment.y2x
        starts = [int(y2x[start].min()) for start in starts if len(y2x[start])]
    set_sentence_starts(predicted, sorted({0, *starts}))


def _outermost_starts(doc: Doc) -> List[int]:
    starts = []
    reached = 0
    for start, end, _ in constituent_tokens(doc):
        if start == reached:
            starts.append(start)
        if start >= reached:
            reached = end
    return starts if reached == len(doc) else [0]


def aligned_arcs(
    eg: Example,
) -> Tuple[Sequence[Optional[int]], Sequence[Optional[str]]]:
    """For each predicted token, the index of its head (a root's own index) and its
    deprel; None where missing."""
    if not eg.reference.has_annotation("DEP"):
        return [None] * len(eg.predicted), [None] * len(eg.predicted)
    if not same_tokens(eg.predicted, eg.reference):
        heads, deprels = eg.get_aligned_parse(projectivize=False)
        # spaCy gives a word without a gold head its own index, as it gives a root.
        return [
            head if deprel else None
            for head, deprel in zip(heads, deprels, strict=True)
        ], deprels
    array = eg.reference.to_array(["HEAD", "DEP"])
    offsets = array[:, 0].astype(np.int64).tolist()
    strings = [eg.reference.vocab.strings[key] for key in array[:, 1]]
    return [
        i + offset if dep else None
        for i, (offset, dep) in enumerate(zip(offsets, strings, strict=True))
    ], strings


def _aligned_trees(
    eg: Example, sentences: List[List[int]]
) -> List[Optional[List[CollapsedSpan]]]:
    """For each predicted sentence, its gold constituents over word positions; None
    without a whole tree."""
    reference = eg.reference
    if SPANS_KEY not in reference.spans or not len(reference):
        return [None] * len(sentences)
    if same_tokens(eg.predicted, reference) and has_sentences(reference):
        if sentence_words(reference) == sentences:
            return [spans or None for spans in get_constituents(reference)]
    owner = {
        word: (s, i)
        for s, words in enumerate(sentences)
        for i, word in enumerate(words)
    }
    trees: List[Optional[list]] = [[] for _ in sentences]
    for start, end, label in constituent_tokens(reference):
        ends = _aligned_ends(eg, start, end)
        touched = {
            owner[x][0]
            for i in range(start, end)
            for x in eg.alignment.y2x[i].tolist()
            if x in owner
        }
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
    """First and last predicted token of a reference span; None if one of its ends falls
    inside a token."""
    alignment = eg.alignment
    of_first = alignment.y2x[start].tolist()
    of_last = alignment.y2x[end - 1].tolist()
    if not of_first or not of_last:
        return None
    first, last = of_first[0], of_last[-1]
    begins_at_token = alignment.x2y[first][0] == start
    ends_at_token = alignment.x2y[last][-1] == end - 1
    return (first, last) if begins_at_token and ends_at_token else None


def _label_chart(
    spans: Optional[List[CollapsedSpan]],
    heads: List[int],
    deprels: List[str],
    labels: LabelVocab,
    unknown: Set[str],
) -> Optional[np.ndarray]:
    """The chart of gold label ids. None without a tree, with an unknown label, or if
    none covers the sentence."""
    if not spans or spans[0][:2] != (0, len(heads)):
        return None
    any_heads = any(head != MISSING for head in heads)
    joined = joint_spans(spans, heads, deprels=deprels) if any_heads else spans
    chart, unseen = label_ids(joined, len(heads), labels)
    if len(labels) > SUB_HEAD + 1:  # else the network scores no constituents
        unknown.update(unseen)
    return None if unseen else chart


# Reward of each node of a candidate tree whose label is not gold (Hamming distance; Eq.
# 8).
MARGIN = 1.0
# The spans around a constituent that `label_head_loss` calls no constituent: one end is
# moved by one word. Distances of start and end.
NEIGHBOURS = (
    (-1, 0),
    (1, 0),
    (0, -1),
    (0, 1),
)


@dataclass(frozen=True)
class ParserLoss(Block):
    """The weights of a parser's losses; registered as `spacy-lal.ParserLoss.v1`.

    arc_weight, deprel_weight (float): Weights of the losses of heads and deprels,
    beside the loss of trees.
    label_head_weight (float): Weight of the loss of label heads, where the model's span
        scorer has `label_heads`.
    RAISES (ValueError): A value is negative or not finite.
    """

    arc_weight: float = 0.5
    deprel_weight: float = 0.5
    label_head_weight: float = 0.1

    def __call__(
        self, scores: Sequence[ParserScores], golds: Sequence[GoldParse]
    ) -> Tuple[Dict[str, float], List[ScoresGradient]]:
        """The loss of a batch of sentences, and its gradient."""
        span_loss, d_labels = _span_loss(scores, golds)
        losses = {"spans": span_loss, "arcs": 0.0, "deprels": 0.0, "ties": 0.0}
        gradients = []
        for sentence, gold, d_label in zip(scores, golds, d_labels, strict=True):
            heads = gold.heads
            deprels = gold.deprels
            if (
                not sentence.has_deprels
            ):  # the arcs of a network without dependencies are zeros
                heads = np.full_like(heads, MISSING)
                deprels = np.full_like(deprels, MISSING)
            arc_loss, d_arcs = _arc_loss(sentence.arcs, heads)
            deprel_loss, d_deprels = _deprel_loss(sentence.deprels, heads, deprels)
            losses["arcs"] += self.arc_weight * arc_loss
            losses["deprels"] += self.deprel_weight * deprel_loss
            for d_scores, weight in (
                (d_arcs, self.arc_weight),
                (d_deprels, self.deprel_weight),
            ):
                values = (
                    d_scores.values
                    if isinstance(d_scores, SparseGradient)
                    else d_scores
                )
                values *= weight
            d_ties = None
            if sentence.ties is not None and gold.labels is not None:
                loss, d_ties = label_head_loss(sentence.ties, gold.labels)
                losses["ties"] += self.label_head_weight * loss
                d_ties *= self.label_head_weight
            gradients.append(ScoresGradient(d_label, d_arcs, d_deprels, d_ties))
        if not math.isfinite(sum(losses.values())):
            raise ValueError(
                f"the loss is not finite: {losses}; expected a smaller learning rate "
                "or sound vectors"
            )
        return losses, gradients


def _span_loss(
    scores: Sequence[ParserScores], golds: Sequence[GoldParse]
) -> Tuple[float, List[SparseGradient]]:
    """Eq. 9: the best tree's score with the margin, minus the gold tree's; not
    negative."""
    gradients = [
        SparseGradient(np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.float32))
        for _ in scores
    ]
    scored = [
        (i, sentence.labels, gold.labels)
        for i, (sentence, gold) in enumerate(zip(scores, golds, strict=True))
        if gold.labels is not None and sentence.labels.size
    ]
    charts = [labels for _, labels, _ in scored]
    gold_charts = [gold for _, _, gold in scored]
    results = cky(charts, gold=gold_charts, margin=MARGIN) if scored else []
    loss = 0.0
    for (i, labels, gold), (best, spans) in zip(scored, results, strict=True):
        gold_cells = np.nonzero(gold)
        gold_cells = (*gold_cells, gold[gold_cells])
        loss += best - float(labels[gold_cells].sum(dtype=np.float64))
        gradients[i] = _tree_gradient(
            tuple(spans[spans[:, 2] > 0].T), gold_cells, labels.shape
        )
    return loss, gradients


def _tree_gradient(
    best: Tuple[ndarray, ...], gold: Tuple[ndarray, ...], shape: Tuple[int, ...]
) -> SparseGradient:
    """1 for nodes of the best tree alone, -1 for nodes of the gold tree alone. best,
    gold: start, end, label."""
    best_places = np.ravel_multi_index(best, shape)
    gold_places = np.ravel_multi_index(gold, shape)
    wrong = np.setdiff1d(best_places, gold_places, assume_unique=True)
    missed = np.setdiff1d(gold_places, best_places, assume_unique=True)
    cells = np.stack(np.unravel_index(np.concatenate([wrong, missed]), shape), axis=1)
    return SparseGradient(
        cells,
        np.repeat(np.array([1.0, -1.0], dtype=np.float32), [len(wrong), len(missed)]),
    )


def _arc_loss(arcs: ndarray, heads: ndarray) -> Tuple[float, ndarray]:
    """Cross-entropy of each word's head among the root and all words (Eq. 11, first
    factor)."""
    gradient = np.zeros_like(arcs)
    loss, gradient[1:] = cross_entropy(arcs[1:], heads)
    return loss, gradient


def _deprel_loss(
    deprels: ndarray, heads: ndarray, gold: ndarray
) -> Tuple[float, Union[ndarray, SparseGradient]]:
    """Cross-entropy of each word's deprel given its gold head (Eq. 11, second factor),
    if scores depend on it."""
    if deprels.ndim == 2:
        return _arc_loss(deprels, gold)
    words = np.flatnonzero((gold != MISSING) & (heads != MISSING))
    cells = np.stack([words + 1, heads[words]], axis=1)
    loss, d_cells = cross_entropy(deprels[tuple(cells.T)], gold[words])
    return loss, SparseGradient(cells, d_cells)


def label_head_loss(ties: ndarray, gold: ndarray) -> Tuple[float, ndarray]:
    """The loss that ties a label head to its label; neither the paper nor the authors'
    code has one. Of the gold tree's spans and their neighbours (`NEIGHBOURS`), it is
    the cross-entropy of the gold label's head, under a softmax over the heads and "no
    constituent", whose score is 0."""
    starts, ends = _spans_and_neighbours(gold)
    labels = gold[starts, ends]
    # counted from 1; 0 means no constituent
    heads = np.maximum(labels - (FIRST_LABEL - 1), 0)
    n_heads = ties.shape[1]
    scores = np.zeros((len(starts), n_heads + 1), dtype=ties.dtype)
    scores[:, 1:] = ties[ends] - ties[starts]
    loss, d_scores = cross_entropy(scores, heads)
    d_ties = d_scores[:, 1:]
    gradient = np.zeros_like(ties)
    np.add.at(gradient, ends, d_ties)
    np.subtract.at(gradient, starts, d_ties)
    return loss, gradient


def _spans_and_neighbours(gold: ndarray) -> Tuple[ndarray, ndarray]:
    """Starts and ends of the constituents of a chart, and of the spans around them."""
    starts, ends = np.nonzero(gold)
    chosen = gold > 0
    for d_start, d_end in NEIGHBOURS:
        start = starts + d_start
        end = ends + d_end
        is_span = (0 <= start) & (start < end) & (end < len(gold))
        chosen[start[is_span], end[is_span]] = True
    starts, ends = np.nonzero(chosen)
    return starts, ends


def cross_entropy(
    logits: ndarray, gold: ndarray, smoothing: float = 0.0
) -> Tuple[float, ndarray]:
    """Cross-entropy summed over rows, and its gradient. The target is `1 - smoothing`
    for the gold label, plus `smoothing / n_labels` for every label, the gold one
    included."""
    gradient = np.zeros_like(logits)
    known = np.flatnonzero(gold != MISSING)
    if not len(known):
        return 0.0, gradient
    rows = logits[known]
    shifted = rows - rows.max(axis=1, keepdims=True)
    exps = np.exp(shifted)
    totals = exps.sum(axis=1, keepdims=True)
    log_shares = shifted - np.log(totals)
    of_gold = (np.arange(len(known)), gold[known])
    loss = -(1.0 - smoothing) * float(log_shares[of_gold].sum(dtype=np.float64))
    if smoothing:
        mean = float(log_shares.mean(axis=1).sum(dtype=np.float64))
        loss -= smoothing * mean
    d_rows = exps / totals - smoothing / logits.shape[1]
    d_rows[of_gold] -= 1.0 - smoothing
    gradient[known] = d_rows
    return loss, gradient

"""`ParserScores`: the network's scores of one sentence, the input of the decoders.

`ScoresGradient` is the gradient of a loss."""

from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy
from numpy import ndarray

# In pruned labels: the best label that is neither empty (0) nor SUB_HEAD (1).
OTHER_LABEL = 2


class ParserScores(NamedTuple):
    """The scores of one sentence of n tokens. The torch network gives those of a batch,
    as tensors.

    Every array is float32 and C-contiguous. In `arcs` and `deprels`, index 0 is the
    artificial root and index i the i-th token. In `labels`, indices are fenceposts:
    `labels[i, j]` scores tokens[i:j]. For example, `arcs[3, 1]` is the score of the
    first token as head of the third.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels). Only start < end is meaningful.
        Label 0 is the empty label, whose score is 0. Shape (0, 0, 0) if the network
        scores no spans, or there are no tokens.
    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head].
    deprels (ndarray): Shape: (n + 1, n_deprels) if a deprel is scored from its
        dependent alone; (n + 1, n + 1, n_deprels), [dependent, head, deprel], if it is
        scored given the head.
    label_heads (Optional[ndarray]): Shape: (n + 1, n_label_heads). The score of each
        label head at each fencepost, see `layers/parser_scorers.py`; None if the
        network has no such scorer.
    label_ids (Optional[ndarray]): Shape: (n + 1, n + 1), int16. Then `labels` are
        pruned to three, the empty label (0), SUB_HEAD, and the best other label, whose
        id this is. None: all labels are scored.
    """

    labels: ndarray
    arcs: ndarray
    deprels: ndarray
    label_heads: Optional[ndarray] = None
    label_ids: Optional[ndarray] = None

    @property
    def n_tokens(self) -> int:
        """Number of tokens in the sentence."""
        return self.arcs.shape[0] - 1

    @property
    def has_deprels(self) -> bool:
        """Whether the network scores deprels."""
        return self.deprels.shape[-1] > 0

    def without_heads(self) -> "ParserScores":
        """The scores of which decoders find constituents alone."""
        return self._replace(deprels=self.deprels[..., :0])

    def with_label_ids(self, spans: ndarray) -> ndarray:
        """A decoder's spans over `labels`, with label ids of the vocabulary. *Shape:*
        (k, 3), int32."""
        if self.label_ids is None:
            return spans
        spans = spans.copy()
        others = spans[:, 2] == OTHER_LABEL
        spans[others, 2] = self.label_ids[spans[others, 0], spans[others, 1]]
        return spans


def choose_deprels(scores: ParserScores, heads: ndarray) -> ndarray:
    """The best deprels of a sentence: the second step of decoding, after heads are
    decoded.

    heads (ndarray): The head of each word, counted from 1. Shape: (n,), int32.
    RETURNS (ndarray): The ids of deprels. Shape: (n,), int32."""
    if not scores.has_deprels:
        return numpy.zeros(scores.n_tokens, dtype=numpy.int32)
    words = numpy.arange(1, scores.n_tokens + 1)
    deprels = scores.deprels
    of_words = deprels[words, heads] if deprels.ndim == 3 else deprels[words]
    return of_words.argmax(axis=-1).astype(numpy.int32)


def deprel_scores(scores: ParserScores, head: int, dependent: int) -> ndarray:
    """The scores of all deprels of one arc. Words count from 1, head 0 is the root.
    *Shape:* (n_deprels,)."""
    return (
        scores.deprels[dependent, head]
        if scores.deprels.ndim == 3
        else scores.deprels[dependent]
    )


def best_deprel_scores(scores: ParserScores) -> ndarray:
    """The log-probability of the best deprel of each arc, given its head. *Shape:*
    (n + 1, n + 1), [dependent, head], float32; (n + 1, 1) if deprels are scored from
    the dependent alone."""
    deprels = scores.deprels
    if deprels.ndim == 2:
        deprels = deprels[:, None]
    shares = deprels - deprels.max(axis=-1, keepdims=True)
    return -numpy.log(numpy.exp(shares, out=shares).sum(axis=-1))


class SparseGradient(NamedTuple):
    """The gradient of a loss with respect to an array, in its non-zero cells only.

    cells (ndarray): Shape: (n_cells, n_axes), int64: indices into the array's first
        axes. Values of the same cell in several rows add up.
    values (ndarray): Shape: (n_cells, ...), float32: the gradient of each cell, in the
    shape of the remaining axes."""

    cells: ndarray
    values: ndarray


class ScoresGradient(NamedTuple):
    """The gradient of a loss with respect to the `ParserScores` of one sentence of n
    tokens. A loss reaches only the cells of two trees and one head per token, so a
    chart of all labels or deprels is never filled.

    labels (SparseGradient): Its cells are (start, end, label).
    arcs (ndarray): Shape: (n + 1, n + 1), float32, [dependent, head].
    deprels (Union[ndarray, SparseGradient]): If a deprel is scored given the head, the
        cells are (dependent, head), and the values have shape (n_cells, n_deprels);
        else an array of shape (n + 1, n_deprels), float32.
    label_heads (Optional[ndarray]): Shape: (n + 1, n_label_heads), float32.
    """

    labels: SparseGradient
    arcs: ndarray
    deprels: ndarray | SparseGradient
    label_heads: Optional[ndarray] = None


MISSING = -1  # in gold arrays: not annotated, or a label that the training data lacks


class RoleScores(NamedTuple):
    """The scores of one sentence of n words with F predicates, or the gradient of a
    loss with respect to them.

    predicates (ndarray): Scores of the labels of the predicate scorer. Shape: (n,
        n_predicate_labels), float32.
    rows (ndarray): The word of each predicate, ascending. Shape: (F,), int64.
    tags (Optional[ndarray]): Scores of BIO tags. Shape: (F, n, n_tags), float32. None:
        ranges are scored.
    rolesets (Optional[ndarray]): Shape: (F, n_rolesets), float32. None: the network
        scores no rolesets.
    arcs (Optional[ndarray]): [dependent, head]; a root is its own head. Shape: (n, n),
        float32. None: no arcs.
    deprels (Optional[ndarray]): Scores given heads. Shape: (n, n_deprels), float32.
        None: not scored.
    spans (Optional[ndarray]): Scores of no role and of each role, for each of `ranges`;
        minus infinity where a range holds the predicate. Shape: (F, n_ranges, 1 +
        n_roles), float32. None: tags are scored.
    ranges (Optional[ndarray]): Ranges of words that may be arguments. Shape: (n_ranges,
    2), int64."""

    predicates: ndarray
    rows: ndarray
    tags: Optional[ndarray] = None
    rolesets: Optional[ndarray] = None
    arcs: Optional[ndarray] = None
    deprels: Optional[ndarray] = None
    spans: Optional[ndarray] = None
    ranges: Optional[ndarray] = None


class GoldRoles(NamedTuple):
    """The gold annotation of one sentence of n words with F predicates. -1 is masked
    everywhere.

    predicates (ndarray): The label of each word. Shape: (n,), int32.
    rows (ndarray): The word of each predicate, ascending. Shape: (F,), int64.
    tags (ndarray): BIO tag ids. Shape: (F, n), int32.
    rolesets (ndarray): Roleset ids. Shape: (F,), int32.
    heads (ndarray): The head of each word, from 0; a root is its own head. Shape: (n,),
        int64.
    deprels (ndarray): Deprel ids. Shape: (n,), int32.
    args (Sequence[Sequence[Tuple[int, int, int]]]): The arguments of each predicate:
        start and end, half-open, and the id of the role, -1 for an unknown role. A V of
        two words that begins with the predicate is here its second word.
    """

    predicates: ndarray
    rows: ndarray
    tags: ndarray
    rolesets: ndarray
    heads: ndarray
    deprels: ndarray
    args: Sequence[Sequence[tuple[int, int, int]]] = ()

    def span_roles(self, ranges: ndarray) -> ndarray:
        """The gold labels of ranges for each predicate: 0 for no role, then the roles;
        -1 for a range that holds the predicate or has an unknown role. *Shape:* (F,
        n_ranges), int32.

        ranges (ndarray): Start and end, half-open. Shape: (n_ranges, 2).
        """
        columns = {tuple(range_): k for k, range_ in enumerate(ranges.tolist())}
        labels = numpy.zeros((len(self.rows), len(ranges)), dtype=numpy.int32)
        for row, args in zip(labels, self.args, strict=True):
            for start, end, role in args:
                column = columns.get((start, end))
                if column is not None:
                    row[column] = MISSING if role == MISSING else role + 1
        predicates = self.rows[:, None]
        starts, ends = ranges[:, 0], ranges[:, 1]
        labels[(starts <= predicates) & (predicates < ends)] = MISSING
        return labels

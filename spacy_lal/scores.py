"""`ParserScores`: what a network says of one sentence. A network ends here; a decoder begins here.

`PrunedScores` are the same without what no decoder would choose. `ScoresGradient` is what a loss sends back.
"""

from typing import Dict, List, NamedTuple, Optional, Protocol, Sequence, Tuple, Union

import numpy
from numpy import ndarray

OTHER_LABEL = 2  # in `PrunedScores.labels`: the best label that is neither empty (0) nor SUB_HEAD (1)


class ParserScores(NamedTuple):
    """The scores of one sentence of n tokens (or the gradient of a loss with respect to them, where it is not sparse).

    Every array is float32 and C-contiguous. In `arcs` and `deprels`, index 0 is the artificial root and index i the
    i-th token; in `labels`, indices are fenceposts, so that `labels[i, j]` speaks of tokens[i:j].
    For example `arcs[3, 1]` says how well the first token governs the third.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels). Only start < end is meaningful. Label 0 is the empty label,
        whose score is 0. An empty array of shape (0, 0, 0) where the network scores no spans.
    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head].
    deprels (ndarray): Shape: (n + 1, n_deprels) where a deprel is scored from its dependent alone, or
        (n + 1, n + 1, n_deprels), [dependent, head, deprel], where it is scored given the head.
    attention (Optional[ndarray]): Shape: (n_label_heads, n + 2). The label attention over START, tokens, STOP;
        only when asked for.
    ties (Optional[ndarray]): Shape: (n + 1, n_label_heads). What each label head says of each fencepost; see
        `layers/scorers/label_head_scorer.py`. Only of a network that has them.
    """

    labels: ndarray
    arcs: ndarray
    deprels: ndarray
    attention: Optional[ndarray] = None
    ties: Optional[ndarray] = None

    @property
    def n_tokens(self) -> int:
        """Number of tokens in the sentence."""
        return self.arcs.shape[0] - 1

    @property
    def has_deprels(self) -> bool:
        """Whether there are deprels to choose from."""
        return self.deprels.shape[-1] > 0

    def best_deprels(self, heads: ndarray) -> ndarray:
        """The best deprel of each token. heads: its head, counted from 1. *Shapes:* (n,), int32."""
        if not self.has_deprels:
            return numpy.zeros(self.n_tokens, dtype=numpy.int32)
        words = numpy.arange(1, self.n_tokens + 1)
        scores = self.deprels[words, heads] if self.deprels.ndim == 3 else self.deprels[words]
        return scores.argmax(axis=-1).astype(numpy.int32)

    def with_label_ids(self, spans: ndarray) -> ndarray:
        """Spans as a decoder found them in `labels`, with label ids of the vocabulary. *Shape:* (k, 3), int32."""
        return spans


class ChoosesDeprels(Protocol):
    """What knows the deprels of a batch of sentences, and tells those of chosen arcs."""

    def __call__(self, sentences: Sequence[int], heads: Sequence[ndarray]) -> List[ndarray]:
        """The best deprels of some sentences. sentences: their places in the batch. heads, returned: *Shapes:* (n,)."""


class PrunedScores(NamedTuple):
    """The scores of one sentence of n tokens that a decoder may choose: of each span the best label, of each arc the
    best deprel. Indices are those of `ParserScores`.

    labels (ndarray): Shape: (n + 1, n + 1, 3), float32: of the empty label (0), of SUB_HEAD, of the best other label.
        An empty array of shape (0, 0, 3) where the network scores no spans.
    label_ids (ndarray): Shape: (n + 1, n + 1), int16: which label that is.
    arcs (ndarray): Shape: (n + 1, n + 1), float32, [dependent, head].
    deprel_ids (ndarray): Shape: (n + 1, n + 1), [dependent, head], or (n + 1,) where it does not depend on the head,
        int16. An empty array of shape (0,) where the network scores no deprels, or there is a `deprel_chooser`.
    attention (Optional[ndarray]): As in `ParserScores`.
    deprel_chooser (Optional[ChoosesDeprels]): Tells the best deprels when heads are chosen. Sentences of one batch have
        one in common; `best_deprels` asks it once for all of them.
    place (int): The sentence's place in that batch.
    """

    labels: ndarray
    label_ids: ndarray
    arcs: ndarray
    deprel_ids: ndarray
    attention: Optional[ndarray] = None
    deprel_chooser: Optional[ChoosesDeprels] = None
    place: int = 0

    @property
    def n_tokens(self) -> int:
        """Number of tokens in the sentence."""
        return self.arcs.shape[0] - 1

    @property
    def has_deprels(self) -> bool:
        """Whether there are deprels."""
        return self.deprel_chooser is not None or self.deprel_ids.size > 0

    def best_deprels(self, heads: ndarray) -> ndarray:
        """As `ParserScores.best_deprels`."""
        if self.deprel_chooser is not None:
            return self.deprel_chooser([self.place], [heads])[0]
        if not self.has_deprels:
            return numpy.zeros(self.n_tokens, dtype=numpy.int32)
        words = numpy.arange(1, self.n_tokens + 1)
        ids = self.deprel_ids[words, heads] if self.deprel_ids.ndim == 2 else self.deprel_ids[words]
        return ids.astype(numpy.int32)

    def with_label_ids(self, spans: ndarray) -> ndarray:
        """As `ParserScores.with_label_ids`."""
        spans = spans.copy()
        others = spans[:, 2] == OTHER_LABEL
        spans[others, 2] = self.label_ids[spans[others, 0], spans[others, 1]]
        return spans


AnyScores = Union[ParserScores, PrunedScores]


def best_deprels(scores: Sequence[AnyScores], heads: Sequence[ndarray]) -> List[ndarray]:
    """The best deprels of sentences.

    scores (Sequence[AnyScores]): Those of each sentence.
    heads (Sequence[ndarray]): Of each, the head of each word, counted from 1. *Shape:* (n,), int32.
    RETURNS (List[ndarray]): Of each, the ids of deprels. *Shape:* (n,), int32.
    """
    found: Dict[int, ndarray] = {}
    batches: Dict[int, List[int]] = {}
    for i, one in enumerate(scores):
        if isinstance(one, PrunedScores) and one.deprel_chooser is not None:
            batches.setdefault(id(one.deprel_chooser), []).append(i)
        else:
            found[i] = one.best_deprels(heads[i])
    for batch in batches.values():
        choose, places = scores[batch[0]].deprel_chooser, [scores[i].place for i in batch]  # type: ignore[union-attr]
        found.update(zip(batch, choose(places, [heads[i] for i in batch]), strict=True))  # type: ignore[misc]
    return [found[i] for i in range(len(scores))]


class SparseGradient(NamedTuple):
    """The gradient of a loss with respect to an array, where it is not zero.

    cells (ndarray): Shape: (n_cells, n_axes), int64: indices into the array's first axes. What is said of one cell in
        several rows adds up.
    values (ndarray): Shape: (n_cells, ...), float32: the gradient of each cell, of the shape of the axes that are left.
    """

    cells: ndarray
    values: ndarray

    def to_dense(self, shape: Tuple[int, ...]) -> ndarray:
        """The gradient as an array. shape: that of the array whose gradient it is."""
        dense = numpy.zeros(shape, dtype=numpy.float32)
        numpy.add.at(dense, tuple(self.cells.T), self.values)
        return dense


class ScoresGradient(NamedTuple):
    """The gradient of a loss with respect to the `ParserScores` of one sentence of n tokens. A loss has one for the
    cells of two trees and for one head of each token only, and so a chart of all labels or deprels is never filled.

    labels (SparseGradient): Its cells are (start, end, label).
    arcs (ndarray): Shape: (n + 1, n + 1), float32, [dependent, head].
    deprels (Union[ndarray, SparseGradient]): Where a deprel is scored given the head, the cells are (dependent, head),
        and the values have shape (n_cells, n_deprels); else an array of shape (n + 1, n_deprels), float32.
    ties (Optional[ndarray]): Shape: (n + 1, n_label_heads), float32.
    """

    labels: SparseGradient
    arcs: ndarray
    deprels: Union[ndarray, SparseGradient]
    ties: Optional[ndarray] = None


AnyGradient = Union[ScoresGradient, ParserScores]

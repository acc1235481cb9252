"""Span marginals: the probability of a labelled span over all trees of a sentence, by the inside-outside algorithm.

The parser itself defines no distribution: it is trained by margins and decodes the best tree. Here P(tree) is
proportional to exp(the sum of the label scores of its nodes), over the trees that plain CKY searches: all binary trees
over the words. Each node has one label, which may be empty (score 0) or the sub-head label; the root is never empty.
Two binary trees that differ in empty nodes alone count as two, though their brackets are the same. Arc scores are
ignored. The probabilities are exact for this distribution, but not calibrated.
"""

from dataclasses import dataclass
from typing import Tuple

import numpy as np
from numpy import ndarray
from spacy.tokens import Span

from ..trees import SUB_HEAD
from .sentences import Parser, label_vocab, locate_words, score_sentence


@dataclass(frozen=True)
class SpanMarginals:
    """The probabilities of the labelled spans of a sentence of n words.

    probabilities (ndarray): Shape: (n + 1, n + 1, n_labels), float64, [start, end, label]: the probability that the
        span is a node of the tree, with this label. 0 where start >= end.
    labels (Tuple[str, ...]): Names of the last axis; "" is the empty label, "<H>" the sub-head label.
    words (Tuple[str, ...]): The words between the fenceposts 0..n of the first two axes.
    log_partition (float): The logarithm of the sum of exp(score) over all trees.
    """

    probabilities: ndarray
    labels: Tuple[str, ...]
    words: Tuple[str, ...]
    log_partition: float

    @property
    def nodes(self) -> ndarray:
        """P(the span is a node of the binary tree, with any label). Shape: (n + 1, n + 1)."""
        return self.probabilities.sum(-1)

    @property
    def constituents(self) -> ndarray:
        """P(the span is a constituent, with any label that a tree shows). Shape: (n + 1, n + 1)."""
        return self.probabilities[..., SUB_HEAD + 1 :].sum(-1)


def span_marginals(nlp: Parser, span: Span) -> SpanMarginals:
    """The span marginals of a Span's sentence.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    span (Span): A sentence, or a part of one. The Doc needs sentence boundaries, but no parse.
    RETURNS (SpanMarginals): The probabilities.
    RAISES (ValueError): The parser scores no constituents; the pipeline has no parser; the span crosses a sentence
        boundary, or has no words.
    """
    sentence, _, _ = locate_words(nlp, span)
    labels = tuple(label_vocab(sentence.parser).strings)
    probabilities, log_partition = inside_outside(score_sentence(sentence).labels)
    words = tuple(sentence.doc[i].text for i in sentence.words)
    return SpanMarginals(probabilities, labels, words, log_partition)


def inside_outside(labels: ndarray) -> Tuple[ndarray, float]:
    """The marginals of plain CKY's trees, in O(n^3).

    labels (ndarray): Label scores. Shape: (n + 1, n + 1, n_labels), n at least 1; only start < end is read.
    RETURNS (Tuple[ndarray, float]): Probabilities, float64, of the same shape; the logarithm of the partition function.
    """
    n = labels.shape[0] - 1
    scores = labels.astype("f8")
    scores[0, n, 0] = -np.inf  # the root bears a label
    cells = np.logaddexp.reduce(scores, axis=-1)
    # inside(i, j) = cell(i, j) + log sum_k exp(inside(i, k) + inside(k, j)), all spans of one width at once
    inside = cells.copy()
    for width in range(2, n + 1):
        start, split, end = _splits(n, width)
        inside[start, end] += np.logaddexp.reduce(inside[start, split] + inside[split, end], axis=1, keepdims=True)
    # From the root down, a node passes its probability to both halves of each split, by the split's share.
    nodes = np.zeros_like(cells)
    nodes[0, n] = 1.0
    for width in range(n, 1, -1):
        start, split, end = _splits(n, width)
        halves = inside[start, split] + inside[split, end]
        passed = nodes[start, end] * np.exp(halves - (inside[start, end] - cells[start, end]))
        nodes[start, split] += passed  # no pair of indices occurs twice within a width
        nodes[split, end] += passed
    with np.errstate(invalid="ignore"):
        probabilities = nodes[..., None] * np.exp(scores - cells[..., None])
    return np.where(nodes[..., None] > 0, probabilities, 0.0), float(inside[0, n])


def _splits(n: int, width: int) -> Tuple[ndarray, ndarray, ndarray]:
    """All spans of a width: start, split, end. Shapes: (n_spans, 1), (n_spans, width - 1), (n_spans, 1)."""
    start = np.arange(n - width + 1)[:, None]
    return start, start + np.arange(1, width), start + width

"""The best deprels of the arcs that a decoder has chosen, instead of all possible arcs.

On a CPU this scores n deprels for a sentence with n^2 arcs. *Not* for a GPU, where decoding runs beside the next
batch's forward pass: a question in between would delay both.
"""

from typing import Iterator, List, Protocol, Sequence, Tuple

import numpy
import torch
from numpy import ndarray

from ..biaffine import BiaffineScorer
from ..products import Precision, Product

_CHUNK_HEADS = 128  # heads at a time: the products of all deprels with them stay in a core's cache


class BestDeprels(Protocol):
    """Weights that score deprels given the head, such as `DeprelWeights`."""

    def best(self, heads: ndarray, dependents: ndarray) -> ndarray:
        """See `DeprelWeights.best`."""


class DeprelWeights:
    """The weights of a scorer that scores deprels given the head, arranged for multiplication.

    scorer (BiaffineScorer): It scores a deprel for each possible head.
    precision (Precision): The precision of the largest product.
    """

    def __init__(self, scorer: BiaffineScorer, precision: Precision) -> None:
        self.n_deprels, self.width = scorer.deprel_from_head.shape
        # p^T U_r + v_r of all deprels r at once
        weight = scorer.deprel_bilinear.transpose(1, 2).flatten(0, 1)
        self.bilinear = Product(weight, precision, scorer.deprel_from_dependent.flatten())
        self.from_head = Product(scorer.deprel_from_head, torch.float32, scorer.deprel_bias)

    def best(self, heads: ndarray, dependents: ndarray) -> ndarray:
        """The best deprel of each dependent of some heads.

        heads (ndarray): p. *Shape:* (n_heads, deprel_width).
        dependents (ndarray): q. *Shape:* (n_heads, n_dependents, deprel_width).
        RETURNS (ndarray): *Shape:* (n_heads, n_dependents).
        """
        with torch.inference_mode():
            p, q = torch.from_numpy(heads), torch.from_numpy(dependents)
            seen = self.bilinear(p).unflatten(-1, (self.n_deprels, self.width))
            own = self.from_head(p).unsqueeze(-1)
            return torch.baddbmm(own, seen, q.transpose(1, 2)).argmax(1).numpy()


class DeprelFeatures:
    """The features of heads and dependents of a batch, from which deprels are chosen.

    weights (BestDeprels): The weights of the network that made the features.
    heads, dependents (ndarray): Features p and q of fenceposts. *Shape:* (n_rows, deprel_width).
    first_rows (ndarray): The first row of each sentence. *Shape:* (batch_size,).
    """

    def __init__(self, weights: BestDeprels, heads: ndarray, dependents: ndarray, first_rows: ndarray) -> None:
        self.weights = weights
        self.heads, self.dependents, self.first_rows = heads, dependents, first_rows

    def choose(self, sentences: Sequence[int], heads: Sequence[ndarray]) -> List[ndarray]:
        """The best deprels of some sentences.

        sentences (Sequence[int]): Numbers of sentences in the batch.
        heads (Sequence[ndarray]): For each sentence, the head of each word, counted from 1. *Shape:* (n,).
        RETURNS (List[ndarray]): For each sentence, the ids of deprels. *Shape:* (n,), int32.
        """
        lengths = [len(one) for one in heads]
        first = numpy.repeat(self.first_rows[numpy.asarray(sentences, dtype=numpy.int64)], lengths)
        words = first + numpy.concatenate([numpy.arange(1, length + 1) for length in lengths] or [first])
        chosen = first + numpy.concatenate([*heads, first[:0]])
        ids = numpy.empty(len(first), dtype=numpy.int32)
        for of_head, arcs in _by_head(chosen):
            ids[arcs] = self.weights.best(self.heads[of_head], self.dependents[words[arcs]])
        return numpy.split(ids, numpy.cumsum(lengths)[:-1]) if lengths else []


def _by_head(heads: ndarray) -> Iterator[Tuple[ndarray, ndarray]]:
    """Arcs by their heads; heads with about as many dependents come together.

    heads (ndarray): The head of each arc. *Shape:* (n_arcs,).
    YIELDS (Tuple[ndarray, ndarray]): Different heads, *shape:* (n_heads,), and their arcs, *shape:* (n_heads,
        n_dependents). Arcs are repeated where a head has fewer dependents.
    """
    order = numpy.argsort(heads, kind="stable")
    distinct, first, counts = numpy.unique(heads[order], return_index=True, return_counts=True)
    by_count = numpy.argsort(-counts, kind="stable")
    for start in range(0, len(by_count), _CHUNK_HEADS):
        part = by_count[start : start + _CHUNK_HEADS]
        places = numpy.minimum(numpy.arange(counts[part[0]]), counts[part, None] - 1)
        yield distinct[part], order[first[part, None] + places]

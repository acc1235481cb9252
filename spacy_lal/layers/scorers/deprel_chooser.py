"""The best deprels of arcs that a decoder has chosen, in place of those of all arcs that it might choose.

On a CPU the decoder is at hand, and n deprels are scored where a sentence has n^2 arcs. *Not* for a GPU, where decoding
goes on beside the next batch's forward pass, and a question in between would hold both up.
"""

from typing import Iterator, List, Sequence, Tuple

import numpy
import torch
from numpy import ndarray
from torch import Tensor

from ..products import Precision, Product
from .biaffine_scorer import BiaffineScorer

_CHUNK_HEADS = 128  # heads at once: what all deprels make of them then stays in a core's cache, about


class DeprelWeights:
    """The weights of a scorer that scores deprels given the head, as they are multiplied.

    scorer (BiaffineScorer): It scores a deprel for each possible head.
    precision (Precision): In which the largest product is computed.
    """

    def __init__(self, scorer: BiaffineScorer, precision: Precision) -> None:
        self.n_deprels, self.width = scorer.deprel_from_head.shape
        # p^T U_r + v_r of all deprels r at once
        weight = scorer.deprel_bilinear.transpose(1, 2).flatten(0, 1)
        self.bilinear = Product(weight, precision, scorer.deprel_from_dependent.flatten())
        self.from_head = Product(scorer.deprel_from_head, torch.float32, scorer.deprel_bias)

    def best(self, heads: Tensor, dependents: Tensor) -> Tensor:
        """The best deprel of each dependent of some heads.

        heads (Tensor): p. *Shape:* (n_heads, deprel_width).
        dependents (Tensor): q. *Shape:* (n_heads, n_dependents, deprel_width).
        RETURNS (Tensor): *Shape:* (n_heads, n_dependents).
        """
        seen = self.bilinear(heads).unflatten(-1, (self.n_deprels, self.width))
        own = self.from_head(heads).unsqueeze(-1)
        return torch.baddbmm(own, seen, dependents.transpose(1, 2)).argmax(1)


class DeprelChooser:
    """Chooses deprels for the sentences of a batch.

    weights (DeprelWeights): Of the network that made the features.
    heads, dependents (Tensor): Features p and q of fenceposts. *Shape:* (n_rows, deprel_width).
    first_rows (Tensor): Where those of each sentence begin. *Shape:* (batch_size,).
    """

    def __init__(self, weights: DeprelWeights, heads: Tensor, dependents: Tensor, first_rows: Tensor) -> None:
        self.weights = weights
        self.heads, self.dependents = heads, dependents
        self.first_rows = first_rows.numpy()

    def __call__(self, sentences: Sequence[int], heads: Sequence[ndarray]) -> List[ndarray]:
        """The best deprels of some sentences.

        sentences (Sequence[int]): Which of the batch.
        heads (Sequence[ndarray]): Of each, the head of each word, counted from 1. *Shape:* (n,).
        RETURNS (List[ndarray]): For each the ids of deprels. *Shape:* (n,), int32.
        """
        lengths = [len(one) for one in heads]
        first = numpy.repeat(self.first_rows[numpy.asarray(sentences, dtype=numpy.int64)], lengths)
        words = first + numpy.concatenate([numpy.arange(1, length + 1) for length in lengths] or [first])
        chosen = first + numpy.concatenate([*heads, first[:0]])
        ids = numpy.empty(len(first), dtype=numpy.int32)
        with torch.inference_mode():
            for of_head, arcs in _by_head(chosen):
                q = self.dependents[torch.from_numpy(words[arcs])]
                best = self.weights.best(self.heads[torch.from_numpy(of_head)], q)
                ids[arcs] = best.numpy()
        return numpy.split(ids, numpy.cumsum(lengths)[:-1]) if lengths else []


def _by_head(heads: ndarray) -> Iterator[Tuple[ndarray, ndarray]]:
    """Arcs by their heads, those with about as many dependents together.

    heads (ndarray): Of each arc. *Shape:* (n_arcs,).
    YIELDS (Tuple[ndarray, ndarray]): Different heads, *shape:* (n_heads,), and their arcs, some of them more than once
        so that all have as many, *shape:* (n_heads, n_dependents).
    """
    order = numpy.argsort(heads, kind="stable")
    distinct, first, counts = numpy.unique(heads[order], return_index=True, return_counts=True)
    by_count = numpy.argsort(-counts, kind="stable")
    for start in range(0, len(by_count), _CHUNK_HEADS):
        part = by_count[start : start + _CHUNK_HEADS]
        places = numpy.minimum(numpy.arange(counts[part[0]]), counts[part, None] - 1)
        yield distinct[part], order[first[part, None] + places]

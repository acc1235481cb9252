"""The best deprels of arcs that a decoder has chosen, in place of those of all arcs that it might choose.

On a CPU the decoder is at hand, and n deprels are scored where a sentence has n^2 arcs. *Not* for a GPU, where decoding
goes on beside the next batch's forward pass, and a question in between would hold both up.
"""

from typing import List, Sequence

import numpy
import torch
from numpy import ndarray
from torch import Tensor

from .biaffine_scorer import BiaffineScorer
from .products import Precision, Product

_CHUNK_ROWS = 256  # arcs scored at once: what all deprels make of their heads then stays in a core's cache, about


class DeprelWeights:
    """The weights of a scorer that scores deprels given the head, as they are multiplied.

    scorer (BiaffineScorer): Of which `given_head` is true.
    precision (Precision): In which the largest product is computed.
    """

    def __init__(self, scorer: BiaffineScorer, precision: Precision) -> None:
        self.n_deprels, self.width = scorer.deprel_from_head.shape
        # p^T U_r + v_r of all deprels r at once
        weight = scorer.deprel_bilinear.transpose(1, 2).flatten(0, 1)
        self.bilinear = Product(weight, precision, scorer.deprel_from_dependent.flatten())
        self.from_head = Product(scorer.deprel_from_head, torch.float32, scorer.deprel_bias)

    def best(self, heads: Tensor, dependents: Tensor) -> Tensor:
        """The best deprel of each arc. heads, dependents: p, q. *Shapes:* (n_arcs, deprel_width) to (n_arcs,)."""
        seen = self.bilinear(heads).unflatten(-1, (self.n_deprels, self.width))
        return torch.baddbmm(self.from_head(heads).unsqueeze(-1), seen, dependents.unsqueeze(-1)).squeeze(-1).argmax(-1)


class DeprelChooser:
    """Chooses deprels for the sentences of a batch.

    weights (DeprelWeights): Of the network that made the features.
    heads, dependents (Tensor): Features p and q of fenceposts. *Shape:* (batch_size, n_fenceposts, deprel_width).
    """

    def __init__(self, weights: DeprelWeights, heads: Tensor, dependents: Tensor) -> None:
        self.weights = weights
        self.heads, self.dependents = heads, dependents

    def __call__(self, sentences: Sequence[int], heads: Sequence[ndarray]) -> List[ndarray]:
        """The best deprels of some sentences.

        sentences (Sequence[int]): Which of the batch.
        heads (Sequence[ndarray]): Of each, the head of each word, counted from 1. *Shape:* (n,).
        RETURNS (List[ndarray]): For each the ids of deprels. *Shape:* (n,), int32.
        """
        lengths = [len(one) for one in heads]
        n_fenceposts = self.heads.shape[1]
        rows = numpy.repeat(numpy.asarray(sentences, dtype=numpy.int64) * n_fenceposts, lengths)
        words = numpy.concatenate([numpy.arange(1, length + 1) for length in lengths] or [rows])
        chosen = numpy.concatenate([*heads, rows[:0]]).astype(numpy.int64)
        ids = numpy.empty(len(rows), dtype=numpy.int32)
        with torch.inference_mode():
            for first in range(0, len(rows), _CHUNK_ROWS):
                part = slice(first, first + _CHUNK_ROWS)
                of_heads, of_words = (torch.from_numpy(rows[part] + place[part]) for place in (chosen, words))
                p = self.heads.flatten(0, 1).index_select(0, of_heads)
                q = self.dependents.flatten(0, 1).index_select(0, of_words)
                ids[part] = self.weights.best(p, q).numpy()
        return numpy.split(ids, numpy.cumsum(lengths)[:-1]) if lengths else []

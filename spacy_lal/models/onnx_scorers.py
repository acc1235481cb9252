"""The scorers of spans and deprels in ONNX Runtime, each a graph of its own: spans are scored in pieces that suit a
cache, deprels after heads are decoded. *Not* here: the network before them (`onnx_parser.py`).
"""

from functools import lru_cache
from typing import List, Tuple

import numpy
from numpy import ndarray

from ..layers.basics import EPSILON
from ..layers.biaffine import BiaffineScorer
from ..layers.scorers.span_hidden import span_hidden
from ..layers.span_scorer import SpanScorer
from ..scores import OTHER_LABEL
from .onnx_graph import Graph, as_array
from .runtimes import OnnxSession

_CHUNK_CELLS = 4096  # spans scored at once: their hidden units stay near a core's cache


class OnnxDeprels:
    """The deprels of some heads; called as `DeprelWeights.best`, from arrays to an array.

    scorer (BiaffineScorer): Its weights are copied.
    int8 (bool): As for `OnnxNetwork`.
    """

    def __init__(self, scorer: BiaffineScorer, *, int8: bool) -> None:
        graph = Graph()
        n_deprels, width = scorer.deprel_from_head.shape
        weight = as_array(scorer.deprel_bilinear.transpose(1, 2).flatten(0, 1)).T
        seen = graph.product(weight, "heads", int8=int8)
        seen = graph.node("Add", [seen, graph.constant(as_array(scorer.deprel_from_dependent).reshape(-1))])
        seen = graph.node("Reshape", [seen, graph.constant(numpy.array([-1, n_deprels, width], dtype="int64"))])
        own = graph.product(as_array(scorer.deprel_from_head).T, "heads")
        own = graph.node("Add", [own, graph.constant(as_array(scorer.deprel_bias))])
        own = graph.node("Unsqueeze", [own, graph.constant(numpy.array([2], dtype="int64"))])
        dependents = graph.node("Transpose", ["dependents"], perm=[0, 2, 1])
        scores = graph.node("Add", [graph.node("MatMul", [seen, dependents]), own])
        best = graph.node("ArgMax", [scores], axis=1, keepdims=0)
        inputs = {
            "heads": ("float32", ["heads", width]),
            "dependents": ("float32", ["heads", "most", width]),
        }
        self.session = OnnxSession(graph.to_bytes(inputs, {"best": best}, {"best": ("int64", None)}))

    def best(self, heads: ndarray, dependents: ndarray) -> ndarray:
        """The best deprel of each dependent of some heads.

        heads, dependents (ndarray): *Shapes:* (n_heads, deprel_width) and (n_heads, n_dependents, deprel_width).
        RETURNS (ndarray): *Shape:* (n_heads, n_dependents).
        """
        return self.session.run(["best"], {"heads": heads, "dependents": dependents})[0]


class OnnxSpans:
    """The best label of each span, as `best_labels`.

    scorer (SpanScorer): Its weights must not change afterwards.
    """

    def __init__(self, scorer: SpanScorer) -> None:
        self.scorer = scorer
        self.width = scorer.hidden.out_features
        self.bias, self.gain, self.shift = map(as_array, (scorer.hidden.bias, scorer.norm.gain, scorer.norm.bias))
        graph = Graph()
        weight, bias = as_array(scorer.output.weight), as_array(scorer.output.bias)
        scores = graph.node("Add", [graph.product(weight.T, "units"), graph.constant(bias)])
        sizes = graph.constant(numpy.array([1, len(weight) - 1], dtype="int64"))
        sub_head = graph.node("Split", [scores, sizes], n_outputs=2, axis=-1)
        others = f"{sub_head}_1"
        inputs = {"units": ("float32", ["cells", self.width])}
        if scorer.n_own:
            inputs["own"] = ("float32", ["cells", scorer.n_own])
            others = graph.node("Add", [others, "own"])
        outputs = {
            "sub_head": sub_head,
            "best": graph.node("ReduceMax", [others], axes=[-1], keepdims=1),
            "ids": graph.node("ArgMax", [others], axis=-1, keepdims=0),
        }
        self.session = OnnxSession(graph.to_bytes(inputs, outputs, {"ids": ("int64", None)}))

    def charts(self, rows: ndarray, firsts: ndarray, lengths: ndarray) -> List[Tuple[ndarray, ndarray]]:
        """The charts of sentences.

        rows (ndarray): Fenceposts multiplied with the scorer's `projection`. *Shape:* (n_posts, n_projected).
        firsts, lengths (ndarray): The first row and the words of each sentence. *Shape:* (batch_size,).
        RETURNS (List[Tuple[ndarray, ndarray]]): Labels and label ids of each, see `PrunedScores`.
        """
        cells = [_cells(n_words) for n_words in lengths.tolist()]
        starts = numpy.concatenate([first + one[0] for first, one in zip(firsts, cells, strict=True)])
        ends = numpy.concatenate([first + one[1] for first, one in zip(firsts, cells, strict=True)])
        found = numpy.zeros((len(starts), 3), dtype="float32")
        ids = numpy.empty(len(starts), dtype="int16")
        for first in range(0, len(starts), _CHUNK_CELLS):
            chunk = slice(first, first + _CHUNK_CELLS)
            sub_head, best, best_ids = self.best(rows, starts[chunk], ends[chunk])
            found[chunk, 1:2], found[chunk, 2:], ids[chunk] = sub_head, best, best_ids
        ids += OTHER_LABEL
        charts, first = [], 0
        for n_words, (_, _, places) in zip(lengths.tolist(), cells, strict=True):
            side, chunk = n_words + 1, slice(first, first + len(places))
            labels = numpy.zeros((side * side, 3), dtype="float32")
            label_ids = numpy.zeros(side * side, dtype="int16")
            labels[places], label_ids[places] = found[chunk], ids[chunk]
            charts.append((labels.reshape(side, side, 3), label_ids.reshape(side, side)))
            first += len(places)
        return charts

    def best(self, rows: ndarray, starts: ndarray, ends: ndarray) -> List[ndarray]:
        """Scores of `SUB_HEAD` and of the best other label of some spans, *shape:* (n_cells, 1), and the number of the
        latter, *shape:* (n_cells,)."""
        scorer, width = self.scorer, self.width
        of_starts = rows[:, width * (scorer.n_projections - 1) : width * scorer.n_projections]
        units = numpy.empty((len(starts), width), dtype="float32")
        span_hidden(of_starts, rows[:, :width], starts, ends, self.bias, self.gain, self.shift, EPSILON, units)
        feeds = {"units": units}
        if scorer.n_own:
            own = rows[:, width * scorer.n_projections :]
            feeds["own"] = own[ends] - own[starts]
        return self.session.run(["sub_head", "best", "ids"], feeds)


@lru_cache(maxsize=64)  # long sentences have many cells
def _cells(n_words: int) -> Tuple[ndarray, ndarray, ndarray]:
    """The spans of a sentence: starts, ends, and their places in its chart, flattened. *Shape of each:* (n_cells,)."""
    starts, ends = numpy.triu_indices(n_words + 1, 1)
    return starts, ends, starts * (n_words + 1) + ends

"""The scorers of spans and deprels on a CPU, in NumPy; deprels are scored after heads
are decoded."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Optional

import numpy
from numpy import ndarray

from ...layers.configs import FIRST_LABEL, FencepostLayout, SpanScorerConfig
from ...layers.span_hidden import span_hidden
from ...scores import OTHER_LABEL
from .graph import Product

Weights = Mapping[str, ndarray]
EPSILON = 1e-3  # of the norm, as in `layers.basics`
_CHUNK_CELLS = 4096  # spans scored at once: their hidden units stay near a core's cache
_NO_LABEL = -1e30  # best score where no label is possible; decoders want finite numbers


def slices(lengths: Sequence[int]) -> list[slice]:
    """The places of sentences of some lengths, one after the other."""
    ends = accumulate(lengths)
    return [slice(end - n, end) for n, end in zip(lengths, ends, strict=True)]


def part_of(weights: Weights, part: str) -> dict[str, ndarray]:
    """The weights of a part of the network, by their names within it."""
    names = [name for name in weights if name.startswith(f"{part}.")]
    return {name.partition(".")[2]: weights[name] for name in names}


class SpanInference:
    """The scorer of labels of spans, but for its first layer: see `projections`."""

    def __init__(
        self, config: SpanScorerConfig, weights: Weights, layout: FencepostLayout
    ) -> None:
        given = part_of(weights, "span_scorer")
        self.config = config
        self.given = given
        self.layout = layout
        self.width = len(given["hidden.bias"])
        self.n_labels = 1 + len(given["output.bias"])
        self.output = Product(given["output.weight"], given["output.bias"])
        self.has_own = "ties.weight" in given and self.n_labels > FIRST_LABEL

    def projections(self) -> dict[str, ndarray]:
        """The layer on fenceposts: of ends, of starts unless they are the same, and of
        labels' own heads, if any. *Shapes:* (n_out, width)."""
        hidden = self.given["hidden.weight"]
        layers = {"ends": hidden}
        if self.config.separate_endpoints:
            layers["ends"], layers["starts"] = numpy.split(hidden, 2, axis=1)
        if self.has_own:
            n_own = self.n_labels - FIRST_LABEL
            columns = self.layout.block_columns(range(n_own)).reshape(n_own, -1)
            ties = self.given["ties.weight"][:n_own]
            layers["own"] = numpy.zeros((n_own, self.layout.width), dtype="float32")
            numpy.put_along_axis(layers["own"], columns, ties, axis=1)
        return layers

    def chart(
        self, outputs: Mapping[str, ndarray], posts: slice, pruned: bool
    ) -> tuple[ndarray, Optional[ndarray]]:
        """Labels and, if pruned, label ids of a sentence; see `ParserScores`.

        outputs (Mapping[str, ndarray]): Fenceposts times each projection. *Shapes:*
            (n_posts, n_out).
        posts (slice): The sentence's."""
        side = posts.stop - posts.start
        labels = numpy.zeros((side, side, 3 if pruned else self.n_labels), "float32")
        ids = numpy.full((side, side), OTHER_LABEL, dtype="int16")
        all_starts, all_ends = _cells(side)
        for first in range(0, len(all_starts), _CHUNK_CELLS):
            starts = all_starts[first : first + _CHUNK_CELLS]
            ends = all_ends[first : first + _CHUNK_CELLS]
            scores = self.score(outputs, posts.start + starts, posts.start + ends)
            if not pruned:
                labels[starts, ends, 1:] = scores
                continue
            labels[starts, ends, 1] = scores[:, 0]
            labels[starts, ends, 2] = _NO_LABEL
            if self.n_labels > FIRST_LABEL:
                best = scores[:, 1:].argmax(axis=1)
                labels[starts, ends, 2] = scores[numpy.arange(len(best)), best + 1]
                ids[starts, ends] += best.astype("int16")
        return labels, ids if pruned else None

    def score(
        self, outputs: Mapping[str, ndarray], starts: ndarray, ends: ndarray
    ) -> ndarray:
        """The scores of all labels but the empty one on some spans. *Shape:* (n_cells,
        n_labels - 1)."""
        units = numpy.empty((len(starts), self.width), dtype="float32")
        span_hidden(
            outputs.get("starts", outputs["ends"]),
            outputs["ends"],
            starts,
            ends,
            self.given["hidden.bias"],
            self.given["norm.gain"],
            self.given["norm.bias"],
            EPSILON,
            units,
        )
        scores = self.output(units)
        if self.has_own:
            own = outputs["own"]
            scores[:, 1:] += own[ends] - own[starts]
        return scores


class DeprelInference:
    """The scorer of deprels given the head: p^T U_r q + u_r p + v_r q + c_r."""

    def __init__(self, weights: Weights, int8: bool) -> None:
        part = part_of(weights, "biaffine_scorer")
        bilinear = part["deprel_bilinear"]
        self.shape = bilinear.shape[:2]
        # p^T U_r + v_r of all deprels r at once, then u_r p + c_r
        maps = bilinear.swapaxes(1, 2).reshape(-1, self.shape[1])
        weight = numpy.concatenate([maps, part["deprel_from_head"]])
        of_dependent = part["deprel_from_dependent"].reshape(-1)
        bias = numpy.concatenate([of_dependent, part["deprel_bias"]])
        self.product = Product(weight, bias, 8 if int8 else 32)

    def scores(self, heads: ndarray, dependents: ndarray) -> ndarray:
        """All deprels of all arcs. *Shapes:* (n_heads, deprel_width), (n_dependents,
        deprel_width) to (n_dependents, n_heads, n_deprels)."""
        n_deprels, width = self.shape
        # p^T U_r + v_r and u_r p + c_r
        seen, own = numpy.split(self.product(heads), [-n_deprels], axis=1)
        scores = dependents @ seen.reshape(-1, width).T
        scores += own.reshape(-1)
        return scores.reshape(len(dependents), len(heads), -1)


@lru_cache(maxsize=64)  # long sentences have many cells
def _cells(n_posts: int) -> tuple[ndarray, ndarray]:
    """The spans of a sentence: starts and ends. *Shape of each:* (n_cells,)."""
    return numpy.triu_indices(n_posts, 1)

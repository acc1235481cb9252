"""The scorers of spans and deprels on a CPU, in NumPy; deprels are scored after heads
are decoded."""

from functools import lru_cache
from typing import Iterator, List, Mapping, NamedTuple, Sequence, Tuple

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
_CHUNK_HEADS = (
    128  # heads at a time: the products of all deprels with them stay in a core's cache
)


class Places(NamedTuple):
    """Where sentences are in packed arrays. Of each sentence: words, first position,
    first fencepost."""

    lengths: List[int]
    positions: List[int]
    posts: List[int]

    @classmethod
    def of(cls, lengths: Sequence[int]) -> "Places":
        """The places of sentences of some numbers of words."""
        found = cls(list(lengths), [0], [0])
        for length in lengths:
            found.positions.append(found.positions[-1] + length + 2)
            found.posts.append(found.posts[-1] + length + 1)
        return found

    def __iter__(self) -> Iterator[Tuple[int, slice, slice]]:  # type: ignore[override]
        for k, length in enumerate(self.lengths):
            position = self.positions[k]
            post = self.posts[k]
            yield (
                k,
                slice(position, position + length + 2),
                slice(post, post + length + 1),
            )


class SpanInference:
    """The scorer of labels of spans, but for its first layer: see
    `take_projections`."""

    def __init__(
        self, config: SpanScorerConfig, weights: Weights, layout: FencepostLayout
    ) -> None:
        given = {
            name.partition(".")[2]: value
            for name, value in weights.items()
            if name.startswith("span_scorer.")
        }
        self.bias = given["hidden.bias"]
        self.gain = given["norm.gain"]
        self.shift = given["norm.bias"]
        self.width = len(self.bias)
        self.n_labels = 1 + len(given["output.bias"])
        self.output = Product(given["output.weight"].T, given["output.bias"])
        parts = numpy.split(
            given["hidden.weight"], 2 if config.separate_endpoints else 1, axis=1
        )
        self.n_own = 0
        if "ties.weight" in given:
            self.n_own = max(0, self.n_labels - FIRST_LABEL)
            parts.append(numpy.zeros((self.n_own, layout.width), dtype="float32"))
            columns = layout.block_columns(range(self.n_own)).reshape(self.n_own, -1)
            numpy.put_along_axis(
                parts[-1], columns, given["ties.weight"][: self.n_own], axis=1
            )
        self._projections = parts

    def take_projections(self) -> List[ndarray]:
        """The layer on fenceposts, which is not kept: of ends, starts, labels' own
        heads. *Shapes:* (n_out, width)."""
        parts = self._projections
        self._projections = []
        return parts

    def charts(
        self, rows: Sequence[ndarray], places: Places, pruned: bool
    ) -> List[Tuple[ndarray, ndarray]]:
        """Labels and label ids of sentences, see `PrunedScores`, or all labels. rows:
        Fenceposts times each projection,
        *Shapes:* (n_posts, n_out)."""
        cells = [_cells(length) for length in places.lengths]
        starts = numpy.concatenate(
            [posts.start + cells[k][0] for k, _, posts in places]
        )
        ends = numpy.concatenate([posts.start + cells[k][1] for k, _, posts in places])
        found = numpy.zeros(
            (len(starts), 3 if pruned else self.n_labels), dtype="float32"
        )
        ids = numpy.zeros(len(starts), dtype="int16")
        for first in range(0, len(starts), _CHUNK_CELLS):
            chunk = slice(first, first + _CHUNK_CELLS)
            scores = self.score(rows, starts[chunk], ends[chunk])
            if not pruned:
                found[chunk, 1:] = scores
                continue
            found[chunk, 1] = scores[:, 0]
            found[chunk, 2] = _NO_LABEL
            others = scores[:, 1:]
            if not others.shape[1]:
                continue
            ids[chunk] = best = others.argmax(axis=1)
            found[chunk, 2] = others[numpy.arange(len(best)), best]
        ids += OTHER_LABEL
        charts = []
        first = 0
        for length, (_, _, flat) in zip(places.lengths, cells, strict=True):
            side = length + 1
            chunk = slice(first, first + len(flat))
            labels = numpy.zeros((side * side, found.shape[1]), dtype="float32")
            label_ids = numpy.zeros(side * side, dtype="int16")
            labels[flat] = found[chunk]
            label_ids[flat] = ids[chunk]
            charts.append(
                (labels.reshape(side, side, -1), label_ids.reshape(side, side))
            )
            first += len(flat)
        return charts

    def score(self, rows: Sequence[ndarray], starts: ndarray, ends: ndarray) -> ndarray:
        """The scores of all labels but the empty one on some spans. *Shape:* (n_cells,
        n_labels - 1)."""
        units = numpy.empty((len(starts), self.width), dtype="float32")
        of_ends = rows[0]
        own = rows[-1]
        of_starts = rows[len(rows) - 1 - bool(self.n_own)]
        span_hidden(
            of_starts,
            of_ends,
            starts,
            ends,
            self.bias,
            self.gain,
            self.shift,
            EPSILON,
            units,
        )
        scores = self.output(units)
        if self.n_own:
            scores[:, 1:] += own[ends] - own[starts]
        return scores


class DeprelInference:
    """The scorer of deprels given the head: p^T U_r q + u_r p + v_r q + c_r."""

    def __init__(self, weights: Weights) -> None:
        given = {
            name.partition(".")[2]: value
            for name, value in weights.items()
            if name.startswith("biaffine_scorer.")
        }
        bilinear = given["deprel_bilinear"]
        self.shape = bilinear.shape[:2]
        # p^T U_r + v_r of all deprels r at once
        weight = bilinear.transpose(1, 0, 2).reshape(self.shape[1], -1)
        self.bilinear = Product(weight, given["deprel_from_dependent"].reshape(-1))
        self.from_head = Product(given["deprel_from_head"].T, given["deprel_bias"])

    def seen(self, heads: ndarray) -> Tuple[ndarray, ndarray]:
        """p^T U_r + v_r and u_r p + c_r. *Shapes:* (n_heads, n_deprels, deprel_width),
        (n_heads, n_deprels, 1)."""
        seen = self.bilinear(heads).reshape(-1, *self.shape)
        return seen, self.from_head(heads)[..., None]

    def scores(self, heads: ndarray, dependents: ndarray) -> ndarray:
        """All deprels of all arcs. *Shape:* (n_dependents, n_heads, n_deprels)."""
        seen, own = self.seen(heads)
        return numpy.ascontiguousarray((seen @ dependents.T + own).transpose(2, 0, 1))

    def best(self, heads: ndarray, dependents: ndarray) -> ndarray:
        """The best deprel of each dependent of some heads. *Shapes:* (n_heads, width),
        (n_heads, n_dependents, width) to (n_heads, n_dependents)."""
        seen, own = self.seen(heads)
        return (seen @ dependents.swapaxes(1, 2) + own).argmax(axis=1)


class DeprelFeatures:
    """Features p, q of the fenceposts of a batch as heads and dependents, *Shape:*
    (n_posts, deprel_width): deprels are scored after heads are decoded, n and not n^2
    of them. first_rows: of each sentence."""

    def __init__(
        self,
        deprels: DeprelInference,
        heads: ndarray,
        dependents: ndarray,
        first_rows: ndarray,
    ) -> None:
        self.deprels = deprels
        self.heads = heads
        self.dependents = dependents
        self.first_rows = first_rows

    def choose(
        self, sentences: Sequence[int], heads: Sequence[ndarray]
    ) -> List[ndarray]:
        """The best deprels of some sentences, by their places in the batch. *Shapes of
        heads and deprels:* (n,)."""
        lengths = [len(one) for one in heads]
        first = numpy.repeat(
            self.first_rows[numpy.asarray(sentences, dtype=numpy.int64)], lengths
        )
        words = first + numpy.concatenate(
            [numpy.arange(1, length + 1) for length in lengths] or [first]
        )
        chosen = first + numpy.concatenate([*heads, first[:0]])
        ids = numpy.empty(len(first), dtype=numpy.int32)
        for of_head, arcs in _by_head(chosen):
            ids[arcs] = self.deprels.best(
                self.heads[of_head], self.dependents[words[arcs]]
            )
        return numpy.split(ids, numpy.cumsum(lengths)[:-1]) if lengths else []

    def of_arc(self, sentence: int, head: int, dependent: int) -> ndarray:
        """See `spacy_lal.scores.deprel_scores`."""
        row = self.first_rows[sentence]
        return self.deprels.scores(
            self.heads[row + head, None], self.dependents[row + dependent, None]
        )[0, 0]


def _by_head(heads: ndarray) -> Iterator[Tuple[ndarray, ndarray]]:
    """Different heads, *shape:* (n_heads,), and their arcs, *shape:* (n_heads,
    n_dependents). Heads with about as many dependents come together; arcs are repeated
    where a head has fewer."""
    order = numpy.argsort(heads, kind="stable")
    distinct, first, counts = numpy.unique(
        heads[order], return_index=True, return_counts=True
    )
    by_count = numpy.argsort(-counts, kind="stable")
    for start in range(0, len(by_count), _CHUNK_HEADS):
        part = by_count[start : start + _CHUNK_HEADS]
        places = numpy.minimum(numpy.arange(counts[part[0]]), counts[part, None] - 1)
        yield distinct[part], order[first[part, None] + places]


@lru_cache(maxsize=64)  # long sentences have many cells
def _cells(n_words: int) -> Tuple[ndarray, ndarray, ndarray]:
    """The spans of a sentence: starts, ends, and their places in its chart, flattened.
    *Shape of each:* (n_cells,)."""
    starts, ends = numpy.triu_indices(n_words + 1, 1)
    return starts, ends, starts * (n_words + 1) + ends

"""The search of a parser's decoder under a prohibition. Numbers only: no Docs, no label strings."""

from typing import Any, Iterator, List, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray

from ..decode import cky, eisner, joint, mst
from ..pipeline.decoders import (
    ConstituentDecoder,
    Decoder,
    JointDecoder,
    disagreeing_constituents,
    in_preorder,
    separate_arcs,
)
from ..scores import OTHER_LABEL, ParserScores
from ..trees import EMPTY, SUB_HEAD

N_AT_ONCE = 64  # charts of one sentence in a batch, each with another prohibition

Found = Tuple[float, List[Tuple[int, int, int]], List[int]]


class Search:
    """The maximum of a decoder's objective over the trees of one sentence, with and without a prohibition.

    The charts have three labels: empty, sub-head, and the best of the others. Forbidding the last on a span replaces it
    by the second best. Without a second best, and for an arc, the score becomes so low that a tree with it is worse
    than any tree without it. The score stays finite, as the decoders require.

    decoder (Decoder): `JointDecoder`, `ConstituentDecoder` or `make_separate_decoder`'s; its weights and options are
        kept.
    scores (ParserScores): The scores of one sentence of at least one word.
    RAISES (ValueError): The decoder is not supported.
    """

    def __init__(self, decoder: Decoder, scores: ParserScores) -> None:
        has_spans, has_arcs = scores.labels.size > 0, scores.deprels.shape[-1] > 0
        find_heads, weight, empty_nodes, max_length, cost = _options(decoder)
        self.is_joint = has_spans and has_arcs and scores.n_tokens <= max_length
        label_weight, arc_weight = (weight, 1.0 - weight) if self.is_joint else (1.0, 1.0)
        self._cost = None if cost is None else cost * label_weight
        self._find_heads = eisner if find_heads == "eisner" else mst
        self._arcs = scores.arcs * np.float32(arc_weight)
        labels = scores.labels * np.float32(label_weight)
        largest = max(float(np.abs(chart).max()) for chart in (labels, self._arcs) if chart.size)
        self._low = np.float32(-(8.0 * largest * scores.n_tokens + 1.0))  # two trees have 6n - 2 scores
        if has_spans:
            self._label_ids = labels[..., OTHER_LABEL:].argmax(-1) + OTHER_LABEL
            best_two = np.partition(np.insert(labels[..., OTHER_LABEL:], 0, self._low, axis=-1), (-2, -1), axis=-1)
            self._second = best_two[..., -2]
            self._labels = np.stack([labels[..., EMPTY], labels[..., SUB_HEAD], best_two[..., -1]], axis=-1)
            if self.is_joint and empty_nodes:
                np.maximum(self._labels[..., SUB_HEAD], 0.0, out=self._labels[..., SUB_HEAD])

    def best_spans(self) -> Tuple[float, List[Tuple[int, int, int]]]:
        """The highest score, and the constituents of its tree in pre-order: start, end, label id."""
        score, spans, _ = next(self._solve([self._labels], [self._arcs if self.is_joint else None]))
        return score, [(i, j, int(self._label_ids[i, j])) for i, j, label in spans if label == OTHER_LABEL]

    def best_arcs(self) -> Tuple[float, List[Tuple[int, int]]]:
        """The highest score, and the arcs of its tree: dependent, counted from 1, and head; 0 is the root."""
        score, _, heads = next(self._solve([self._labels if self.is_joint else None], [self._arcs]))
        return score, list(enumerate(heads[1:], start=1))

    def scores_without_labels(self, labelled: Sequence[Tuple[int, int, int]]) -> Iterator[float]:
        """For each labelled span (start, end, label id), the highest score of a tree without it; minus infinity if
        every tree has it."""
        for k in range(0, len(labelled), N_AT_ONCE):
            some = labelled[k : k + N_AT_ONCE]
            charts = np.repeat(self._labels[None], len(some), axis=0)
            for chart, (i, j, label) in zip(charts, some, strict=True):
                if label == self._label_ids[i, j]:  # the chart has no other label here
                    chart[i, j, OTHER_LABEL] = self._second[i, j]
            found = self._solve(list(charts), [self._arcs if self.is_joint else None] * len(some))
            for (i, j, _), (score, spans, _) in zip(some, found, strict=True):
                yield -np.inf if self._second[i, j] == self._low and (i, j, OTHER_LABEL) in spans else score

    def scores_without_arcs(self, arcs: Sequence[Tuple[int, int]]) -> Iterator[float]:
        """For each arc, the highest score of a tree without it; minus infinity if every tree has it."""
        for k in range(0, len(arcs), N_AT_ONCE):
            some = arcs[k : k + N_AT_ONCE]
            charts = np.repeat(self._arcs[None], len(some), axis=0)
            for chart, arc in zip(charts, some, strict=True):
                chart[arc] = self._low
            found = self._solve([self._labels if self.is_joint else None] * len(some), list(charts))
            for (dependent, head), (score, _, heads) in zip(some, found, strict=True):
                yield -np.inf if heads[dependent] == head else score

    def _solve(self, labels: List[Optional[ndarray]], arcs: List[Optional[ndarray]]) -> Iterator[Found]:
        """The best trees of labels and arcs jointly, with constituents that contradict the heads; or of the one chart
        given. Scores are summed in float64 along the tree: the decoders' own are rounded, and differ from the tree's
        score for a sentence of one word."""
        charts: List[Any] = labels
        spans: List[Any] = [np.zeros((0, 3), dtype="i4")] * len(labels)
        heads: List[Any] = [None] * len(labels)
        if self.is_joint:
            _, spans, heads = zip(*joint(charts, arcs), strict=True)  # type: ignore[assignment, arg-type]
        elif labels[0] is not None:
            _, spans = zip(*cky(charts), strict=True)  # type: ignore[assignment]
        else:
            heads = self._find_heads(arcs)  # type: ignore[assignment, arg-type]
        for i, (label_chart, arc_chart) in enumerate(zip(labels, arcs, strict=True)):
            score, found = 0.0, spans[i]
            if label_chart is not None:
                score += float(label_chart[tuple(spans[i].T)].sum(dtype="f8"))
                if self.is_joint and self._cost is not None:
                    added = disagreeing_constituents(label_chart, spans[i], self._cost)
                    score += float((label_chart[tuple(added.T)] - self._cost).sum(dtype="f8"))
                    found = in_preorder(np.concatenate([found, added]))
            if arc_chart is not None:
                words = np.arange(1, len(arc_chart))
                score += float(arc_chart[words, heads[i][1:]].sum(dtype="f8"))
            yield score, [tuple(span) for span in found.tolist()], [] if heads[i] is None else heads[i].tolist()


def _options(decoder: Any) -> Tuple[str, float, bool, float, Optional[float]]:
    """The arc decoder, the constituency weight, whether nodes may be empty, the maximal length for joint decoding, and
    the cost of a constituent that contradicts the heads.

    RAISES (ValueError): The decoder is not supported.
    """
    if isinstance(decoder, JointDecoder):
        max_length = float("inf") if decoder.max_length is None else decoder.max_length
        weight, cost = decoder.constituency_weight, decoder.disagreement_cost
        return decoder.long_sentences, weight, decoder.empty_nodes, max_length, cost
    arcs = "eisner" if isinstance(decoder, ConstituentDecoder) else separate_arcs(decoder)
    if arcs is not None:
        return arcs, 1.0, False, -1, None
    raise ValueError(
        f"a margin is one of the decoder's own objective: expected spacy-lal.joint_decoder.v1 or "
        f"spacy-lal.separate_decoder.v1, got a {type(decoder).__name__}"
    )

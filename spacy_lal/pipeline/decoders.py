"""From the scores of sentences to their trees: what a decoder is, and the two that
configs name. Sentences of more than 500 words come in pieces: `long_sentences.py`."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import (
    Literal,
    Optional,
    Protocol,
    runtime_checkable,
)

import numpy as np
from numpy import ndarray
from spacy.tokens import Token

from ..decode import eisner, mst
from ..scores import ParserScores, best_deprel_scores, choose_deprels
from ..trees import EMPTY, SUB_HEAD
from .charts import AllowedCells, Charts, DecodedParse, Derivation
from .guidelines import Terms, follow_guidelines, without_marks
from .ranked_trees import RankedTrees

ArcDecoder = Literal["eisner", "mst"]
ARC_DECODERS: dict[ArcDecoder, Callable[[ndarray], ndarray]] = {
    "eisner": eisner,
    "mst": mst,
}

# The joint decoder takes memory cubic in a sentence's length, and time to its fourth
# power. Longer sentences are decoded separately, by CKY and Eisner's algorithm.
MAX_JOINT_LENGTH = 200
_NEVER = -1e6  # a score that no label has


@runtime_checkable
class Decoder(Protocol):
    """Finds the trees of sentences. A network without labels or deprels has none of
    their scores; a decoder then finds the other tree alone."""

    def __call__(self, scores: Sequence[ParserScores]) -> list[DecodedParse]:
        """The best parses of sentences, in order."""

    def ranked(
        self, scores: ParserScores, allowed: Optional[AllowedCells] = None
    ) -> Iterator[DecodedParse]:
        """The parses of one sentence, best first, each with its score; some may look
        the same. With constraints, those of allowed cells; where there are none, one
        with few other cells, whose score is minus infinity."""

    def revise(
        self,
        parse: DecodedParse,
        scores: ParserScores,
        words: Sequence[Token],
        terms: Terms,
    ) -> DecodedParse:
        """A sentence's parse without constraints as treebanks have it."""


@dataclass(frozen=True)
class ChartDecoder:
    """Searches charts of scores. For its options see `make_joint_decoder` and
    `make_separate_decoder`.
    find_heads (Optional[Callable]): Finds heads separately. None: both trees are found
        together."""

    find_heads: Optional[Callable[[ndarray], ndarray]]
    constituency_weight: float = 0.5
    empty_nodes: bool = True
    disagreement_cost: Optional[float] = None
    guidelines: bool = False
    deprel_weight: float = 0.0

    def __call__(self, scores: Sequence[ParserScores]) -> list[DecodedParse]:
        """See `Decoder`."""
        parses = []
        for of_sentence in scores:
            charts = self.charts(of_sentence)
            parses.append(self._parse(of_sentence, charts, charts.derive()))
        return parses

    def ranked(
        self, scores: ParserScores, allowed: Optional[AllowedCells] = None
    ) -> Iterator[DecodedParse]:
        """See `Decoder`. With the joint search, the score is constituency_weight times
        the label scores plus (1 - constituency_weight) times the arc scores, summed
        over the best binarisation. With the separate one it is the sum of the label
        scores, and every parse has the best heads."""
        charts = self.charts(scores)
        for derivation in RankedTrees(charts, allowed):
            yield self._parse(scores, charts, derivation, allowed)

    def revise(
        self,
        parse: DecodedParse,
        scores: ParserScores,
        words: Sequence[Token],
        terms: Terms,
    ) -> DecodedParse:
        """See `Decoder`."""
        if self.disagreement_cost is not None:
            parse = without_marks(words, parse, terms.language.mark_tags)
        if self.guidelines and terms.language.guidelines is not None:
            parse = follow_guidelines(
                words, parse, scores, terms, terms.language.guidelines
            )
        return parse

    def charts(self, scores: ParserScores) -> Charts:
        """The charts that are searched for one sentence."""
        has_labels = scores.labels.size > 0 and scores.n_tokens > 0
        has_arcs = scores.has_deprels and scores.n_tokens > 0
        labels = scores.labels if has_labels else None
        arcs = scores.arcs if has_arcs else None
        if arcs is not None and self.deprel_weight:
            arcs = arcs + np.float32(self.deprel_weight) * best_deprel_scores(scores)
        if self.find_heads or labels is None or arcs is None:
            return Charts(labels, arcs, self.find_heads or eisner)
        if scores.n_tokens > MAX_JOINT_LENGTH:
            warnings.warn(
                f"a sentence has more than {MAX_JOINT_LENGTH} words: its two trees are "
                "found separately, and may disagree",
                stacklevel=2,
            )
            return Charts(labels, arcs, eisner)
        labels = labels * np.float32(self.constituency_weight)
        arcs = arcs * np.float32(1.0 - self.constituency_weight)
        if self.empty_nodes:  # a sub-head is no constituent, either
            sub_heads = labels[..., SUB_HEAD]
            np.maximum(sub_heads, 0.0, out=sub_heads)
            if scores.n_tokens == 1:  # a sentence of one word is a constituent, too
                labels[0, 1, EMPTY] = _NEVER
        return Charts(labels, arcs, None)

    def _parse(
        self,
        scores: ParserScores,
        charts: Charts,
        trees: Derivation,
        allowed: Optional[AllowedCells] = None,
    ) -> DecodedParse:
        """Trees with label ids and deprels, and the constituents that the heads of a
        joint tree contradict, if the config allows them."""
        is_joint = charts.find_heads is None
        nodes = np.zeros((0, 3), dtype=np.int32) if trees.nodes is None else trees.nodes
        unranked = 0.0 if is_joint else charts.score_of_heads(trees.heads)
        if is_joint and self.disagreement_cost is not None:
            labels = scores.labels
            if allowed is not None:  # nothing is added in another cell
                labels = np.where(allowed.labels, labels, np.float32(-1.0))
            added = disagreeing_constituents(labels, nodes, self.disagreement_cost)
            gains = labels[tuple(added.T)] - self.disagreement_cost
            unranked = self.constituency_weight * float(gains.sum(dtype="f8"))
            nodes = np.concatenate([nodes, added])
            nodes = nodes[np.lexsort((-nodes[:, 1], nodes[:, 0]))]  # in pre-order
        heads = np.zeros(scores.n_tokens, dtype=np.int32)
        deprels = heads
        if trees.heads is not None:
            heads = trees.heads[1:].astype(np.int32)
            deprels = choose_deprels(scores, heads)
        spans = scores.with_label_ids(nodes[nodes[:, 2] > SUB_HEAD])
        return DecodedParse(
            spans,
            heads,
            deprels,
            "joint" if is_joint else "separate",
            trees.score,
            unranked,
        )


def make_joint_decoder(
    constituency_weight: float = 0.5,
    empty_nodes: bool = True,
    disagreement_cost: Optional[float] = None,
    guidelines: bool = False,
    deprel_weight: float = 0.0,
) -> ChartDecoder:
    """The exact joint decoder, in O(n^4): the best constituency and dependency trees
    that agree (Zhou & Zhao 2019). Sentences of more than 200 words are decoded
    separately.

    constituency_weight (float): Weight of label scores, between 0 and 1; the weight of
        arc scores is one minus this.
    empty_nodes (bool): Whether a node of the joint tree that is no constituent costs
        nothing, and a sentence of one word is a constituent, both as in CKY. The
        authors' decoder gives such a node the best label score, sub-head included, even
        below zero, and may leave such a word bare. A treebank without heads has no
        sub-heads: on text like it, that decoder chooses labels at random.
    disagreement_cost (Optional[float]): Treebanks disagree with themselves: in "let it
        die" Universal Dependencies attach "it" and "die" to "let", and the Penn
        Treebank has a clause "it die". With a cost, constituents that fit the brackets
        of the joint tree are added where their label score exceeds it, highest first.
        None: nothing is added, and the trees always agree.
    guidelines (bool): Whether parses follow the guidelines of the language's treebanks,
        where `lang` has some: in English, a preposition and its noun phrase are a
        phrase, and a word has one subject.
    deprel_weight (float): What the log-probability of an arc's best deprel adds to the
        arc's score, times this. 1: the score of an arc with its deprel is the logarithm
        of their joint probability, but for a constant of the dependent. 0, as the
        authors': heads are found without deprels.
    RAISES (ValueError): A weight or a cost is out of range."""
    is_cost = disagreement_cost is None or disagreement_cost >= 0.0
    if not 0.0 <= constituency_weight <= 1.0 or not (is_cost and deprel_weight >= 0.0):
        raise ValueError(
            "expected a constituency_weight between 0 and 1, a disagreement_cost of 0 "
            "or more, or null, and a deprel_weight of 0 or more; got "
            f"{constituency_weight}, {disagreement_cost} and {deprel_weight}"
        )
    return ChartDecoder(
        None,
        constituency_weight,
        empty_nodes,
        disagreement_cost,
        guidelines,
        deprel_weight,
    )


def make_separate_decoder(arcs: ArcDecoder = "eisner") -> ChartDecoder:
    """The best constituency tree by CKY and, independently, the best dependency tree:
    the two may disagree.

    arcs (str): "eisner" for projective trees, "mst" for all trees; both find a single
    root."""
    return ChartDecoder(ARC_DECODERS[arcs])


def disagreeing_constituents(labels: ndarray, nodes: ndarray, cost: float) -> ndarray:
    """Constituents that the heads of a joint tree contradict and whose scores exceed a
    cost: by descending score, those that cross no constituent of the tree and none
    taken before.
    labels (ndarray): Shape: (n + 1, n + 1, n_labels).
    nodes (ndarray): Shape: (k, 3), empty nodes and sub-heads included.
    RETURNS (ndarray): Shape: (m, 3), int32."""
    of_constituents = labels[..., SUB_HEAD + 1 :]
    best = np.triu(of_constituents.max(axis=-1), k=1)
    # The joint decoder has chosen the labels of its own nodes.
    best[nodes[:, 0], nodes[:, 1]] = 0.0
    starts, ends = np.nonzero(best > cost)
    order = np.argsort(-best[starts, ends], kind="stable")
    taken = nodes[nodes[:, 2] > SUB_HEAD]
    n_of_tree = len(taken)
    for k in order.tolist():
        start = starts[k]
        end = ends[k]
        if not _crosses(taken, start, end):
            label = SUB_HEAD + 1 + int(of_constituents[start, end].argmax())
            added = np.array([[start, end, label]], dtype=nodes.dtype)
            taken = np.concatenate([taken, added])
    return taken[n_of_tree:]


def _crosses(spans: ndarray, start: int, end: int) -> bool:
    """Whether a span crosses one of some, (k, 3)."""
    starts = spans[:, 0]
    ends = spans[:, 1]
    begins_within = (starts < start) & (start < ends) & (ends < end)
    ends_within = (start < starts) & (starts < end) & (end < ends)
    return bool((begins_within | ends_within).any())

"""From the scores of sentences to their trees, without strings and Docs. Sentences of
more than 500 words come in pieces: `long_sentences.py`."""

import warnings
from dataclasses import dataclass
from typing import Any, Dict, List, Literal, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray

from ..annotations import ParseMethod
from ..decode import cky, eisner, joint, mst
from ..scores import AnyScores, best_deprel_scores, choose_deprels
from ..trees import EMPTY, SUB_HEAD

ArcDecoder = Literal["eisner", "mst"]

# The joint decoder takes memory cubic in a sentence's length, and time to its fourth
# power. Longer sentences are decoded separately, by CKY and Eisner's algorithm.
MAX_JOINT_LENGTH = 200
_NEVER = -1e6  # a score that no label has


class DecodedParse(NamedTuple):
    """The parse of one sentence of n words.
    spans (ndarray): Start, end, label id (a whole unary chain), pre-order, real
        constituents only. Shape: (k, 3), int32.
    heads (ndarray): From 1; 0 is the root. Shape: (n,), int32.
    deprels (ndarray): Deprel ids. Shape: (n,), int32.
    method (Optional[ParseMethod]): Of decoding: together ("joint"), "separate", or in
        pieces ("split")."""

    spans: ndarray
    heads: ndarray
    deprels: ndarray
    method: Optional[ParseMethod] = None


class Charts(NamedTuple):
    """The weighted scores that a decoder maximises for one sentence.
    labels (Optional[ndarray]): Shape: (n + 1, n + 1, n_labels), float32. None:
        constituents are not decoded.
    arcs (Optional[ndarray]): Shape: (n + 1, n + 1), float32. None: heads are not
        decoded.
    is_joint (bool): Whether both trees are found together.
    arc_decoder (ArcDecoder): Finds the heads where they are not."""

    labels: Optional[ndarray]
    arcs: Optional[ndarray]
    is_joint: bool
    arc_decoder: ArcDecoder

    @property
    def method(self) -> ParseMethod:
        """How the trees are found."""
        return "joint" if self.is_joint else "separate"

    @property
    def has_labels_alone(self) -> bool:
        """Whether constituents are found without heads."""
        return self.labels is not None and not self.is_joint

    @property
    def has_arcs_alone(self) -> bool:
        """Whether heads are found without constituents."""
        return self.arcs is not None and not self.is_joint

    def find_heads(self) -> Optional[ndarray]:
        """The best heads alone. *Shape:* (n + 1,)."""
        if self.arcs is None:
            return None
        return eisner(self.arcs) if self.arc_decoder == "eisner" else mst(self.arcs)

    def decode(self) -> Tuple[Optional[ndarray], Optional[ndarray]]:
        """The nodes, (2n - 1, 3), and heads, (n + 1,), of the best trees."""
        if self.is_joint:
            _, nodes, heads = joint(self.labels, self.arcs)  # type: ignore[arg-type]
            return nodes, heads
        return None if self.labels is None else cky(self.labels)[1], self.find_heads()


@dataclass(frozen=True)
class Decoder:
    """Finds the trees of sentences; for its options see `make_joint_decoder` and
    `make_separate_decoder`.
    dependencies (bool): If not, constituents are found by CKY, heads and deprels are
        zeros."""

    agree: bool
    arc_decoder: ArcDecoder = "eisner"
    constituency_weight: float = 0.5
    empty_nodes: bool = True
    disagreement_cost: Optional[float] = None
    guidelines: bool = False
    deprel_weight: float = 0.0
    dependencies: bool = True

    def __call__(self, scores: Sequence[AnyScores]) -> List[DecodedParse]:
        """Decode the scores of sentences.

        RETURNS (List[DecodedParse]): Their parses, in order."""
        charts = [self.charts(one) for one in scores]
        nodes: Dict[int, ndarray] = {}
        heads: Dict[int, ndarray] = {}
        together = [i for i, one in enumerate(charts) if one.is_joint]
        with_labels = [i for i, one in enumerate(charts) if one.has_labels_alone]
        with_arcs = [i for i, one in enumerate(charts) if one.has_arcs_alone]
        if together:
            found = joint(*_batch(charts, together))
            for i, (_, nodes[i], heads[i]) in zip(together, found, strict=True):
                nodes[i] = self.with_disagreeing(scores[i].labels, nodes[i])
        if with_labels:
            labels, _ = _batch(charts, with_labels)
            found = [spans for _, spans in cky(labels)]
            nodes.update(zip(with_labels, found, strict=True))
        if with_arcs:
            _, arcs = _batch(charts, with_arcs)
            find_heads = eisner if self.arc_decoder == "eisner" else mst
            heads.update(zip(with_arcs, find_heads(arcs), strict=True))
        trees = [(nodes.get(i), heads.get(i)) for i in range(len(scores))]
        methods = [one.method for one in charts]
        return decoded_parses(scores, trees, methods)

    def charts(self, scores: AnyScores) -> Charts:
        """The charts that are decoded for one sentence."""
        has_labels = scores.labels.size > 0 and scores.n_tokens > 0
        has_arcs = scores.has_deprels and scores.n_tokens > 0 and self.dependencies
        labels = scores.labels if has_labels else None
        arcs = scores.arcs if has_arcs else None
        if arcs is not None and self.deprel_weight:
            arcs = arcs + np.float32(self.deprel_weight) * best_deprel_scores(scores)
        if not self.agree or labels is None or arcs is None:
            return Charts(labels, arcs, False, self.arc_decoder)
        if scores.n_tokens > MAX_JOINT_LENGTH:
            warnings.warn(
                f"a sentence has more than {MAX_JOINT_LENGTH} words: its two trees are "
                "found separately, and may disagree",
                stacklevel=2,
            )
            return Charts(labels, arcs, False, "eisner")
        labels = labels * np.float32(self.constituency_weight)
        arcs = arcs * np.float32(1.0 - self.constituency_weight)
        if self.empty_nodes:  # a sub-head is no constituent, either
            sub_heads = labels[..., SUB_HEAD]
            np.maximum(sub_heads, 0.0, out=sub_heads)
            if scores.n_tokens == 1:  # a sentence of one word is a constituent, too
                labels[0, 1, EMPTY] = _NEVER
        return Charts(labels, arcs, True, "eisner")

    def with_disagreeing(self, labels: ndarray, nodes: ndarray) -> ndarray:
        """The nodes of a joint tree, (k, 3), with constituents that its heads
        contradict if the config allows them."""
        if self.disagreement_cost is None:
            return nodes
        added = disagreeing_constituents(labels, nodes, self.disagreement_cost)
        return in_preorder(np.concatenate([nodes, added]))


def _batch(charts: Sequence[Charts], chosen: Sequence[int]) -> Tuple[Any, Any]:
    """The charts of some sentences."""
    labels = [charts[i].labels for i in chosen]
    return labels, [charts[i].arcs for i in chosen]


def in_preorder(spans: ndarray) -> ndarray:
    """Nodes with start and end, (k, 2 or more), by start, the longer one first."""
    return spans[np.lexsort((-spans[:, 1], spans[:, 0]))]


def make_joint_decoder(
    constituency_weight: float = 0.5,
    empty_nodes: bool = True,
    disagreement_cost: Optional[float] = None,
    guidelines: bool = False,
    deprel_weight: float = 0.0,
) -> Decoder:
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
    return Decoder(
        True,
        "eisner",
        constituency_weight,
        empty_nodes,
        disagreement_cost,
        guidelines,
        deprel_weight,
    )


def make_separate_decoder(arcs: ArcDecoder = "eisner") -> Decoder:
    """The best constituency tree by CKY and, independently, the best dependency tree:
    the two may disagree.

    arcs (str): "eisner" for projective trees, "mst" for all trees; both find a single
    root."""
    return Decoder(False, arc_decoder=arcs)


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
    found = nodes[nodes[:, 2] > SUB_HEAD]
    n_of_tree = len(found)
    for k in order.tolist():
        start = starts[k]
        end = ends[k]
        if not _crosses(found, start, end):
            label = SUB_HEAD + 1 + int(of_constituents[start, end].argmax())
            added = np.array([[start, end, label]], dtype=nodes.dtype)
            found = np.concatenate([found, added])
    return found[n_of_tree:]


def _crosses(spans: ndarray, start: int, end: int) -> bool:
    """Whether a span crosses one of some, (k, 3)."""
    starts = spans[:, 0]
    ends = spans[:, 1]
    begins_within = (starts < start) & (start < ends) & (ends < end)
    ends_within = (start < starts) & (starts < end) & (end < ends)
    return bool((begins_within | ends_within).any())


def decoded_parses(
    scores: Sequence[AnyScores],
    trees: Sequence[Tuple[Optional[ndarray], Optional[ndarray]]],
    methods: Sequence[ParseMethod],
) -> List[DecodedParse]:
    """Parses with label ids and deprels.
    trees (Sequence[Tuple[Optional[ndarray], Optional[ndarray]]]): For each sentence,
        nodes, *Shape:* (k, 3), and heads, with an entry for the root first, *Shape:*
        (n + 1,); None for none."""
    heads: List[ndarray] = []
    for one, (_, of_words) in zip(scores, trees, strict=True):
        none = np.zeros(one.n_tokens + 1)
        chosen = none if of_words is None else of_words
        heads.append(chosen[1:].astype(np.int32))
    found = [i for i, (_, of_words) in enumerate(trees) if of_words is not None]
    deprels = [np.zeros_like(of_words) for of_words in heads]
    chosen_deprels = choose_deprels(
        [scores[i] for i in found], [heads[i] for i in found]
    )
    for i, of_words in zip(found, chosen_deprels, strict=True):
        deprels[i] = of_words
    parses = []
    for i, (nodes, _) in enumerate(trees):
        spans = np.zeros((0, 3), dtype=np.int32)
        if nodes is not None:
            spans = scores[i].with_label_ids(nodes[nodes[:, 2] > SUB_HEAD])
        parses.append(DecodedParse(spans, heads[i], deprels[i], methods[i]))
    return parses

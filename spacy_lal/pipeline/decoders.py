"""Registered decoders: from scores to parses.

`spacy-lal.joint_decoder.v1` finds the best pair of trees that agree. `spacy-lal.separate_decoder.v1` finds each tree
independently: it is faster and, with `mst`, allows non-projective arcs. Decoders know neither strings nor Docs.
"""

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Callable, List, Literal, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..annotations import ParseMethod
from ..decode import cky, eisner, joint, mst
from ..scores import AnyScores, choose_deprels
from ..trees import SUB_HEAD

ArcDecoder = Literal["eisner", "mst"]


class DecodedParse(NamedTuple):
    """The parse of one sentence of n words.

    spans (ndarray): Shape: (k, 3), int32: start, end, label id of each constituent, pre-order; a label id is a whole
        unary chain. Empty labels and sub-heads are left out.
    heads (ndarray): Shape: (n,), int32: the head of each word, counted from 1; 0 is the root.
    deprels (ndarray): Shape: (n,), int32: the deprel id of each word.
    method (Optional[str]): "joint" if the trees were decoded together, "separate" if independently, "split" if in
        pieces. None where the decoder does not say.
    """

    spans: np.ndarray
    heads: np.ndarray
    deprels: np.ndarray
    method: Optional[ParseMethod] = None


Decoder = Callable[[Sequence[AnyScores]], List[DecodedParse]]


def make_joint_decoder(
    constituency_weight: float = 0.5,
    max_length: Optional[int] = 200,
    long_sentences: ArcDecoder = "eisner",
    n_threads: int = 1,
    empty_nodes: bool = True,
    disagreement_cost: Optional[float] = None,
) -> "JointDecoder":
    """The exact joint decoder, in O(n^4): the best constituency and dependency trees that agree (Zhou & Zhao 2019).

    constituency_weight (float): Weight of label scores, between 0 and 1; the weight of arc scores is one minus this.
    max_length (Optional[int]): Sentences of more words are decoded by `cky` and `long_sentences`, with one warning.
        Joint decoding takes memory cubic in the length, and time to its fourth power. None: no limit.
    long_sentences (str): "eisner" or "mst".
    n_threads (int): Sentences decoded at once.
    empty_nodes (bool): Whether a node of the joint tree that is no constituent costs nothing, as in CKY. The authors'
        decoder gives it the best label score, sub-head included, even below zero. A treebank without heads has no
        sub-heads: on text like it, that decoder chooses labels at random.
    disagreement_cost (Optional[float]): Treebanks disagree with themselves: in "let it die" Universal Dependencies
        attach "it" and "die" to "let", and the Penn Treebank has a clause "it die". With a cost, constituents that fit
        the brackets of the joint tree are added where their label score exceeds it, highest first. None: nothing is
        added, and the trees always agree.
    RAISES (ValueError): A weight, a cost or a name is out of range.
    """
    if not 0.0 <= constituency_weight <= 1.0:
        raise ValueError(f"constituency_weight is a share between 0 and 1, got {constituency_weight}")
    if disagreement_cost is not None and not disagreement_cost >= 0.0:
        raise ValueError(
            f"disagreement_cost is 0 or more, or null for trees that always agree, got {disagreement_cost}"
        )
    make_separate_decoder(long_sentences)  # raises on another name
    return JointDecoder(constituency_weight, max_length, long_sentences, n_threads, empty_nodes, disagreement_cost)


@dataclass
class JointDecoder:
    """The decoder of `make_joint_decoder`. It is a class, not a closure, so that a pipeline can be pickled: worker
    processes require this where a process cannot fork."""

    constituency_weight: float
    max_length: Optional[int]
    long_sentences: ArcDecoder
    n_threads: int
    empty_nodes: bool
    disagreement_cost: Optional[float] = None
    warned: bool = False

    def __call__(self, scores: Sequence[AnyScores]) -> List[DecodedParse]:
        """Decode the scores of sentences. RETURNS (List[DecodedParse]): Their parses, in order."""
        limit = float("inf") if self.max_length is None else self.max_length
        short = [i for i, s in enumerate(scores) if is_joint(s) and s.n_tokens <= limit]
        rest = sorted(set(range(len(scores))) - set(short))
        if not self.warned and any(is_joint(scores[i]) for i in rest):
            self.warned = True
            warnings.warn(
                f"a sentence has more than {self.max_length} words (max_length of the joint decoder): its two trees "
                f"are found separately, by cky and {self.long_sentences}. This is said once.",
                stacklevel=2,
            )
        charts = [self.charts(scores[i]) for i in short]
        separate = decode_separately([scores[i] for i in rest], self.long_sentences, self.n_threads)
        parses = dict(zip(rest, separate, strict=True))
        labels, arcs = [chart for chart, _ in charts], [chart for _, chart in charts]
        found = joint(labels, arcs, n_threads=self.n_threads) if short else []
        nodes = [self.with_disagreeing(scores[i].labels, one[1]) for i, one in zip(short, found, strict=True)]
        trees = [(spans, heads) for spans, (_, _, heads) in zip(nodes, found, strict=True)]
        parses.update(zip(short, _parses([scores[i] for i in short], trees, "joint"), strict=True))
        return [parses[i] for i in range(len(scores))]

    def charts(self, scores: AnyScores) -> Tuple[np.ndarray, np.ndarray]:
        """The weighted scores of labels and arcs whose sum joint decoding maximises, in the shapes of `scores`."""
        labels = scores.labels * np.float32(self.constituency_weight)
        if self.empty_nodes:
            np.maximum(labels[..., SUB_HEAD], 0.0, out=labels[..., SUB_HEAD])  # a sub-head is no constituent, either
        return labels, scores.arcs * np.float32(1.0 - self.constituency_weight)

    def with_disagreeing(self, labels: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """The nodes of a joint tree, with constituents that its heads contradict if the config allows them.

        labels (ndarray): Unweighted label scores. nodes, returned (ndarray): *Shape:* (k, 3), int32.
        """
        if self.disagreement_cost is None:
            return nodes
        return in_preorder(np.concatenate([nodes, disagreeing_constituents(labels, nodes, self.disagreement_cost)]))

    def without_limit(self) -> "JointDecoder":
        """The same decoder without a limit on length."""
        return replace(self, max_length=None)


def disagreeing_constituents(labels: np.ndarray, nodes: np.ndarray, cost: float) -> np.ndarray:
    """Constituents that the heads of a joint tree contradict and whose scores exceed a cost. They are taken by
    descending score if they cross no constituent of the tree and none taken before.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels), label scores; the first two labels are no constituents.
    nodes (ndarray): Shape: (k, 3), int32: start, end, label of the tree's nodes, including empty nodes and sub-heads.
    RETURNS (ndarray): Shape: (m, 3), int32.
    """
    best = np.triu(labels[..., SUB_HEAD + 1 :].max(axis=-1), k=1)
    best[nodes[:, 0], nodes[:, 1]] = 0.0  # the joint decoder has chosen the labels of these
    starts, ends = np.nonzero(best > cost)
    constituents = nodes[nodes[:, 2] > SUB_HEAD]
    n_of_tree = len(constituents)
    for k in np.argsort(-best[starts, ends], kind="stable").tolist():
        start, end = starts[k], ends[k]
        left = (constituents[:, 0] < start) & (start < constituents[:, 1]) & (constituents[:, 1] < end)
        right = (start < constituents[:, 0]) & (constituents[:, 0] < end) & (end < constituents[:, 1])
        if not (left | right).any():
            label = int(labels[start, end, SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1
            constituents = np.concatenate([constituents, np.array([[start, end, label]], dtype=nodes.dtype)])
    return constituents[n_of_tree:]


def in_preorder(spans: np.ndarray) -> np.ndarray:
    """Spans by start, the longer first. *Shape:* (k, 3)."""
    return spans[np.lexsort((-spans[:, 1], spans[:, 0]))]


def make_separate_decoder(arcs: ArcDecoder = "eisner", n_threads: int = 1) -> Decoder:
    """The best constituency tree by CKY and, independently, the best dependency tree: the two may disagree.

    arcs (str): "eisner" for projective trees, "mst" for all trees; both find a single root.
    n_threads (int): Sentences decoded at once.
    RAISES (ValueError): The name is unknown.
    """
    if arcs not in ("eisner", "mst"):
        raise ValueError(f"arcs are decoded by 'eisner' or 'mst', got {arcs!r}")
    return partial(decode_separately, arcs=arcs, n_threads=n_threads)


def decode_separately(scores: Sequence[AnyScores], arcs: ArcDecoder, n_threads: int) -> List[DecodedParse]:
    """See `make_separate_decoder`."""
    find_heads = eisner if arcs == "eisner" else mst
    spans = _best_spans(scores, n_threads)
    with_arcs = [i for i, s in enumerate(scores) if s.n_tokens]
    heads = {i: np.zeros(1, dtype=np.int32) for i in range(len(scores))}
    if with_arcs:
        found_heads = find_heads([scores[i].arcs for i in with_arcs], n_threads=n_threads)
        heads.update(zip(with_arcs, found_heads, strict=True))
    return _parses(scores, [(spans[i], heads[i]) for i in range(len(scores))], "separate")


def _best_spans(scores: Sequence[AnyScores], n_threads: int) -> List[np.ndarray]:
    """The spans that CKY finds for each sentence; none where the network scores no spans."""
    spans = [np.zeros((0, 3), dtype=np.int32)] * len(scores)
    with_spans = [i for i, s in enumerate(scores) if s.labels.size and s.n_tokens]
    charts = [scores[i].labels for i in with_spans]
    for i, (_, found) in zip(with_spans, cky(charts, n_threads=n_threads) if charts else [], strict=True):
        spans[i] = found
    return spans


@dataclass(frozen=True)
class ConstituentDecoder:
    """CKY alone: the best constituency tree of each sentence. Heads and deprels of its parses are zeros.

    n_threads (int): Sentences decoded at once.
    """

    n_threads: int = 1

    def __call__(self, scores: Sequence[AnyScores]) -> List[DecodedParse]:
        """Decode the scores of sentences. RETURNS (List[DecodedParse]): Their parses, in order."""
        parses = []
        for one, spans in zip(scores, _best_spans(scores, self.n_threads), strict=True):
            constituents = one.with_label_ids(spans[spans[:, 2] > SUB_HEAD])
            nothing = np.zeros(one.n_tokens, dtype=np.int32)
            parses.append(DecodedParse(constituents, nothing, nothing, "separate"))
        return parses


def constituents_alone(decoder: Decoder) -> Decoder:
    """The decoder of a parser that leaves heads alone: CKY in place of our own decoders. Other decoders stay as they
    are."""
    if isinstance(decoder, JointDecoder):
        return ConstituentDecoder(decoder.n_threads)
    if isinstance(decoder, partial) and decoder.func is decode_separately:
        return ConstituentDecoder(decoder.keywords["n_threads"])
    return decoder


def takes_pruned(decoder: Decoder) -> bool:
    """Whether a decoder accepts `PrunedScores`. Our own decoders do; other decoders get `ParserScores`."""
    return isinstance(decoder, (JointDecoder, ConstituentDecoder)) or separate_arcs(decoder) is not None


def separate_arcs(decoder: Decoder) -> Optional[ArcDecoder]:
    """The arc decoder of a decoder from `make_separate_decoder`; None for other decoders."""
    if isinstance(decoder, partial) and decoder.func is decode_separately:
        return decoder.keywords["arcs"]
    return None


def is_joint(scores: AnyScores) -> bool:
    """Whether there are words, spans and arcs to decode together."""
    return bool(scores.n_tokens and scores.labels.size and scores.has_deprels)


def decoded_parse(
    scores: AnyScores, nodes: Optional[np.ndarray], heads: Optional[np.ndarray], method: ParseMethod
) -> DecodedParse:
    """The parse of one sentence.

    nodes (Optional[ndarray]): Shape: (k, 3): the nodes of its tree; None without constituents.
    heads (Optional[ndarray]): Shape: (n + 1,), with an entry for the root first; None without heads.
    """
    spans = np.zeros((0, 3), dtype=np.int32) if nodes is None else nodes
    heads = np.zeros(scores.n_tokens + 1, dtype=np.int32) if heads is None else heads
    return _parses([scores], [(spans, heads)], method)[0]


def _parses(
    scores: Sequence[AnyScores], trees: Sequence[Tuple[np.ndarray, np.ndarray]], method: ParseMethod
) -> List[DecodedParse]:
    """Parses with label ids and deprels. trees: spans from the decoder, and heads with an entry for the root first."""
    heads = [found[1:].astype(np.int32) for _, found in trees]
    parses = []
    for one, (spans, _), arcs, deprels in zip(scores, trees, heads, choose_deprels(scores, heads), strict=True):
        constituents = one.with_label_ids(spans[spans[:, 2] > SUB_HEAD])
        parses.append(DecodedParse(constituents, arcs, deprels, method))
    return parses

"""From the scores of sentences to their trees, without strings and Docs. Charts grow
with the square of a sentence's length, so sentences of more than 500 words are cut into
pieces of at most 200 before the network runs, and the parses of the pieces are
joined."""

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Dict, List, Literal, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc

from ..annotations import ParseMethod
from ..decode import cky, eisner, joint, mst
from ..scores import AnyScores, choose_deprels
from ..trees import SUB_HEAD, LabelVocab, split_chain

ArcDecoder = Literal["eisner", "mst"]

# The joint decoder takes memory cubic in a sentence's length, and time to its fourth
# power. Longer sentences are decoded separately, by CKY and Eisner's algorithm.
MAX_JOINT_LENGTH = 200


class DecodedParse(NamedTuple):
    """The parse of one sentence of n words. spans: *Shape:* (k, 3), int32: start, end,
    label id (a whole unary chain), pre-order, real constituents only. heads, deprels:
    *Shapes:* (n,), int32: heads from 1, 0 is the root; deprel ids. method: Of decoding:
    together ("joint"), "separate", or in pieces ("split")."""

    spans: ndarray
    heads: ndarray
    deprels: ndarray
    method: Optional[ParseMethod] = None


class Charts(NamedTuple):
    """The weighted scores that a decoder maximises for one sentence, *Shapes:* (n + 1,
    n + 1, n_labels), (n + 1, n + 1), float32; None: that tree is not decoded.
    arc_decoder finds heads where trees are not found together (`is_joint`)."""

    labels: Optional[ndarray]
    arcs: Optional[ndarray]
    is_joint: bool
    arc_decoder: ArcDecoder

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
    `make_separate_decoder`. dependencies (bool): If not, constituents are found by CKY,
    heads and deprels are zeros."""

    agree: bool
    arc_decoder: ArcDecoder = "eisner"
    constituency_weight: float = 0.5
    empty_nodes: bool = True
    disagreement_cost: Optional[float] = None
    dependencies: bool = True

    def __call__(self, scores: Sequence[AnyScores]) -> List[DecodedParse]:
        """Decode the scores of sentences.
        RETURNS (List[DecodedParse]): Their parses,
        in order."""
        charts = [self.charts(one) for one in scores]
        nodes: Dict[int, ndarray] = {}
        heads: Dict[int, ndarray] = {}
        together = [i for i, one in enumerate(charts) if one.is_joint]
        if together:
            found = joint(
                [charts[i].labels for i in together], [charts[i].arcs for i in together]
            )  # type: ignore
            for i, (_, nodes[i], heads[i]) in zip(together, found, strict=True):
                nodes[i] = self.with_disagreeing(scores[i].labels, nodes[i])
        labelled = [
            i
            for i, one in enumerate(charts)
            if i not in heads and one.labels is not None
        ]
        if labelled:
            chosen = cky([charts[i].labels for i in labelled])  # type: ignore[misc]
            nodes.update(
                (i, spans) for i, (_, spans) in zip(labelled, chosen, strict=True)
            )
        with_arcs = [
            i for i, one in enumerate(charts) if i not in heads and one.arcs is not None
        ]
        if with_arcs:
            find_heads = eisner if self.arc_decoder == "eisner" else mst
            heads.update(
                zip(
                    with_arcs,
                    find_heads([charts[i].arcs for i in with_arcs]),
                    strict=True,
                )
            )  # type: ignore
        trees = [(nodes.get(i), heads.get(i)) for i in range(len(scores))]
        return decoded_parses(
            scores, trees, ["joint" if one.is_joint else "separate" for one in charts]
        )

    def charts(self, scores: AnyScores) -> Charts:
        """The charts that are decoded for one sentence."""
        labels = scores.labels if scores.labels.size and scores.n_tokens else None
        arcs = (
            scores.arcs
            if scores.has_deprels and scores.n_tokens and self.dependencies
            else None
        )
        if not self.agree or labels is None or arcs is None:
            return Charts(labels, arcs, False, self.arc_decoder)
        if scores.n_tokens > MAX_JOINT_LENGTH:
            warnings.warn(
                f"a sentence has more than {MAX_JOINT_LENGTH} words: its two trees are found separately, and may "
                "disagree",
                stacklevel=2,
            )
            return Charts(labels, arcs, False, "eisner")
        labels = labels * np.float32(self.constituency_weight)
        if self.empty_nodes:
            np.maximum(
                labels[..., SUB_HEAD], 0.0, out=labels[..., SUB_HEAD]
            )  # a sub-head is no constituent, either
        return Charts(
            labels, arcs * np.float32(1.0 - self.constituency_weight), True, "eisner"
        )

    def with_disagreeing(self, labels: ndarray, nodes: ndarray) -> ndarray:
        """The nodes of a joint tree, (k, 3), with constituents that its heads
        contradict if the config allows them."""
        if self.disagreement_cost is None:
            return nodes
        spans = np.concatenate(
            [nodes, disagreeing_constituents(labels, nodes, self.disagreement_cost)]
        )
        return spans[np.lexsort((-spans[:, 1], spans[:, 0]))]


def make_joint_decoder(
    constituency_weight: float = 0.5,
    empty_nodes: bool = True,
    disagreement_cost: Optional[float] = None,
) -> Decoder:
    """The exact joint decoder, in O(n^4): the best constituency and dependency trees
    that agree (Zhou & Zhao 2019). Sentences of more than 200 words are decoded
    separately.

    constituency_weight (float): Weight of label scores, between 0 and 1; the weight of
        arc scores is one minus this.
    empty_nodes (bool): Whether a node of the joint tree that is no constituent costs
        nothing, as in CKY. The authors' decoder gives it the best label score, sub-head
        included, even below zero. A treebank without heads has no sub-heads: on text
        like it, that decoder chooses labels at random.
    disagreement_cost (Optional[float]): Treebanks disagree with themselves: in "let it
        die" Universal Dependencies attach "it" and "die" to "let", and the Penn
        Treebank has a clause "it die". With a cost, constituents that fit the brackets
        of the joint tree are added where their label score exceeds it, highest first.
        None: nothing is added, and the trees always agree.
    RAISES (ValueError): A weight or a cost is out of range.
    """
    if not 0.0 <= constituency_weight <= 1.0 or (
        disagreement_cost is not None and not disagreement_cost >= 0.0
    ):
        raise ValueError(
            "expected a constituency_weight between 0 and 1, and a disagreement_cost of 0 or more, or null; got "
            f"{constituency_weight} and {disagreement_cost}"
        )
    return Decoder(True, "eisner", constituency_weight, empty_nodes, disagreement_cost)


def make_separate_decoder(arcs: ArcDecoder = "eisner") -> Decoder:
    """The best constituency tree by CKY and, independently, the best dependency tree:
    the two may disagree.

    arcs (str): "eisner" for projective trees, "mst" for all trees; both find a single
    root."""
    return Decoder(False, arc_decoder=arcs)


def disagreeing_constituents(labels: ndarray, nodes: ndarray, cost: float) -> ndarray:
    """Constituents that the heads of a joint tree contradict and whose scores exceed a
    cost: by descending score, those that cross no constituent of the tree and none
    taken before. labels, nodes: *Shapes:* (n + 1, n + 1, n_labels); (k, 3), empty nodes
    and sub-heads included.
    RETURNS (ndarray): *Shape:* (m, 3), int32."""
    best = np.triu(labels[..., SUB_HEAD + 1 :].max(axis=-1), k=1)
    best[nodes[:, 0], nodes[:, 1]] = (
        0.0  # the joint decoder has chosen the labels of these
    )
    starts, ends = np.nonzero(best > cost)
    constituents = nodes[nodes[:, 2] > SUB_HEAD]
    n_of_tree = len(constituents)
    for k in np.argsort(-best[starts, ends], kind="stable").tolist():
        start, end = starts[k], ends[k]
        left = (
            (constituents[:, 0] < start)
            & (start < constituents[:, 1])
            & (constituents[:, 1] < end)
        )
        right = (
            (start < constituents[:, 0])
            & (constituents[:, 0] < end)
            & (end < constituents[:, 1])
        )
        if not (left | right).any():
            label = int(labels[start, end, SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1
            constituents = np.concatenate(
                [constituents, np.array([[start, end, label]], dtype=nodes.dtype)]
            )
    return constituents[n_of_tree:]


def decoded_parses(
    scores: Sequence[AnyScores],
    trees: Sequence[Tuple[Optional[ndarray], Optional[ndarray]]],
    methods: Sequence[ParseMethod],
) -> List[DecodedParse]:
    """Parses with label ids and deprels. trees: For each sentence, nodes, *Shape:* (k,
    3), and heads, with an entry for the root first, *Shape:* (n + 1,); None for
    none."""
    arcs = [
        np.zeros(one.n_tokens, dtype=np.int32)
        if heads is None
        else heads[1:].astype(np.int32)
        for one, (_, heads) in zip(scores, trees, strict=True)
    ]
    found = [i for i, (_, heads) in enumerate(trees) if heads is not None]
    chosen = choose_deprels([scores[i] for i in found], [arcs[i] for i in found])
    deprels = dict(zip(found, chosen, strict=True))
    parses = []
    for i, (one, (nodes, _), method) in enumerate(
        zip(scores, trees, methods, strict=True)
    ):
        spans = (
            np.zeros((0, 3), "i4")
            if nodes is None
            else one.with_label_ids(nodes[nodes[:, 2] > SUB_HEAD])
        )
        parses.append(
            DecodedParse(
                spans,
                arcs[i],
                deprels[i] if i in deprels else np.zeros_like(arcs[i]),
                method,
            )
        )
    return parses


MAX_LENGTH = 500
PIECE_LENGTH = MAX_JOINT_LENGTH
ATTACHED_DEPRELS = (
    "parataxis",
    "dep",
)  # attach the root of a later piece to the first piece's root


def cut_sentence(doc: Doc, words: Sequence[int]) -> List[List[int]]:
    """The pieces of a sentence's words: one, unless it has more than `MAX_LENGTH`. Each
    ends at the last punctuation mark of the second half of its range; where there is
    none, it has `PIECE_LENGTH` words."""
    if len(words) <= MAX_LENGTH:
        return [list(words)]
    pieces: List[List[int]] = []
    rest = list(words)
    while len(rest) > PIECE_LENGTH:
        ends = [
            i
            for i in range(PIECE_LENGTH // 2, PIECE_LENGTH + 1)
            if doc[rest[i - 1]].is_punct
        ]
        end = ends[-1] if ends else PIECE_LENGTH
        pieces.append(rest[:end])
        rest = rest[end:]
    return [*pieces, rest] if rest else pieces


def join_pieces(
    parses: Sequence[DecodedParse], labels: LabelVocab, deprels: Dict[str, int]
) -> DecodedParse:
    """Join the parses of a sentence's pieces, each of one word or more. Their tops come
    under one node, with their most frequent label (of a unary chain, the outermost).
    The roots of later pieces depend on the first piece's root, as `parataxis` or `dep`
    if the vocabulary has either. Projective pieces make a projective tree, since no arc
    spans a root."""
    if len(parses) == 1:
        return parses[0]
    offsets = np.cumsum([0, *(len(parse.heads) for parse in parses)])
    spans = [
        parse.spans + [offset, offset, 0]
        for parse, offset in zip(parses, offsets[:-1], strict=True)
    ]
    tops = [
        int(parse.spans[0, 2])
        for parse in parses
        if len(parse.spans) and parse.spans[0, 1] == len(parse.heads)
    ]
    outermost = [split_chain(labels.strings[top])[0] for top in tops]
    known = [labels.ids[label] for label in outermost if label in labels] or tops
    if known:
        spans.insert(
            0, np.array([[0, offsets[-1], Counter(known).most_common(1)[0][0]]])
        )
    heads = np.concatenate(
        [
            parse.heads + (parse.heads > 0) * o
            for parse, o in zip(parses, offsets, strict=False)
        ]
    )
    deprel_ids = np.concatenate([parse.deprels for parse in parses])
    roots = np.flatnonzero(heads == 0)
    heads[roots[1:]] = roots[0] + 1
    attached = next(
        (deprels[name] for name in ATTACHED_DEPRELS if name in deprels), None
    )
    if attached is not None:
        deprel_ids[roots[1:]] = attached
    return DecodedParse(
        np.concatenate(spans).astype(np.int32),
        heads.astype(np.int32),
        deprel_ids.astype(np.int32),
        "split",
    )

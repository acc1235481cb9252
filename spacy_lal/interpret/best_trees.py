"""The best trees of a sentence, in the order of the decoder's objective. Constraints
divide the trees in parts, as in Hamacher & Queyranne (1985); of each part the best two
trees are known (`decode/next_best.pyx`). The best of all second best trees comes next;
its part is divided where its two trees differ. So every tree comes once, at two
searches."""

from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Set,
    Tuple,
    Union,
)

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc, Span

from ..annotations import MISSING_TAG, SentenceParse, sentence_words, set_sentence_parse
from ..decode.next_best import next_cky, next_joint
from ..pipeline.constrained import AllowedCells, constraint_cells, sentence_constraints
from ..pipeline.decoders import Charts, decoded_parses
from ..pipeline.guidelines import follow_guidelines
from ..pipeline.sentences import (
    Parser,
    Sentence,
    check_count,
    label_strings,
    score,
    sentences_of,
)
from ..trees import EMPTY, SUB_HEAD, spans_to_tree, write_brackets

if TYPE_CHECKING:
    from nltk.tree import Tree

Cell = Tuple[int, int]
MAX_TREES = 10_000  # in a list


@dataclass(frozen=True)
class BestTree:
    """One of the best trees of a sentence of n words.
    score (float): Its score, the decoder's objective.
    gap (float): The score of the best tree minus this score, 0 or more.
    parse (SentenceParse): The tree in words of the sentence, as
        `annotations.set_parses` takes it.
    texts, tags (Tuple[str, ...]): The n words and their tags.
    sentence (Sentence): The sentence, in its Doc."""

    score: float
    gap: float
    parse: SentenceParse
    texts: Tuple[str, ...]
    tags: Tuple[str, ...]
    sentence: Sentence

    @property
    def constituents(self) -> List[Tuple[int, int, str]]:
        """The constituents in pre-order: half-open ranges of the Doc's tokens, each
        with its unary chain ("S::VP")."""
        return [
            (*self.sentence.tokens(start, end), label)
            for start, end, label in self.parse.constituents or ()
        ]

    @property
    def heads(self) -> List[int]:
        """For each word, its head's index in the Doc; a root is its own head. Empty if
        no heads are scored."""
        words = self.sentence.words
        found = zip(words, self.parse.heads or (), strict=False)
        return [words[head - 1] if head else word for word, head in found]

    @property
    def deprels(self) -> List[str]:
        """For each word, its deprel. Empty if no heads are scored."""
        return list(self.parse.deprels or ())

    @property
    def tree(self) -> "Tree":
        """The constituency tree."""
        return spans_to_tree(self.texts, self.tags, self.parse.constituents or ())

    @property
    def parse_string(self) -> str:
        """The constituency tree in brackets."""
        return write_brackets(self.tree, spaces=True)

    def to_doc(self) -> Doc:
        """A copy of the sentence's Doc in which the sentence has this tree. Other
        sentences stay as they are.
        RAISES (ValueError): The Doc's tokens or sentences
        have changed."""
        doc, sentence = self.sentence.doc, self.sentence
        fits = sentence_words(doc)[sentence.number : sentence.number + 1] == [
            sentence.words
        ]
        if not fits or self.texts != sentence.texts:
            raise ValueError(
                f"the tokens or sentences of the Doc have changed: {' '.join(self.texts)[:40]!r}"
            )
        copied = doc.copy()
        set_sentence_parse(copied, sentence.number, self.parse)
        return copied


def iter_best_trees(nlp: Parser, sentence: Union[Span, Doc]) -> Iterator[BestTree]:
    """The trees of a sentence, best first, each as soon as it is asked for.

    With the joint decoder, a tree is a pair of constituents and heads that agree, and
    its score is constituency_weight times the label scores plus (1 -
    constituency_weight) times the arc scores, summed over the best binarisation. With
    the separate decoder, used beyond max_length too, it is the sum of the label scores;
    every tree has the best heads. A parser with `dependencies = false` finds
    constituents alone: the score is this sum, and trees have no heads. Two derivations
    of the same constituents and heads are one tree. The first tree is the decoder's.

    Constituents that the heads contradict (`disagreement_cost`) are added to each tree,
    as in parsing. Scores do not count them: the decoder adds them to a tree that it has
    chosen without them. Of trees that look the same with them, the best is given.

    A Doc's constraints (`annotations.constrain`) hold for all trees.
    sentence (Union[Span, Doc]): A sentence or a part of one, or a Doc of one sentence.
        It needs no parse.
    RETURNS (Iterator[BestTree]): Every tree of the sentence. None for a sentence of
        whitespace alone.
    RAISES (ValueError): The parser scores no constituents, or has an unsupported
        decoder; the sentence is too long; the Doc has several sentences.
    RAISES (ContradictionError): No tree fulfils the Doc's constraints."""
    found = [one for one in sentences_of(nlp, sentence) if one.words]
    if len(found) > 1:
        raise ValueError(
            f"expected one sentence, got a Doc with {len(found)}: take one of list(doc.sents)"
        )
    if found:
        label_strings(found[0].parser)  # raises without constituents
    return _iterate(found[0]) if found else iter(())


def k_best(nlp: Parser, sentence: Union[Span, Doc], k: int = 5) -> List[BestTree]:
    """The k best trees of a sentence, best first; fewer if the sentence has fewer. See
    `iter_best_trees`.
    RAISES (ValueError): k is no integer from 1 to 10,000; or as `iter_best_trees`."""
    check_count(k)
    if k > MAX_TREES:
        raise ValueError(
            f"k: expected at most {MAX_TREES:,}, got {k}: iter_best_trees gives any number, one by one"
        )
    return list(islice(iter_best_trees(nlp, sentence), k))


def _iterate(sentence: Sentence) -> Iterator[BestTree]:
    parser, texts = sentence.parser, sentence.texts
    tags = tuple(
        sentence.doc[i].tag_ or sentence.doc[i].pos_ or MISSING_TAG
        for i in sentence.words
    )
    decoder, scores = parser.decoder, score(sentence)
    charts = decoder.charts(scores)
    constraints = sentence_constraints(sentence.doc, [sentence.words])[0]
    cells = constraint_cells(
        sentence.doc, constraints, scores, decoder, label_strings(parser)
    )
    labels, heads = scores.labels, None
    if cells is not None:
        labels = np.where(
            cells.labels, labels, np.float32(-1.0)
        )  # no constituents are added there
    if not charts.is_joint:
        heads = (charts if cells is None else cells.restrict(charts)).find_heads()
    best: Optional[float] = None
    seen: Set[Tuple] = set()  # type: ignore[type-arg]
    for ranked in RankedTrees(charts, cells):
        nodes = ranked.nodes
        if charts.is_joint:
            nodes, heads = decoder.with_disagreeing(labels, nodes), ranked.heads
        decoded = decoded_parses(
            [scores], [(nodes, heads)], ["joint" if charts.is_joint else "separate"]
        )[0]
        if cells is None and decoder.disagreement_cost is not None:
            words = [sentence.doc[i] for i in sentence.words]
            decoded = follow_guidelines(
                words, decoded, scores, label_strings(parser), parser.cfg["deprels"]
            )
        key = (decoded.spans.tobytes(), decoded.heads.tobytes())
        best = ranked.score if best is None else best
        if key not in seen:
            seen.add(key)
            # The decoder's float32 may choose a tree that is worse by a rounding error
            # than the second.
            gap = max(0.0, best - ranked.score)
            yield BestTree(
                ranked.score, gap, parser.to_strings(decoded), texts, tags, sentence
            )
    if best is None:
        parser.predict([sentence.doc])  # raises, and names the contradiction


# The search. Numbers only: no Docs, no label strings.


class RankedTree(NamedTuple):
    """A tree of one sentence of n words.
    score (float): The decoder's objective, in float64.
    nodes (ndarray): Shape: (2n - 1, 3), int32: start, end, label id of the nodes of its
        best binarisation, in pre-order, with empty nodes and sub-heads.
    heads (Optional[ndarray]): Shape: (n + 1,), int32, with an entry for the root first.
        None without heads."""

    score: float
    nodes: ndarray
    heads: Optional[ndarray]

    def constituents(self) -> Dict[Cell, int]:
        """The label id of each constituent, by its span."""
        return {
            (start, end): label
            for start, end, label in self.nodes.tolist()
            if label > SUB_HEAD
        }


@dataclass
class _Part:
    """The trees that have and lack some constituents and arcs; its best tree."""

    best: RankedTree
    known: Dict[Cell, int] = field(default_factory=dict)
    excluded: Dict[Cell, Set[int]] = field(default_factory=dict)
    heads: Dict[int, int] = field(default_factory=dict)
    other_heads: Set[Tuple[int, int]] = field(default_factory=set)

    def divide(self, second: RankedTree) -> Tuple["_Part", "_Part"]:
        """The part around its best tree, and the part around another."""
        if self.best.heads is not None and second.heads is not None:
            differing = np.flatnonzero(self.best.heads != second.heads)
            if len(differing):
                word, head = int(differing[0]), int(self.best.heads[differing[0]])
                ours = replace(self, heads={**self.heads, word: head})
                return ours, replace(
                    self, best=second, other_heads=self.other_heads | {(word, head)}
                )
        ours_at, theirs_at = self.best.constituents(), second.constituents()
        is_ours = any(theirs_at.get(cell) != label for cell, label in ours_at.items())
        given, other = (ours_at, theirs_at) if is_ours else (theirs_at, ours_at)
        cell, label = next(
            (cell, label) for cell, label in given.items() if other.get(cell) != label
        )
        excluded = {**self.excluded, cell: self.excluded.get(cell, set()) | {label}}
        having, lacking = (self.best, second) if is_ours else (second, self.best)
        with_it = replace(self, best=having, known={**self.known, cell: label})
        without = replace(self, best=lacking, excluded=excluded)
        return (with_it, without) if is_ours else (without, with_it)


class RankedTrees:
    """The trees of one sentence, best first.
    charts (Charts): The decoder's, with labels; heads are ranked where they are decoded
        jointly.
    cells (Optional[AllowedCells]): Constraints on all trees. None: no constraints."""

    def __init__(self, charts: Charts, cells: Optional[AllowedCells] = None) -> None:
        self._charts = charts if cells is None else cells.restrict(charts)
        self._cells = cells
        self._labels = charts.labels.astype("f8")  # type: ignore[union-attr]
        self._arcs = (
            charts.arcs.astype("f8")
            if charts.is_joint and charts.arcs is not None
            else None
        )
        if cells is not None:
            self._labels[~cells.labels] = -np.inf
            if self._arcs is not None:
                self._arcs[~cells.arcs] = -np.inf
        # For each span: the scores of the empty label, of the sub-head, and of the best
        # two constituents
        others = self._labels[..., SUB_HEAD + 1 :]
        first = others.argmax(-1)[..., None]
        rest = others.copy()
        np.put_along_axis(rest, first, -np.inf, axis=-1)
        second = rest.argmax(-1)[..., None]
        of_two = [
            np.take_along_axis(others, first, -1),
            np.take_along_axis(rest, second, -1),
        ]
        self._four = np.concatenate(
            [self._labels[..., : SUB_HEAD + 1], *of_two], axis=-1
        )
        self._ids = np.concatenate(
            [
                np.zeros_like(first) + EMPTY,
                np.zeros_like(first) + SUB_HEAD,
                first,
                second,
            ],
            -1,
        )
        self._ids[..., SUB_HEAD + 1 :] += SUB_HEAD + 1

    def __iter__(self) -> Iterator[RankedTree]:
        best = self._best()
        if best is None:
            return
        yield best
        waiting: List[Tuple[float, int, _Part, RankedTree]] = []
        n_found = 0

        def add(part: _Part) -> None:
            nonlocal n_found
            n_found += 1
            second = self._second(part)
            if second is not None:
                heappush(waiting, (-second.score, n_found, part, second))

        add(_Part(best))
        while waiting:
            _, _, part, found = heappop(waiting)
            yield found
            for half in part.divide(found):
                add(half)

    def _best(self) -> Optional[RankedTree]:
        """The decoder's tree; None if no tree fulfils the constraints."""
        nodes, heads = self._charts.decode()
        if nodes is None or (
            self._cells is not None and not self._cells.allow(nodes, heads)
        ):
            return None
        total = float(self._labels[tuple(nodes.T)].sum())
        if self._arcs is None or heads is None:
            return RankedTree(total, nodes, None)
        return RankedTree(
            total + float(self._arcs[np.arange(1, len(heads)), heads[1:]].sum()),
            nodes,
            heads,
        )

    def _second(self, part: _Part) -> Optional[RankedTree]:
        """The best tree of a part but one."""
        four, ids = self._four.copy(), self._ids.copy()
        in_tree = np.zeros(four.shape[:2], dtype=bool)
        tree = part.best.constituents()
        for cell in {*tree, *part.excluded}:
            row = self._labels[cell].copy()
            row[list(part.excluded.get(cell, ()))] = -np.inf
            first = (
                tree[cell]
                if cell in tree
                else int(row[SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1
            )
            four[(*cell, 2)], ids[(*cell, 2)] = row[first], first
            row[first] = -np.inf
            other = int(row[SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1
            four[(*cell, 3)], ids[(*cell, 3)] = (
                -np.inf if cell in part.known else row[other],
                other,
            )
            in_tree[cell] = cell in tree
        for start, end in part.known:
            four[:start, start + 1 : end] = -np.inf
            four[start + 1 : end, end + 1 :] = -np.inf
            four[start, end, : SUB_HEAD + 1] = -np.inf
        if self._arcs is None or part.best.heads is None:
            found = next_cky(four, in_tree)
            return (
                None
                if found is None
                else RankedTree(found[0], _with_ids(found[1], ids), None)
            )
        arcs = self._arcs.copy()
        for word, head in part.heads.items():
            arcs[word, np.arange(len(arcs)) != head] = -np.inf
        for arc in part.other_heads:
            arcs[arc] = -np.inf
        joint = next_joint(four, arcs, in_tree, part.best.heads)
        return (
            None
            if joint is None
            else RankedTree(joint[0], _with_ids(joint[1], ids), joint[2])
        )


def _with_ids(nodes: ndarray, ids: ndarray) -> ndarray:
    """Nodes with label ids in the place of indices into `ids`. Shape: (2n - 1, 3),
    int32."""
    return np.stack([nodes[:, 0], nodes[:, 1], ids[tuple(nodes.T)]], axis=1).astype(
        np.int32
    )

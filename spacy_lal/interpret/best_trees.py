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

from ..annotations import (
    MISSING_TAG,
    SentenceParse,
    read_words,
    set_sentence_parse,
    with_notes,
)
from ..decode.next_best import next_cky, next_joint
from ..pipeline.constrained import AllowedCells, constraint_cells, sentence_constraints
from ..pipeline.decoders import Charts, DecodedParse, decoded_parses
from ..pipeline.sentences import (
    PipelineOrParser,
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
        return write_brackets(self.tree)

    def to_doc(self) -> Doc:
        """A copy of the sentence's Doc in which the sentence has this tree. Other
        sentences stay as they are.

        RAISES (ValueError): The Doc's tokens or sentences have changed."""
        sentence = self.sentence
        number = sentence.number
        here = read_words(sentence.doc)[number : number + 1]
        if here != [sentence.words] or self.texts != sentence.texts:
            raise ValueError(
                "the tokens or sentences of the Doc have changed: "
                f"{' '.join(self.texts)[:40]!r}"
            )
        copied = sentence.doc.copy()
        (parse,) = with_notes(copied, [self.parse], number)
        set_sentence_parse(copied, number, parse)
        return copied


def iter_best_trees(
    nlp: PipelineOrParser, sentence: Union[Span, Doc]
) -> Iterator[BestTree]:
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
            f"expected one sentence, got a Doc with {len(found)}: take one of "
            "list(doc.sents)"
        )
    if not found:
        return iter(())
    label_strings(found[0].parser)  # raises without constituents
    return _iterate(found[0])


def k_best(
    nlp: PipelineOrParser, sentence: Union[Span, Doc], k: int = 5
) -> List[BestTree]:
    """The k best trees of a sentence, best first; fewer if the sentence has fewer. See
    `iter_best_trees`.

    RAISES (ValueError): k is no integer from 1 to 10,000; or as `iter_best_trees`."""
    check_count(k)
    if k > MAX_TREES:
        raise ValueError(
            f"k: expected at most {MAX_TREES:,}, got {k}: iter_best_trees gives any "
            "number, one by one"
        )
    return list(islice(iter_best_trees(nlp, sentence), k))


def _iterate(sentence: Sentence) -> Iterator[BestTree]:
    parser = sentence.parser
    words = [sentence.doc[i] for i in sentence.words]
    tags = tuple(word.tag_ or word.pos_ or MISSING_TAG for word in words)
    best: Optional[float] = None
    seen: Set[Tuple[bytes, bytes]] = set()
    for total, parse in _ranked_parses(sentence):
        best = total if best is None else best
        key = (parse.spans.tobytes(), parse.heads.tobytes())
        if key not in seen:
            seen.add(key)
            # The decoder's float32 may choose a tree that is worse by a rounding error
            # than the second.
            gap = max(0.0, best - total)
            found = parser.to_strings(parse)
            yield BestTree(total, gap, found, sentence.texts, tags, sentence)
    if best is None:
        parser.predict([sentence.doc])  # raises, and names the contradiction


def _ranked_parses(sentence: Sentence) -> Iterator[Tuple[float, DecodedParse]]:
    """The score and the parse of each tree, best first; parses may look the same."""
    parser = sentence.parser
    decoder = parser.decoder
    scores = score(sentence)
    charts = decoder.charts(scores)
    (constraints,) = sentence_constraints(sentence.doc, [sentence.words])
    strings = label_strings(parser)
    cells = constraint_cells(sentence.doc, constraints, scores, decoder, strings)
    labels = scores.labels if cells is None else cells.without_others(scores.labels)
    fixed_heads = None
    if not charts.is_joint:
        allowed = charts if cells is None else cells.restrict(charts)
        fixed_heads = allowed.find_heads()
    words = [sentence.doc[i] for i in sentence.words]
    for ranked in RankedTrees(charts, cells):
        nodes = ranked.nodes
        heads = fixed_heads
        if charts.is_joint:
            nodes = decoder.with_disagreeing(labels, nodes)
            heads = ranked.heads
        (parse,) = decoded_parses([scores], [(nodes, heads)], [charts.method])
        if cells is None:
            parse = parser.guided(words, parse, scores)
        yield ranked.score, parse


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
        arc = _differing_arc(self.best, second)
        if arc is not None:
            word, head = arc
            ours = replace(self, heads={**self.heads, word: head})
            others = self.other_heads | {arc}
            return ours, replace(self, best=second, other_heads=others)
        ours_alone = _differing_constituent(self.best, second)
        if ours_alone is not None:
            ours = self._with(ours_alone, best=self.best)
            return ours, self._without(ours_alone, best=second)
        theirs_alone = _differing_constituent(second, self.best)
        if theirs_alone is None:
            raise ValueError("expected two trees that differ, got one tree twice")
        ours = self._without(theirs_alone, best=self.best)
        return ours, self._with(theirs_alone, best=second)

    def _with(self, constituent: Tuple[Cell, int], best: RankedTree) -> "_Part":
        cell, label = constituent
        return replace(self, best=best, known={**self.known, cell: label})

    def _without(self, constituent: Tuple[Cell, int], best: RankedTree) -> "_Part":
        cell, label = constituent
        labels = self.excluded.get(cell, set()) | {label}
        return replace(self, best=best, excluded={**self.excluded, cell: labels})


def _differing_arc(tree: RankedTree, other: RankedTree) -> Optional[Tuple[int, int]]:
    """The first arc, word and head, that a tree has and another lacks."""
    if tree.heads is None or other.heads is None:
        return None
    words = np.flatnonzero(tree.heads != other.heads)
    return (int(words[0]), int(tree.heads[words[0]])) if len(words) else None


def _differing_constituent(
    tree: RankedTree, other: RankedTree
) -> Optional[Tuple[Cell, int]]:
    """The first constituent, cell and label, that a tree has and another lacks."""
    of_other = other.constituents()
    for cell, label in tree.constituents().items():
        if of_other.get(cell) != label:
            return cell, label
    return None


class RankedTrees:
    """The trees of one sentence, best first.
    charts (Charts): The decoder's, with labels; heads are ranked where they are decoded
        jointly.
    cells (Optional[AllowedCells]): Constraints on all trees. None: no constraints."""

    def __init__(self, charts: Charts, cells: Optional[AllowedCells] = None) -> None:
        self._charts = charts if cells is None else cells.restrict(charts)
        self._cells = cells
        self._labels = charts.labels.astype("f8")  # type: ignore[union-attr]
        self._arcs: Optional[ndarray] = None
        if charts.is_joint and charts.arcs is not None:
            self._arcs = charts.arcs.astype("f8")
        if cells is not None:
            self._labels[~cells.labels] = -np.inf
            if self._arcs is not None:
                self._arcs[~cells.arcs] = -np.inf
        self._four, self._ids = _four_labels(self._labels)

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
        is_allowed = self._cells is None or self._cells.allow(nodes, heads)
        if nodes is None or not is_allowed:
            return None
        total = float(self._labels[tuple(nodes.T)].sum())
        if self._arcs is None or heads is None:
            return RankedTree(total, nodes, None)
        of_arcs = self._arcs[np.arange(1, len(heads)), heads[1:]]
        return RankedTree(total + float(of_arcs.sum()), nodes, heads)

    def _second(self, part: _Part) -> Optional[RankedTree]:
        """The best tree of a part but one."""
        four, ids = self._labels_of(part)
        in_tree = np.zeros(four.shape[:2], dtype=bool)
        for cell in part.best.constituents():
            in_tree[cell] = True
        if self._arcs is None or part.best.heads is None:
            found = next_cky(four, in_tree)
            if found is None:
                return None
            total, nodes = found
            return RankedTree(total, _with_ids(nodes, ids), None)
        arcs = self._arcs.copy()
        for word, head in part.heads.items():
            arcs[word, np.arange(len(arcs)) != head] = -np.inf
        for arc in part.other_heads:
            arcs[arc] = -np.inf
        joint = next_joint(four, arcs, in_tree, part.best.heads)
        if joint is None:
            return None
        total, nodes, heads = joint
        return RankedTree(total, _with_ids(nodes, ids), heads)

    def _labels_of(self, part: _Part) -> Tuple[ndarray, ndarray]:
        """Scores and ids as `_four_labels`. In the cells of the part's best tree, the
        third label is the tree's, and the fourth the best other one."""
        four = self._four.copy()
        ids = self._ids.copy()
        tree = part.best.constituents()
        for cell in {*tree, *part.excluded}:
            row = self._labels[cell].copy()
            row[list(part.excluded.get(cell, ()))] = -np.inf
            first = tree[cell] if cell in tree else _best_constituent(row)
            four[(*cell, 2)] = row[first]
            ids[(*cell, 2)] = first
            row[first] = -np.inf
            other = _best_constituent(row)
            four[(*cell, 3)] = -np.inf if cell in part.known else row[other]
            ids[(*cell, 3)] = other
        for start, end in part.known:
            _require_constituent(four, start, end)
        return four, ids


def _require_constituent(four: ndarray, start: int, end: int) -> None:
    """Exclude spans that cross one, and no constituent there, in place."""
    four[:start, start + 1 : end] = -np.inf
    four[start + 1 : end, end + 1 :] = -np.inf
    four[start, end, : SUB_HEAD + 1] = -np.inf


def _best_constituent(scores: ndarray) -> int:
    """The id of the best label of a constituent. *Shape:* (n_labels,)."""
    return int(scores[SUB_HEAD + 1 :].argmax()) + SUB_HEAD + 1


def _four_labels(labels: ndarray) -> Tuple[ndarray, ndarray]:
    """For each span, the scores and ids of the empty label, of the sub-head, and of the
    best two constituents. *Shapes:* (n + 1, n + 1, 4)."""
    others = labels[..., SUB_HEAD + 1 :].copy()
    four = np.empty((*labels.shape[:2], 4))
    four[..., :2] = labels[..., :2]
    ids = np.empty(four.shape, dtype=np.int64)
    ids[..., :2] = (EMPTY, SUB_HEAD)
    for place in (2, 3):
        four[..., place] = others.max(axis=-1)
        best = others.argmax(axis=-1)
        ids[..., place] = best + SUB_HEAD + 1
        np.put_along_axis(others, best[..., None], -np.inf, axis=-1)
    return four, ids


def _with_ids(nodes: ndarray, ids: ndarray) -> ndarray:
    """Nodes with label ids in the place of indices into `ids`. *Shape:* (2n - 1, 3),
    int32."""
    starts, ends, _ = nodes.T
    return np.stack([starts, ends, ids[tuple(nodes.T)]], axis=1).astype(np.int32)

"""Parsing under constraints: the best trees that have known constituents and heads, and no forbidden constituents.

A constraint rules out cells of the charts: a constituent rules out the spans that cross it, a head the other heads of
its dependent. Such a cell scores so little that a tree with it is worse than any tree without. The decoders are exact,
so the tree that they find either has no such cell, or every tree has one. *Not* here: the constraints of a Doc
(`annotations/constraints.py`); the bonus of `training/completion.py`, which tolerates heads that cross.
"""

from itertools import combinations, islice
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc

from ..annotations import (
    CONSTRAINTS_KEY,
    Constraint,
    ContradictionError,
    HeadConstraint,
    check_structure,
    contains_chain,
    get_constraints,
    in_words,
    sentence_words,
)
from ..decode import cky, eisner, joint, mst
from ..scores import ParserScores
from ..trees import SUB_HEAD
from .decoders import ConstituentDecoder, DecodedParse, Decoder, JointDecoder, decoded_parse, is_joint, separate_arcs

MAX_CHECKS = 3000  # sets that are tried for a smaller contradiction

# Scores of the sentences of Docs: docs, pruned=False, sentences=None or the words of each sentence to score.
IterScores = Callable[..., Iterator[Tuple[Sequence[int], Sequence[Any]]]]


class AllowedCells(NamedTuple):
    """The cells of a sentence's charts that constraints leave.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels), bool.
    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head], bool.
    """

    labels: ndarray
    arcs: ndarray

    def allow(self, nodes: Optional[ndarray], heads: Optional[ndarray]) -> bool:
        """Whether a tree has only such cells. nodes: *Shape:* (k, 3). heads: *Shape:* (n + 1,)."""
        nodes_allowed = nodes is None or bool(self.labels[tuple(nodes.T)].all())
        words = np.arange(1, self.arcs.shape[0])
        return nodes_allowed and (heads is None or bool(self.arcs[words, heads[1:]].all()))


class Charts(NamedTuple):
    """The scores that a decoder maximises for one sentence.

    labels (Optional[ndarray]): Shape: (n + 1, n + 1, n_labels), float32, weighted. None: no constituents are decoded.
    arcs (Optional[ndarray]): Shape: (n + 1, n + 1), float32, weighted. None: no heads are decoded.
    is_joint (bool): Whether both trees are found together.
    find_heads (Callable): Finds heads alone.
    """

    labels: Optional[ndarray]
    arcs: Optional[ndarray]
    is_joint: bool
    find_heads: Callable[[ndarray], ndarray]

    def restricted(self, cells: AllowedCells) -> "Charts":
        """The same charts, with low scores in the cells that are not allowed."""
        sizes = [float(np.abs(chart).max()) for chart in (self.labels, self.arcs) if chart is not None]
        low = np.float32(-(8.0 * max(sizes) * (len(cells.arcs) - 1) + 1.0))  # two trees have at most 6n - 2 scores
        labels = None if self.labels is None else np.where(cells.labels, self.labels, low)
        arcs = None if self.arcs is None else np.where(cells.arcs, self.arcs, low)
        return self._replace(labels=labels, arcs=arcs)

    def decode(self) -> Tuple[Optional[ndarray], Optional[ndarray]]:
        """The nodes, (2n - 1, 3), and heads, (n + 1,), of the best trees."""
        if self.is_joint:
            _, nodes, heads = joint(self.labels, self.arcs)  # type: ignore[arg-type]
            return nodes, heads
        spans = None if self.labels is None else cky(self.labels)[1]
        return spans, None if self.arcs is None else self.find_heads(self.arcs)


def make_charts(decoder: Decoder, scores: ParserScores) -> Charts:
    """The charts of a decoder for the scores of one sentence with words.

    RAISES (ValueError): The decoder is not one of ours.
    """
    find_heads = separate_arcs(decoder)
    labels = scores.labels if scores.labels.size else None
    if isinstance(decoder, ConstituentDecoder):
        return Charts(labels, None, False, eisner)
    if isinstance(decoder, JointDecoder):
        if is_joint(scores) and (decoder.max_length is None or scores.n_tokens <= decoder.max_length):
            return Charts(*decoder.charts(scores), True, eisner)
        find_heads = decoder.long_sentences
    if find_heads is None:
        raise ValueError(
            "expected the decoder spacy-lal.joint_decoder.v1 or spacy-lal.separate_decoder.v1, got a "
            f"{type(decoder).__name__}"
        )
    return Charts(labels, scores.arcs if scores.has_deprels else None, False, eisner if find_heads == "eisner" else mst)


def allowed_cells(constraints: Sequence[Constraint], n_words: int, labels: Sequence[str]) -> AllowedCells:
    """The cells that constraints on the words of a sentence leave.

    labels (Sequence[str]): The label strings by id; empty if no constituents are scored.
    """
    cells = AllowedCells(
        np.ones((n_words + 1, n_words + 1, len(labels)), dtype=bool), np.ones((n_words + 1, n_words + 1), dtype=bool)
    )
    for one in constraints:
        if isinstance(one, HeadConstraint):
            head = 0 if one.head == one.dependent else one.head + 1
            cells.arcs[one.dependent + 1, np.arange(n_words + 1) != head] = False
            continue
        start, end = one.start, one.end
        has_label = [i > SUB_HEAD and contains_chain(label, one.label) for i, label in enumerate(labels)]
        if one.forbidden:
            cells.labels[start, end, has_label] = False
        else:
            cells.labels[start, end, ~np.array(has_label, dtype=bool)] = False
            cells.labels[:start, start + 1 : end] = False
            cells.labels[start + 1 : end, end + 1 :] = False
    return cells


def decode_constrained(decoder: Decoder, scores: ParserScores, cells: AllowedCells) -> Optional[DecodedParse]:
    """The best parse of one sentence that has only allowed cells; None if every parse has another cell.

    RAISES (ValueError): As `make_charts`.
    """
    charts = make_charts(decoder, scores).restricted(cells)
    nodes, heads = charts.decode()
    if not cells.allow(nodes, heads):
        return None
    if charts.is_joint and isinstance(decoder, JointDecoder) and nodes is not None:
        nodes = decoder.with_disagreeing(np.where(cells.labels, scores.labels, np.float32(-1.0)), nodes)
    return decoded_parse(scores, nodes, heads, "joint" if charts.is_joint else "separate")


def parse_constrained(
    docs: Sequence[Doc],
    parses: List[List[DecodedParse]],
    iter_scores: IterScores,
    decoder: Decoder,
    labels: Sequence[str],
    limit: Optional[int],
) -> None:
    """Replace the parses of sentences that have constraints. Other sentences cost nothing.

    docs (Sequence[Doc]): Left unchanged.
    parses (List[List[DecodedParse]]): For each Doc, the parses of its sentences. Modified in place.
    iter_scores (Callable): The component's.
    labels (Sequence[str]): Label strings by id.
    limit (Optional[int]): The most words of a sentence that is parsed as a whole.
    RAISES (ContradictionError): No parse fulfils the constraints of a sentence.
    RAISES (StaleParseError): Tokens with constraints were merged or split.
    RAISES (ValueError): A sentence with constraints is too long to be parsed as a whole, or the decoder is not ours.
    """
    for doc, doc_parses in zip(docs, parses, strict=True):
        if CONSTRAINTS_KEY not in doc.spans:
            continue
        constraints = get_constraints(doc)
        check_structure(doc, constraints)
        sentences = sentence_words(doc)
        by_sentence = [in_words(doc, words, constraints) for words in sentences]
        chosen = [i for i, found in enumerate(by_sentence) if found]
        for i in chosen:
            if limit is not None and len(sentences[i]) > limit:
                raise ValueError(
                    f"a sentence of {len(sentences[i])} words has constraints, and sentences of more than {limit} "
                    "words are parsed in pieces, which cannot fulfil them: set split_length or long_policy"
                )
        for i, scores in zip(chosen, _score(doc, [sentences[i] for i in chosen], iter_scores), strict=True):
            doc_parses[i] = _parse_sentence(doc, by_sentence[i], scores, decoder, labels)


def constraint_cells(
    doc: Doc, words: Sequence[int], scores: ParserScores, decoder: Decoder, labels: Sequence[str]
) -> Optional[AllowedCells]:
    """The cells that a Doc's constraints leave of one sentence; None for a sentence without constraints.

    words (Sequence[int]): The indices of the sentence's words. scores (ParserScores): Its scores.
    labels (Sequence[str]): Label strings by id.
    RAISES (ContradictionError, StaleParseError): As `parse_constrained`.
    """
    constraints = get_constraints(doc)
    check_structure(doc, constraints)
    found = in_words(doc, words, constraints)
    if not found:
        return None
    _check_scored(doc, found, scores, decoder, labels)
    return allowed_cells([one for one, _ in found], len(words), labels)


def _score(doc: Doc, sentences: Sequence[Sequence[int]], iter_scores: IterScores) -> List[ParserScores]:
    """The unpruned scores of some sentences of a Doc."""
    if not sentences:
        return []
    found: Dict[int, ParserScores] = {}
    for indices, scores in iter_scores([doc], pruned=False, sentences=[sentences]):
        found.update(zip(indices, scores, strict=True))
    return [found[i] for i in range(len(sentences))]


def _parse_sentence(
    doc: Doc,
    constraints: Sequence[Tuple[Constraint, Constraint]],
    scores: ParserScores,
    decoder: Decoder,
    labels: Sequence[str],
) -> DecodedParse:
    known = labels if scores.labels.size else ()
    _check_scored(doc, constraints, scores, decoder, known)
    parse = decode_constrained(decoder, scores, allowed_cells([one for one, _ in constraints], scores.n_tokens, known))
    if parse is not None:
        return parse

    def is_possible(some: Sequence[Tuple[Constraint, Constraint]]) -> bool:
        cells = allowed_cells([one for one, _ in some], scores.n_tokens, known)
        blank = ParserScores(np.zeros_like(scores.labels), np.zeros_like(scores.arcs), scores.deprels)
        return decode_constrained(decoder, blank, cells) is not None

    smallest = smallest_contradiction(constraints, is_possible)
    raise ContradictionError(doc, [given for _, given in smallest], "the decoder has no tree with all of them")


def _check_scored(
    doc: Doc,
    constraints: Sequence[Tuple[Constraint, Constraint]],
    scores: ParserScores,
    decoder: Decoder,
    labels: Sequence[str],
) -> None:
    """RAISES (ContradictionError): A constraint is about something that the parser does not find."""
    for one, given in constraints:
        if isinstance(one, HeadConstraint):
            if not scores.has_deprels:
                raise ContradictionError(doc, [given], "the parser scores no heads")
            if isinstance(decoder, ConstituentDecoder):
                raise ContradictionError(doc, [given], "the parser sets no heads (dependencies = false)")
        elif not one.forbidden:
            if not labels:
                raise ContradictionError(doc, [given], "the parser scores no constituents")
            if one.label and not any(contains_chain(label, one.label) for label in labels):
                raise ContradictionError(doc, [given], f"the parser knows no label {one.label}")


def smallest_contradiction(constraints: Sequence[Any], is_possible: Callable[[Sequence[Any]], bool]) -> List[Any]:
    """A smallest set of constraints that no tree fulfils. If there are more than `MAX_CHECKS` smaller sets to try, a
    set that becomes possible without any one of its constraints.

    constraints (Sequence): A set that no tree fulfils.
    is_possible (Callable): Whether a tree fulfils a set.
    """
    core = list(constraints)
    for one in constraints:
        rest = [other for other in core if other is not one]
        if not is_possible(rest):
            core = rest
    smaller = (some for size in range(1, len(core)) for some in combinations(constraints, size))
    for some in islice(smaller, MAX_CHECKS):
        if not is_possible(some):
            return list(some)
    return core

"""Parsing under constraints: the best trees that have known constituents and heads, and
no forbidden constituents. Cells of the charts that constraints rule out score so little
that a tree with one is worse than any tree without. The decoders are exact, so their
tree has no such cell, or every tree has one."""

from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc

from ..annotations import (
    Constraint,
    ContradictionError,
    HeadConstraint,
    check_structure,
    contains_chain,
    get_constraints,
    in_words,
)
from ..scores import ParserScores
from ..trees import SUB_HEAD
from .decoders import Charts, DecodedParse, Decoder, decoded_parses

GivenConstraint = Tuple[Constraint, Constraint]  # in words of a sentence, and as given


class AllowedCells(NamedTuple):
    """The cells of a sentence's charts that constraints leave.
    labels (ndarray): Shape: (n + 1, n + 1, n_labels), bool.
    arcs (ndarray): Shape: (n + 1, n + 1), bool, [dependent, head]."""

    labels: ndarray
    arcs: ndarray

    def allow(self, nodes: Optional[ndarray], heads: Optional[ndarray]) -> bool:
        """Whether a tree has only such cells.
        nodes (Optional[ndarray]): Shape: (k, 3).
        heads (Optional[ndarray]): Shape: (n + 1,)."""
        if nodes is not None and not self.labels[tuple(nodes.T)].all():
            return False
        words = np.arange(1, self.arcs.shape[0])
        return heads is None or bool(self.arcs[words, heads[1:]].all())

    def restrict(self, charts: Charts) -> Charts:
        """The same charts, with low scores in the cells that are not allowed."""
        scored = [chart for chart in (charts.labels, charts.arcs) if chart is not None]
        largest = max(float(np.abs(chart).max()) for chart in scored)
        n_words = len(self.arcs) - 1
        # Two trees have at most 6n - 2 scores.
        low = np.float32(-(8.0 * largest * n_words + 1.0))
        labels, arcs, *_ = charts
        if labels is not None:
            labels = np.where(self.labels, labels, low)
        if arcs is not None:
            arcs = np.where(self.arcs, arcs, low)
        return charts._replace(labels=labels, arcs=arcs)

    def without_others(self, labels: ndarray) -> ndarray:
        """Label scores with which no constituent is added in a cell that is not
        allowed. *Shape:* (n + 1, n + 1, n_labels)."""
        return np.where(self.labels, labels, np.float32(-1.0))


def allowed_cells(
    constraints: Sequence[Constraint], n_words: int, labels: Sequence[str]
) -> AllowedCells:
    """The cells that constraints on a sentence's words leave.
    labels (Sequence[str]): Strings; empty if none are scored."""
    size = n_words + 1
    cells = AllowedCells(
        np.ones((size, size, len(labels)), dtype=bool),
        np.ones((size, size), dtype=bool),
    )
    for one in constraints:
        if isinstance(one, HeadConstraint):
            head = 0 if one.head == one.dependent else one.head + 1
            cells.arcs[one.dependent + 1, np.arange(size) != head] = False
            continue
        start, end = one.start, one.end
        has_label = np.array(
            [
                i > SUB_HEAD and contains_chain(label, one.label)
                for i, label in enumerate(labels)
            ],
            dtype=bool,
        )
        if one.forbidden:
            cells.labels[start, end, has_label] = False
        else:
            cells.labels[start, end, ~has_label] = False
            cells.labels[:start, start + 1 : end] = False
            cells.labels[start + 1 : end, end + 1 :] = False
    return cells


def sentence_constraints(
    doc: Doc, sentences: Sequence[Sequence[int]]
) -> List[List[GivenConstraint]]:
    """A Doc's constraints in each of its sentences.
    RAISES (ContradictionError): They contradict each other, whatever the parser.
    RAISES (StaleParseError): As `get_constraints`."""
    constraints = get_constraints(doc)
    check_structure(doc, constraints)
    return [in_words(doc, words, constraints) for words in sentences]


def constraint_cells(
    doc: Doc,
    constraints: Sequence[GivenConstraint],
    scores: ParserScores,
    decoder: Decoder,
    labels: Sequence[str],
) -> Optional[AllowedCells]:
    """The cells that constraints leave of one sentence; None without constraints.
    RAISES (ContradictionError): A constraint is about something that the parser does
        not find."""
    if not constraints:
        return None
    known = labels if scores.labels.size else ()
    with_heads = scores.has_deprels and decoder.dependencies
    for one, given in constraints:
        reason = _not_found(one, known, with_heads)
        if reason:
            raise ContradictionError(doc, [given], reason)
    return allowed_cells([one for one, _ in constraints], scores.n_tokens, known)


def _not_found(one: Constraint, labels: Sequence[str], with_heads: bool) -> str:
    """Why a parser cannot fulfil a constraint; empty if it can."""
    if isinstance(one, HeadConstraint):
        return "" if with_heads else "the parser sets no heads"
    if one.forbidden:
        return ""
    if not labels:
        return "the parser scores no constituents"
    if one.label and not any(contains_chain(label, one.label) for label in labels):
        return f"the parser knows no label {one.label}"
    return ""


def decode_constrained(
    decoder: Decoder, scores: ParserScores, cells: AllowedCells
) -> Optional[DecodedParse]:
    """The best parse of one sentence that has only allowed cells; None if every parse
    has another cell."""
    charts = cells.restrict(decoder.charts(scores))
    nodes, heads = charts.decode()
    if not cells.allow(nodes, heads):
        return None
    if charts.is_joint and nodes is not None:
        labels = cells.without_others(scores.labels)
        nodes = decoder.with_disagreeing(labels, nodes)
    (parse,) = decoded_parses([scores], [(nodes, heads)], [charts.method])
    return parse


def parse_constrained(
    doc: Doc,
    constraints: Sequence[GivenConstraint],
    scores: ParserScores,
    decoder: Decoder,
    labels: Sequence[str],
) -> DecodedParse:
    """The best parse of a sentence that fulfils its constraints.
    RAISES (ContradictionError): No tree does."""
    cells = constraint_cells(doc, constraints, scores, decoder, labels)
    parse = None if cells is None else decode_constrained(decoder, scores, cells)
    if parse is None:
        raise ContradictionError(
            doc,
            [given for _, given in constraints],
            "the decoder has no tree with all of them",
        )
    return parse

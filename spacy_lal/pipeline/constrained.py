"""Parsing under constraints: the best trees that have known constituents and heads, and
no forbidden constituents. Cells of the charts that constraints rule out score so little
that a tree with one is worse than any tree without. The decoders are exact, so their
tree has no such cell, or every tree has one."""

from collections.abc import Sequence
from typing import Optional

import numpy as np
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
from .charts import AllowedCells, DecodedParse
from .decoders import Decoder

GivenConstraint = tuple[Constraint, Constraint]  # in words of a sentence, and as given


def allowed_cells(
    constraints: Sequence[Constraint], n_words: int, labels: Sequence[str]
) -> AllowedCells:
    """The cells that constraints on a sentence's words leave.
    labels (Sequence[str]): Strings; empty if none are scored."""
    cells = AllowedCells.all(n_words, len(labels))
    for constraint in constraints:
        if isinstance(constraint, HeadConstraint):
            word = constraint.dependent + 1
            head = 0 if constraint.head + 1 == word else constraint.head + 1
            cells.arcs[word, np.arange(n_words + 1) != head] = False
            continue
        start, end, wanted, forbidden = constraint
        has_label = np.array(
            [
                i > SUB_HEAD and contains_chain(label, wanted)
                for i, label in enumerate(labels)
            ],
            dtype=bool,
        )
        if forbidden:
            cells.labels[start, end, has_label] = False
        else:  # no span that crosses it, and no other label of it
            cells.labels[start, end, ~has_label] = False
            cells.labels[:start, start + 1 : end] = False
            cells.labels[start + 1 : end, end + 1 :] = False
    return cells


def sentence_constraints(
    doc: Doc, sentences: Sequence[Sequence[int]]
) -> list[list[GivenConstraint]]:
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
    labels: Sequence[str],
) -> Optional[AllowedCells]:
    """The cells that constraints leave of one sentence; None without constraints.
    RAISES (ContradictionError): A constraint is about something that the parser does
        not find."""
    if not constraints:
        return None
    known = labels if scores.labels.size else ()
    for on_words, on_tokens in constraints:
        reason = _not_found(on_words, known, scores.has_deprels)
        if reason:
            raise ContradictionError(doc, [on_tokens], reason)
    in_sentence = [on_words for on_words, _ in constraints]
    return allowed_cells(in_sentence, scores.n_tokens, known)


def _not_found(constraint: Constraint, labels: Sequence[str], with_heads: bool) -> str:
    """Why a parser cannot fulfil a constraint; empty if it can."""
    if isinstance(constraint, HeadConstraint):
        return "" if with_heads else "the parser sets no heads"
    wanted = constraint.label
    if constraint.forbidden:
        return ""
    if not labels:
        return "the parser scores no constituents"
    if wanted and not any(contains_chain(label, wanted) for label in labels):
        return f"the parser knows no label {wanted}"
    return ""


def parse_constrained(
    doc: Doc,
    constraints: Sequence[GivenConstraint],
    scores: ParserScores,
    decoder: Decoder,
    labels: Sequence[str],
) -> DecodedParse:
    """The best parse of a sentence that fulfils its constraints.
    RAISES (ContradictionError): No tree does."""
    allowed = constraint_cells(doc, constraints, scores, labels)
    parse = next(decoder.ranked(scores, allowed))
    if parse.score == -np.inf:
        raise ContradictionError(
            doc,
            [on_tokens for _, on_tokens in constraints],
            "the decoder has no tree with all of them",
        )
    return parse

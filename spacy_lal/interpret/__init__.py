"""Explanations of a parse, as data: label attention, exact contributions, alternatives.
No drawing, no printing.

Functions take `nlp`, a pipeline with one `lal_parser` or the component itself, and a
Doc or Span; they compute on each call and do not change the Doc. All raise a ValueError
if the pipeline has no parser, or one that was neither trained nor loaded; sentence
boundaries are missing; a Span crosses one, or has no words."""

# ruff: noqa: F401  (users import from here)

from ..pipeline.confidence import (
    Calibration,
    head_confidences,
    label_confidence,
    parse_confidence,
    relation_confidence,
)
from .alternatives import (
    ArcMargin,
    ConstituentMargin,
    LabelScore,
    SpanMarginals,
    arc_margins,
    best_labels,
    constituent_margins,
    span_marginals,
)
from .attention import LabelAttention, label_attention
from .best_trees import BestTree, iter_best_trees, k_best
from .contributions import (
    Contributions,
    constituent_contributions,
    contributions,
    label_contributions,
)

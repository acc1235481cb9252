"""Explanations of a parse, as data: label attention, exact contributions, alternatives. No drawing, no printing.

Each is a function of a pipeline (or its parser) and a Doc or Span, computed when it is called; the Doc is not changed.
"""

from .alternatives import ArcMargin, ConstituentMargin, LabelScore, arc_margins, best_labels, constituent_margins
from .attention import LabelAttention, label_attention, parse_with_attention
from .contributions import (
    AuthorsContributions,
    Contributions,
    authors_contributions,
    constituent_contributions,
    contributions,
    label_contributions,
)
from .marginals import SpanMarginals, span_marginals

__all__ = [
    "ArcMargin",
    "AuthorsContributions",
    "ConstituentMargin",
    "Contributions",
    "LabelAttention",
    "LabelScore",
    "SpanMarginals",
    "arc_margins",
    "authors_contributions",
    "best_labels",
    "constituent_contributions",
    "constituent_margins",
    "contributions",
    "label_attention",
    "label_contributions",
    "parse_with_attention",
    "span_marginals",
]

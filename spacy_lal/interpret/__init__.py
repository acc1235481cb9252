"""Explanations of a parse, as data: label attention, exact contributions, alternatives. No drawing, no printing.

Most functions take a pipeline (or its parser) and a Doc or Span; they compute on each call and do not change the Doc.
Two work on a treebank: `head_report` describes the label heads, `AblatedTreebank` counts the effect of removing some.
"""

from .ablation import AblatedParser
from .alternatives import ArcMargin, ConstituentMargin, LabelScore, arc_margins, best_labels, constituent_margins
from .attention import LabelAttention, label_attention, parse_with_attention
from .best_trees import BestTree, iter_best_trees, k_best
from .contributions import (
    AuthorsContributions,
    Contributions,
    authors_contributions,
    constituent_contributions,
    contributions,
    label_contributions,
)
from .head_report import HeadReport, head_report
from .label_counts import AblatedTreebank, LabelCounts
from .marginals import SpanMarginals, span_marginals

__all__ = [
    "AblatedParser",
    "AblatedTreebank",
    "ArcMargin",
    "AuthorsContributions",
    "BestTree",
    "ConstituentMargin",
    "Contributions",
    "HeadReport",
    "LabelAttention",
    "LabelCounts",
    "LabelScore",
    "SpanMarginals",
    "arc_margins",
    "authors_contributions",
    "best_labels",
    "constituent_contributions",
    "constituent_margins",
    "contributions",
    "head_report",
    "iter_best_trees",
    "k_best",
    "label_attention",
    "label_contributions",
    "parse_with_attention",
    "span_marginals",
]

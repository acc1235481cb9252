"""Explanations of a parse, as data: label attention, exact contributions, alternatives. No drawing, no printing.

Most functions take a pipeline (or its parser) and a Doc or Span; they compute on each call and do not change the Doc.
Two work on a treebank: `head_report` describes the label heads, `AblatedTreebank` counts the effect of removing some.
"""

from .ablation import AblatedParser
from .alternatives import ArcMargin, ConstituentMargin, LabelScore, arc_margins, best_labels, constituent_margins
from .attention import LabelAttention, label_attention, parse_with_attention
from .attention_roles import AttentionShares, attention_shares
from .attention_trees import attention_tree
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
from .probing import probing_instances
from .self_attention import AttentionLayer, SelfAttention, attention_limits, self_attention

__all__ = [
    "AblatedParser",
    "AblatedTreebank",
    "ArcMargin",
    "AttentionLayer",
    "AttentionShares",
    "AuthorsContributions",
    "BestTree",
    "ConstituentMargin",
    "Contributions",
    "HeadReport",
    "LabelAttention",
    "LabelCounts",
    "LabelScore",
    "SelfAttention",
    "SpanMarginals",
    "arc_margins",
    "attention_limits",
    "attention_shares",
    "attention_tree",
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
    "probing_instances",
    "self_attention",
    "span_marginals",
]

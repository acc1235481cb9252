"""Parses: brackets, spans, labels, heads."""

# ruff: noqa: F401

from ..files import TreebankError
from .brackets import (
    FALLBACK_ROOT,
    ROOT_LABELS,
    BracketedTree,
    escape_word,
    parse_tree,
    read_brackets,
    read_brackets_with_lines,
    unescape_word,
    write_brackets,
)
from .conllu import ConlluSentence, format_conllu, read_conllu
from .joint import CLAUSE_DEPRELS, Heads, JointSpan, dissolve, joint_spans, label_ids, outside_heads, word_order
from .spans import (
    CHAIN_SEPARATOR,
    EMPTY,
    SUB_HEAD,
    SUB_HEAD_LABEL,
    Chain,
    CrossingSpansError,
    LabelVocab,
    Span,
    SpanError,
    TreeSpans,
    collapse_chains,
    expand_chains,
    is_preterminal,
    join_chain,
    nested_spans,
    spans_to_tree,
    split_chain,
    tree_to_spans,
    write_spans,
)

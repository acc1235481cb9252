"""Parses: brackets, spans, labels, heads."""

# ruff: noqa: F401

from .brackets import (
    escape_word,
    parse_tree,
    read_brackets,
    read_brackets_with_lines,
    write_brackets,
)
from .conllu import format_conllu, read_conllu
from .joint import joint_spans, label_ids
from .parse import (
    Parse,
    ParseMethod,
    is_preterminal,
)
from .spans import (
    EMPTY,
    SUB_HEAD,
    SUB_HEAD_LABEL,
    Constituent,
    LabelVocab,
    SpanError,
    collapse_chains,
    expand_chains,
    join_chain,
    nested_spans,
    sorted_spans,
    split_chain,
)

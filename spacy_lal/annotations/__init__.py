"""Parses on a Doc: only this package writes them and reads them back.

Dependencies are spaCy's own (`token.head`, `token.dep_`). Constituents are a span group, `doc.spans["constituents"]`:
one labelled Span per constituent, pre-order, outer before inner, a unary chain as several Spans over the same tokens. A
span group survives `to_bytes`, DocBin, pickle and worker processes; an object in `user_data` does not. The span group
`doc.spans["parse_methods"]` marks how each sentence was parsed, with a Span for each sentence. Semantic roles are the
span group `doc.spans["srl"]` (`roles.py`).

Whitespace tokens are no part of a parse: brackets leave them out, and each hangs on the token before it. "Word"
therefore means a token that is not whitespace, and a word position counts the words of one sentence from 0.
"""

from .constituents import SPANS_KEY, CollapsedSpan, constituent_tokens, get_constituents, set_constituents
from .constraints import CONSTRAINTS_KEY, ContradictionError, constrain, get_constraints
from .dependencies import ROOT_DEPREL, UNKNOWN_DEPREL, WHITESPACE_DEPREL, with_root_deprel
from .extensions import install_extensions
from .getters import (
    MISSING_TAG,
    NonConstituentException,
    UnparsedDocError,
    get_doc_labels,
    get_doc_parse_string,
    get_doc_tree,
    get_doc_trees,
    get_labels,
    get_parent,
    get_parse_method,
    get_parse_string,
    get_tree,
    get_trees,
    iter_children,
    iter_constituents,
    iter_doc_constituents,
)
from .noun_chunks import install_noun_chunks, noun_chunks
from .parses import METHODS_KEY, ParseMethod, SentenceParse, set_parses, set_sentence_parse
from .roles import (
    ROLES_KEY,
    get_propositions,
    get_sentence_propositions,
    has_propositions,
    set_propositions,
    set_sentence_propositions,
    to_allennlp,
)
from .sentences import has_sentences, same_tokens, sentence_bounds, sentence_words, set_sentence_starts

__all__ = [
    "CONSTRAINTS_KEY",
    "METHODS_KEY",
    "MISSING_TAG",
    "ROLES_KEY",
    "ROOT_DEPREL",
    "SPANS_KEY",
    "UNKNOWN_DEPREL",
    "WHITESPACE_DEPREL",
    "CollapsedSpan",
    "NonConstituentException",
    "ContradictionError",
    "ParseMethod",
    "SentenceParse",
    "UnparsedDocError",
    "constituent_tokens",
    "constrain",
    "get_constituents",
    "get_doc_labels",
    "get_constraints",
    "get_doc_parse_string",
    "get_doc_tree",
    "get_doc_trees",
    "get_labels",
    "get_parent",
    "get_parse_method",
    "get_parse_string",
    "get_propositions",
    "get_sentence_propositions",
    "get_tree",
    "get_trees",
    "has_propositions",
    "has_sentences",
    "install_extensions",
    "install_noun_chunks",
    "iter_children",
    "iter_constituents",
    "iter_doc_constituents",
    "noun_chunks",
    "same_tokens",
    "sentence_bounds",
    "sentence_words",
    "set_constituents",
    "set_parses",
    "set_propositions",
    "set_sentence_propositions",
    "set_sentence_parse",
    "set_sentence_starts",
    "to_allennlp",
    "with_root_deprel",
]

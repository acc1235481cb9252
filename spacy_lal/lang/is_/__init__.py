"""Icelandic: the conventions of GreynirCorpus
(https://github.com/mideind/GreynirCorpus), as `projects/icelandic` converts it."""

from ..conventions import Conventions

PUNCTUATION_TAGS = frozenset({"grm"})

# S0, which stands over each sentence, is a label of the treebank.
CONVENTIONS = Conventions(
    code="is",
    root_labels=frozenset({"ROOT", ""}),
    punctuation_tags=PUNCTUATION_TAGS,
    mark_tags=PUNCTUATION_TAGS,
    evalb_deleted=("TOP", "ROOT", "-NONE-", *PUNCTUATION_TAGS),
    clause_labels=frozenset({"S0", "S", "IP", "CP"}),
    default_package="is_lal_md",
)

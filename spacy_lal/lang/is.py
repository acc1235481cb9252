"""Icelandic: conventions of GreynirCorpus (https://github.com/mideind/GreynirCorpus) and its conversion to UD.

The name of this module is a keyword of Python: `spacy_lal.lang.conventions("is")` gives it.
"""

# From projects/icelandic.
DEFAULT_PACKAGE = "is_lal_sm"

# Labels of the node that only marks a tree. S0, which stands over each sentence, is a label of the treebank.
ROOT_LABELS = frozenset({"ROOT", ""})

# All punctuation has one tag.
PUNCTUATION_TAGS = frozenset({"grm"})

# EVALB: tags of words that are deleted, and labels that are treated as equal.
EVALB_DELETED = ("TOP", "ROOT", "-NONE-", "grm")
EVALB_EQUAL = ()

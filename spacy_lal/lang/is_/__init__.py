"""Icelandic: the conventions of GreynirCorpus
(https://github.com/mideind/GreynirCorpus), as `projects/icelandic` converts it."""

from pathlib import Path

from ..conventions import Conventions
from ..lemma_table import LemmaTable
from .tokens import TOKENS

PUNCTUATION_TAGS = frozenset({"grm"})

# S0, which stands over each sentence, is a label of the treebank.
CONVENTIONS = Conventions(
    code="is",
    root_labels=frozenset({"ROOT", ""}),
    punctuation_tags=PUNCTUATION_TAGS,
    mark_tags=PUNCTUATION_TAGS,
    evalb_deleted=("TOP", "ROOT", "-NONE-", *PUNCTUATION_TAGS),
    clause_labels=frozenset("S0 S IP CP".split()),
    read_as={**dict.fromkeys("„«‹", "("), **dict.fromkeys("“”»›", ")"), '"': "—"},
    tokens=TOKENS,
    lemmas=LemmaTable(
        Path(__file__).with_name("lemmas.tsv.gz"),
        compounds=frozenset({"NOUN", "VERB", "ADJ"}),
        mistaken={
            "NOUN": ("VERB", "ADJ"),
            "VERB": ("NOUN", "ADJ"),
            "ADJ": ("NOUN", "VERB"),
            "ADV": ("NOUN", "VERB"),
        },
    ),
    default_package="is_lal_md",
)

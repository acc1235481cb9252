"""English: the conventions of the Penn Treebank and PropBank, words, and rules for
tokens, sentence starts and lemmas."""

from pathlib import Path

from ..conventions import Conventions
from ..lemma_table import LemmaTable
from .clauses import CLAUSES
from .contractions import contractions
from .guidelines import GUIDELINES
from .layout import LAYOUT
from .structures import CLAUSE_LABELS, STRUCTURES
from .tokens import TOKENS
from .treebank import (
    AUXILIARY_ROLESETS,
    EVALB_DELETED,
    EVALB_EQUAL,
    LABEL_FAMILIES,
    MARK_TAGS,
    NOUN_CHUNKS,
    PUNCTUATION_TAGS,
    ROOT_LABELS,
)

_LOWER_CASE = "ADP ADV AUX CCONJ DET INTJ PART PRON SCONJ VERB".split()

CONVENTIONS = Conventions(
    code="en",
    root_labels=ROOT_LABELS,
    punctuation_tags=PUNCTUATION_TAGS,
    mark_tags=MARK_TAGS,
    evalb_deleted=EVALB_DELETED,
    evalb_equal=EVALB_EQUAL,
    default_package="en_lal_md",
    tokens=TOKENS,
    layout=LAYOUT,
    capitals=frozenset({"I"}),
    noun_chunks=NOUN_CHUNKS,
    note_labels=("PRN", "NP"),
    guidelines=GUIDELINES,
    auxiliary_rolesets=AUXILIARY_ROLESETS,
    clauses=CLAUSES,
    clause_labels=CLAUSE_LABELS,
    lemmas=LemmaTable(
        Path(__file__).with_name("lemmas.tsv.gz"),
        compounds=frozenset({"NOUN"}),
        mistaken={"PROPN": ("NOUN",)},
        lower_case=frozenset(_LOWER_CASE),
        name_tags=frozenset({"NNP"}),
    ),
    structures=STRUCTURES,
    contractions=contractions,
    label_families=LABEL_FAMILIES,
)

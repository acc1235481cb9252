"""Words and labels of structures that the guidelines of English treebanks exclude: the
Penn Treebank (Bies et al., 1995) and English Universal Dependencies."""

from ..conventions import Guidelines
from .treebank import PHRASES_OF_PREPOSITIONS, PREPOSITION_TAGS
from .words import GREETINGS, MEASURES

GUIDELINES = Guidelines(
    preposition_tags=PREPOSITION_TAGS,
    prepositional_phrase="PP",
    noun_phrase="NP",
    phrases_of_prepositions=PHRASES_OF_PREPOSITIONS,
    verb_phrase="VP",
    clauses_of_verbs=frozenset(
        {
            "S::VP",
            "SBAR::S::VP",
        }
    ),
    # With one of these, a verb phrase does not have its verb from a clause within.
    parts_of_verb_phrases=frozenset(
        {
            "CC",
            "MD",
            "POS",  # "'s" of "is" with a wrong tag
            "TO",
            "VB",
            "VBD",
            "VBG",
            "VBN",
            "VBP",
            "VBZ",
            "VP",
        }
    ),
    small_clause="S",
    small_predicates=frozenset(
        {
            "ADJP",
            "NP",
        }
    ),
    measures=MEASURES,
    greetings=GREETINGS,
)

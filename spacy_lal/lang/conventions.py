"""The record of what is known about a language and its treebanks. Each language fills
one in its own folder; modules outside `spacy_lal/lang` ask it and name no language."""

from dataclasses import dataclass
from typing import Container, FrozenSet, NamedTuple, Optional, Tuple


@dataclass(frozen=True)
class NounChunks:
    """Which constituents are base noun phrases.

    phrases (FrozenSet[str]): Labels of noun phrases.
    prenominal (FrozenSet[str]): Labels of phrases that may stand before a noun.
    nominal (FrozenSet[str]): Labels of phrases that may end with the noun.
    noun_pos (FrozenSet[str]): UPOS of head nouns.
    noun_tags (FrozenSet[str]): Fine tags of head nouns, for words without UPOS.
    pronoun_tags (FrozenSet[str]): Fine tags of words that alone are a noun phrase.
    not_heads (FrozenSet[str]): Fine tags of words that are pronouns by their UPOS and
        head no noun phrase.
    possessive_tag (str): Fine tag of the mark after a possessor.
    possessive_marks (FrozenSet[str]): Texts of that mark, for words without tags.
    number_tags (FrozenSet[str]): UPOS and fine tags of numbers.
    separating_tags (FrozenSet[str]): Fine tags of words between conjuncts."""

    phrases: FrozenSet[str]
    prenominal: FrozenSet[str]
    nominal: FrozenSet[str]
    noun_pos: FrozenSet[str]
    noun_tags: FrozenSet[str]
    pronoun_tags: FrozenSet[str]
    not_heads: FrozenSet[str]
    possessive_tag: str
    possessive_marks: FrozenSet[str]
    number_tags: FrozenSet[str]
    separating_tags: FrozenSet[str]


@dataclass(frozen=True)
class Guidelines:
    """What the guidelines of a language's treebanks exclude; see
    `pipeline/guidelines.py` for the rules.

    preposition_tags (FrozenSet[str]): Fine tags of prepositions.
    prepositional_phrase (str): Label of a preposition with its noun phrase.
    noun_phrase (str): Label of that noun phrase.
    phrases_of_prepositions (FrozenSet[str]): Labels of phrases in which a preposition
        may stand beside a noun phrase.
    verb_phrase (str): Label of a verb phrase.
    clauses_of_verbs (FrozenSet[str]): Unary chains of clauses without subject.
    parts_of_verb_phrases (FrozenSet[str]): Tags of words, and labels of constituents,
        that give a verb phrase a verb of its own.
    small_clause (str): Label of a clause of an object and its predicate.
    small_predicates (FrozenSet[str]): Labels of such predicates.
    measures (FrozenSet[str]): Words that are no agents, lower case."""

    preposition_tags: FrozenSet[str]
    prepositional_phrase: str
    noun_phrase: str
    phrases_of_prepositions: FrozenSet[str]
    verb_phrase: str
    clauses_of_verbs: FrozenSet[str]
    parts_of_verb_phrases: FrozenSet[str]
    small_clause: str
    small_predicates: FrozenSet[str]
    measures: FrozenSet[str]


class Structure(NamedTuple):
    """A structure of syntax that is counted in trees.

    name (str): As in the paper.
    meaning (str): What it is.
    pattern (str): Of tgrep, over a tree below a node ROOT."""

    name: str
    meaning: str
    pattern: str


@dataclass(frozen=True)
class Conventions:
    """The conventions of a language.

    code (str): As in `nlp.lang`.
    root_labels (FrozenSet[str]): Labels of the node that only marks a tree.
    punctuation_tags (Container[str]): Fine tags of punctuation that attachment scores
        leave out.
    mark_tags (FrozenSet[str]): Fine tags of words that are marks: no constituent
        consists of them alone.
    evalb_deleted (Tuple[str, ...]): EVALB: tags of words, and labels, that are deleted.
    evalb_equal (Tuple[Tuple[str, str], ...]): EVALB: labels that are treated as equal.
    default_package (Optional[str]): Its weights are loaded by a `lal_parser` that was
        neither trained nor loaded.
    noun_chunks (Optional[NounChunks]): None keeps spaCy's noun chunks.
    guidelines (Optional[Guidelines]): None: parses are as the decoder finds them.
    auxiliary_rolesets (FrozenSet[str]): PropBank's rolesets of auxiliaries and modals,
        which have no roles.
    clause_labels (FrozenSet[str]): Labels of clauses.
    structures (Tuple[Structure, ...]): Structures that measures of syntactic complexity
        count; none where nobody has defined them.
    verb_endings (Tuple[Tuple[str, Tuple[str, ...]], ...]): Endings of inflected verbs,
        and what may replace each to give a frame's name, the likelier first."""

    code: str
    root_labels: FrozenSet[str]
    punctuation_tags: Container[str]
    mark_tags: FrozenSet[str]
    evalb_deleted: Tuple[str, ...]
    evalb_equal: Tuple[Tuple[str, str], ...] = ()
    default_package: Optional[str] = None
    noun_chunks: Optional[NounChunks] = None
    guidelines: Optional[Guidelines] = None
    auxiliary_rolesets: FrozenSet[str] = frozenset()
    clause_labels: FrozenSet[str] = frozenset()
    structures: Tuple[Structure, ...] = ()
    verb_endings: Tuple[Tuple[str, Tuple[str, ...]], ...] = ()

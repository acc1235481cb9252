"""The record of a language and its treebanks. Each language fills one in its own
folder; modules outside `spacy_lal/lang` ask it and name no language."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import (
    NamedTuple,
    Optional,
)

from .clause_words import ClauseWords

Strings = frozenset[str]
# The lemma of a word, from the word without escapes, its fine tag, its UPOS, and the
# lemma that another component gave it.
LemmaRule = Callable[[str, str, str, str], str]
# The multiword tokens of a sentence, as Universal Dependencies have them: from its
# words, their fine tags, and whether a space follows each, to the first and the last
# word of each token, from 1.
ContractionRule = Callable[
    [Sequence[str], Sequence[str], Sequence[bool]], list[tuple[int, int]]
]


def joined_words(are_joined: Iterable[bool]) -> list[tuple[int, int]]:
    """The multiword tokens of a sentence.

    are_joined (Iterable[bool]): Of each word but the first, whether it is one token
        with the word before it.
    RETURNS (List[Tuple[int, int]]): As a `ContractionRule`."""
    tokens: list[tuple[int, int]] = []
    for number, is_joined in enumerate(are_joined, start=1):
        if is_joined:
            start = tokens.pop()[0] if tokens and tokens[-1][1] == number else number
            tokens.append((start, number + 1))
    return tokens


@dataclass(frozen=True, eq=False)
class Rule:
    """A regular expression with a name. Its examples are its tests.

    name (str): A name for the text that it finds.
    pattern (str): The regular expression.
    examples (Mapping[str, str]): Texts, each with its tokens divided by spaces. A rule
        for sentence starts has texts, each with the lines that begin a sentence,
        divided by line ends."""

    name: str
    pattern: str
    examples: Mapping[str, str]


Rules = tuple[Rule, ...]


@dataclass(frozen=True)
class TokenRules:
    """Rules that a tokenizer for text of the web adds to spaCy's for the language.

    whole (Rules): Runs without whitespace that are one token.
    joined (Rules): Parts of a text that are one token, whatever other rules divide.
    cuts (Rules): Parts of a text at whose ends tokens end, whatever other rules join.
    prefixes (Rules): Tokens before the rest of a run, which come before spaCy's.
    suffixes (Rules): Tokens after the rest of a run.
    infixes (Rules): Tokens, and places where tokens end, within a run.
    notes (Rules): Marks of notes and citations, at whose ends tokens end. A sentence
        is parsed as if it had none (`annotations/notes.py`).
    kept (FrozenSet[str]): Words that are one token with their full stop.
    divided (Mapping[str, Sequence[str]]): Words that are several tokens.
    dropped_words (FrozenSet[str]): spaCy's special cases that do not hold.
    dropped_suffixes (FrozenSet[str]): spaCy's suffixes that do not hold.
    abbreviations (FrozenSet[str]): Words with their full stop unless a capital
        follows; with a capital, always.
    units (FrozenSet[str]): Words with their full stop after a number, unless a capital
        follows.
    before_numbers (FrozenSet[str]): Words with their full stop before a number.
    before_letters (FrozenSet[str]): Words with their full stop before a letter.
    unmarked (Mapping[str, int]): Words that stand for two, and the length of the
        first.
    after_unmarked (FrozenSet[str]): Words before which they do."""

    whole: Rules = ()
    joined: Rules = ()
    cuts: Rules = ()
    prefixes: Rules = ()
    suffixes: Rules = ()
    infixes: Rules = ()
    notes: Rules = ()
    kept: Strings = frozenset()
    divided: Mapping[str, Sequence[str]] = field(default_factory=dict)
    dropped_words: Strings = frozenset()
    dropped_suffixes: Strings = frozenset()
    abbreviations: Strings = frozenset()
    units: Strings = frozenset()
    before_numbers: Strings = frozenset()
    before_letters: Strings = frozenset()
    unmarked: Mapping[str, int] = field(default_factory=dict)
    after_unmarked: Strings = frozenset()


@dataclass(frozen=True, eq=False)
class LineKind(Rule):
    """A rule for the beginning of a line that may begin a sentence.

    is_certain (bool): Whether no wrapped line of prose looks like it.
    ends_sentence (bool): Whether the line after it begins a sentence.
    is_dash (bool): Whether prose has the same mark between words."""

    is_certain: bool = False
    ends_sentence: bool = False
    is_dash: bool = False


@dataclass(frozen=True)
class LayoutRules:
    """Where a sentence begins by its line, and where none does.

    kinds (Tuple[LineKind, ...]): Lines that begin a sentence, the first that matches.
    quoted (Rule): The beginning of a line of quoted mail.
    salutation (Rule): A line after which a sentence begins.
    block (Rule): The text before a block of HTML, which begins a sentence.
    marker (Rule): The beginning of a line that belongs to the sentence after it.
    source (Rule): Who speaks, and when: a marker that a label may follow.
    label (Rule): The label of a speaker or a field.
    certain_labels (Rule): A label in capitals or of quoted mail, with the space after
        it.
    possible_labels (Rule): A label that is one where another line has one.
    closing (Rule): Marks at the end of a heading, as the first group.
    dash_in_prose (Rule): Tells that dashes at lines' beginnings are prose.
    clitic (Rule): A token that is the end of a word.
    address (Rule): An address.
    called (Rule): The words before a name that is called, which begins no sentence.
    before_addresses (FrozenSet[str]): Words after which an address begins no sentence.
    before_numbers (FrozenSet[str]): Words after which a number or a letter begins no
        sentence.
    joining (FrozenSet[str]): Words that begin a line that goes on.
    starting (FrozenSet[str]): Tokens that begin a sentence after the end of one."""

    kinds: tuple[LineKind, ...]
    quoted: Rule
    salutation: Rule
    block: Rule
    marker: Rule
    source: Rule
    label: Rule
    certain_labels: Rule
    possible_labels: Rule
    closing: Rule
    dash_in_prose: Rule
    clitic: Rule
    address: Rule
    called: Rule
    before_addresses: Strings
    before_numbers: Strings
    joining: Strings
    starting: Strings


@dataclass(frozen=True)
class NounChunks:
    """Which constituents are base noun phrases.

    phrases (FrozenSet[str]): Labels of noun phrases.
    prenominal (FrozenSet[str]): Labels of phrases that may stand before a noun.
    nominal (FrozenSet[str]): Labels of phrases that may end with the noun.
    nouns (FrozenSet[str]): UPOS of head nouns, and fine tags for words without UPOS.
    not_heads (FrozenSet[str]): Fine tags of words that are pronouns by their UPOS and
        head no noun phrase.
    possessive (FrozenSet[str]): The mark after a possessor: its fine tag, and its
        texts, lower case, for words without tags.
    numbers (FrozenSet[str]): UPOS and fine tags of numbers.
    separating (FrozenSet[str]): Fine tags of words between conjuncts."""

    phrases: Strings
    prenominal: Strings
    nominal: Strings
    nouns: Strings
    not_heads: Strings
    possessive: Strings
    numbers: Strings
    separating: Strings


@dataclass(frozen=True)
class Guidelines:
    """The words and labels of structures that the guidelines of a language's treebanks
    exclude; `pipeline/guidelines.py` has the rules.

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
    measures (FrozenSet[str]): Words that are no agents, lower case.
    greetings (FrozenSet[str]): Words of greetings and thanks before a name that is
        called, lower case.
    pronouns (Mapping[str, str]): Pronouns of one case, lower case, and its deprel."""

    preposition_tags: Strings = frozenset()
    prepositional_phrase: str = ""
    noun_phrase: str = ""
    phrases_of_prepositions: Strings = frozenset()
    verb_phrase: str = ""
    clauses_of_verbs: Strings = frozenset()
    parts_of_verb_phrases: Strings = frozenset()
    small_clause: str = ""
    small_predicates: Strings = frozenset()
    measures: Strings = frozenset()
    greetings: Strings = frozenset()
    pronouns: Mapping[str, str] = field(default_factory=dict)


class Structure(NamedTuple):
    """A structure of syntax that is counted in trees.

    name (str): Its name in the paper.
    meaning (str): Its name in plain words.
    pattern (str): A pattern of tgrep, for a tree below a node ROOT."""

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
    tokens (Optional[TokenRules]): For text of the web; None for marks alone.
    layout (Optional[LayoutRules]): Sentence starts that the text decides; None for
        none.
    note_labels (tuple[str, ...]): Labels of a mark of a note with its brackets, and of
        what stands between them; empty for a treebank without such constituents.
    read_as (Mapping[str, str]): Quotation marks that the treebank has not, and the mark
        that components read in their place.
    capitals (FrozenSet[str]): Words that are in capitals wherever they stand.
    noun_chunks (Optional[NounChunks]): None keeps spaCy's noun chunks.
    guidelines (Optional[Guidelines]): None leaves parses as the decoder finds them.
    clauses (Optional[ClauseWords]): Words and tags by which clauses and facts are read;
        None for a language whose facts are not read.
    auxiliary_rolesets (FrozenSet[str]): PropBank's rolesets of auxiliaries and modals,
        which have no roles.
    clause_labels (FrozenSet[str]): Labels of clauses.
    lemmas (Optional[LemmaRule]): The rule by which `lal_lemmas` corrects lemmas, a
        `lemma_table.LemmaTable` where a file of forms is enough; None for none.
    structures (Tuple[Structure, ...]): Structures that measures of syntactic complexity
        count; empty for a language without definitions.
    contractions (Optional[ContractionRule]): The rule by which CoNLL-U gets multiword
        tokens; None for none.
    label_families (Mapping[str, Sequence[str]]): Labels of constituents that share a
        colour, by the family's name."""

    code: str
    root_labels: Strings
    punctuation_tags: Container[str]
    mark_tags: Strings
    evalb_deleted: tuple[str, ...]
    evalb_equal: tuple[tuple[str, str], ...] = ()
    default_package: Optional[str] = None
    tokens: Optional[TokenRules] = None
    layout: Optional[LayoutRules] = None
    note_labels: tuple[str, ...] = ()
    read_as: Mapping[str, str] = field(default_factory=dict)
    capitals: Strings = frozenset()
    noun_chunks: Optional[NounChunks] = None
    guidelines: Optional[Guidelines] = None
    clauses: Optional[ClauseWords] = None
    auxiliary_rolesets: Strings = frozenset()
    clause_labels: Strings = frozenset()
    lemmas: Optional[LemmaRule] = None
    structures: tuple[Structure, ...] = ()
    contractions: Optional[ContractionRule] = None
    label_families: Mapping[str, Sequence[str]] = field(default_factory=dict)

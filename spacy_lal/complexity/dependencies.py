"""Measures of a sentence's heads, with deprels of Universal Dependencies. Punctuation
is no word, and has no place among the words."""

from typing import TYPE_CHECKING, List, NamedTuple, Optional, Sequence

if TYPE_CHECKING:
    from ..trees import Parse

PUNCT = "PUNCT"
NOUNS = frozenset({"NOUN", "PROPN"})
# Dependents that are one name or one compound with their head.
PARTS_OF_NAMES = frozenset({"compound", "flat", "fixed", "goeswith"})
MODIFIERS = frozenset({"acl", "amod", "appos", "compound", "nmod", "nummod"})
OF_VERBS = frozenset({"aux", "cop"})
FINITE = "VerbForm=Fin"


class HeadedWord(NamedTuple):
    """A word with its head.

    head (int): The place of its head in the sentence, from 0; its own for the root.
    deprel (str): Its deprel.
    pos (str): Its UPOS.
    morph (str): Its features.
    is_punct (bool): Whether it is punctuation.
    """

    head: int
    deprel: str
    pos: str
    morph: str
    is_punct: bool

    @property
    def relation(self) -> str:
        """The deprel without subtype."""
        return self.deprel.partition(":")[0]


Sentence = Sequence[HeadedWord]


def headed_words(sentence: "Parse") -> List[HeadedWord]:
    """The words of a sentence of CoNLL-U; a word without head is its own."""
    columns = zip(
        sentence.heads or (),
        sentence.deprels,
        sentence.pos,
        sentence.morphs,
        strict=True,
    )
    return [
        HeadedWord(head - 1 if head else i, deprel, pos, morph, pos == PUNCT)
        for i, (head, deprel, pos, morph) in enumerate(columns)
    ]


def mean_dependency_distance(words: Sentence) -> Optional[float]:
    """The mean number of words from a word to its head, |i - head(i)|, over all words
    but the root (Liu 2008, "Dependency distance as a metric of language comprehension
    difficulty"). At least 1; None for fewer than two words."""
    places = _places(words)
    distances = [
        abs(places[i] - places[word.head])
        for i, word in enumerate(words)
        if word.head != i and not word.is_punct and not words[word.head].is_punct
    ]
    return sum(distances) / len(distances) if distances else None


def words_before_main_verb(words: Sentence) -> Optional[int]:
    """How many words come before the main verb (SYNLE of Coh-Metrix, McNamara et al.
    2014): before the root, or its copula. None without a root."""
    roots = [i for i, word in enumerate(words) if word.head == i and not word.is_punct]
    if not roots:
        return None
    root = roots[0]
    copulas = [
        i
        for i, word in enumerate(words)
        if word.head == root and word.relation == "cop"
    ]
    return _places(words)[min([root, *copulas]) if copulas else root]


def modifiers_of_nouns(words: Sentence) -> Optional[float]:
    """The mean number of modifiers of a noun phrase (SYNNP of Coh-Metrix): dependents
    `acl`, `amod`, `appos`, `compound`, `nmod`, `nummod` of a noun or name that is no
    part of another. None without nouns."""
    nouns = {
        i
        for i, word in enumerate(words)
        if word.pos in NOUNS and word.relation not in PARTS_OF_NAMES
    }
    modifiers = [
        word for word in words if word.head in nouns and word.relation in MODIFIERS
    ]
    return len(modifiers) / len(nouns) if nouns else None


def count_passives(words: Sentence) -> int:
    """How many verbs have a passive subject or auxiliary (`nsubj:pass`, `csubj:pass`,
    `aux:pass`)."""
    return len({word.head for word in words if word.deprel.endswith(":pass")})


def count_finite_clauses(words: Sentence) -> int:
    """How many predicates are finite, or have a finite auxiliary or copula: they have
    `VerbForm=Fin`, or a mood without a `VerbForm`, as in Icelandic."""
    return len(
        {
            word.head if word.relation in OF_VERBS else i
            for i, word in enumerate(words)
            if _is_finite(word.morph)
        }
    )


def _is_finite(morph: str) -> bool:
    has_mood_alone = "Mood=" in morph and "VerbForm=" not in morph
    return has_mood_alone or FINITE in morph.split("|")


def _places(words: Sentence) -> List[int]:
    """The place of each word among the words without punctuation."""
    places = []
    n_words = 0
    for word in words:
        places.append(n_words)
        n_words += not word.is_punct
    return places

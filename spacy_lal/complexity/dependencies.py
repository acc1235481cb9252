"""Measures of a sentence's heads, with deprels of Universal Dependencies. Punctuation
is no word, and has no place among the words."""

from typing import Optional

from ..trees import Parse

NOUNS = frozenset({"NOUN", "PROPN"})
# Dependents that are one name or one compound with their head.
PARTS_OF_NAMES = frozenset("compound flat fixed goeswith".split())
MODIFIERS = frozenset("acl amod appos compound nmod nummod".split())
OF_VERBS = frozenset({"aux", "cop"})
FINITE = "VerbForm=Fin"


class HeadMeasures:
    """Measures of a sentence with heads; a word without head is a root.
    parse (Parse): With heads, deprels, parts of speech and features.
    are_marks (List[bool]): Of each word, whether it is punctuation."""

    def __init__(self, parse: Parse, are_marks: list[bool]) -> None:
        self.pos = parse.pos
        self.morphs = parse.morphs
        self.deprels = parse.deprels
        self.relations = [deprel.partition(":")[0] for deprel in parse.deprels]
        self.are_marks = are_marks
        # The place of each word's head; a root's own.
        self.heads = [
            head - 1 if head else i for i, head in enumerate(parse.heads or ())
        ]
        self.places: list[int] = []  # among the words without punctuation
        n_words = 0
        for is_mark in are_marks:
            self.places.append(n_words)
            n_words += not is_mark

    def mean_dependency_distance(self) -> Optional[float]:
        """The mean number of words from a word to its head, |i - head(i)|, over all
        words but the root (Liu 2008, "Dependency distance as a metric of language
        comprehension difficulty"). At least 1; None for fewer than two words."""
        distances = [
            abs(self.places[i] - self.places[head])
            for i, head in enumerate(self.heads)
            if head != i and not self.are_marks[i] and not self.are_marks[head]
        ]
        return sum(distances) / len(distances) if distances else None

    def words_before_main_verb(self) -> Optional[int]:
        """How many words come before the main verb (SYNLE of Coh-Metrix, McNamara et
        al. 2014): before the root, or its copula. None without a root."""
        for root, head in enumerate(self.heads):
            if head == root and not self.are_marks[root]:
                pairs = zip(self.heads, self.relations, strict=True)
                verbs = [i for i, pair in enumerate(pairs) if pair == (root, "cop")]
                return self.places[min([root, *verbs])]
        return None

    def modifiers_of_nouns(self) -> Optional[float]:
        """The mean number of modifiers of a noun phrase (SYNNP of Coh-Metrix):
        dependents `acl`, `amod`, `appos`, `compound`, `nmod`, `nummod` of a noun or
        name that is no part of another. None without nouns."""
        nouns = {
            i
            for i, relation in enumerate(self.relations)
            if self.pos[i] in NOUNS and relation not in PARTS_OF_NAMES
        }
        modified = [
            head
            for head, relation in zip(self.heads, self.relations, strict=True)
            if head in nouns and relation in MODIFIERS
        ]
        return len(modified) / len(nouns) if nouns else None

    def count_passives(self) -> int:
        """How many verbs have a passive subject or auxiliary (`nsubj:pass`,
        `csubj:pass`, `aux:pass`)."""
        pairs = zip(self.heads, self.deprels, strict=True)
        return len({head for head, deprel in pairs if deprel.endswith(":pass")})

    def count_finite_clauses(self) -> Optional[int]:
        """How many predicates are finite, or have a finite auxiliary or copula: they
        have `VerbForm=Fin`, or a mood without a `VerbForm`, as in Icelandic. None
        without features."""
        if not any(self.morphs):
            return None
        predicates = set()
        for i, morph in enumerate(self.morphs):
            has_mood_alone = "Mood=" in morph and "VerbForm=" not in morph
            if has_mood_alone or FINITE in morph.split("|"):
                is_auxiliary = self.relations[i] in OF_VERBS
                predicates.add(self.heads[i] if is_auxiliary else i)
        return len(predicates)

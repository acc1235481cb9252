"""The words and tags by which a language's clauses and facts are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

ASSERTED = "asserted"
NEGATED = "negated"
HYPOTHETICAL = "hypothetical"
REPORTED = "reported"
POSITIVE = "+"
NEGATIVE = "-"
FACT = "fact"
FUTURE = "future"
OPEN = "open"


class Signature(NamedTuple):
    """What a word says of its complement, where the word is affirmed and where it is
    denied: that it is so ("+"), that it is not ("-"), that it will be ("future"), or
    nothing ("open"; Karttunen 1971, "Implicative verbs"); whether its subject says
    it."""

    affirmed: str
    denied: str
    is_said: bool = False


@dataclass(frozen=True)
class ClauseWords:
    """The words, lower case or lemmas, that clauses and facts are read by, and the fine
    tags, which come first.

    finite (FrozenSet[str]): Of finite verbs, modals included; `verbal`: of all verbs,
        for words without UPOS.
    base, participle, gerund (str): Of infinitives, passive and active participles.
    modal, past (str): Of modals, and of verbs in the past tense.
    superlative (FrozenSet[str]): Of superlatives.
    relative (FrozenSet[str]): Of relative pronouns.
    prepositions (FrozenSet[str]): Of prepositions, conjunctions, and "to".
    present (FrozenSet[str]): Of verbs in the present tense and infinitives.
    asking (FrozenSet[str]): Of words such as "who" and "where".
    relative_determiner (str): Of "which".
    currency, hyphen (str): Of "$", of a hyphen between words.
    comma, semicolon, question (str): The marks themselves; brackets (FrozenSet[str]).
    opening, closing (FrozenSet[str]): Of marks that belong to the words after them,
        and to the words before them.
    silent (FrozenSet[str]): Of marks that are no part of a fact.
    places, times (FrozenSet[str]): Labels of entities.
    auxiliary_verbs: Verbs that only help the next one.
    auxiliary_gerunds: Verbs that help the next one only as a gerund: "going to leave".
    subject_control: Verbs that lend their subject to an infinitive after an object:
        "promised him to leave".
    intransitive: Verbs without an object.
    motion: Verbs of motion; `directions`: Prepositions of their goals.
    idle: Nouns that nobody owns: "sake".
    saying: Verbs of saying and thinking; `writers`: Pronouns of the writer: "I".
    of_infinitives (Mapping[str, Signature]): Verbs and adjectives before an infinitive.
    of_past (Mapping[str, Signature]): Auxiliary verbs in the past: "had to".
    of_participles (Mapping[str, Signature]): Verbs before a bare participle.
    of_clauses (Mapping[str, Signature]): Verbs, adjectives and nouns before a finite
        clause.
    of_gerunds (Mapping[str, Signature]): Verbs before a preposition and a participle,
        whose subject is their object: "accused him of stealing".
    of_things (Mapping[str, Signature]): Verbs whose object need not be: "wants a car
        that has a roof", "prevented an attack on the town".
    infinitive: The word before an infinitive: "to".
    complementing: Prepositions before such participles; `wished`: Prepositions after
        which the participle may not be so: "dreams of owning a car".
    inclusive: Adjectives after which the noun is the subject of an infinitive.
    means: Prepositions before a participle that says by what something is done.
    moments: Nouns of times, which own nothing.
    future, ability: Modals of what will be, and of what "not" denies: "can't".
    soon, coming: Words of times to come: "tomorrow", "next" of "next year".
    negations: Words that deny; `denied`: "nobody", "nothing".
    denying (Mapping[str, FrozenSet[str]]): Words that deny the word above them, by
        their deprel.
    concerned: Prepositions of whom it concerns: "to nobody".
    others: Words for further things: "etc.".
    limiting: Words after "not" that do not deny: "not only".
    adversative: Conjunctions that end a denial.
    disjunctive: Conjunctions between alternatives: "or".
    replacing: Words before a thing or a clause that was not: "instead of";
        `substituting`: Replacing words before a noun below another.
    conditional: Words, or pairs of words, before a clause that may not hold.
    loose: Conditional words that leave the clause above as it is: "as if", "lest".
    reporting, doubting: Adverbs of hearsay ("reportedly") and of doubt ("perhaps").
    sources: The first words of "according to"; a preposition with a noun whose
        contents are not facts: "in novel".
    correlatives: First words of "both ... and".
    adverbial_nouns: Nouns that are no object of their relative clause.
    indefinite: Determiners of things that are new; `amounts`: Words that "not" and "no"
        deny with their phrase.
    factual: Conjunctions before clauses that hold.
    determiners, joining: For `simplify`: determiners of known things, and conjunctions
        that join equals.
    copula, possession, denial (str): Lemmas for the label of a relation that the text
        does not name. `owning`: The relation of a triple of a possessive.
    confidence (Mapping[str, float]): Weights of a logistic regression that predicts
        whether people agree with a triple: "bias", kinds of relations, and deprels of
        the clause."""

    finite: frozenset[str]
    verbal: frozenset[str]
    base: str
    participle: str
    gerund: str
    modal: str
    past: str
    superlative: frozenset[str]
    relative: frozenset[str]
    prepositions: frozenset[str]
    present: frozenset[str]
    asking: frozenset[str]
    relative_determiner: str
    currency: str
    hyphen: str
    comma: str
    semicolon: str
    question: str
    brackets: frozenset[str]
    opening: frozenset[str]
    closing: frozenset[str]
    silent: frozenset[str]
    places: frozenset[str]
    times: frozenset[str]
    auxiliary_verbs: frozenset[str]
    auxiliary_gerunds: frozenset[str]
    subject_control: frozenset[str]
    intransitive: frozenset[str]
    motion: frozenset[str]
    directions: frozenset[str]
    idle: frozenset[str]
    saying: frozenset[str]
    writers: frozenset[str]
    of_infinitives: Mapping[str, Signature]
    of_past: Mapping[str, Signature]
    of_participles: Mapping[str, Signature]
    of_clauses: Mapping[str, Signature]
    of_gerunds: Mapping[str, Signature]
    of_things: Mapping[str, Signature]
    infinitive: frozenset[str]
    complementing: frozenset[str]
    wished: frozenset[str]
    inclusive: frozenset[str]
    means: frozenset[str]
    moments: frozenset[str]
    future: frozenset[str]
    ability: frozenset[str]
    soon: frozenset[str]
    coming: frozenset[str]
    denying: Mapping[str, frozenset[str]]
    concerned: frozenset[str]
    others: frozenset[str]
    negations: frozenset[str]
    denied: frozenset[str]
    limiting: frozenset[str]
    adversative: frozenset[str]
    disjunctive: frozenset[str]
    replacing: frozenset[str]
    substituting: frozenset[str]
    conditional: frozenset[str]
    loose: frozenset[str]
    reporting: frozenset[str]
    doubting: frozenset[str]
    sources: frozenset[str]
    correlatives: frozenset[str]
    adverbial_nouns: frozenset[str]
    indefinite: frozenset[str]
    amounts: frozenset[str]
    determiners: frozenset[str]
    joining: frozenset[str]
    factual: frozenset[str]
    copula: str
    possession: str
    denial: str
    owning: str
    confidence: Mapping[str, float]

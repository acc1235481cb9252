"""Words of English by which clauses and facts are read; verbs and nouns by lemma.
The record that clauses and facts read stands at the end."""

from typing import FrozenSet

from ..clause_words import ClauseTags, ClauseWords
from . import signatures, words
from .treebank import PLACES, PREPOSITION_TAGS, RELATIVE_TAGS, TIMES


def _words(text: str) -> FrozenSet[str]:
    return frozenset(text.split())


# Adverbs that deny the verb: "almost fell".
NEAR = _words(
    """
    almost
    nearly
    """
)

# Conjunctions that end a denial: "not by Anna but by Tom".
ADVERSATIVE = _words(
    """
    but
    """
)

# Words before a noun that was not: "tanks instead of tractors".
SUBSTITUTING = _words(
    """
    instead
    rather
    """
)

# Words before a clause that was not: "instead of", "without paying".
REPLACING = _words(
    """
    instead
    lest
    rather
    without
    """
)

# Words, or words one after the other, before a clause that may not hold.
CONDITIONAL = frozenset(
    {
        "as though",
        "in case",
        "long as",
    }
) | frozenset(
    """
    assuming
    if
    lest
    like
    provided
    providing
    suppose
    supposing
    unless
    whether
    """.split()
)

# Things whose contents are not facts: "in the novel".
FICTIONS = _words(
    """
    account
    cartoon
    comic
    drama
    dream
    epic
    fable
    fantasy
    fiction
    film
    folklore
    imagination
    legend
    movie
    myth
    mythology
    nightmare
    novel
    opera
    opinion
    play
    poem
    saga
    sitcom
    story
    tale
    view
    """
)

# First words of "according to", and a preposition before a fiction.
SOURCES = frozenset(["according", "per"]) | {f"in {noun}" for noun in FICTIONS}

# Words that deny the word above them, by their deprel.
DENYING = {
    **dict.fromkeys(["cc", "cc:preconj", "det"], words.NEGATIONS | SUBSTITUTING),
    "case": words.NEGATIONS | SUBSTITUTING | ADVERSATIVE,
    "advmod": words.NEGATIONS | NEAR,
    "mark": REPLACING,
}

# How far people agree with a triple: weights of a logistic regression on precision by
# CaRB's measure, fitted on the first half of its development file. A kind of relation,
# a deprel of its clause, a further phrase ("adjunct"), a predicate noun's subject
# ("inherited"). Lengths of sentence and object order triples no better.
CONFIDENCE = {
    "bias": 0.84,
    "adjunct": -1.2,
    "inherited": -0.2,
    "possessive": -2.49,
    "apposition": -0.98,
    "copula": -0.69,
    "acl": -1.03,
    "acl:relcl": -0.54,
    "advcl": -0.83,
}

CLAUSES = ClauseWords(
    tags=ClauseTags(
        verbal=("VB", "MD"),
        finite=("VBD", "VBZ", "VBP", "MD"),
        base="VB",
        participle="VBN",
        gerund="VBG",
        modal="MD",
        superlative=_words("JJS RBS"),
        relative=RELATIVE_TAGS,
        prepositions=PREPOSITION_TAGS,
        present=_words("VBZ VBP"),
        asking=RELATIVE_TAGS | {"WRB"},
        relative_determiner="WDT",
        currency="$",
        hyphen="HYPH",
        comma=",",
        semicolon=";",
        question="?",
        brackets=frozenset("([{"),
        opening=_words("$ `` -LRB-"),
        closing=_words("'' -RRB-"),
        silent=_words("`` '' -LRB- -RRB- ."),
    ),
    places=frozenset(PLACES),
    times=frozenset(TIMES),
    auxiliary_verbs=words.AUXILIARY_VERBS,
    auxiliary_gerunds=_words("go"),
    subject_control=words.SUBJECT_CONTROL,
    intransitive=words.INTRANSITIVE,
    motion=words.MOTION,
    # Prepositions of goals.
    directions=_words(
        """
        between
        into
        onto
        to
        toward
        towards
        """
    ),
    idle=_words("sake behalf"),
    saying=words.SAYING,
    of_infinitives=signatures.OF_INFINITIVES,
    of_past=signatures.OF_PAST,
    of_participles=signatures.OF_PARTICIPLES,
    of_clauses=signatures.OF_CLAUSES,
    of_gerunds=signatures.OF_GERUNDS,
    of_things=signatures.OF_THINGS,
    # Prepositions before a participle that a verb or adjective asks for.
    complementing=_words(
        """
        about
        at
        for
        from
        in
        of
        on
        to
        with
        """
    ),
    # Prepositions after which the participle may not be so: "dreams of owning a car".
    wished=_words(
        """
        about
        of
        to
        """
    ),
    # Adjectives after which the noun is the subject of the infinitive: "the first woman to
    # win".
    inclusive=_words(
        """
        eighth
        fifth
        first
        fourth
        last
        next
        ninth
        only
        second
        seventh
        sixth
        sole
        tenth
        third
        """
    ),
    means=_words("by"),
    # Nouns of times, which own nothing: "yesterday's workshop".
    moments=_words(
        """
        afternoon
        april
        august
        autumn
        century
        day
        decade
        december
        evening
        fall
        february
        friday
        hour
        january
        july
        june
        march
        may
        minute
        monday
        month
        morning
        night
        november
        october
        quarter
        saturday
        season
        second
        semester
        september
        spring
        summer
        sunday
        thursday
        today
        tomorrow
        tonight
        tuesday
        wednesday
        week
        weekend
        winter
        year
        yesterday
        """
    ),
    future=_words("will shall 'll ’ll wo sha"),
    ability=_words("can ca could"),
    soon=_words("tomorrow tonight soon shortly"),
    coming=_words("next coming in"),
    denying=DENYING,
    concerned=_words("to by from at of"),
    others=_words("al. al etc. etc"),
    negations=words.NEGATIONS,
    # Pronouns that deny: "nobody", "nothing".
    denied=_words(
        """
        neither
        no
        no-one
        nobody
        none
        nothing
        """
    ),
    # Words after "not" that do not deny: "not only".
    limiting=_words(
        """
        just
        merely
        only
        simply
        solely
        """
    ),
    adversative=ADVERSATIVE,
    disjunctive=_words("or"),
    replacing=REPLACING,
    substituting=SUBSTITUTING,
    conditional=CONDITIONAL,
    # Conditional words that leave the clause above as it is: "as if", "lest".
    loose=_words(
        """
        as
        even
        lest
        like
        whether
        """
    ),
    # Adverbs of hearsay.
    reporting=_words(
        """
        allegedly
        apparently
        purportedly
        reportedly
        supposedly
        """
    ),
    # Adverbs of doubt.
    doubting=_words(
        """
        maybe
        perhaps
        possibly
        presumably
        probably
        """
    ),
    sources=SOURCES,
    # First words of pairs: "both Anna and Tom".
    correlatives=_words(
        """
        also
        both
        either
        neither
        """
    ),
    adverbial_nouns=words.ADVERBIAL_NOUNS,
    # Determiners and pronouns of things that are new or asked for.
    indefinite=_words(
        """
        a
        an
        any
        anybody
        anyone
        anything
        somebody
        someone
        something
        what
        which
        """
    ),
    # Words that "not" and "no" deny with their phrase: "not all students", "no longer",
    # "at no time".
    amounts=_words(
        """
        account
        all
        always
        any
        circumstances
        every
        everybody
        everyone
        everything
        longer
        many
        means
        more
        much
        necessarily
        time
        way
        """
    ),
    determiners=words.DETERMINERS,
    joining=words.JOINING,
    factual=words.FACTUAL,
    copula="be",
    possession="have",
    denial="not",
    owning="has",
    confidence=CONFIDENCE,
)

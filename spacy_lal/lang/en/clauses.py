"""Words of English by which clauses and facts are read; verbs and nouns by lemma.
The record that clauses and facts read stands at the end."""

from ..clause_words import ClauseTags, ClauseWords
from . import signatures, words
from .treebank import PLACES, PREPOSITION_TAGS, RELATIVE_TAGS, TIMES

# Prepositions of goals.
DIRECTIONS = frozenset(
    """
    between
    into
    onto
    to
    toward
    towards
    """.split()
)

# Prepositions before a participle that a verb or adjective asks for.
COMPLEMENTING = frozenset(
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
    """.split()
)

# Prepositions after which the participle may not be so: "dreams of owning a car".
WISHED = frozenset(
    """
    about
    of
    to
    """.split()
)

# Determiners and pronouns of things that are new or asked for.
INDEFINITE = frozenset(
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
    """.split()
)

# Words that "not" and "no" deny with their phrase: "not all students", "no longer",
# "at no time".
AMOUNTS = frozenset(
    """
    account
    all
    any
    circumstances
    every
    longer
    many
    means
    more
    much
    time
    way
    """.split()
)

# Adjectives after which the noun is the subject of the infinitive: "the first woman to
# win".
INCLUSIVE = frozenset(
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
    """.split()
)

# Nouns of times, which own nothing: "yesterday's workshop".
MOMENTS = frozenset(
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
    """.split()
)

# Pronouns that deny: "nobody", "nothing".
DENIED = frozenset(
    """
    neither
    no
    no-one
    nobody
    none
    nothing
    """.split()
)

# Adverbs that deny the verb: "almost fell".
NEAR = frozenset(
    """
    almost
    nearly
    """.split()
)

# Words after "not" that do not deny: "not only".
LIMITING = frozenset(
    """
    just
    merely
    only
    simply
    solely
    """.split()
)

# Conjunctions that end a denial: "not by Anna but by Tom".
ADVERSATIVE = frozenset(
    """
    but
    """.split()
)

# Words before a noun that was not: "tanks instead of tractors".
SUBSTITUTING = frozenset(
    """
    instead
    rather
    """.split()
)

# Words before a clause that was not: "instead of", "without paying".
REPLACING = frozenset(
    """
    instead
    lest
    rather
    without
    """.split()
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

# Conditional words that leave the clause above as it is: "as if", "lest".
LOOSE = frozenset(
    """
    as
    even
    lest
    like
    whether
    """.split()
)

# Adverbs of hearsay.
REPORTING = frozenset(
    """
    allegedly
    apparently
    purportedly
    reportedly
    supposedly
    """.split()
)

# Adverbs of doubt.
DOUBTING = frozenset(
    """
    maybe
    perhaps
    possibly
    presumably
    probably
    """.split()
)

# Things whose contents are not facts: "in the novel".
FICTIONS = frozenset(
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
    """.split()
)

# First words of "according to", and a preposition before a fiction.
SOURCES = frozenset(["according", "per"]) | {f"in {noun}" for noun in FICTIONS}

# First words of pairs: "both Anna and Tom".
CORRELATIVES = frozenset(
    """
    also
    both
    either
    neither
    """.split()
)

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
        superlative=frozenset({"JJS", "RBS"}),
        relative=RELATIVE_TAGS,
        relative_adverb="WRB",
        prepositions=PREPOSITION_TAGS,
        present=frozenset({"VBZ", "VBP"}),
        asking=RELATIVE_TAGS | {"WRB"},
        relative_determiner="WDT",
        currency="$",
        hyphen="HYPH",
        comma=",",
        semicolon=";",
        question="?",
        brackets=frozenset("([{"),
        opening=frozenset({"$", "``", "-LRB-"}),
        closing=frozenset({"''", "-RRB-"}),
        silent=frozenset({"``", "''", "-LRB-", "-RRB-", "."}),
    ),
    places=frozenset(PLACES),
    times=frozenset(TIMES),
    auxiliary_verbs=words.AUXILIARY_VERBS,
    auxiliary_gerunds=frozenset({"go"}),
    subject_control=words.SUBJECT_CONTROL,
    intransitive=words.INTRANSITIVE,
    motion=words.MOTION,
    directions=DIRECTIONS,
    idle=frozenset({"sake", "behalf"}),
    saying=words.SAYING,
    of_infinitives=signatures.OF_INFINITIVES,
    of_past=signatures.OF_PAST,
    of_participles=signatures.OF_PARTICIPLES,
    of_clauses=signatures.OF_CLAUSES,
    of_gerunds=signatures.OF_GERUNDS,
    of_things=signatures.OF_THINGS,
    complementing=COMPLEMENTING,
    wished=WISHED,
    inclusive=INCLUSIVE,
    means=frozenset({"by"}),
    moments=MOMENTS,
    future=frozenset({"will", "shall", "'ll", "’ll", "wo", "sha"}),
    ability=frozenset({"can", "ca", "could"}),
    soon=frozenset({"tomorrow", "tonight", "soon", "shortly"}),
    coming=frozenset({"next", "coming", "in"}),
    denying=DENYING,
    concerned=frozenset({"to", "by", "from", "at", "of"}),
    others=frozenset({"al.", "al", "etc.", "etc"}),
    negations=words.NEGATIONS,
    denied=DENIED,
    near=NEAR,
    limiting=LIMITING,
    adversative=ADVERSATIVE,
    disjunctive=frozenset({"or"}),
    replacing=REPLACING,
    substituting=SUBSTITUTING,
    conditional=CONDITIONAL,
    loose=LOOSE,
    reporting=REPORTING,
    doubting=DOUBTING,
    sources=SOURCES,
    correlatives=CORRELATIVES,
    adverbial_nouns=words.ADVERBIAL_NOUNS,
    indefinite=INDEFINITE,
    amounts=AMOUNTS,
    determiners=words.DETERMINERS,
    joining=words.JOINING,
    factual=words.FACTUAL,
    pronoun="I",
    copula="be",
    possession="have",
    denial="not",
    owning="has",
    confidence=CONFIDENCE,
)

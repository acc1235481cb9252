"""Words of English that say whether a clause is a fact, by subject; verbs and nouns by
lemma. The record of all that clauses and facts ask for stands at the end."""

from ..clause_words import (
    ASSERTED,
    HYPOTHETICAL,
    NEGATED,
    REPORTED,
    ClauseLabels,
    ClauseTags,
    ClauseWords,
    Signature,
)
from . import words
from .structures import CLAUSE_LABELS
from .treebank import PLACES, PREPOSITION_TAGS, RELATIVE_TAGS, TIMES

# Verbs of motion: their goal is no object ("ran to the bus").
MOTION = frozenset(
    """
    arrive
    climb
    come
    cycle
    depart
    dive
    drive
    emigrate
    escape
    fall
    flee
    fly
    go
    head
    hike
    hurry
    jog
    jump
    leap
    march
    migrate
    move
    proceed
    race
    relocate
    retire
    retreat
    return
    ride
    roll
    run
    rush
    sail
    ski
    slide
    step
    swim
    travel
    turn
    walk
    wander
    """.split()
)

# Prepositions of goals.
DIRECTIONS = frozenset(
    """
    into
    onto
    to
    toward
    towards
    """.split()
)

# Verbs of wishing and planning: what follows is not said to be so.
WISHING = frozenset(
    """
    aim
    ask
    beg
    choose
    dare
    demand
    desire
    doubt
    expect
    fear
    forbid
    hope
    imagine
    insist
    intend
    order
    plan
    pray
    prefer
    pretend
    propose
    recommend
    request
    require
    suggest
    urge
    vote
    want
    wish
    wonder
    worry
    """.split()
)

# Verbs whose finite clause holds, whether they are denied or not.
FACTIVE = frozenset(
    """
    acknowledge
    appreciate
    forget
    know
    notice
    realise
    realize
    recognise
    recognize
    regret
    remember
    resent
    understand
    """.split()
)

# Verbs whose finite clause holds where they are not denied.
SHOWING = frozenset(
    """
    confirm
    demonstrate
    detect
    discover
    ensure
    find
    learn
    mean
    prove
    reveal
    see
    show
    """.split()
)

# Verbs whose finite clause is denied.
DENYING = frozenset(
    """
    contest
    deny
    disbelieve
    disprove
    dispute
    negate
    rebut
    refute
    reject
    """.split()
)

# Verbs that keep somebody from something: "barred him from entering".
PREVENTING = frozenset(
    """
    absolve
    acquit
    ban
    bar
    block
    clear
    deter
    discourage
    disqualify
    dissuade
    exclude
    exonerate
    far
    hinder
    keep
    preclude
    prevent
    prohibit
    protect
    restrain
    save
    stop
    """.split()
)

# Verbs that say what somebody is said to have done: "accused him of stealing".
CHARGING = frozenset(
    """
    accuse
    arrest
    blame
    charge
    convict
    detain
    fine
    indict
    investigate
    jail
    sentence
    sue
    suspect
    try
    """.split()
)

# Verbs that say what somebody did: "thanked him for helping".
JUDGING = frozenset(
    """
    aware
    congratulate
    criticise
    criticize
    forgive
    guilty
    praise
    proud
    punish
    reward
    sick
    thank
    tired
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
    with
    """.split()
)

# Those of them before what may not be so: "dreams of owning a car".
WISHED = frozenset(
    """
    about
    of
    """.split()
)

# Determiners of things that are new.
INDEFINITE = frozenset(
    """
    a
    an
    any
    """.split()
)

# Words that "not" and "no" deny with their phrase: "not all students", "no longer".
AMOUNTS = frozenset(
    """
    all
    any
    every
    longer
    many
    more
    much
    """.split()
)

# Nouns whose clause holds: "the fact that".
FACTIVE_NOUNS = frozenset(
    """
    evidence
    fact
    knowledge
    proof
    realisation
    realization
    truth
    """.split()
)

# Adjectives after which the noun does what the infinitive says: "the first woman to
# win".
INCLUSIVE = frozenset(
    """
    eighth
    fifth
    first
    fourth
    last
    latest
    next
    ninth
    oldest
    only
    second
    seventh
    sixth
    sole
    tenth
    third
    youngest
    """.split()
)

# Words for nobody and nothing.
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

# Adverbs of what was not.
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

# Words before what was not: "instead of", "rather than", "without paying".
REPLACING = frozenset(
    """
    instead
    lest
    rather
    than
    without
    """.split()
)

# Words, or words one after the other, before a clause that may not hold.
CONDITIONAL = frozenset(
    {
        "as though",
        "in case",
    }
) | frozenset(
    """
    assuming
    if
    lest
    provided
    providing
    suppose
    supposing
    unless
    whether
    """.split()
)

# Adverbs of somebody else's word.
REPORTING = frozenset(
    """
    allegedly
    apparently
    purportedly
    reportedly
    supposedly
    """.split()
)

# Adverbs of what may be.
DOUBTING = frozenset(
    """
    maybe
    perhaps
    possibly
    presumably
    probably
    """.split()
)

# First words of "according to".
SOURCES = frozenset(
    """
    according
    """.split()
)

# First words of pairs: "both Anna and Tom".
CORRELATIVES = frozenset(
    """
    also
    both
    either
    neither
    """.split()
)

# Words before a clause that is an argument.
COMPLEMENTIZERS = frozenset(
    """
    that
    whether
    """.split()
)

# Verbs and adjectives that say whether what follows happened (Karttunen 1971).
IMPLICATIVE = {
    "able": Signature(HYPOTHETICAL, NEGATED),
    "allow": Signature(HYPOTHETICAL, NEGATED),
    "avoid": Signature(NEGATED, HYPOTHETICAL),
    "ban": Signature(NEGATED, HYPOTHETICAL),
    "bar": Signature(NEGATED, HYPOTHETICAL),
    "begin": Signature(ASSERTED, NEGATED),
    "bother": Signature(ASSERTED, NEGATED),
    "cause": Signature(ASSERTED, HYPOTHETICAL),
    "cease": Signature(NEGATED, HYPOTHETICAL),
    "clear": Signature(ASSERTED, HYPOTHETICAL),
    "come": Signature(ASSERTED, NEGATED),
    "compel": Signature(ASSERTED, HYPOTHETICAL),
    "condescend": Signature(ASSERTED, NEGATED),
    "continue": Signature(ASSERTED, NEGATED),
    "dare": Signature(ASSERTED, NEGATED),
    "decline": Signature(NEGATED, HYPOTHETICAL),
    "deign": Signature(ASSERTED, NEGATED),
    "deny": Signature(NEGATED, HYPOTHETICAL),
    "disallow": Signature(NEGATED, HYPOTHETICAL),
    "dissuade": Signature(NEGATED, HYPOTHETICAL),
    "doubtful": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "drive": Signature(ASSERTED, HYPOTHETICAL),
    "enable": Signature(HYPOTHETICAL, NEGATED),
    "evident": Signature(ASSERTED, HYPOTHETICAL),
    "fail": Signature(NEGATED, ASSERTED),
    "false": Signature(NEGATED, ASSERTED),
    "forbid": Signature(NEGATED, HYPOTHETICAL),
    "force": Signature(ASSERTED, HYPOTHETICAL),
    "forget": Signature(NEGATED, ASSERTED),
    "get": Signature(ASSERTED, NEGATED),
    "glad": Signature(ASSERTED, ASSERTED),
    "go": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "gon": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "got": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "happen": Signature(ASSERTED, NEGATED),
    "happy": Signature(ASSERTED, ASSERTED),
    "have": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "help": Signature(ASSERTED, HYPOTHETICAL),
    "hesitate": Signature(HYPOTHETICAL, ASSERTED),
    "hinder": Signature(NEGATED, HYPOTHETICAL),
    "impossible": Signature(NEGATED, HYPOTHETICAL),
    "lead": Signature(ASSERTED, HYPOTHETICAL),
    "likely": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "lucky": Signature(ASSERTED, ASSERTED),
    "make": Signature(ASSERTED, HYPOTHETICAL),
    "manage": Signature(ASSERTED, NEGATED),
    "neglect": Signature(NEGATED, ASSERTED),
    "obvious": Signature(ASSERTED, HYPOTHETICAL),
    "odd": Signature(ASSERTED, ASSERTED),
    "omit": Signature(NEGATED, ASSERTED),
    "permit": Signature(HYPOTHETICAL, NEGATED),
    "possible": Signature(HYPOTHETICAL, NEGATED),
    "preclude": Signature(NEGATED, HYPOTHETICAL),
    "prevent": Signature(NEGATED, HYPOTHETICAL),
    "probable": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "proceed": Signature(ASSERTED, NEGATED),
    "prohibit": Signature(NEGATED, HYPOTHETICAL),
    "proud": Signature(ASSERTED, ASSERTED),
    "quit": Signature(NEGATED, HYPOTHETICAL),
    "refrain": Signature(NEGATED, ASSERTED),
    "refuse": Signature(NEGATED, HYPOTHETICAL),
    "remember": Signature(ASSERTED, NEGATED),
    "resist": Signature(NEGATED, HYPOTHETICAL),
    "sad": Signature(ASSERTED, ASSERTED),
    "sorry": Signature(ASSERTED, ASSERTED),
    "start": Signature(ASSERTED, NEGATED),
    "stop": Signature(NEGATED, HYPOTHETICAL),
    "strange": Signature(ASSERTED, ASSERTED),
    "succeed": Signature(ASSERTED, NEGATED),
    "surprised": Signature(ASSERTED, ASSERTED),
    "surprising": Signature(ASSERTED, ASSERTED),
    "tragic": Signature(ASSERTED, ASSERTED),
    "true": Signature(ASSERTED, NEGATED),
    "turn": Signature(ASSERTED, NEGATED),
    "unable": Signature(NEGATED, HYPOTHETICAL),
    "uncertain": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "unclear": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "unlikely": Signature(HYPOTHETICAL, HYPOTHETICAL),
    "untrue": Signature(NEGATED, ASSERTED),
    "unwilling": Signature(NEGATED, HYPOTHETICAL),
    "use": Signature(ASSERTED, NEGATED),
}

# The same of verbs before a finite clause.
OF_CLAUSES = {
    **IMPLICATIVE,
    **dict.fromkeys(words.SAYING, Signature(REPORTED, HYPOTHETICAL)),
    **dict.fromkeys(SHOWING, Signature(ASSERTED, HYPOTHETICAL)),
    **dict.fromkeys(WISHING, Signature(HYPOTHETICAL, HYPOTHETICAL)),
    **dict.fromkeys(FACTIVE, Signature(ASSERTED, ASSERTED)),
    **dict.fromkeys(DENYING, Signature(NEGATED, HYPOTHETICAL)),
}

# The same of verbs before a preposition and a participle.
OF_GERUNDS = {
    **IMPLICATIVE,
    **dict.fromkeys(PREVENTING, Signature(NEGATED, HYPOTHETICAL)),
    **dict.fromkeys(CHARGING, Signature(REPORTED, HYPOTHETICAL)),
    **dict.fromkeys(JUDGING, Signature(ASSERTED, ASSERTED)),
}

# How far people agree with a triple: weights of a logistic regression on precision by
# CaRB's measure, fitted on the first half of its development file. A kind of relation,
# a deprel of its clause. Lengths of sentence and object order triples no better.
CONFIDENCE = {
    "bias": 0.84,
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
        relative=RELATIVE_TAGS,
        relative_adverb="WRB",
        prepositions=PREPOSITION_TAGS,
        currency="$",
        hyphen="HYPH",
        comma=",",
        opening=frozenset({"$", "``", "-LRB-"}),
        closing=frozenset({"''", "-RRB-"}),
    ),
    labels=ClauseLabels(
        clauses=CLAUSE_LABELS,
        marked=frozenset({"SBAR", "SBARQ"}),
        verb_phrase="VP",
        noun_phrase="NP",
        prepositional_phrase="PP",
        predicates=frozenset({"VP", "ADJP"}),
        conjunction="CC",
    ),
    places=frozenset(PLACES),
    times=frozenset(TIMES),
    auxiliary_verbs=words.AUXILIARY_VERBS,
    auxiliary_gerunds=frozenset({"go"}),
    subject_control=words.SUBJECT_CONTROL,
    intransitive=words.INTRANSITIVE,
    motion=MOTION,
    directions=DIRECTIONS,
    saying=words.SAYING,
    implicative={
        **dict.fromkeys(DENYING, Signature(NEGATED, HYPOTHETICAL)),
        **IMPLICATIVE,
    },
    of_clauses=OF_CLAUSES,
    of_gerunds=OF_GERUNDS,
    complementing=COMPLEMENTING,
    wished=WISHED,
    factive_nouns=FACTIVE_NOUNS,
    inclusive=INCLUSIVE,
    negations=words.NEGATIONS,
    denied=DENIED,
    near=NEAR,
    limiting=LIMITING,
    adversative=ADVERSATIVE,
    disjunctive=frozenset({"or"}),
    replacing=REPLACING,
    substituting=SUBSTITUTING,
    conditional=CONDITIONAL,
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
    complementizers=COMPLEMENTIZERS,
    temporal=frozenset({"when"}),
    copula="be",
    possession="have",
    denial="not",
    owning="has",
    confidence=CONFIDENCE,
)

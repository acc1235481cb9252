"""Verbs and adjectives of English by their signature, the factuality of their
complement; all are lemmas."""

from ..clause_words import ASSERTED, HYPOTHETICAL, NEGATED, REPORTED, Signature
from . import words

# Factuality of a complement, if the verb is affirmed, and if it is denied.
ENTAILED = Signature(ASSERTED, NEGATED)  # "managed to"
SHOWN = Signature(ASSERTED, HYPOTHETICAL)  # "showed that"
PRESUPPOSED = Signature(ASSERTED, ASSERTED)  # "regretted that"
FAILED = Signature(NEGATED, ASSERTED)  # "failed to"
DENIED = Signature(NEGATED, HYPOTHETICAL)  # "refused to"
ENABLED = Signature(HYPOTHETICAL, NEGATED)  # "was able to"
HESITATED = Signature(HYPOTHETICAL, ASSERTED)  # "hesitated to"
OPEN = Signature(HYPOTHETICAL, HYPOTHETICAL)  # "wanted to"
SAID = Signature(REPORTED, HYPOTHETICAL, is_said=True)  # "said that"
DISPUTED = Signature(NEGATED, HYPOTHETICAL, is_said=True)  # "denied that"

# Verbs of wanting: their object need not exist.
WANTING = frozenset(
    """
    await
    demand
    desire
    expect
    hope
    imagine
    intend
    lack
    look
    need
    plan
    request
    require
    seek
    want
    wish
    """.split()
)

# Verbs of wishing and planning: their complement is not said to be so.
WISHING = WANTING | frozenset(
    """
    aim
    ask
    beg
    choose
    dare
    fear
    forbid
    order
    pray
    prefer
    pretend
    propose
    recommend
    urge
    vote
    wonder
    worry
    """.split()
)

# Verbs before a participle that is not said to be so: "considered selling".
CONSIDERING = frozenset(
    """
    advocate
    anticipate
    consider
    contemplate
    delay
    discuss
    envisage
    fear
    imagine
    mind
    postpone
    propose
    recommend
    risk
    suggest
    """.split()
)

# Verbs and nouns whose finite clause holds, whether they are denied or not.
FACTIVE = frozenset(
    """
    acknowledge
    appreciate
    fact
    forget
    know
    knowledge
    notice
    realisation
    realise
    realization
    realize
    recognise
    recognize
    regret
    remember
    resent
    truth
    understand
    """.split()
)

# Verbs whose finite clause holds where they are not denied.
SHOWING = frozenset(
    """
    demonstrate
    detect
    discover
    ensure
    learn
    mean
    proof
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
    dismiss
    disprove
    dispute
    negate
    rebut
    refute
    reject
    """.split()
)

# Nouns whose finite clause is denied.
MISTAKEN = frozenset(
    """
    fallacy
    falsehood
    lie
    misconception
    myth
    """.split()
)

# Nouns of what may be.
SUPPOSED = frozenset(
    """
    allegation
    chance
    condition
    event
    hypothesis
    possibility
    risk
    rumor
    rumour
    theory
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
    close
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
    confess
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

# Verbs and adjectives that say whether what follows happened (Karttunen 1971).
IMPLICATIVE = {
    **dict.fromkeys(DENYING, DISPUTED),
    "able": ENABLED,
    "advise": OPEN,
    "allow": ENABLED,
    "avoid": DENIED,
    "ban": DENIED,
    "bar": DENIED,
    "begin": ENTAILED,
    "bother": ENTAILED,
    "cause": SHOWN,
    "cease": DENIED,
    "claim": SAID,
    "clear": SHOWN,
    "come": ENTAILED,
    "compel": SHOWN,
    "condescend": ENTAILED,
    "continue": ENTAILED,
    "dare": ENTAILED,
    "decline": DENIED,
    "deign": ENTAILED,
    "disallow": DENIED,
    "dissuade": DENIED,
    "doubtful": OPEN,
    "drive": SHOWN,
    "enable": ENABLED,
    "evident": SHOWN,
    "fail": FAILED,
    "false": FAILED,
    "forbid": DENIED,
    "force": SHOWN,
    "forget": FAILED,
    "get": ENTAILED,
    "give up": DENIED,
    "glad": PRESUPPOSED,
    "go": OPEN,
    "go on": ENTAILED,
    "gon": OPEN,
    "got": OPEN,
    "happen": ENTAILED,
    "happy": PRESUPPOSED,
    "have": OPEN,
    "help": SHOWN,
    "hesitate": HESITATED,
    "hinder": DENIED,
    "impossible": DENIED,
    "lead": SHOWN,
    "likely": OPEN,
    "lucky": PRESUPPOSED,
    "make": SHOWN,
    "manage": ENTAILED,
    "neglect": FAILED,
    "obvious": SHOWN,
    "odd": PRESUPPOSED,
    "omit": FAILED,
    "permit": ENABLED,
    "possible": ENABLED,
    "preclude": DENIED,
    "prevent": DENIED,
    "probable": OPEN,
    "proceed": ENTAILED,
    "prohibit": DENIED,
    "proud": PRESUPPOSED,
    "put off": OPEN,
    "quit": DENIED,
    "refrain": FAILED,
    "refuse": DENIED,
    "remember": ENTAILED,
    "remind": OPEN,
    "resist": DENIED,
    "sad": PRESUPPOSED,
    "sorry": PRESUPPOSED,
    "start": ENTAILED,
    "stop": DENIED,
    "strange": PRESUPPOSED,
    "succeed": ENTAILED,
    "surprised": PRESUPPOSED,
    "surprising": PRESUPPOSED,
    "tell": OPEN,
    "tragic": PRESUPPOSED,
    "true": ENTAILED,
    "turn": ENTAILED,
    "unable": DENIED,
    "uncertain": OPEN,
    "unclear": OPEN,
    "unlikely": OPEN,
    "untrue": FAILED,
    "unwilling": DENIED,
    "use": ENTAILED,
    "warn": OPEN,
}

# The same of verbs before a bare participle.
OF_PARTICIPLES = {
    **dict.fromkeys(words.SAYING, SAID),
    **IMPLICATIVE,
    **dict.fromkeys(CONSIDERING, OPEN),
    "escape": DENIED,
    "forget": PRESUPPOSED,
    "miss": DENIED,
    "remember": PRESUPPOSED,
}

# The same of verbs, adjectives and nouns before a finite clause.
OF_CLAUSES = {
    **IMPLICATIVE,
    **dict.fromkeys(words.SAYING, SAID),
    **dict.fromkeys(SHOWING, SHOWN),
    **dict.fromkeys(WISHING, OPEN),
    **dict.fromkeys(FACTIVE, PRESUPPOSED),
    **dict.fromkeys(DENYING, DISPUTED),
    **dict.fromkeys(MISTAKEN, FAILED),
    **dict.fromkeys(SUPPOSED, OPEN),
    "doubt": HESITATED,
}

# The same of verbs before a preposition and a participle.
OF_GERUNDS = {
    **IMPLICATIVE,
    **dict.fromkeys(PREVENTING, DENIED),
    **dict.fromkeys(CHARGING, SAID),
    **dict.fromkeys(JUDGING, PRESUPPOSED),
}

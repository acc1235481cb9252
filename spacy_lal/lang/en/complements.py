"""Verbs and adjectives of English by what they say of their complement; all are lemmas.
`signatures.py` reads them."""

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
    chance
    condition
    event
    possibility
    risk
    """.split()
)

# Verbs whose object is somebody's word: "claimed responsibility for the attack".
CLAIMING = frozenset(
    """
    allegation
    allege
    assert
    claim
    hypothesis
    predict
    report
    rumor
    rumour
    suggest
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

# It happened if it is affirmed, and did not if it is denied: "managed to".
MANAGING = frozenset(
    """
    begin
    bother
    carry_on
    come
    condescend
    continue
    dare
    deign
    end_up
    get
    go_on
    happen
    keep_on
    manage
    proceed
    remember
    start
    succeed
    true
    turn
    use
    wind_up
    """.split()
)

# It happened if it is affirmed: "forced them to".
CAUSING = frozenset(
    """
    cause
    appear
    clear
    compel
    drive
    evident
    force
    help
    lead
    make
    obvious
    seem
    tend
    """.split()
)

# It is so, affirmed or denied: "glad that".
JUDGED = frozenset(
    """
    glad
    happy
    lucky
    odd
    proud
    sad
    sorry
    strange
    surprised
    surprising
    tragic
    """.split()
)

# It did not happen if it is affirmed, and did if it is denied: "failed to".
FAILING = frozenset(
    """
    fail
    false
    forget
    neglect
    omit
    refrain
    untrue
    """.split()
)

# It did not happen if it is affirmed: "refused to".
REFUSING = frozenset(
    """
    avoid
    ban
    bar
    cease
    decline
    disallow
    dissuade
    forbid
    give_up
    hinder
    impossible
    preclude
    prevent
    prohibit
    quit
    refuse
    resist
    stop
    unable
    unwilling
    """.split()
)

# It did not happen if it is denied: "was able to".
ENABLING = frozenset(
    """
    able
    allow
    enable
    permit
    possible
    """.split()
)

# Nothing is said of it: "likely to".
UNDECIDING = frozenset(
    """
    advise
    choose
    decide
    doubtful
    got
    guarantee
    have
    know
    likely
    mean
    offer
    opt
    probable
    put_off
    remain
    remind
    tell
    uncertain
    unclear
    unlikely
    volunteer
    warn
    """.split()
)

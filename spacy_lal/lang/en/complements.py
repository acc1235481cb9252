"""Verbs and adjectives of English by what they say of their complement; all are lemmas,
divided by white space. `signatures.py` reads them."""

# Verbs of wanting: their object need not exist.
WANTING = """
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
"""

# Verbs of wishing and planning: their complement is not said to be so.
WISHING = """
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
"""

# Verbs before a participle that is not said to be so: "considered selling".
CONSIDERING = """
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
"""

# Verbs and nouns whose finite clause holds, whether they are denied or not.
FACTIVE = """
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
"""

# Verbs whose finite clause holds where they are not denied.
SHOWING = """
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
"""

# Verbs whose finite clause is denied.
DENYING = """
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
"""

# Nouns whose finite clause is denied.
MISTAKEN = """
    fallacy
    falsehood
    lie
    misconception
    myth
"""

# Nouns of what may be.
SUPPOSED = """
    chance
    condition
    event
    possibility
    risk
"""

# Verbs whose object is somebody's word: "claimed responsibility for the attack".
CLAIMING = """
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
"""

# Verbs that keep somebody from something: "barred him from entering".
PREVENTING = """
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
"""

# Verbs that say what somebody is said to have done: "accused him of stealing".
CHARGING = """
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
"""

# Verbs that say what somebody did: "thanked him for helping".
JUDGING = """
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
"""

# It happened if it is affirmed, and did not if it is denied: "managed to".
MANAGING = """
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
"""

# It happened if it is affirmed: "forced them to".
CAUSING = """
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
"""

# It is so, affirmed or denied: "glad that".
JUDGED = """
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
"""

# It did not happen if it is affirmed, and did if it is denied: "failed to".
FAILING = """
    fail
    false
    forget
    neglect
    omit
    refrain
    untrue
"""

# It did not happen if it is affirmed: "refused to".
REFUSING = """
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
"""

# It did not happen if it is denied: "was able to".
ENABLING = """
    able
    allow
    enable
    permit
    possible
"""

# Nothing is said of it: "likely to".
UNDECIDING = """
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
"""

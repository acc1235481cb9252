"""Words of English that relations, clauses and guidelines ask for, by subject; verbs
and nouns by lemma."""

# Verbs that only help the next one: "going to", "used to".
AUXILIARY_VERBS = frozenset(
    """
    go
    gon
    got
    have
    use
    used
    """.split()
)

# Verbs that lend their subject to an infinitive even if they have an object:
# "promise him to come".
SUBJECT_CONTROL = frozenset(
    """
    have
    need
    promise
    spend
    take
    threaten
    use
    """.split()
)

# Verbs without an object.
INTRANSITIVE = frozenset(
    """
    appear
    arrive
    be
    begin
    come
    cry
    die
    disappear
    emerge
    exist
    fall
    fly
    go
    happen
    jump
    laugh
    lie
    live
    look
    occur
    remain
    return
    rise
    run
    sit
    sleep
    smile
    stand
    start
    stay
    stop
    swim
    talk
    travel
    wait
    wake
    walk
    work
    """.split()
)

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

# Verbs of saying and thinking: what follows is somebody's word, not a fact.
SAYING = frozenset(
    """
    accuse
    add
    admit
    allege
    announce
    argue
    assert
    assume
    believe
    claim
    comment
    conclude
    confirm
    declare
    estimate
    explain
    fear
    guess
    hope
    insist
    maintain
    mention
    note
    observe
    predict
    promise
    reason
    recall
    report
    say
    state
    stress
    suggest
    suspect
    tell
    testify
    think
    warn
    write
    """.split()
)

# Words that deny.
NEGATIONS = frozenset(
    """
    hardly
    n't
    neither
    never
    no
    nor
    not
    n’t
    scarcely
    """.split()
)

# Nouns that are no object of their relative clause: "the reason I go".
ADVERBIAL_NOUNS = frozenset(
    """
    day
    moment
    place
    reason
    time
    way
    year
    """.split()
)

# Determiners after which a noun follows.
DETERMINERS = frozenset(
    """
    a
    an
    that
    the
    these
    this
    those
    """.split()
)

# Conjunctions that join equals.
JOINING = frozenset(
    """
    &
    and
    but
    yet
    """.split()
)

# Conjunctions that begin clauses that hold.
FACTUAL = frozenset(
    """
    although
    as
    because
    since
    though
    whereas
    while
    """.split()
)

# Measures, which are no agents: "rose by ten percent".
MEASURES = frozenset(
    """
    %
    percent
    percentage
    point
    points
    half
    third
    quarter
    factor
    fraction
    margin
    degree
    degrees
    second
    seconds
    minute
    minutes
    hour
    hours
    day
    days
    week
    weeks
    month
    months
    year
    years
    inch
    inches
    foot
    feet
    yard
    yards
    mile
    miles
    metre
    metres
    meter
    meters
    kilometre
    kilometres
    kilometer
    kilometers
    centimetre
    centimetres
    centimeter
    centimeters
    mm
    cm
    m
    km
    kg
    gram
    grams
    kilo
    kilos
    pound
    pounds
    ounce
    ounces
    ton
    tons
    litre
    litres
    liter
    liters
    gallon
    gallons
    cent
    cents
    dollar
    dollars
    euro
    euros
    goal
    goals
    vote
    votes
    run
    runs
    stroke
    strokes
    """.split()
)

# Words of greetings, thanks and wishes before a name that is called: "Thanks, Anna!"
GREETINGS = frozenset(
    """
    a
    afternoon
    again
    anniversary
    birthday
    bravo
    bye
    cheers
    christmas
    congrats
    congratulations
    done
    evening
    everything
    for
    good
    goodbye
    great
    happy
    hello
    hey
    hi
    job
    kudos
    lot
    luck
    merry
    million
    morning
    much
    nice
    night
    so
    sorry
    thank
    thanks
    thx
    very
    welcome
    well
    work
    you
    """.split()
)

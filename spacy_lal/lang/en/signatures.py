"""What verbs and adjectives of English say of their complement: tables of words by
signature. "+-" is so where the word is affirmed and not so where it is denied (Nairn,
Condoravdi and Karttunen 2006); "o" says nothing, "f" that it will be, "said" that the
word's subject says it. Verbs that ten people agreed about come from signatures.json
(MegaVeridicality; CC BY-SA 4.0, signatures.license.txt); others, and those for which
the field's lists say otherwise, stand here. A word of two parts is written "give_up"."""

import json
from pathlib import Path

from ..clause_words import FUTURE, NEGATIVE, OPEN, POSITIVE, Signature
from . import words

_VALUES = {"+": POSITIVE, "-": NEGATIVE, "o": OPEN, "f": FUTURE}


def _signed(groups: dict[str, str]) -> dict[str, Signature]:
    """Give the signature of each word."""
    return {
        word.replace("_", " "): Signature(
            _VALUES[code[0]], _VALUES[code[1]], is_said=code.endswith("said")
        )
        for code, text in groups.items()
        for word in text.split()
    }


def _judged(name: str) -> dict[str, Signature]:
    """Give the signatures that people agreed about."""
    path = Path(__file__).with_name("signatures.json")
    codes = json.loads(path.read_text(encoding="utf8"))[name]
    return _signed({code: " ".join(verbs) for code, verbs in codes.items()})


_SAYING = " ".join(words.SAYING)
# Verbs of wanting: their object need not exist.
_WANTING = """
    await demand desire expect hope imagine intend lack look need plan request require
    seek want wish
"""
# Verbs before a participle that is not said to be so: "considered selling".
_CONSIDERING = """
    advocate anticipate consider contemplate delay discuss envisage fear imagine mind
    postpone propose recommend risk suggest
"""
# Verbs whose finite clause is denied.
_DENYING = """
    contest deny disbelieve dismiss disprove dispute negate rebut refute reject
"""
# Words whose object is somebody's word: "claimed responsibility for the attack".
_CLAIMING = """
    allegation allege assert claim hypothesis predict report rumor rumour suggest theory
"""
# Verbs that keep somebody from something: "barred him from entering".
_PREVENTING = """
    absolve acquit ban bar block clear close deter discourage disqualify dissuade
    exclude exonerate far hinder keep preclude prevent prohibit protect restrain save
    stop
"""
# Verbs that say what somebody is said to have done: "accused him of stealing".
_CHARGING = """
    accuse arrest blame charge confess convict detain fine indict investigate jail
    sentence sue suspect try
"""
# It did not happen if it is affirmed: "refused to".
_REFUSING = """
    avoid ban bar cease decline disallow dissuade forbid give_up hinder impossible
    preclude prevent prohibit quit refuse resist stop unable unwilling
"""
# It did not happen if it is denied: "was able to".
_ENABLING = "able allow enable permit possible"

# Verbs and adjectives that say whether what follows happened (Karttunen 1971).
OF_INFINITIVES = _judged("infinitives") | _signed(
    {
        "-o said": _DENYING,
        # "managed to"
        "+-": """
            begin bother carry_on come condescend continue dare deign end_up get go_on
            happen keep_on manage proceed remember start succeed true turn use wind_up
        """,
        # "forced them to"
        "+o": """
            appear cause clear compel drive evident force help lead make obvious seem
            tend
        """,
        # "glad that"
        "++": """
            glad happy lucky odd proud sad sorry strange surprised surprising tragic
        """,
        # "failed to"
        "-+": "fail false forget neglect omit refrain untrue",
        "-o": _REFUSING,
        "o-": _ENABLING,
        # "likely to"
        "oo": """
            advise choose decide doubtful got guarantee have know likely mean offer opt
            probable put_off remain remind tell uncertain unclear unlikely volunteer
            warn
        """,
        "o+": "hesitate",
        "ff": "about go gon",
        "+o said": "claim",
    }
)

# The same of auxiliary verbs in the past: "had to", "used to", "was going to".
OF_PAST = _signed({"+-": "get have use used", "oo": "go gon got"})

# The same of verbs before a bare participle.
OF_PARTICIPLES = {
    **_signed({"+o said": _SAYING}),
    **OF_INFINITIVES,
    **_signed(
        {
            "oo": _CONSIDERING,
            "-o": "escape miss",
            "++": "forget remember",
            "+-": "go have",
        }
    ),
}

# The same of verbs, adjectives and nouns before a finite clause.
OF_CLAUSES = {
    **OF_INFINITIVES,
    **_judged("clauses"),
    **_signed(
        {
            "+o said": _SAYING + _CLAIMING,
            # "showed that"
            "+o": """
                demonstrate detect discover ensure learn mean proof prove reveal see
                show
            """,
            # "wish that", "the chance that"
            "oo": _WANTING
            + """
                aim ask beg chance choose condition dare event fear forbid order
                possibility pray prefer pretend propose recommend risk urge vote wonder
                worry
            """,
            # "regretted that", "the fact that"
            "++": """
                acknowledge appreciate fact forget know knowledge notice realisation
                realise realization realize recognise recognize regret remember resent
                truth understand
            """,
            "-o said": _DENYING,
            # "the myth that"
            "-+": "fallacy falsehood lie misconception myth",
            "o+": "doubt",
        }
    ),
}

# The same of verbs before a preposition and a participle.
OF_GERUNDS = {
    **OF_INFINITIVES,
    **_signed(
        {
            "-o": _PREVENTING,
            "+o said": _CHARGING,
            # "thanked him for helping"
            "++": """
                aware congratulate criticise criticize forgive guilty praise proud
                punish reward sick thank tired
            """,
            "+-": "carry_on go_on keep_on",
        }
    ),
}

# Verbs whose object need not be.
OF_THINGS = _signed(
    {
        "oo": _WANTING + _ENABLING + _CONSIDERING,
        "-o": _PREVENTING + _REFUSING,
        "-+": "fail",
        "+o said": _CHARGING + _CLAIMING,
        "-o said": "deny",
    }
)

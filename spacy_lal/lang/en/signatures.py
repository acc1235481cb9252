"""What verbs and adjectives of English say of their complement. Verbs that ten people
agreed about come from signatures.json (MegaVeridicality; CC BY-SA 4.0,
signatures.license.txt); others, and those for which the field's lists say otherwise,
from `complements.py`."""

import json
from pathlib import Path
from typing import Dict

from ..clause_words import FUTURE, NEGATIVE, OPEN, POSITIVE, Signature
from . import complements, words

ENTAILED = Signature(POSITIVE, NEGATIVE)  # "managed to"
SHOWN = Signature(POSITIVE, OPEN)  # "showed that"
PRESUPPOSED = Signature(POSITIVE, POSITIVE)  # "regretted that"
FAILED = Signature(NEGATIVE, POSITIVE)  # "failed to"
DENIED = Signature(NEGATIVE, OPEN)  # "refused to"
ENABLED = Signature(OPEN, NEGATIVE)  # "was able to"
HESITATED = Signature(OPEN, POSITIVE)  # "hesitated to"
UNDECIDED = Signature(OPEN, OPEN)  # "wanted to"
PLANNED = Signature(FUTURE, FUTURE)  # "is going to"
SAID = Signature(POSITIVE, OPEN, is_said=True)  # "said that"
DISPUTED = Signature(NEGATIVE, OPEN, is_said=True)  # "denied that"


def _signed(groups: Dict[Signature, str]) -> Dict[str, Signature]:
    """Give the signature of each word; a word of two parts is written "give_up"."""
    return {
        word.replace("_", " "): signature
        for signature, words in groups.items()
        for word in words.split()
    }


def _judged(name: str) -> Dict[str, Signature]:
    """Give the signatures that people agreed about."""
    path = Path(__file__).with_name("signatures.json")
    values = {"+": POSITIVE, "-": NEGATIVE, "o": OPEN}
    codes = json.loads(path.read_text(encoding="utf8"))[name]
    return _signed(
        {Signature(values[x[0]], values[x[1]]): " ".join(codes[x]) for x in codes}
    )


_SAYING = " ".join(words.SAYING)
# Verbs and adjectives that say whether what follows happened (Karttunen 1971).
OF_INFINITIVES = _judged("infinitives") | _signed(
    {
        DISPUTED: complements.DENYING,
        ENTAILED: complements.MANAGING,
        SHOWN: complements.CAUSING,
        PRESUPPOSED: complements.JUDGED,
        FAILED: complements.FAILING,
        DENIED: complements.REFUSING,
        ENABLED: complements.ENABLING,
        UNDECIDED: complements.UNDECIDING,
        HESITATED: "hesitate",
        PLANNED: "go gon about",
        SAID: "claim",
    }
)

# The same of auxiliary verbs in the past: "had to", "used to", "was going to".
OF_PAST = _signed({ENTAILED: "have use used get", UNDECIDED: "go gon got"})

# The same of verbs before a bare participle.
OF_PARTICIPLES = {
    **_signed({SAID: _SAYING}),
    **OF_INFINITIVES,
    **_signed(
        {
            UNDECIDED: complements.CONSIDERING,
            DENIED: "escape miss",
            PRESUPPOSED: "forget remember",
            ENTAILED: "go have",
        }
    ),
}

# The same of verbs, adjectives and nouns before a finite clause.
OF_CLAUSES = {
    **OF_INFINITIVES,
    **_judged("clauses"),
    **_signed(
        {
            SAID: _SAYING + complements.CLAIMING,
            SHOWN: complements.SHOWING,
            UNDECIDED: complements.WANTING + complements.WISHING + complements.SUPPOSED,
            PRESUPPOSED: complements.FACTIVE,
            DISPUTED: complements.DENYING,
            FAILED: complements.MISTAKEN,
            HESITATED: "doubt",
        }
    ),
}

# The same of verbs before a preposition and a participle.
OF_GERUNDS = {
    **OF_INFINITIVES,
    **_signed(
        {
            DENIED: complements.PREVENTING,
            SAID: complements.CHARGING,
            PRESUPPOSED: complements.JUDGING,
            ENTAILED: "keep_on go_on carry_on",
        }
    ),
}

# Verbs whose object need not be.
OF_THINGS = _signed(
    {
        UNDECIDED: complements.WANTING + complements.ENABLING + complements.CONSIDERING,
        DENIED: complements.PREVENTING + complements.REFUSING,
        FAILED: "fail",
        SAID: complements.CHARGING + complements.CLAIMING,
        DISPUTED: "deny",
    }
)

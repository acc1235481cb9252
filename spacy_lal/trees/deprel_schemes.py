"""Which scheme of dependencies a set of deprels belongs to.

Schemes share many deprels (`nsubj`, `det`, `conj`). Each also has deprels that no other scheme has; these decide. *Not*
here: conversion from one scheme to another.
"""

from typing import Dict, FrozenSet, Iterable, Optional

UNIVERSAL = "Universal Dependencies"
CLEAR = "CLEAR"
STANFORD = "Stanford Dependencies"
TIGER = "TIGER"

# Deprels that decide between the schemes; the earlier of two that tell equally much. UD: version 2,
# https://universaldependencies.org/u/dep/. CLEAR: Choi & Palmer (2012), spaCy's English pipelines; it has `case` too,
# but only beside `poss`. Stanford: de Marneffe & Manning (2008). TIGER: Brants et al. (2002), spaCy's German pipelines.
DECISIVE: Dict[str, FrozenSet[str]] = {
    UNIVERSAL: frozenset(
        "obj obl case nmod cop flat fixed clf orphan list reparandum dislocated vocative "
        "nsubj:pass aux:pass csubj:pass acl:relcl nmod:poss".split()
    ),
    CLEAR: frozenset(
        "dobj pobj prep pcomp poss nsubjpass auxpass csubjpass acomp attr neg npadvmod preconj predet prt quantmod "
        "agent dative intj meta oprd relcl".split()
    ),
    STANFORD: frozenset(
        "dobj pobj prep pcomp poss nsubjpass auxpass csubjpass acomp attr neg npadvmod preconj predet prt quantmod "
        "possessive nn num number tmod rcmod vmod partmod infmod purpcl complm rel measure abbrev".split()
    ),
    TIGER: frozenset(
        "sb oa oa2 og oc nk mo ng svp pd pg ag da sbp cj cd cm cp rc re mnr nmc ac ju par pm pnc uc".split()
    ),
}
MIN_SHARE = 0.1  # of the distinct deprels: a few unknown names make no scheme


def deprel_scheme(deprels: Iterable[str]) -> Optional[str]:
    """The scheme that deprels belong to.

    deprels (Iterable[str]): Labels of a parser, or of the tokens of a Doc. Each counts once; a subtype (`acl:relcl`)
        also counts as its deprel.
    RETURNS (Optional[str]): One of the keys of `DECISIVE`; None where few deprels are decisive, or as many for
        Universal Dependencies as for another scheme.

    >>> deprel_scheme(["det", "nsubj", "ROOT", "dobj", "prep", "pobj", "punct"])
    'CLEAR'
    >>> deprel_scheme(["det", "nsubj", "ROOT", "obj", "case", "obl", "punct"])
    'Universal Dependencies'
    >>> deprel_scheme(["det", "nsubj", "ROOT", "punct"]) is None
    True
    """
    found = set(deprels)
    found |= {deprel.split(":")[0] for deprel in found}
    counts = {scheme: len(found & decisive) for scheme, decisive in DECISIVE.items()}
    best = max(counts, key=lambda scheme: counts[scheme])
    decisive = counts[best] > (counts[UNIVERSAL] if best != UNIVERSAL else max(counts[CLEAR], counts[TIGER]))
    return best if decisive and counts[best] >= MIN_SHARE * len(found) else None

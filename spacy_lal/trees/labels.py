"""Constituent labels: the two fixed ones, and unary chains as strings; and schemes of deprels.

In memory a unary chain is a tuple of labels, outermost first; in strings its labels are joined by `::`.
"""

from typing import Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

Chain = Tuple[str, ...]

EMPTY = 0  # the label id of "no constituent here"; its score is fixed at 0
SUB_HEAD = 1  # the label id of a node that only binds a head to its dependents
SUB_HEAD_LABEL = "<H>"
CHAIN_SEPARATOR = "::"


def join_chain(chain: Sequence[str]) -> str:
    """A unary chain as one string.

    >>> join_chain(("S", "VP"))
    'S::VP'
    """
    return CHAIN_SEPARATOR.join(chain)


def split_chain(label: str) -> Chain:
    """The labels of a unary chain, outermost first; the empty string is the empty chain.

    >>> split_chain("S::VP")
    ('S', 'VP')
    """
    return tuple(label.split(CHAIN_SEPARATOR)) if label else ()


class LabelVocab:
    """Labels <-> ids. Id 0 is the empty label, id 1 the sub-head label, the rest in the order given.

    labels (Sequence[str]): Unary chains as strings (`"S::VP"`), without the two fixed ones.
    RAISES (ValueError): on a duplicate, an empty string, or one of the fixed labels.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.strings: List[str] = ["", SUB_HEAD_LABEL, *labels]
        self.ids: Dict[str, int] = {label: i for i, label in enumerate(self.strings)}
        if len(self.ids) != len(self.strings):
            doubled = sorted({label for label in labels if self.strings.count(label) > 1})
            raise ValueError(f"constituent labels must be unique, non-empty and not '<H>', got twice: {doubled}")

    def __len__(self) -> int:
        return len(self.strings)

    def __contains__(self, label: str) -> bool:
        return label in self.ids


UNIVERSAL = "Universal Dependencies"
CLEAR = "CLEAR"
STANFORD = "Stanford Dependencies"
TIGER = "TIGER"

# Deprels that no other scheme has. UD: https://universaldependencies.org/u/dep/. CLEAR: Choi & Palmer (2012), spaCy's
# English pipelines. Stanford: de Marneffe & Manning (2008). TIGER: Brants et al. (2002), spaCy's German pipelines.
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
    """
    found = set(deprels)
    found |= {deprel.split(":")[0] for deprel in found}
    counts = {scheme: len(found & decisive) for scheme, decisive in DECISIVE.items()}
    best = max(counts, key=lambda scheme: counts[scheme])
    decisive = counts[best] > (counts[UNIVERSAL] if best != UNIVERSAL else max(counts[CLEAR], counts[TIGER]))
    return best if decisive and counts[best] >= MIN_SHARE * len(found) else None

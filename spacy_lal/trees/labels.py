"""Constituent labels: the two fixed ones, and unary chains as strings.

In memory a unary chain is a tuple of labels, outermost first; in strings its labels are joined by `::`.
"""

from typing import Dict, List, Sequence, Tuple

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

"""Constituents as ranges of words, half-open, words from 0, in pre-order. Collapsed:
one for each range, its label a unary chain joined by `::`, outermost first (`S::VP`).
Expanded: one for each label, outer before inner. And their labels as ids."""

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .joint import AnySpan

Chain = tuple[str, ...]  # the labels of a unary chain, outermost first
EMPTY = 0  # the label id of "no constituent here"; its score is fixed at 0
SUB_HEAD = 1  # the label id of a node that only binds a head to its dependents
SUB_HEAD_LABEL = "<H>"
CHAIN_SEPARATOR = "::"


def join_chain(chain: Sequence[str]) -> str:
    """A unary chain as one string: `S::VP`."""
    return CHAIN_SEPARATOR.join(chain)


def split_chain(label: str) -> Chain:
    """The labels of a unary chain, outermost first; the empty string is the empty
    chain."""
    return tuple(label.split(CHAIN_SEPARATOR)) if label else ()


class Constituent(NamedTuple):
    """A half-open range of words, from 0, and its label: a unary chain joined by `::`,
    outermost first ("S::VP"), or of expanded constituents a single label. Code reads
    its fields by their names: it may get more of them."""

    start: int
    end: int
    label: str

    @property
    def chain(self) -> Chain:
        """Its labels, outermost first."""
        return split_chain(self.label)

    @property
    def shown(self) -> str:
        """Its place and label, for messages."""
        return f"({self.start}, {self.end}, {self.label!r})"

    def is_within(self, start: int, end: int) -> bool:
        """Whether it lies in a range of words."""
        return start <= self.start and self.end <= end

    def moved(self, by: int) -> "Constituent":
        """The same in a sentence in which words have other numbers."""
        return self._replace(start=self.start + by, end=self.end + by)


class LabelVocab:
    """Labels <-> ids. Id 0 is the empty label, id 1 the sub-head label, the rest in the
    order given: unary chains (`"S::VP"`).

    RAISES (ValueError): on a duplicate, an empty string, or one of the fixed labels.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.strings: list[str] = ["", SUB_HEAD_LABEL, *labels]
        self.ids: dict[str, int] = {label: i for i, label in enumerate(self.strings)}
        doubled = [label for label, n in Counter(self.strings).items() if n > 1]
        if doubled:
            raise ValueError(
                "constituent labels must be unique, non-empty and not '<H>', got "
                f"twice: {doubled}"
            )

    def __len__(self) -> int:
        return len(self.strings)

    def __contains__(self, label: str) -> bool:
        return label in self.ids


class SpanError(ValueError):
    """Spans that do not form a tree."""


def nested_spans(
    constituents: Iterable[Constituent], n_words: int
) -> list[Constituent]:
    """Constituents in pre-order: by start, the longer first, those over the same words
    in the order given.

    RAISES (SpanError): Two cross, or one lies outside of the words.
    """
    around: list[Constituent] = []
    ordered = sorted_spans(constituents)
    for constituent in ordered:
        if not 0 <= constituent.start < constituent.end <= n_words:
            raise SpanError(
                f"expected spans with 0 <= start < end <= {n_words} words, got "
                f"{constituent.shown}"
            )
        while around and around[-1].end <= constituent.start:
            around.pop()
        if around and around[-1].end < constituent.end:
            raise SpanError(
                "constituents must nest, got two that cross: "
                f"{around[-1].shown} and {constituent.shown}"
            )
        around.append(constituent)
    return ordered


def sorted_spans(constituents: Iterable[Constituent]) -> list[Constituent]:
    """Constituents by start, the longer first, those over the same words in the order
    given."""
    longer_first = sorted(constituents, key=attrgetter("end"), reverse=True)
    return sorted(longer_first, key=attrgetter("start"))


def in_preorder(constituent: "AnySpan") -> tuple[int, int]:
    """A key for sorting: by start, the longer first."""
    return constituent.start, -constituent.end


def expand_chains(constituents: Iterable[Constituent]) -> list[Constituent]:
    """One constituent for each label of each chain, outermost first; none for an empty
    chain."""
    return [
        constituent._replace(label=label)
        for constituent in constituents
        for label in constituent.label.split(CHAIN_SEPARATOR)
        if label
    ]


def collapse_chains(constituents: Iterable[Constituent]) -> list[Constituent]:
    """One constituent for each range of words, in pre-order; labels over the same words
    joined in the order given."""
    collapsed: list[Constituent] = []
    place = attrgetter("start", "end")
    for constituent in sorted_spans(constituents):
        if collapsed and place(collapsed[-1]) == place(constituent):
            chain = (*collapsed.pop().chain, *constituent.chain)
            constituent = constituent._replace(label=join_chain(chain))
        collapsed.append(constituent)
    return collapsed

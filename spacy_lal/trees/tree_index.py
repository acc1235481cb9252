"""The nodes of a tree with the properties that patterns of tgrep read, and their
relations. *Not* here: how a pattern is written (`tgrep.py`)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Optional,
)

from .head_child import head_child

if TYPE_CHECKING:
    from nltk.tree import Tree

MAX_STEPS = 2_000_000  # tests of a node for a part of the pattern, in one tree

Labels = dict[str, int]  # which node each label is bound to
Ways = Iterator[Labels]


class PatternError(ValueError):
    """A pattern that is malformed; the message names the place. Or a search that takes
    too many steps."""


class Part(NamedTuple):
    """A part of a pattern.

    ways (Callable[[TreeIndex, int, Labels], Ways]): In which it matches a node.
    binds (FrozenSet[str]): Labels.
    names (Optional[FrozenSet[str]]): The only texts that it matches, if known."""

    ways: "Callable[[TreeIndex, int, Labels], Ways]"
    binds: frozenset[str] = frozenset()
    names: Optional[frozenset[str]] = None


class TreeIndex:
    """The nodes of a tree in pre-order, with the properties that relations read. No
    recursion: trees may be deep."""

    def __init__(self, tree: "Tree") -> None:
        self.begin("", set())
        self.items: list[object] = []
        self.texts: list[str] = []
        self.parents: list[int] = []
        self.children: list[list[int]] = []
        self.places: list[int] = []  # among the children of the parent
        self.firsts: list[int] = []  # the first word
        self.words: list[int] = []  # the node of each word
        todo: list[tuple[Any, int]] = [(tree, -1)]
        while todo:
            item, parent = todo.pop()
            number = len(self.items)
            has_children = isinstance(item, list)
            self.items.append(item)
            self.parents.append(parent)
            self.places.append(len(self.children[parent]) if parent >= 0 else 0)
            self.children.append([])
            self.firsts.append(len(self.words))
            if parent >= 0:
                self.children[parent].append(number)
            if has_children:
                self.texts.append(str(item.label()))
                todo.extend((child, number) for child in reversed(item))
            else:
                self.texts.append(str(item))
                self.words.append(number)
        # The first node after the subtree.
        self.after = [number + 1 for number in range(len(self.items))]
        for number in range(len(self.items) - 1, 0, -1):
            parent = self.parents[number]
            self.after[parent] = max(self.after[parent], self.after[number])
        self._numbers: dict[str, list[int]] = {}  # of the nodes with each text
        for number, text in enumerate(self.texts):
            self._numbers.setdefault(text, []).append(number)

    def begin(self, pattern: str, used: set[str]) -> None:
        """Begin the search of a pattern that uses some labels: no step was taken."""
        self.pattern = pattern
        self.used = used
        self.steps = 0.0

    def called(self, names: Optional[frozenset[str]]) -> Iterable[int]:
        """The nodes with one of some texts; all nodes for None."""
        if names is None:
            return range(len(self.items))
        return [a for name in names for a in self._numbers.get(name, ())]

    def below(self, a: int, names: frozenset[str]) -> Iterator[int]:
        """The nodes below a node with one of some texts."""
        for name in sorted(names):
            numbers = self._numbers.get(name, [])
            first = bisect_right(numbers, a)
            yield from numbers[first : bisect_left(numbers, self.after[a])]

    def ways(self, part: Part, number: int, labels: Labels) -> Iterable[Labels]:
        """The ways in which a part matches a node, as labels; all are the same if it
        binds no label that is used."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            self.count(0)
        if part.names is not None and self.texts[number] not in part.names:
            return ()
        ways = part.ways(self, number, labels)
        return ways if part.binds & self.used else islice(ways, 1)

    def count(self, steps: float) -> None:
        """Add steps to the search.

        RAISES (PatternError): There are more than `MAX_STEPS`.
        """
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise PatternError(
                f"the search takes more than {MAX_STEPS:,} steps in one tree: "
                f"{self.pattern[:80]!r}"
            )

    def end(self, number: int) -> int:
        """The place after the last word of a node."""
        after = self.after[number]
        return self.firsts[after] if after < len(self.items) else len(self.words)

    def label(self, number: int) -> str:
        """The label of a node, empty for a word."""
        return self.texts[number] if isinstance(self.items[number], list) else ""

    def down(self, a: int, place: int, only: bool = False) -> Iterator[int]:
        """The first (place 0) or last (-1) child, and so on down; or only children."""
        while self.children[a] and (not only or len(self.children[a]) == 1):
            a = self.children[a][place]
            yield a

    def up(
        self, a: int, place: Optional[int] = None, only: bool = False
    ) -> Iterator[int]:
        """The nodes b of which a is in `down(b, place, only)`; without a place, all
        nodes above."""
        while self.parents[a] >= 0:
            sisters = self.children[self.parents[a]]
            if place is not None and sisters[place] != a:
                return
            if only and len(sisters) > 1:
                return
            a = self.parents[a]
            yield a

    def next(self, a: int) -> Iterator[int]:
        """The nodes that begin where a node ends."""
        b = self.after[a]
        first = self.end(a)
        while b < len(self.items) and self.firsts[b] == first:
            yield b
            b += 1

    def previous(self, a: int) -> Iterator[int]:
        """The nodes that end where a node begins."""
        for word in self.words[: self.firsts[a]][-1:]:
            yield word
            yield from self.up(word, -1)

    def before(self, a: int) -> Iterator[int]:
        """The nodes that end before a node begins."""
        return (
            b
            for b in range(bisect_left(self.firsts, self.firsts[a]))
            if self.after[b] <= a
        )

    def head_children(self, a: int) -> list[int]:
        """The head child of a node, if the rule is known; see `head_child`."""
        children = self.children[a]
        labels = [self.texts[child] for child in children]
        place = head_child(self.texts[a], labels)
        return [] if place is None else [children[place]]

    def sisters(self, a: int) -> list[int]:
        """A node and its sisters, in order."""
        return self.children[self.parents[a]] if self.parents[a] >= 0 else [a]


# The nodes B for which A relation B holds.
RELATIONS: dict[str, Callable[[TreeIndex, int], Iterable[int]]] = {
    "<": lambda nodes, a: nodes.children[a],
    ">": lambda nodes, a: islice(nodes.up(a), 1),
    "<:": lambda nodes, a: nodes.children[a] if len(nodes.children[a]) == 1 else [],
    ">:": lambda nodes, a: islice(nodes.up(a, 0, only=True), 1),
    "<<": lambda nodes, a: range(a + 1, nodes.after[a]),
    ">>": TreeIndex.up,
    "<<,": lambda nodes, a: nodes.down(a, 0),
    ">>,": lambda nodes, a: nodes.up(a, 0),
    "<<'": lambda nodes, a: nodes.down(a, -1),
    ">>'": lambda nodes, a: nodes.up(a, -1),
    "<<:": lambda nodes, a: nodes.down(a, 0, only=True),
    ">>:": lambda nodes, a: nodes.up(a, 0, only=True),
    ".": TreeIndex.next,
    ",": TreeIndex.previous,
    "..": lambda nodes, a: range(nodes.after[a], len(nodes.items)),
    ",,": TreeIndex.before,
    "<#": lambda nodes, a: nodes.head_children(a),
    ">#": lambda nodes, a: [b for b in nodes.up(a) if a in nodes.head_children(b)][:1],
    "$": lambda nodes, a: [b for b in nodes.sisters(a) if b != a],
    "$.": lambda nodes, a: nodes.sisters(a)[nodes.places[a] + 1 : nodes.places[a] + 2],
    "$,": lambda nodes, a: nodes.sisters(a)[
        max(nodes.places[a] - 1, 0) : nodes.places[a]
    ],
    "$..": lambda nodes, a: nodes.sisters(a)[nodes.places[a] + 1 :],
    "$,,": lambda nodes, a: nodes.sisters(a)[: nodes.places[a]],
}
# Other spellings; `%` stands for `$`.
SYNONYMS = {
    "<,": "<1",
    ">,": ">1",
    "<'": "<-1",
    ">'": ">-1",
    "<-": "<-1",
    ">-": ">-1",
    "<<1": "<<,",
    ">>1": ">>,",
}
_NTH = re.compile(r"([<>])(-?)([1-9]\d{0,8})")


def related(name: str) -> Any:
    """What finds the nodes B of `A name B`; None if there is no such relation."""
    name = name.replace("%", "$")
    name = SYNONYMS.get(name, name)
    nth = _NTH.fullmatch(name)
    if nth is None:
        return RELATIONS.get(name)
    direction, minus, number = nth.groups()
    place = -int(number) if minus else int(number) - 1

    def nth_child(nodes: TreeIndex, a: int) -> list[int]:
        children = nodes.children[a]
        return children[: place + 1 or None][-1:] if minus else children[place:][:1]

    if direction == "<":
        return nth_child
    return lambda nodes, a: [b for b in nodes.up(a) if a in nth_child(nodes, b)][:1]

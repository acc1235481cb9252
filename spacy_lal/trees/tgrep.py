"""Search over trees: which nodes match a pattern of tgrep. Words are nodes like any others. *Not* here: the language of
patterns (`tgrep_pattern.py`), Docs."""

from bisect import bisect_left
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from nltk.tree import Tree

from .tgrep_pattern import (
    NTH,
    PRINTED,
    All,
    Any,
    Bound,
    Name,
    Negated,
    Part,
    Position,
    Relation,
    Segment,
    Use,
    parse_pattern,
)

Labels = Dict[str, int]  # which node each label is bound to


class Match(NamedTuple):
    """A node that matches.

    node (object): The `nltk.Tree`, or the word.
    label (str): The label of a constituent or tag; the empty string for a word.
    start, end (int): Its half-open range of words, from 0.
    """

    node: object
    label: str
    start: int
    end: int


class Pattern:
    """A pattern of tgrep, ready to search.

    text (str): For instance `NP < (NN $. PP)`.
    RAISES (PatternError): It is malformed; the message names the place.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._part = parse_pattern(text)
        self._binds: Dict[int, bool] = {}
        self._prints = _contains_label(self._part, PRINTED)

    def search(self, tree: Tree) -> List[Match]:
        """The nodes of a tree that match, in pre-order.

        tree (Tree): A tree with words at the leaves.
        """
        nodes = _Nodes(tree)
        found = []
        for number in range(len(nodes.items)):
            if self._prints:
                found += [way.get(PRINTED, number) for way in self._matches(self._part, nodes, number, {})]
            elif next(self._matches(self._part, nodes, number, {}), None) is not None:
                found.append(number)
        return [nodes.match(number) for number in sorted(set(found))]

    def _matches(self, part: Part, nodes: "_Nodes", number: int, labels: Labels) -> Iterator[Labels]:
        """The ways in which a part matches a node, as labels. Later parts of a pattern may refuse the first way."""
        if isinstance(part, Name):
            if part.test(nodes.texts[number]):
                yield labels
        elif isinstance(part, Position):
            if nodes.path(number) == part.path:
                yield labels
        elif isinstance(part, Use):
            if labels[part.label] == number:
                yield labels
        elif isinstance(part, Bound):
            for found in self._matches(part.node, nodes, number, labels):
                yield {**found, part.label: number}
        elif isinstance(part, Negated):
            if next(self._matches(part.part, nodes, number, labels), None) is None:
                yield labels
        elif isinstance(part, Segment):
            if part.part is None:
                yield labels
            else:
                yield from self._matches(part.part, nodes, labels[part.label], labels)
        elif isinstance(part, All):
            yield from self._match_all(part.parts, nodes, number, labels)
        else:
            ways = self._ways(part, nodes, number, labels)
            if self._binds.setdefault(id(part), _contains_label(part, None)):
                yield from ways
            else:  # all ways are the same
                yield from (way for way in (next(ways, None),) if way is not None)

    def _ways(self, part: Part, nodes: "_Nodes", number: int, labels: Labels) -> Iterator[Labels]:
        if isinstance(part, Any):
            for one in part.parts:
                yield from self._matches(one, nodes, number, labels)
        elif isinstance(part, Relation):
            for other in nodes.related(part.name, number):
                yield from self._matches(part.node, nodes, other, labels)

    def _match_all(self, parts: Tuple[Part, ...], nodes: "_Nodes", number: int, labels: Labels) -> Iterator[Labels]:
        if not parts:
            yield labels
            return
        for found in self._matches(parts[0], nodes, number, labels):
            yield from self._match_all(parts[1:], nodes, number, found)


def _contains_label(part: Optional[Part], label: Optional[str]) -> bool:
    """Whether a part binds a label, or (None) any."""
    if isinstance(part, Bound):
        return label in (None, part.label) or _contains_label(part.node, label)
    if isinstance(part, Relation):
        return _contains_label(part.node, label)
    if isinstance(part, Segment):
        return _contains_label(part.part, label)
    return isinstance(part, (All, Any)) and any(_contains_label(one, label) for one in part.parts)


class _Nodes:
    """The nodes of a tree in pre-order, with the properties that relations read. No recursion: trees may be deep."""

    def __init__(self, tree: Tree) -> None:
        self.items: List[object] = []
        self.texts: List[str] = []
        self.parents: List[int] = []
        self.children: List[List[int]] = []
        self.places: List[int] = []  # among the children of the parent
        self.firsts: List[int] = []  # the first word
        self.words: List[int] = []  # the node of each word
        todo: List[Tuple[object, int]] = [(tree, -1)]
        while todo:
            item, parent = todo.pop()
            number = len(self.items)
            self.items.append(item)
            self.parents.append(parent)
            self.places.append(len(self.children[parent]) if parent >= 0 else 0)
            self.children.append([])
            self.firsts.append(len(self.words))
            if parent >= 0:
                self.children[parent].append(number)
            if isinstance(item, Tree):
                self.texts.append(str(item.label()))
                todo.extend((child, number) for child in reversed(item))
            else:
                self.texts.append(str(item))
                self.words.append(number)
        self.after = [number + 1 for number in range(len(self.items))]  # the first node after the subtree
        for number in range(len(self.items) - 1, 0, -1):
            parent = self.parents[number]
            self.after[parent] = max(self.after[parent], self.after[number])

    def end(self, number: int) -> int:
        """The first word after a node."""
        after = self.after[number]
        return self.firsts[after] if after < len(self.items) else len(self.words)

    def match(self, number: int) -> Match:
        item = self.items[number]
        label = self.texts[number] if isinstance(item, Tree) else ""
        return Match(item, label, self.firsts[number], self.end(number))

    def path(self, number: int) -> Tuple[int, ...]:
        """The places of a node and its ancestors, from the top."""
        path = []
        while self.parents[number] >= 0:
            path.append(self.places[number])
            number = self.parents[number]
        return tuple(reversed(path))

    def related(self, relation: str, a: int) -> Iterable[int]:
        """The nodes B for which A relation B holds."""
        nth = NTH.fullmatch(relation)
        if nth is None:
            return _RELATIONS[relation](self, a)
        place = -int(nth[3]) if nth[2] else int(nth[3]) - 1
        if nth[1] == "<":
            return self._nth(self.children[a], place)
        return [b for b in self._parent(a) if a in self._nth(self.children[b], place)]

    def _nth(self, numbers: List[int], place: int) -> List[int]:
        return [numbers[place]] if -len(numbers) <= place < len(numbers) else []

    def _parent(self, a: int) -> List[int]:
        return [self.parents[a]] if self.parents[a] >= 0 else []

    def _ancestors(self, a: int) -> Iterator[int]:
        while self.parents[a] >= 0:
            a = self.parents[a]
            yield a

    def _along(self, a: int, place: int) -> Iterator[int]:
        """The first (place 0) or last (-1) child, its first or last child, and so on."""
        while self.children[a]:
            a = self.children[a][place]
            yield a

    def _up_along(self, a: int, place: int) -> Iterator[int]:
        while self.parents[a] >= 0 and self.children[self.parents[a]][place] == a:
            a = self.parents[a]
            yield a

    def _only_descendants(self, a: int) -> Iterator[int]:
        while len(self.children[a]) == 1:
            a = self.children[a][0]
            yield a

    def _only_ancestors(self, a: int) -> Iterator[int]:
        while self.parents[a] >= 0 and len(self.children[self.parents[a]]) == 1:
            a = self.parents[a]
            yield a

    def _next(self, a: int) -> Iterator[int]:
        b, first = self.after[a], self.end(a)
        while b < len(self.items) and self.firsts[b] == first:
            yield b
            b += 1

    def _previous(self, a: int) -> Iterator[int]:
        if self.firsts[a]:
            word = self.words[self.firsts[a] - 1]
            yield word
            yield from self._up_along(word, -1)

    def _before(self, a: int) -> Iterator[int]:
        return (b for b in range(bisect_left(self.firsts, self.firsts[a])) if self.after[b] <= a)

    def _sisters(self, a: int) -> List[int]:
        return self.children[self.parents[a]] if self.parents[a] >= 0 else [a]


_RELATIONS: Dict[str, Callable[[_Nodes, int], Iterable[int]]] = {
    "<": lambda nodes, a: nodes.children[a],
    ">": _Nodes._parent,
    "<:": lambda nodes, a: nodes.children[a] if len(nodes.children[a]) == 1 else [],
    ">:": lambda nodes, a: [b for b in nodes._parent(a) if len(nodes.children[b]) == 1],
    "<<": lambda nodes, a: range(a + 1, nodes.after[a]),
    ">>": _Nodes._ancestors,
    "<<,": lambda nodes, a: nodes._along(a, 0),
    ">>,": lambda nodes, a: nodes._up_along(a, 0),
    "<<'": lambda nodes, a: nodes._along(a, -1),
    ">>'": lambda nodes, a: nodes._up_along(a, -1),
    "<<:": _Nodes._only_descendants,
    ">>:": _Nodes._only_ancestors,
    ".": _Nodes._next,
    ",": _Nodes._previous,
    "..": lambda nodes, a: range(nodes.after[a], len(nodes.items)),
    ",,": _Nodes._before,
    "$": lambda nodes, a: [b for b in nodes._sisters(a) if b != a],
    "$.": lambda nodes, a: nodes._sisters(a)[nodes.places[a] + 1 : nodes.places[a] + 2],
    "$,": lambda nodes, a: nodes._sisters(a)[max(nodes.places[a] - 1, 0) : nodes.places[a]],
    "$..": lambda nodes, a: nodes._sisters(a)[nodes.places[a] + 1 :],
    "$,,": lambda nodes, a: nodes._sisters(a)[: nodes.places[a]],
}

"""Search over trees by patterns of tgrep (TGrep2's language, as nltk.tgrep reads it).
Words are nodes like any others.

    NP < (NN $. PP)      VP <, /^VB/ !<< __      NP=x < (NN . (PP >> =x))

`A <# B` is Tregex's: B is the head child of A (`head_child.py`).
An unbound label or an unknown relation is an error with its place. *Not* here: macros,
`;`, `: =x`, `N(0,1)`."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    FrozenSet,
    List,
    NamedTuple,
    NoReturn,
    Optional,
    Set,
    Tuple,
    Union,
)

from .head_child import head_child
from .regex_cost import cost_of_regex

if TYPE_CHECKING:
    from nltk.tree import Tree

MAX_STEPS = 2_000_000  # tests of a node for a part of the pattern, in one tree
_STEPS_OF_REGEX = 100  # of a regular expression, in the time of one of ours
_PRINTED = "'"  # the label of the node that is found in place of the first

Labels = Dict[str, int]  # which node each label is bound to
Ways = Iterator[Labels]


class PatternError(ValueError):
    """A pattern that is malformed; the message names the place. Or a search that takes
    too many steps."""


class Match(NamedTuple):
    """A node that matches: the `nltk.Tree` or the word; its label, empty for a word;
    its half-open range of words."""

    node: object
    label: str
    start: int
    end: int


class Pattern:
    """A pattern of tgrep, such as `NP < (NN $. PP)`, ready to search.

    RAISES (PatternError): It is malformed.
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise PatternError(
                f"text: expected a pattern, such as 'NP < (NN $. PP)', got {text!r}"
            )
        self.text = text
        reader = _Reader(text)
        self._part = reader.read()
        self._used = reader.used

    def search(self, tree: Union["Tree", "TreeIndex"]) -> List[Match]:
        """The nodes that match, in pre-order.

        tree (Union[Tree, TreeIndex]): An index, for several patterns over one tree.
        RAISES (PatternError): The search takes more than `MAX_STEPS` steps.
        """
        nodes = tree if isinstance(tree, TreeIndex) else TreeIndex(tree)
        nodes.begin(self.text, self._used)
        try:
            found = {
                way.get(_PRINTED, a)
                for a in nodes.called(self._part.names)
                for way in nodes.ways(self._part, a, {})
            }
        except RecursionError:
            raise PatternError(
                f"a pattern of too many parts: {self.text[:80]!r}"
            ) from None
        return [
            Match(nodes.items[a], nodes.label(a), nodes.firsts[a], nodes.end(a))
            for a in sorted(found)
        ]


class TreeIndex:
    """The nodes of a tree in pre-order, with the properties that relations read. No
    recursion: trees may be deep."""

    def __init__(self, tree: "Tree") -> None:
        self.begin("", set())
        self.items: List[object] = []
        self.texts: List[str] = []
        self.parents: List[int] = []
        self.children: List[List[int]] = []
        self.places: List[int] = []  # among the children of the parent
        self.firsts: List[int] = []  # the first word
        self.words: List[int] = []  # the node of each word
        todo: List[Tuple[Any, int]] = [(tree, -1)]
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
        self._numbers: Dict[str, List[int]] = {}  # of the nodes with each text
        for number, text in enumerate(self.texts):
            self._numbers.setdefault(text, []).append(number)

    def begin(self, pattern: str, used: Set[str]) -> None:
        """Begin the search of a pattern that uses some labels: no step was taken."""
        self.pattern = pattern
        self.used = used
        self.steps = 0.0

    def called(self, names: Optional[FrozenSet[str]]) -> Iterable[int]:
        """The nodes with one of some texts; all nodes for None."""
        if names is None:
            return range(len(self.items))
        return [a for name in names for a in self._numbers.get(name, ())]

    def ways(self, part: "_Part", number: int, labels: Labels) -> Iterable[Labels]:
        """The ways in which a part matches a node, as labels; all are the same if it
        binds no label that is used."""
        self.count(1)
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

    def head_children(self, a: int) -> List[int]:
        """The head child of a node, if the rule is known; see `head_child`."""
        children = self.children[a]
        labels = [self.texts[child] for child in children]
        place = head_child(self.texts[a], labels)
        return [] if place is None else [children[place]]

    def sisters(self, a: int) -> List[int]:
        """A node and its sisters, in order."""
        return self.children[self.parents[a]] if self.parents[a] >= 0 else [a]


# The nodes B for which A relation B holds.
RELATIONS: Dict[str, Callable[[TreeIndex, int], Iterable[int]]] = {
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


def _related(name: str) -> Any:
    """What finds the nodes B of `A name B`; None if there is no such relation."""
    name = name.replace("%", "$")
    name = SYNONYMS.get(name, name)
    nth = _NTH.fullmatch(name)
    if nth is None:
        return RELATIONS.get(name)
    direction, minus, number = nth.groups()
    place = -int(number) if minus else int(number) - 1

    def nth_child(nodes: TreeIndex, a: int) -> List[int]:
        children = nodes.children[a]
        is_there = -len(children) <= place < len(children)
        return [children[place]] if is_there else []

    def nth_parent(nodes: TreeIndex, a: int) -> List[int]:
        parents = islice(nodes.up(a), 1)
        return [b for b in parents if a in nth_child(nodes, b)]

    return nth_child if direction == "<" else nth_parent


class _Part(NamedTuple):
    ways: Callable[[TreeIndex, int, Labels], Ways]  # in which it matches a node
    binds: FrozenSet[str] = frozenset()  # labels
    names: Optional[FrozenSet[str]] = None  # the only texts that it matches, if known


def _name(
    test: Callable[[TreeIndex, str], bool], names: Optional[FrozenSet[str]] = None
) -> _Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return iter([labels] if test(nodes, nodes.texts[a]) else [])

    return _Part(ways, names=names)


def _exactly(wanted: str) -> _Part:
    return _name(lambda _, text: text == wanted, frozenset([wanted]))


def _bound(part: _Part, label: str) -> _Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return ({**found, label: a} for found in nodes.ways(part, a, labels))

    return _Part(ways, part.binds | {label}, part.names)


def _relation(related: Callable[[TreeIndex, int], Iterable[int]], part: _Part) -> _Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return (
            found for b in related(nodes, a) for found in nodes.ways(part, b, labels)
        )

    return _Part(ways, part.binds)


def _all(parts: Sequence[_Part]) -> _Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels, at: int = 0) -> Ways:
        if at == len(parts):
            yield labels
            return
        for found in nodes.ways(parts[at], a, labels):
            yield from ways(nodes, a, found, at + 1)

    return _of_parts(ways, parts, parts[0].names)


def _any(parts: Sequence[_Part]) -> _Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return (found for part in parts for found in nodes.ways(part, a, labels))

    names = [part.names for part in parts]
    known = [one for one in names if one is not None]
    is_known = len(known) == len(names)
    return _of_parts(ways, parts, frozenset().union(*known) if is_known else None)


def _of_parts(
    ways: Callable[..., Ways],
    parts: Sequence[_Part],
    names: Optional[FrozenSet[str]],
) -> _Part:
    if len(parts) == 1:
        return parts[0]
    binds: FrozenSet[str] = frozenset().union(*(part.binds for part in parts))
    return _Part(ways, binds, names)


_NODE = 'a node, such as NP, "word" or /regex/ (labels with $ . , : are quoted)'
_SPACE = re.compile(r"(?:[ \r\t\n]|#[^\n]*)*")
_OPERATOR = re.compile(r"[$%,.<>][%,.<>0-9\-':#]*")
_LITERAL = re.compile(r"[^\]\[ \r\t\n;:.,&|<>()$!@%'^=]+")
_LABEL = re.compile(r"[A-Za-z0-9]+")
# By its quotation mark.
_QUOTED = {
    '"': (re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL), "string"),
    "/": (re.compile(r"/((?:[^/\\]|\\.)*)/", re.DOTALL), "regular expression"),
}
_ALTERNATIVE = re.compile(r"\|(?:[ \r\t\n]|#[^\n]*)*(?=[^ \r\t\n$%,.<>!\[])")

Bound = FrozenSet[str]  # the labels that are bound at a place of the pattern


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.printed = False
        self.used = {_PRINTED}

    def read(self) -> _Part:
        try:
            part, _ = self._expression(frozenset())
        except RecursionError:
            self._fail("too many brackets within brackets")
        self._skip()
        if self.at < len(self.text):
            self._fail("expected a relation such as < or .., or the end")
        return part

    def _expression(self, bound: Bound) -> Tuple[_Part, Bound]:
        node, bound = self._node(bound)
        if self._begins_relation():
            relations, bound = self._relations(bound)
            node = _all([node, relations])
        return node, bound

    def _relations(self, bound: Bound) -> Tuple[_Part, Bound]:
        """Alternatives of conjunctions; a label is bound after them if it is bound in
        each."""
        alternatives = []
        after = []
        while True:
            parts = []
            then = bound
            while True:
                part, then = self._relation(then)
                parts.append(part)
                if not self._take("&") and not self._begins_relation():
                    break
            alternatives.append(_all(parts))
            after.append(then)
            if not self._take("|"):
                return _any(alternatives), frozenset.intersection(*after)

    def _relation(self, bound: Bound) -> Tuple[_Part, Bound]:
        negated = self._take("!")
        printed = self.printed
        if self._take("["):
            part, then = self._within(self._relations, bound, "]")
        else:
            self._skip()
            start = self.at
            operator = self._token(_OPERATOR, "a relation such as < or ..")
            related = _related(operator)
            if related is None:
                self._fail(f"unknown relation {operator[:20]!r}", start)
            node, then = self._node(bound)
            part = _relation(related, node)
        if negated and self.printed != printed:
            self._fail(
                "the printed node (') can't stand in a negated relation, it ends"
            )
        if not negated:
            return part, then
        return _Part(
            lambda nodes, a, labels: iter(
                [] if any(1 for _ in nodes.ways(part, a, labels)) else [labels]
            )
        ), bound

    def _node(self, bound: Bound) -> Tuple[_Part, Bound]:
        printed = self._take("'")
        if printed and self.printed:
            self._fail("expected one printed node ('), got a second", self.at - 1)
        self.printed |= printed
        if self._take("("):
            node, bound = self._with_label(*self._within(self._expression, bound, ")"))
        else:
            node, after = self._with_label(self._simple(bound), bound)
            alternatives = [node]
            while self._begins_alternative():
                alternatives.append(self._simple(bound))
            if len(alternatives) > 1:  # a label of one alternative is not always bound
                node, after = self._with_label(_any(alternatives), bound)
            bound = after
        return (_bound(node, _PRINTED) if printed else node), bound

    def _with_label(self, node: _Part, bound: Bound) -> Tuple[_Part, Bound]:
        if self.text[self.at : self.at + 1] != "=":
            return node, bound
        self.at += 1
        start = self.at
        label = self._token(_LABEL, "a label of letters and digits after '='")
        if label in bound:
            self._fail(f"the label {label!r} is bound twice", start)
        return _bound(node, label), bound | {label}

    def _simple(self, bound: Bound) -> _Part:
        if self._take("="):
            start = self.at
            label = self._token(_LABEL, "a label of letters and digits after '='")
            if label not in bound:
                self._fail(f"the label {label!r} is not bound before", start)
            self.used.add(label)
            return _Part(
                lambda nodes, a, labels: iter([labels] if labels[label] == a else [])
            )
        ignore_case = self.text.startswith(('i@"', "i@/"), self.at)
        start = self.at + 2 * ignore_case
        kind = self.text[start : start + 1]
        if kind in _QUOTED:
            pattern, what = _QUOTED[kind]
            match = pattern.match(self.text, start)
            if not match:
                self._fail(f"the {what} is not closed, it begins", start)
            self.at = match.end()
            if kind == "/":
                return self._regex(match[1], ignore_case, start)
            wanted = re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)
            if ignore_case:
                return _name(lambda _, text: text.casefold() == wanted.casefold())
            return _exactly(wanted)
        wanted = self._token(_LITERAL, _NODE)
        return (
            _name(lambda _, text: True) if wanted in ("*", "__") else _exactly(wanted)
        )

    def _regex(self, text: str, ignore_case: bool, start: int) -> _Part:
        try:
            compiled = re.compile(text, re.IGNORECASE if ignore_case else 0)
            cost = cost_of_regex(text)
        except (re.error, RecursionError, OverflowError, ValueError) as error:
            self._fail(f"no regular expression ({str(error)[:80]})", start)
        found = lru_cache(maxsize=10_000)(
            lambda text: compiled.search(text) is not None
        )

        def test(nodes: TreeIndex, text: str) -> bool:
            nodes.count(cost(len(text)) / _STEPS_OF_REGEX)
            return found(text)

        return _name(test)

    def _begins_relation(self) -> bool:
        self._skip()
        return self.text.startswith(tuple("$%,.<>!["), self.at)

    def _begins_alternative(self) -> bool:
        self._skip()  # `|` and a relation are alternatives of relations
        match = _ALTERNATIVE.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        return True

    def _within(
        self, read: Callable[[Bound], Tuple[_Part, Bound]], bound: Bound, end: str
    ) -> Tuple[_Part, Bound]:
        found = read(bound)
        if not self._take(end):
            self._fail(f"expected a relation or {end!r}")
        return found

    def _take(self, char: str) -> bool:
        self._skip()
        found = self.text.startswith(char, self.at)
        self.at += found
        return found

    def _token(self, pattern: "re.Pattern[str]", expected: str) -> str:
        self._skip()
        match = pattern.match(self.text, self.at)
        if not match:
            self._fail(f"expected {expected}")
        self.at = match.end()
        return match[0]

    def _skip(self) -> None:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches the empty string

    def _fail(self, reason: str, at: int = -1) -> NoReturn:
        at = self.at if at < 0 else at
        rest = self.text[at : at + 20]
        before = f"before {rest!r}" if rest else "at the end"
        place = f"at character {at + 1}, {before}"
        raise PatternError(f"{reason} {place}: {self.text[:200]!r}")

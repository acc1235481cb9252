"""Search over trees by patterns of tgrep (TGrep2's language, as nltk.tgrep reads it).
Words are nodes like any others.

    NP < (NN $. PP)      VP <, /^VB/ !<< __      NP=x < (NN . (PP >> =x))

`A <# B` is Tregex's: B is the head child of A (`head_child.py`).
An unbound label or an unknown relation is an error with its place. *Not* here: macros,
`;`, `: =x`, `N(0,1)`."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import (
    TYPE_CHECKING,
    NamedTuple,
    NoReturn,
    Optional,
    Union,
)

import regex

from .tree_index import (
    RELATIONS,
    Labels,
    Part,
    PatternError,
    TreeIndex,
    Ways,
    related,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

_SECONDS = 0.1  # of a regular expression in a text
_PRINTED = "'"  # the label of the node that is found in place of the first


Find = Callable[[TreeIndex, int], Iterable[int]]  # the nodes B of `A relation B`


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
        self.text = text
        reader = _PatternReader(text)
        self._part = reader.read()
        self._used = reader.used

    def search(self, tree: Union["Tree", "TreeIndex"]) -> list[Match]:
        """The nodes that match, in pre-order.

        tree (Union[Tree, TreeIndex]): An index, for several patterns over one tree.
        RAISES (PatternError): The search takes more than `MAX_STEPS` steps.
        """
        nodes = tree if isinstance(tree, TreeIndex) else TreeIndex(tree)
        nodes.begin(self.text, self._used)
        try:
            matching = {
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
            for a in sorted(matching)
        ]


def _name(test: Callable[[str], bool]) -> Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return iter([labels] if test(nodes.texts[a]) else [])

    return Part(ways)


def _exactly(wanted: str) -> Part:
    return Part(lambda nodes, a, labels: iter([labels]), names=frozenset([wanted]))


def _bound(part: Part, label: str) -> Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return ({**way, label: a} for way in nodes.ways(part, a, labels))

    return Part(ways, part.binds | {label}, part.names)


def _relation(find: Find, part: Part) -> Part:
    """A relation to a part; of nodes below, only those with its names are tried."""
    names = part.names
    if names is not None and find is RELATIONS["<<"]:
        find = partial(TreeIndex.below, names=names)

    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return (way for b in find(nodes, a) for way in nodes.ways(part, b, labels))

    return Part(ways, part.binds)


def _all(parts: Sequence[Part]) -> Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels, at: int = 0) -> Ways:
        if at == len(parts):
            yield labels
            return
        for way in nodes.ways(parts[at], a, labels):
            yield from ways(nodes, a, way, at + 1)

    return _of_parts(ways, parts, parts[0].names)


def _any(parts: Sequence[Part]) -> Part:
    def ways(nodes: TreeIndex, a: int, labels: Labels) -> Ways:
        return (way for part in parts for way in nodes.ways(part, a, labels))

    names = [part.names for part in parts]
    known: frozenset[str] = frozenset().union(*filter(None, names))
    return _of_parts(ways, parts, None if None in names else known)


def _of_parts(
    ways: Callable[..., Ways],
    parts: Sequence[Part],
    names: Optional[frozenset[str]],
) -> Part:
    if len(parts) == 1:
        return parts[0]
    binds: frozenset[str] = frozenset().union(*(part.binds for part in parts))
    return Part(ways, binds, names)


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


class _PatternReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.printed = False
        self.used = {_PRINTED}
        self.bound: frozenset[str] = frozenset()  # the labels at a place of the pattern

    def read(self) -> Part:
        try:
            part = self._expression()
        except RecursionError:
            self._fail("too many brackets within brackets")
        self._skip()
        if self.at < len(self.text):
            self._fail("expected a relation such as < or .., or the end")
        return part

    def _expression(self) -> Part:
        node = self._node()
        return _all([node, self._relations()]) if self._begins_relation() else node

    def _relations(self) -> Part:
        """Alternatives of conjunctions; a label is bound after them if it is bound in
        each."""
        before = self.bound
        alternatives = []
        after = []
        while True:
            self.bound = before
            parts = [self._relation()]
            while self._take("&") or self._begins_relation():
                parts.append(self._relation())
            alternatives.append(_all(parts))
            after.append(self.bound)
            if not self._take("|"):
                self.bound = frozenset.intersection(*after)
                return _any(alternatives)

    def _relation(self) -> Part:
        negated = self._take("!")
        printed = self.printed
        before = self.bound
        if self._take("["):
            part = self._closed(self._relations(), "]")
        else:
            self._skip()
            start = self.at
            operator = self._token(_OPERATOR, "a relation such as < or ..")
            find = related(operator)
            if find is None:
                self._fail(f"unknown relation {operator[:20]!r}", start)
            part = _relation(find, self._node())
        if not negated:
            return part
        if self.printed != printed:
            self._fail(
                "the printed node (') can't stand in a negated relation, it ends"
            )
        self.bound = before
        return Part(
            lambda nodes, a, labels: iter(
                [] if any(1 for _ in nodes.ways(part, a, labels)) else [labels]
            )
        )

    def _node(self) -> Part:
        printed = self._take("'")
        if printed and self.printed:
            self._fail("expected one printed node ('), got a second", self.at - 1)
        self.printed |= printed
        if self._take("("):
            node = self._with_label(self._closed(self._expression(), ")"))
        else:
            before = self.bound
            node = self._with_label(self._simple())
            after = self.bound
            self.bound = before
            alternatives = [node]
            while self._begins_alternative():
                alternatives.append(self._simple())
            if len(alternatives) > 1:  # a label of one alternative is not always bound
                node = self._with_label(_any(alternatives))
            else:
                self.bound = after
        return _bound(node, _PRINTED) if printed else node

    def _with_label(self, node: Part) -> Part:
        if not self.text.startswith("=", self.at):
            return node
        label = self._label(is_new=True)
        self.bound |= {label}
        return _bound(node, label)

    def _label(self, is_new: bool) -> str:
        """Read a label after "=", which binds a node or is a bound one."""
        self.at += 1
        start = self.at
        label = self._token(_LABEL, "a label of letters and digits after '='")
        if (label in self.bound) == is_new:
            fault = "bound twice" if is_new else "not bound before"
            self._fail(f"the label {label!r} is {fault}", start)
        return label

    def _simple(self) -> Part:
        self._skip()
        if self.text.startswith("=", self.at):
            label = self._label(is_new=False)
            self.used.add(label)
            return Part(
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
                return _name(lambda text: text.casefold() == wanted.casefold())
            return _exactly(wanted)
        wanted = self._token(_LITERAL, _NODE)
        return _name(lambda text: True) if wanted in ("*", "__") else _exactly(wanted)

    def _regex(self, text: str, ignore_case: bool, start: int) -> Part:
        try:
            compiled = regex.compile(text, regex.IGNORECASE if ignore_case else 0)
        except (regex.error, RecursionError, OverflowError, ValueError) as error:
            self._fail(f"no regular expression ({str(error)[:80]})", start)

        @lru_cache(maxsize=10_000)
        def matches(text: str) -> bool:
            try:
                return compiled.search(text, timeout=_SECONDS) is not None
            except TimeoutError:
                self._fail(
                    "the search takes too long for the regular expression", start
                )

        return _name(matches)

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

    def _closed(self, part: Part, end: str) -> Part:
        if not self._take(end):
            self._fail(f"expected a relation or {end!r}")
        return part

    def _take(self, char: str) -> bool:
        self._skip()
        is_next = self.text.startswith(char, self.at)
        self.at += is_next
        return is_next

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
        after = self.text[at : at + 20]
        before = f"before {after!r}" if after else "at the end"
        place = f"at character {at + 1}, {before}"
        raise PatternError(f"{reason} {place}: {self.text[:200]!r}")

"""Patterns over trees in the language of tgrep (TGrep2, and nltk.tgrep's `N(0,1)`): from text to a record of its parts.

The grammar is nltk's. A pattern is read completely before a tree is searched: an undefined macro, an unbound label or
an unknown relation is an error with its place. *Not* here: the search (`tgrep.py`).
"""

import re
from dataclasses import dataclass
from typing import Callable, Dict, FrozenSet, List, NoReturn, Optional, Tuple, Union

MAX_NESTING = 50  # brackets within brackets
MAX_RELATIONS = 100  # of one node
PRINTED = "'"  # the label of the node that is printed in place of the first


class PatternError(ValueError):
    """A pattern that is malformed. The message names the place."""


@dataclass(frozen=True)
class Name:
    """A node by its label or word. test (Callable[[str], bool]): Whether a label or word is meant."""

    test: Callable[[str], bool]


@dataclass(frozen=True)
class Position:
    """A node by the way from the top: `N(0,1)` is the second daughter of the first daughter of the top."""

    path: Tuple[int, ...]


@dataclass(frozen=True)
class Use:
    """The node to which a label is bound: `=x`."""

    label: str


@dataclass(frozen=True)
class Bound:
    """A node that gets a label: `NP=x`."""

    node: "Part"
    label: str


@dataclass(frozen=True)
class Relation:
    """A node that another stands in a relation to: `< NP`."""

    name: str
    node: "Part"


@dataclass(frozen=True)
class Negated:
    """None of the matches of a part."""

    part: "Part"


@dataclass(frozen=True)
class All:
    """Matches if all parts match."""

    parts: Tuple["Part", ...]


@dataclass(frozen=True)
class Any:
    """Matches if a part matches."""

    parts: Tuple["Part", ...]


@dataclass(frozen=True)
class Segment:
    """Relations of a node that has a label: `: =x < NP`."""

    label: str
    part: Optional["Part"]


Part = Union[Name, Position, Use, Bound, Relation, Negated, All, Any, Segment]

# Other spellings; `%` stands for `$`.
SYNONYMS = {"<,": "<1", ">,": ">1", "<'": "<-1", ">'": ">-1", "<-": "<-1", ">-": ">-1", "<<1": "<<,", ">>1": ">>,"}
RELATIONS = frozenset("< > <: >: << >> <<, >>, <<' >>' <<: >>: . , .. ,, $ $. $, $.. $,,".split())
NTH = re.compile(r"([<>])(-?)([1-9]\d*)")

_NODE = 'a node, such as NP, "word" or /regex/ (labels with $ . , : are quoted)'

_SPACE = re.compile(r"(?:[ \r\t\n]|#[^\n]*)*")
_OPERATOR = re.compile(r"[$%,.<>][%,.<>0-9\-':]*")
_LITERAL = re.compile(r"[^\]\[ \r\t\n;:.,&|<>()$!@%'^=]+")
_MACRO = re.compile(r"[^\];:.,&|<>()\[$!@%'^=\r\t\n ]+")
_LABEL = re.compile(r"[A-Za-z0-9]+")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/", re.DOTALL)
_POSITION = re.compile(r"N\(\s*(?:(\d+)\s*,\s*(?:(\d+(?:\s*,\s*\d+)*)\s*,?\s*)?)?\)")


def parse_pattern(text: str) -> Part:
    """Read a pattern.

    text (str): For instance `NP < (NN $. PP)`, or with macros `@ BASE /^NP/; @BASE !<< PP`.
    RETURNS (Part): The pattern; one of several, which `;` divides, must match.
    RAISES (PatternError): It is malformed, or uses a macro or a label that is not defined before.
    """
    return _Reader(text).read()


class _Reader:
    """Recursive descent."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.macros: Dict[str, Part] = {}
        self.nesting = 0
        self.printed = False
        self.scope = ""  # labels of a macro are its own

    def read(self) -> Part:
        expressions: List[Part] = []
        while True:
            self._skip()
            if self.at < len(self.text) and self.text[self.at] != ";":
                expression = self._definition_or_expression()
                expressions += [expression] if expression else []
            self._skip()
            if self.at == len(self.text):
                break
            if self.text[self.at] != ";":
                self._fail("expected a relation such as < or .., or the end")
            self.at += 1
        if not expressions:
            self._fail(f"expected {_NODE}")
        return expressions[0] if len(expressions) == 1 else Any(tuple(expressions))

    def _definition_or_expression(self) -> Optional[Part]:
        if self.text[self.at] != "@" or not self.text[self.at + 1 : self.at + 2].isspace():
            return self._segments()
        start = self.at
        self.at += 1
        self._skip()
        name = self._token(_MACRO, "the name of a macro")
        self.scope = f"{name}@"
        definition = self._segments()
        self.scope = ""
        if name in self.macros:
            self.at = start
            self._fail(f"the macro {name!r} is defined twice")
        self.macros[name] = definition
        return None

    def _segments(self) -> Part:
        bound: FrozenSet[str] = frozenset()
        first, bound = self._expression(bound)
        parts = [first]
        while self._take(":"):
            self._skip()
            if not self._take("="):
                self._fail("expected a label, such as =x, after ':'")
            label = self._used_label(bound)
            relations, bound = self._relations(bound) if self._begins_relation() else (None, bound)
            parts.append(Segment(label, relations))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _expression(self, bound: FrozenSet[str]) -> Tuple[Part, FrozenSet[str]]:
        node, bound = self._node(bound)
        if not self._begins_relation():
            return node, bound
        relations, bound = self._relations(bound)
        return All((node, relations)), bound

    def _relations(self, bound: FrozenSet[str]) -> Tuple[Part, FrozenSet[str]]:
        """Alternatives; a label is bound after them if it is bound in each."""
        parts, after = [], []
        while True:
            part, then = self._conjunction(bound)
            parts.append(part)
            after.append(then)
            if not self._take("|"):
                break
        both = frozenset.intersection(*after)
        return (parts[0] if len(parts) == 1 else Any(tuple(parts))), both

    def _conjunction(self, bound: FrozenSet[str]) -> Tuple[Part, FrozenSet[str]]:
        parts = []
        while True:
            part, bound = self._relation(bound)
            parts.append(part)
            if len(parts) > MAX_RELATIONS:
                self._fail(f"more than {MAX_RELATIONS} relations of one node")
            if not self._take("&") and not self._begins_relation():
                return (parts[0] if len(parts) == 1 else All(tuple(parts))), bound

    def _relation(self, bound: FrozenSet[str]) -> Tuple[Part, FrozenSet[str]]:
        negated = self._take("!")
        printed = self.printed
        if self._take("["):
            self._enter()
            part, then = self._relations(bound)
            self._leave("]")
        else:
            self._skip()
            start = self.at
            operator = self._token(_OPERATOR, "a relation such as < or ..")
            name = operator.replace("%", "$")
            name = SYNONYMS.get(name, name)
            if name not in RELATIONS and not NTH.fullmatch(name):
                self.at = start
                self._fail(f"unknown relation {operator!r}")
            node, then = self._node(bound)
            part = Relation(name, node)
        if negated and self.printed and not printed:
            self._fail("the printed node (') can't stand in a negated relation, it ends")
        return (Negated(part), bound) if negated else (part, then)

    def _node(self, bound: FrozenSet[str]) -> Tuple[Part, FrozenSet[str]]:
        printed = self._take("'")
        if printed and self.printed:
            self.at -= 1
            self._fail("expected one printed node ('), got a second")
        self.printed |= printed
        if self._take("("):
            self._enter()
            node, bound = self._expression(bound)
            self._leave(")")
            node, bound = self._with_label(node, bound)
        else:
            node, after = self._with_label(self._name(bound), bound)
            alternatives = [node]
            while self._begins_alternative():
                alternatives.append(self._name(bound))
            if len(alternatives) > 1:  # a label of one alternative is not always bound
                node, after = self._with_label(Any(tuple(alternatives)), bound)
            bound = after
        return (Bound(node, PRINTED) if printed else node), bound

    def _with_label(self, node: Part, bound: FrozenSet[str]) -> Tuple[Part, FrozenSet[str]]:
        if self.text[self.at : self.at + 1] != "=":
            return node, bound
        self.at += 1
        start = self.at
        label = self.scope + self._token(_LABEL, "a label of letters and digits after '='")
        if label in bound:
            self.at = start
            self._fail(f"the label {label.removeprefix(self.scope)!r} is bound twice")
        return Bound(node, label), bound | {label}

    def _name(self, bound: FrozenSet[str]) -> Part:
        self._skip()
        rest = self.text[self.at : self.at + 3]
        if self._take("="):
            return Use(self._used_label(bound))
        if rest[:1] == "@":
            self.at += 1
            return self._macro()
        if rest[:2] == "N(":
            return self._position()
        if rest[:2] == "i@" and rest[2:] in ('"', "/"):
            self.at += 2
            return self._quoted(ignore_case=True)
        if rest[:1] in ('"', "/"):
            return self._quoted(ignore_case=False)
        literal = self._token(_LITERAL, _NODE)
        return Name(_anything if literal in ("*", "__") else literal.__eq__)

    def _macro(self) -> Part:
        start = self.at
        name = self._token(_MACRO, "the name of a macro")
        if name not in self.macros:
            self.at = start
            self._fail(f"the macro {name!r} is not defined before")
        return self.macros[name]

    def _position(self) -> Position:
        match = _POSITION.match(self.text, self.at)
        if not match:
            self._fail("expected a position, such as N(), N(0,) or N(0,1)")
        self.at = match.end()
        return Position(tuple(int(number) for number in re.findall(r"\d+", match[0])))

    def _quoted(self, ignore_case: bool) -> Name:
        start = self.at
        is_regex = self.text[start] == "/"
        match = (_REGEX if is_regex else _STRING).match(self.text, start)
        if not match:
            self._fail(f"the {'regular expression' if is_regex else 'string'} is not closed, it begins")
        self.at = match.end()
        if is_regex:
            try:
                found = re.compile(match[1], re.IGNORECASE if ignore_case else 0).search
            except (re.error, RecursionError, OverflowError) as error:
                self.at = start
                self._fail(f"no regular expression ({error})")
            return Name(lambda text: found(text) is not None)
        string = re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)
        return Name((lambda text: text.casefold() == string.casefold()) if ignore_case else string.__eq__)

    def _used_label(self, bound: FrozenSet[str]) -> str:
        start = self.at
        label = self.scope + self._token(_LABEL, "a label of letters and digits after '='")
        if label not in bound:
            self.at = start
            self._fail(f"the label {label.removeprefix(self.scope)!r} is not bound before")
        return label

    def _begins_relation(self) -> bool:
        self._skip()
        return self.text[self.at : self.at + 1] in tuple("$%,.<>![")

    def _begins_alternative(self) -> bool:
        """Whether `|` and a name follow; `|` and a relation are alternatives of relations."""
        self._skip()
        match = re.compile(r"\|(?:[ \r\t\n]|#[^\n]*)*(?=[^ \r\t\n$%,.<>!\[])").match(self.text, self.at)
        if match:
            self.at = match.end()
        return match is not None

    def _enter(self) -> None:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            self._fail(f"more than {MAX_NESTING} brackets within brackets")

    def _leave(self, bracket: str) -> None:
        self.nesting -= 1
        if not self._take(bracket):
            self._fail(f"expected a relation or {bracket!r}")

    def _take(self, char: str) -> bool:
        self._skip()
        if self.text[self.at : self.at + 1] != char:
            return False
        self.at += 1
        return True

    def _token(self, pattern: "re.Pattern[str]", expected: str) -> str:
        self._skip()
        match = pattern.match(self.text, self.at)
        if not match:
            self._fail(f"expected {expected}")
        self.at = match.end()
        return match[0]

    def _skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _fail(self, reason: str) -> NoReturn:
        before = self.text[: self.at]
        line, column = before.count("\n") + 1, self.at - before.rfind("\n")
        place = f"line {line}, character {column}" if "\n" in self.text else f"character {column}"
        rest = self.text[self.at : self.at + 20].split("\n")[0]
        raise PatternError(f"{reason} at {place}, {f'before {rest!r}' if rest else 'at the end'}: {self.text!r}")


def _anything(text: str) -> bool:
    return True

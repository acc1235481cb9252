"""Brackets: reading and writing the text form of constituency trees, and the escapes of
words in it. Words are raw text in memory and escaped in files: `(` is `-LRB-`. No
function here recurses, and recursive methods of `nltk.Tree` (`leaves`, `str`, `==`,
`deepcopy`, ...) are not used: trees may be deep (`MAX_BRACKETS`)."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Optional,
    Union,
)

from ..files import TreebankError, numbered_lines, quoted
from ..lang import ROOT_LABELS

if TYPE_CHECKING:
    from nltk.tree import Tree

MAX_BRACKETS = 200_000  # opening brackets in a tree, including tags
FALLBACK_ROOT = "TOP"  # the parent of several top constituents
TRACE_TAG = "-NONE-"
_EXCERPT = 60  # characters of a line, a word or a label that an error shows

Source = Union[str, "os.PathLike[str]", Iterable[str]]

# Words end at ASCII white space only: a no-break space inside a word ("1\u00a0000")
# belongs to it.
_TOKEN = re.compile(r"[()]|[^() \t\r\n\f\v]+")
_TRACE = re.compile(r"\*(?:T|PRO|U|ICH|EXP|RNR|PPA|NOT|\?)\*(?:-\d+)?|\*-\d+")
_ESCAPES = {
    "(": "-LRB-",
    ")": "-RRB-",
    "{": "-LCB-",
    "}": "-RCB-",
    "[": "-LSB-",
    "]": "-RSB-",
}
_RAW = {
    **{escape: raw for raw, escape in _ESCAPES.items()},
    "-EMPTY-": "",
    "/.": ".",
    "/?": "?",
}
_WHITE_SPACE = re.compile(r"\s")
_NEEDS_ESCAPE = re.compile(r"[(){}\[\]\s]")
_ESCAPED = re.compile(r"-[LR][RCS]B-|-U\+([0-9A-F]{4})-|\\([/*])")
_CLOSE = object()  # marks a closing bracket in the writer's stack


class BracketedTree(NamedTuple):
    """A tree, and the line, from 1, on which its outermost bracket opens."""

    tree: "Tree"
    line: int


def read_brackets(source: Source, **options: Any) -> "Iterator[Tree]":
    """The trees of a file, in order. Arguments and errors as in
    `read_brackets_with_lines`."""
    return (tree for tree, _ in read_brackets_with_lines(source, **options))


def parse_tree(text: str, **options: Any) -> "Tree":
    """The one tree that a string holds. Options as in `read_brackets_with_lines`.

    RAISES (ValueError): The text is malformed, or does not hold exactly one tree with
        words.
    """
    trees = list(read_brackets_with_lines(text.split("\n"), **options))
    if len(trees) != 1:
        raise ValueError(
            f"expected exactly one tree with words, got {len(trees)}: "
            f"{quoted(text, _EXCERPT)}"
        )
    return trees[0].tree


def read_brackets_with_lines(
    source: Source,
    *,
    name: Optional[str] = None,
    strip_root: bool = True,
    strip_traces: bool = True,
    strip_functions: bool = True,
) -> Iterator[BracketedTree]:
    """The trees of a file, each with its line. The file is read lazily. Words are raw
    text, see `unescape_word`.

    A line may hold several trees, and a tree may span several lines. Skipped are blank
    lines and, between trees, lines that begin with `#`.

    source (str, PathLike or Iterable[str]): A path (a `str` is always a path), or the
        lines of a text.
    name (Optional[str]): Name of the source in errors; its path unless given.
    strip_root (bool): Remove a root labelled TOP, ROOT, S1, VROOT or without label. A
        single child replaces it, even a preterminal; over several children it stays as
        TOP, so that none is lost.
    strip_traces (bool): Leave out `-NONE-` leaves and the constituents that they leave
        empty, even whole trees.
    strip_functions (bool): Cut labels and tags at the first `-`, `=` or `|` after their
        first character (`NP-SBJ-1` to `NP`, `ADVP|PRT` to `ADVP`), except labels that
        begin with `-` (`-LRB-`).
    RAISES (TreebankError): With file, line and the offending text: brackets that do not
        match, or lack a label or content; a word that is not alone under its tag; a
        trace outside of `-NONE-`; a tree that is never closed.
    """
    if isinstance(source, (str, os.PathLike)):
        name = name or os.fspath(source)
        lines = numbered_lines(Path(source))
    else:
        name = name or "<text>"
        lines = enumerate(source, start=1)
    reader = _BracketReader(name, strip_traces, strip_functions)
    for number, line in lines:
        for tree, start in reader.trees_ending_on(
            number, line.lstrip("\ufeff") if number == 1 else line
        ):
            yield BracketedTree(_without_root(tree) if strip_root else tree, start)
    if reader.stack:
        shown = (
            f"{len(reader.stack)} brackets are still open at the end: "
            f"{quoted(reader.first_line.strip()[:_EXCERPT])}"
        )
        raise TreebankError(f"{name}:{reader.stack[0].line}: {shown}")


def write_brackets(tree: "Tree", *, escape: bool = True) -> str:
    """A tree on one line, without an added root: `(NP (DT the) (NN dawn))`.

    escape (bool): Escape words, see `escape_word`. Labels and tags are always escaped
        if they hold brackets or white space; reading keeps these escapes, as treebanks
        write `(-LRB- -LRB-)`.
    """
    pieces: list[str] = []
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        has_children = isinstance(node, list)
        if has_children:
            pieces.append(f" ({escape_characters(str(node.label()))}")
            todo.append(_CLOSE)
            todo.extend(reversed(node))
        elif node is _CLOSE:
            pieces.append(")")
        else:
            word = str(node)
            pieces.append(f" {escape_word(word) if escape else word}")
    return "".join(pieces)[1:]


@dataclass
class _OpenNode:
    """A bracket that is not closed yet. `holds`: "word" or "brackets", the kind of its
    content, traces included; empty for none."""

    line: int
    label: Optional[str] = None
    holds: str = ""
    children: list[Any] = field(default_factory=list)


class _BracketReader:
    """Turns lines into trees. Open brackets are on a stack."""

    def __init__(self, name: str, strip_traces: bool, strip_functions: bool) -> None:
        from nltk.tree import Tree  # slow: not at start-up

        self.make = Tree
        self.name = name
        self.strip_traces = strip_traces
        self.strip_functions = strip_functions
        self.stack: list[_OpenNode] = []
        self.first_line = ""  # on which the open tree begins
        self.n_brackets = 0  # of the open tree

    def trees_ending_on(self, number: int, line: str) -> Iterator[BracketedTree]:
        if not self.stack and line.lstrip().startswith("#"):
            return
        for token in _TOKEN.findall(line):
            if not self.stack:
                self.first_line = line
                self.n_brackets = 0
            self.n_brackets += token == "("
            node = self.stack[-1] if self.stack else _OpenNode(0)
            fault = self._fault(node, token)
            if fault:
                raise TreebankError(
                    f"{self.name}:{number}: {fault}: {quoted(line.strip()[:_EXCERPT])}"
                )
            if token == "(":
                node.label = node.label or ""
                node.holds = "brackets"
                self.stack.append(_OpenNode(number))
            elif token == ")":
                yield from self._close()
            elif node.label is None:
                node.label = token
            else:
                node.holds = "word"
                node.children.append(token)

    def _fault(self, node: _OpenNode, token: str) -> str:
        """Tell what is wrong with a token within a node; empty for nothing."""
        if self.n_brackets > MAX_BRACKETS:
            return (
                f"expected a tree of at most {MAX_BRACKETS:,} brackets (is the one of "
                f"line {self.stack[0].line} never closed?)"
            )
        if token == "(":
            lacks_label = node.label is None and len(self.stack) > 1
            is_fault = lacks_label or node.holds == "word"
            return "a bracket opens beside a word or without a label" * is_fault
        shown = quoted(token, _EXCERPT)
        if not self.stack:
            return f"{shown} stands outside of all brackets"
        if token == ")":
            is_empty = node.label is None or not node.holds
            return "a bracket closes that lacks a label or a word" * is_empty
        if node.holds:
            return f"{shown} is not alone under its tag"
        is_trace = node.label not in (None, TRACE_TAG) and _TRACE.fullmatch(token)
        if self.strip_traces and is_trace:
            return f"expected the trace {shown} under {TRACE_TAG}"
        return ""

    def _close(self) -> Iterator[BracketedTree]:
        node = self.stack.pop()
        label = node.label or ""
        is_word = node.holds == "word"
        is_trace = is_word and label == TRACE_TAG
        if self.strip_traces and (is_trace or not node.children):
            return
        if is_word:
            node.children = [unescape_word(node.children[0])]
        if self.strip_functions:
            label = _without_function(label)
        tree = self.make(label, node.children)
        if self.stack:
            self.stack[-1].children.append(tree)
        else:
            yield BracketedTree(tree, node.line)


def _without_function(label: str) -> str:
    return label if label.startswith("-") else re.sub("(?<=.)[-=|].*", "", label)


def _without_root(tree: "Tree") -> "Tree":
    while tree.label() in ROOT_LABELS and isinstance(tree[0], list):
        if len(tree) > 1:
            return type(tree)(FALLBACK_ROOT, list(tree))
        tree = tree[0]
    return tree


def escape_word(word: str) -> str:
    """A word in its escaped form for brackets: without brackets or white space, and
    never empty.

    `( ) { } [ ]` become `-LRB- -RRB- -LCB- -RCB- -LSB- -RSB-` as in the Penn Treebank.
    White space becomes `_`, as in columns of treebanks, and is not read back; the empty
    word becomes `-EMPTY-`. A final backslash becomes `-U+005C-`: NLTK reads a backslash
    and a bracket as part of the word. A literal `-LRB-` is kept, and so reads as `(`.
    """
    if not word:
        return "-EMPTY-"
    escaped = escape_characters(word)
    if escaped.endswith("\\"):
        escaped = escaped[:-1] + _code_point("\\")
    raw = _WHITE_SPACE.sub("_", unescape_word(word))
    if escaped is not word and unescape_word(escaped) != raw:
        # An escape that runs into the word's own dash ("-LRB(" to "-LRB-LRB-") would be
        # read at the wrong place.
        escaped = "".join(
            escape_characters(char) if char not in "-\\" else _code_point(char)
            for char in raw
        )
    return escaped


def unescape_word(word: str) -> str:
    r"""The raw text of a word in brackets: the reverse of `escape_word`; also `\/` to
    `/` and `\*` to `*`, as in the Wall Street Journal part of the Penn Treebank, and
    `/.` and `/?` of OntoNotes to `.` and `?`."""
    if word in _RAW:
        return _RAW[word]
    return _ESCAPED.sub(_raw_text, word) if "-" in word or "\\" in word else word


def escape_characters(text: str) -> str:
    """Escape only brackets and white space, as in labels."""
    if not _NEEDS_ESCAPE.search(text):
        return text
    return _NEEDS_ESCAPE.sub(lambda match: _ESCAPES.get(match[0], "_"), text)


def _code_point(char: str) -> str:
    return f"-U+{ord(char):04X}-"


def _raw_text(match: "re.Match[str]") -> str:
    code_point, after_slash = match.groups()
    if code_point:
        char = chr(int(code_point, 16))
        # A literal -U+200D- in a text is kept.
        return char if char in "-\\" else match[0]
    return after_slash or _RAW.get(match[0], match[0])

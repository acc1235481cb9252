"""Brackets: reading and writing the text form of constituency trees.

`read_brackets("dev.ptb")` yields one `nltk.Tree` per tree of a file; `parse_tree("(NP (NN dawn))")` reads a string;
`write_brackets(tree)` gives one line. Words are raw text in memory and escaped in files: `(` is `-LRB-`.

No function here recurses, so trees may be as deep as they have brackets (`MAX_BRACKETS`). Recursive methods of
`nltk.Tree` (`leaves`, `str`, `==`, `deepcopy`, ...) are not used. This file knows no spans and no heads.
"""

import os
import re
from itertools import islice
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional, Tuple, Type, Union

from nltk.tree import Tree

from ..lang import ROOT_LABELS
from .bracket_errors import (
    EXCERPT,
    BracketDecodeError,
    BracketError,
    ExtraCloseTreeError,
    MixedTreeError,
    OversizedTreeError,
    UnclosedTreeError,
    UnlabeledTreeError,
)
from .escapes import escape_characters, escape_word, unescape_word
from .lines import MAX_CHARACTERS, LineError, numbered_lines, quoted

MAX_BRACKETS = 200_000  # opening brackets in a tree, including tags
FALLBACK_ROOT = "TOP"  # the parent of several top constituents
TRACE_TAG = "-NONE-"

Source = Union[str, "os.PathLike[str]", Iterable[str]]

# Words end at ASCII white space only: a no-break space inside a word ("1\u00a0000") belongs to it.
_TOKEN = re.compile(r"[()]|[^() \t\r\n\f\v]+")
_LONG_LINE = 100_000  # characters; the tokens of longer lines are read one by one


class BracketedTree(NamedTuple):
    """A tree and its line.

    line (int): The line, from 1, on which its outermost bracket opens.
    """

    tree: Tree
    line: int


def read_brackets(
    source: Source,
    *,
    name: Optional[str] = None,
    strip_root: bool = True,
    strip_traces: bool = True,
    strip_functions: bool = True,
    unescape: bool = True,
) -> Iterator[Tree]:
    """The trees of a file, in order. Arguments and errors as in `read_brackets_with_lines`."""
    options = (strip_root, strip_traces, strip_functions, unescape)
    return (tree for tree, _ in _read(source, name, *options))


def read_brackets_with_lines(
    source: Source,
    *,
    name: Optional[str] = None,
    strip_root: bool = True,
    strip_traces: bool = True,
    strip_functions: bool = True,
    unescape: bool = True,
) -> Iterator[BracketedTree]:
    """The trees of a file, each with its line. The file is read lazily.

    A line may hold several trees, and a tree may span several lines. Skipped are blank lines and, between trees, lines
    that begin with `#`.

    source (str, PathLike or Iterable[str]): A path (a `str` is always a path), or the lines of a text.
    name (Optional[str]): Name of the source in errors; its path unless given.
    strip_root (bool): Remove a root labelled TOP, ROOT, S1, VROOT or without label. A single child replaces it, even a
        preterminal; over several children it stays as TOP, so that none is lost.
    strip_traces (bool): Leave out `-NONE-` leaves and the constituents that they leave empty, even whole trees.
    strip_functions (bool): Cut labels and tags at the first `-`, `=` or `|` after their first character (`NP-SBJ-1` to
        `NP`, `ADVP|PRT` to `ADVP`), except labels that begin with `-` (`-LRB-`).
    unescape (bool): Give words as raw text, see `unescape_word`.
    RAISES (BracketError): One of its subclasses, while iterating, with file, line and the offending text.
    """
    return _read(source, name, strip_root, strip_traces, strip_functions, unescape)


def parse_tree(
    text: str,
    *,
    strip_root: bool = True,
    strip_traces: bool = True,
    strip_functions: bool = True,
    unescape: bool = True,
) -> Tree:
    """The one tree that a string holds. Options as in `read_brackets_with_lines`.

    RAISES (BracketError): Where the text is malformed.
    RAISES (ValueError): Where it does not hold exactly one tree with words.

    >>> parse_tree("(ROOT (NP-SBJ (NN dawn)))")
    Tree('NP', [Tree('NN', ['dawn'])])
    """
    trees = list(_read(text.split("\n"), None, strip_root, strip_traces, strip_functions, unescape))
    if len(trees) != 1:
        raise ValueError(f"expected exactly one tree with words, got {len(trees)}: {quoted(text, EXCERPT)}")
    return trees[0].tree


def iter_words(tree: Tree) -> Iterator[str]:
    """The words of a tree of any depth, in order: `tree.leaves()` recurses."""
    todo: List[object] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, Tree):
            todo.extend(reversed(node))
        else:
            yield str(node)


def write_brackets(tree: Tree, *, escape: bool = True, spaces: bool = False) -> str:
    """A tree on one line, without an added root: `(NP (DT the) (NN dawn))`.

    escape (bool): Escape words, see `escape_word`. Labels and tags are always escaped if they hold brackets or white
        space; reading keeps these escapes, as treebanks write `(-LRB- -LRB-)`.
    spaces (bool): Keep spaces in words, `(NNP New York)`, as benepar and `str(tree)` do. `parse_tree` refuses such a
        line, and `Tree.fromstring` reads several words.

    `parse_tree(text, strip_root=False, strip_traces=False, strip_functions=False)` reads the line back, if every word
    has a tag and every label is a non-empty string without brackets and white space.
    """
    pieces: List[str] = []
    todo: List[object] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, Tree):
            pieces.append(f" ({escape_characters(str(node.label()))}")
            todo.append(_CLOSE)
            todo.extend(reversed(node))
        elif node is _CLOSE:
            pieces.append(")")
        else:
            word = str(node)
            parts = word.split(" ") if spaces and word else [word]
            escaped = [escape_word(part) if part or not word else "" for part in parts] if escape else parts
            pieces.append(f" {' '.join(escaped)}")
    return "".join(pieces)[1:]


_CLOSE = object()  # marks a closing bracket in the writer's stack


def _read(
    source: Source,
    name: Optional[str],
    strip_root: bool,
    strip_traces: bool,
    strip_functions: bool,
    unescape: bool,
) -> Iterator[BracketedTree]:
    lines: Iterator[Tuple[int, str]]
    if isinstance(source, (str, os.PathLike)):
        name = name or os.fspath(source)
        lines = _lines_of(Path(source), name)
    else:
        lines = enumerate(source, start=1)
    builder = _Builder(name or "<text>", strip_traces, strip_functions, unescape)
    for number, line in lines:
        for tree, start in builder.trees_ending_on(number, line.lstrip("\ufeff") if number == 1 else line):
            yield BracketedTree(_without_root(tree) if strip_root else tree, start)
    builder.end()


def _lines_of(path: Path, name: str) -> Iterator[Tuple[int, str]]:
    try:
        yield from numbered_lines(path)
    except LineError as error:
        raise BracketDecodeError(name, error.number, error.text, error.reason) from None


class _OpenNode:
    """A bracket that is not closed yet. `holds`: the kind of its content, traces included."""

    __slots__ = ("label", "children", "holds", "line")

    def __init__(self, line: int) -> None:
        self.label: Optional[str] = None
        self.children: List[Union[Tree, str]] = []
        self.holds: Optional[str] = None  # "word", "brackets" or None
        self.line = line


class _Builder:
    """Turns lines into trees. Open brackets are on a stack, without recursion."""

    def __init__(self, name: str, strip_traces: bool, strip_functions: bool, unescape: bool) -> None:
        self.name = name
        self.strip_traces = strip_traces
        self.strip_functions = strip_functions
        self.unescape = unescape
        self.stack: List[_OpenNode] = []
        self.first_line = ""  # the line on which the open tree begins
        self.n_brackets = self.n_characters = 0  # of the open tree; characters on the lines before this one

    def trees_ending_on(self, number: int, line: str) -> Iterator[BracketedTree]:
        if not self.stack and line.lstrip().startswith("#"):
            return
        if self.stack and _begins_like(self.stack[0], line):
            raise self._unclosed(f"the next tree begins on line {number}")
        for token in _tokens(line):
            try:
                if token == "(":
                    self._open(number, line)
                elif token == ")":
                    done = self._close()
                    if done is not None:
                        yield done
                else:
                    self._add_word_or_label(token)
            except _Fault as fault:
                raise fault.error_class(self.name, number, line, fault.reason) from None
        self.n_characters += len(line)
        if self.stack and self.n_characters > MAX_CHARACTERS:
            raise self._oversized(f"{MAX_CHARACTERS:,} characters")

    def end(self) -> None:
        if self.stack:
            raise self._unclosed(f"{len(self.stack)} brackets are still open at the end")

    def _unclosed(self, reason: str) -> UnclosedTreeError:
        return UnclosedTreeError(self.name, self.stack[0].line, self.first_line, reason)

    def _oversized(self, size: str) -> OversizedTreeError:
        reason = f"expected a tree of at most {size}, got a longer one (is it never closed?)"
        return OversizedTreeError(self.name, self.stack[0].line, self.first_line, reason)

    def _open(self, number: int, line: str) -> None:
        if not self.stack:
            self.first_line = line[:EXCERPT]
            self.n_brackets = self.n_characters = 0
        self.n_brackets += 1
        if self.n_brackets > MAX_BRACKETS:
            raise self._oversized(f"{MAX_BRACKETS:,} brackets")
        if self.stack:
            parent = self.stack[-1]
            if parent.label is None:
                if len(self.stack) > 1:
                    raise _Fault(UnlabeledTreeError, "only the outermost bracket of a tree may lack a label")
                parent.label = ""
            if parent.holds == "word":
                word = quoted(str(parent.children[0]), EXCERPT)
                raise _Fault(MixedTreeError, f"a bracket opens beside the word {word}")
            parent.holds = "brackets"
        self.stack.append(_OpenNode(number))

    def _add_word_or_label(self, token: str) -> None:
        if not self.stack:
            raise _Fault(MixedTreeError, f"{quoted(token, EXCERPT)} stands outside of all brackets")
        node = self.stack[-1]
        if node.label is None:
            node.label = token
        elif node.holds is not None:
            raise _Fault(MixedTreeError, f"{quoted(token, EXCERPT)} is not alone under its tag")
        else:
            node.holds = "word"
            node.children.append(token)

    def _close(self) -> Optional[BracketedTree]:
        if not self.stack:
            raise _Fault(ExtraCloseTreeError, "a bracket closes that was never opened")
        node = self.stack.pop()
        if node.label is None:
            raise _Fault(UnlabeledTreeError, "a bracket holds nothing")
        if node.holds is None:
            label = quoted(node.label, EXCERPT)
            raise _Fault(UnlabeledTreeError, f"{label} is alone in its brackets, a label or a word is missing")
        if self.strip_traces and (not node.children or node.holds == "word" and node.label == TRACE_TAG):
            return None
        label = _without_function(node.label) if self.strip_functions else node.label
        if self.unescape and node.holds == "word":
            node.children[0] = unescape_word(str(node.children[0]))
        tree = Tree(label, node.children)
        if not self.stack:
            return BracketedTree(tree, node.line)
        self.stack[-1].children.append(tree)
        return None


class _Fault(Exception):
    """An error whose file and line are not known yet."""

    def __init__(self, error_class: Type[BracketError], reason: str) -> None:
        super().__init__(reason)
        self.error_class, self.reason = error_class, reason


def _tokens(line: str) -> Iterable[str]:
    return _TOKEN.findall(line) if len(line) <= _LONG_LINE else (match[0] for match in _TOKEN.finditer(line))


def _begins_like(root: _OpenNode, line: str) -> bool:
    """Whether an unindented line opens with the same root label as the open tree. Without this check a missing bracket
    would be reported at the end of the file, with all later trees below the open one."""
    if line[:1] != "(":
        return False
    tokens = [match[0] for match in islice(_TOKEN.finditer(line), 2)]
    label = tokens[1] if len(tokens) > 1 and tokens[1] != "(" else ""
    return len(tokens) > 1 and label in ROOT_LABELS and label == root.label


def _without_function(label: str) -> str:
    if label.startswith("-"):
        return label
    end = min((at for at in (label.find(mark, 1) for mark in "-=|") if at > 0), default=len(label))
    return label[:end]


def _without_root(tree: Tree) -> Tree:
    while tree.label() in ROOT_LABELS and isinstance(tree[0], Tree):
        if len(tree) > 1:
            return Tree(FALLBACK_ROOT, list(tree))
        tree = tree[0]
    return tree

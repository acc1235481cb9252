"""One parse as EVALB reads it: words, tags and brackets after the deletion of preterminals. Made from a line of a
bracket file (as the program reads it), from an `nltk.Tree`, or from words, tags and half-open spans.

The line reader follows EVALB's own grammar, not the treebank reader of `trees/`: `(NP )` is a word without letters, `(
(S ...))` a bracket without a label. A sentence with surplus brackets may still be scored.
Not here: comparing two parses (`evalb.py`).
"""

import re
from typing import Dict, List, NamedTuple, Sequence, Tuple, Union

from nltk.tree import Tree

from spacy_lal.metrics.evalb_params import EvalbParams
from spacy_lal.trees.labels import split_chain

Bracket = Tuple[int, int, str]  # start, end (half-open, over the kept words), uncut label
Spans = Tuple[Sequence[str], Sequence[str], Sequence[Bracket]]  # words, tags, spans over all words (chains by `::`)

OPEN = -1  # the end of a bracket that is never closed

# C's isspace in the C locale, hence not \s on text. A preterminal, or an opening bracket; a closing one; anything
# else, which the program cannot process.
_TOKEN = re.compile(r"\(([^() \t-\r]*)(?:[ \t-\r]+([^() \t-\r]*)\))?|(\))|([^() \t-\r]+)")
_QUOTES = frozenset(("'", '"', "/"))

TOO_MANY_OPEN = "Bracketing is unbalanced (too many open bracket)"
TOO_MANY_CLOSED = "Bracketing unbalance (too many close bracket)"


class EvalbFormatError(ValueError):
    """A line on which the original program hangs or reads beyond its end. A file reader adds the file and the line to
    the message."""


class Quote(NamedTuple):
    """A quote character under a `quote_label`, kept or deleted, with the data to put it back.

    position (int): The number of kept words before it.
    bracket (int): The number of brackets opened before it; later brackets begin after it.
    enclosing (tuple): The brackets (by number) around it.
    """

    position: int
    bracket: int
    enclosing: Tuple[int, ...]
    tag: str
    word: str


class EvalbSentence(NamedTuple):
    """One parse.

    words, tags (list): The preterminals that are not deleted.
    brackets (list): All brackets in pre-order with uncut labels; an end of -1 marks a bracket that is never closed.
    length (int): Number of words, without words under `delete_label_for_length`.
    quotes (list): Empty unless the parameters have a `quote_label`.
    errors (list): The reader's errors; if not empty, the sentence does not count.
    """

    words: List[str]
    tags: List[str]
    brackets: List[Bracket]
    length: int
    quotes: List[Quote] = []
    errors: List[str] = []


Parse = Union[EvalbSentence, Tree, str, Spans]


class _Builder:
    """Collects a parse from left to right."""

    def __init__(self, params: EvalbParams) -> None:
        self.delete = frozenset(params.delete_label)
        self.no_length = frozenset(params.delete_label_for_length)
        self.quote = frozenset(params.quote_label)
        self.words: List[str] = []
        self.tags: List[str] = []
        self.starts: List[int] = []
        self.ends: List[int] = []
        self.labels: List[str] = []
        self.quotes: List[Quote] = []
        self.errors: List[str] = []
        self.length = 0
        # Open brackets by depth. A dict, since a surplus closing bracket takes the depth below zero, where the
        # program finds bracket 0 (in uninitialised memory) and continues.
        self.open: Dict[int, int] = {}
        self.depth = 0

    def preterminal(self, tag: str, word: str) -> None:
        if tag not in self.no_length:
            self.length += 1
        if tag in self.quote and word in _QUOTES:
            enclosing = tuple(self.open[depth] for depth in range(self.depth))
            self.quotes.append(Quote(len(self.words), len(self.labels), enclosing, tag, word))
        if tag not in self.delete:
            self.words.append(word)
            self.tags.append(tag)

    def open_bracket(self, label: str) -> None:
        self.open[self.depth] = len(self.labels)
        self.depth += 1
        self.starts.append(len(self.words))
        self.ends.append(OPEN)
        self.labels.append(label)

    def close_bracket(self) -> None:
        if self.depth < 0:
            self.errors.append(TOO_MANY_CLOSED)
        self.depth -= 1
        bracket = self.open.get(self.depth, 0)
        if bracket < len(self.ends):
            self.ends[bracket] = len(self.words)

    def finish(self) -> EvalbSentence:
        if self.depth != 0:
            self.errors.append(TOO_MANY_OPEN)
        brackets = list(zip(self.starts, self.ends, self.labels, strict=True))
        return EvalbSentence(self.words, self.tags, brackets, self.length, self.quotes, self.errors)


def read_sentence(line: str, params: EvalbParams) -> EvalbSentence:
    """Read one line of a bracket file as EVALB does. A line without brackets is an empty parse.

    line (str): The line, with or without its line end.
    params (EvalbParams): What to delete.
    RETURNS (EvalbSentence): The parse, with `errors` if its brackets do not balance.
    RAISES (EvalbFormatError): The program would hang or read beyond the line: words beside brackets, more than one word
        in a bracket, a line that ends just after an opening.
    """
    builder = _Builder(params)
    preterminal, open_bracket, close_bracket = builder.preterminal, builder.open_bracket, builder.close_bracket
    line = line.partition("\0")[0]
    opened_at = -1
    for match in _TOKEN.finditer(line):
        kind = match.lastindex
        if kind == 2:
            preterminal(match.group(1), match.group(2))
        elif kind == 1:
            open_bracket(match.group(1))
            opened_at = match.end()
        elif kind == 3:
            close_bracket()
        else:
            before = line[max(0, match.start() - 20) : match.start()]
            raise EvalbFormatError(f"expected a bracket, found {match.group(4)!r} after {before!r}")
    if opened_at >= 0 and not line[opened_at:].strip(" \t\n\v\f\r"):
        raise EvalbFormatError(f"the line ends inside a bracket, at {line.rstrip()[-20:]!r}; a tree takes one line")
    return builder.finish()


def sentence_from_tree(tree: Tree, params: EvalbParams) -> EvalbSentence:
    """Convert a tree in memory, its top label (`TOP`) included. No recursion.

    tree (Tree): Preterminals are trees with one string below.
    params (EvalbParams): What to delete.
    RETURNS (EvalbSentence): The parse.
    RAISES (EvalbFormatError): A word beside brackets, or several words under one tag.
    """
    builder = _Builder(params)
    stack: List[Union[Tree, str, None]] = [tree]
    while stack:
        node = stack.pop()
        if node is None:
            builder.close_bracket()
        elif not isinstance(node, Tree):
            raise EvalbFormatError(f"expected a tree, found the word {node!r} beside brackets or other words")
        elif len(node) == 1 and not isinstance(node[0], Tree):
            builder.preterminal(node.label(), node[0])
        else:
            builder.open_bracket(node.label())
            stack.append(None)
            stack.extend(reversed(node))
    return builder.finish()


def sentence_from_spans(
    words: Sequence[str], tags: Sequence[str], spans: Sequence[Bracket], params: EvalbParams
) -> EvalbSentence:
    """Convert arrays: the fast way for parses that are not text.

    words, tags (Sequence[str]): All words of the sentence and their tags. Shape: (n,).
    spans (Sequence[Tuple[int, int, str]]): Half-open spans over `words`, outer before inner. A label may be a unary
        chain (`"S::VP"`); the empty label is not a bracket. If `TOP` is deleted, it may be present or absent.
    params (EvalbParams): What to delete.
    RETURNS (EvalbSentence): The parse.
    RAISES (ValueError): The numbers of words and tags differ.
    """
    if len(words) != len(tags):
        raise ValueError(f"expected one tag for each word, got {len(words)} words and {len(tags)} tags")
    if params.quote_label:
        return _sentence_with_quotes(words, tags, spans, params)
    delete, no_length = params.delete_label, params.delete_label_for_length
    fenceposts, kept_words, kept_tags = [0], [], []
    for word, tag in zip(words, tags, strict=True):
        if tag not in delete:
            kept_words.append(word)
            kept_tags.append(tag)
        fenceposts.append(len(kept_words))
    length = len(tags) - sum(map(tags.count, no_length)) if no_length else len(tags)
    brackets = [
        (fenceposts[start], fenceposts[end], label) for start, end, chain in spans for label in split_chain(chain)
    ]
    return EvalbSentence(kept_words, kept_tags, brackets, length)


def _sentence_with_quotes(
    words: Sequence[str], tags: Sequence[str], spans: Sequence[Bracket], params: EvalbParams
) -> EvalbSentence:
    """Replay spans as opening and closing brackets, since a quote must know the brackets around it."""
    builder = _Builder(params)
    opening: Dict[int, List[Bracket]] = {}
    for span in spans:
        opening.setdefault(span[0], []).append(span)
    ends: List[int] = []
    for i in range(len(words) + 1):
        while ends and ends[-1] <= i:
            ends.pop()
            builder.close_bracket()
        for _, end, chain in opening.get(i, ()):
            for label in split_chain(chain):
                builder.open_bracket(label)
                ends.append(end)
        if i < len(words):
            builder.preterminal(tags[i], words[i])
    return builder.finish()


def as_sentence(parse: Parse, params: EvalbParams) -> EvalbSentence:
    """Convert any form of a parse: a line, a tree, (words, tags, spans), or an `EvalbSentence` itself."""
    if isinstance(parse, EvalbSentence):
        return parse
    if isinstance(parse, Tree):
        return sentence_from_tree(parse, params)
    if isinstance(parse, str):
        return read_sentence(parse, params)
    words, tags, spans = parse
    return sentence_from_spans(words, tags, spans, params)

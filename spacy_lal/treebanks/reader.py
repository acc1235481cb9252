"""Treebanks: a bracket file, a CoNLL-U file or both, and semantic roles, as one stream
of sentences. Tree k and sentence k are the same; nothing is dropped. Words are compared
leniently (escapes, quotes, dashes), and are the CoNLL-U's, but where it has an escape
(`-LRB-`) and the tree the raw text (`(`), the raw text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    NamedTuple,
    Optional,
)

from ..files import TreebankError, numbered_lines, quoted
from ..trees.brackets import (
    ROOT_LABELS,
    TRACE_TAG,
    read_brackets_with_lines,
    unescape_word,
)
from ..trees.conllu import read_conllu
from ..trees.parse import Parse
from ..trees.spans import SpanError

if TYPE_CHECKING:
    from nltk.tree import Tree

BRACKETS = "brackets"
CONLLU = "conllu"
ROLES = "roles"
COLUMNS = "columns"
SUFFIXES = {
    ".ptb": BRACKETS,
    ".mrg": BRACKETS,
    ".brackets": BRACKETS,
    ".conllu": CONLLU,
    ".conll": CONLLU,
}
ROLE_SUFFIXES = (".jsonl", ".props")
COLUMN_ENDINGS = ("_conll", ".conll12", ".conll2012")
_EXCERPT = 60  # characters of a sentence that an error shows

_WHITE_SPACE = re.compile(r"\s")
_SAME = str.maketrans(
    {"`": "'", "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."}
)


class TreebankFiles(NamedTuple):
    """The files of one treebank; `columns` stands alone."""

    brackets: Optional[Path] = None
    conllu: Optional[Path] = None
    roles: Optional[Path] = None
    columns: Optional[Path] = None

    @property
    def has_words(self) -> bool:
        """Whether a file has words."""
        return bool(self.brackets or self.conllu or self.columns)


class Pair(NamedTuple):
    """A tree and the same sentence of CoNLL-U, or only one of them.

    differs: The first word, from 0, at which they differ, or None.
    """

    tree: Optional[Parse]
    sentence: Optional[Parse]
    differs: Optional[int]


def find_files(paths: Sequence[Path]) -> TreebankFiles:
    """Tell the files of a treebank apart, by their endings, else by their content.

    RAISES (TreebankError): A file does not exist or is of no known kind; there are two
        of a kind; columns are not alone.
    """
    found: dict[str, Path] = {}
    for path in paths:
        if not path.is_file():
            raise TreebankError(
                f"{path}: {'is no file' if path.exists() else 'no such file'}, "
                "expected a treebank's"
            )
        found.setdefault(_kind(path), path)
    are_two_of_a_kind = len(found) < len(paths)
    are_not_alone = len(paths) > 1 and COLUMNS in found
    if not found or are_two_of_a_kind or are_not_alone:
        got = ", ".join(f"{path} ({_kind(path)})" for path in paths) or "none"
        raise TreebankError(
            "expected a bracket file, a CoNLL-U file or both, and one with roles, or "
            f"columns (words and roles) alone, got {got}"
        )
    return TreebankFiles(**found)


def _kind(path: Path) -> str:
    if path.suffix in ROLE_SUFFIXES:
        return ROLES
    if path.name.endswith(COLUMN_ENDINGS):
        return COLUMNS
    if path.suffix in SUFFIXES and path.suffix != ".conll":
        return SUFFIXES[path.suffix]
    at = 1
    got = "an empty file"
    for number, line in numbered_lines(path):
        if line.startswith("#begin document"):
            return COLUMNS
        if line.strip() and not line.startswith("#"):
            if line.lstrip().startswith("("):
                return BRACKETS
            if re.match(r"\d[\d.-]*\t", line) or path.suffix == ".conll":
                return CONLLU
            at = number
            got = quoted(line.strip())
            break
    raise TreebankError(
        f"{path}:{at}: expected a bracketed tree or a line of CoNLL-U, got {got}"
    )


def read_trees(path: Path) -> Iterator[Parse]:
    """The trees of a bracket file.

    RAISES (TreebankError): One is malformed, or has an empty word; with line.
    """
    for tree, line in read_brackets_with_lines(path):
        yield parse_of_tree(tree, str(path), line)


def parse_of_tree(tree: "Tree", path: str, line: int) -> Parse:
    """The parse of a tree without its root.

    RAISES (TreebankError): A word is empty or white space; a label or a tag is none.
    """
    try:
        parse = Parse.from_tree(tree)
    except SpanError as error:
        raise TreebankError(f"{path}:{line}: {error}") from None
    constituents = parse.constituents or ()
    if constituents and constituents[0].label in ROOT_LABELS:  # over several others
        constituents = constituents[1:]
    lines = [line] * len(parse.words)
    parse = replace(parse, constituents=constituents, path=path, lines=lines)
    fault = _fault_of_tree(parse)
    if fault:
        raise TreebankError(f"{parse.where}: {fault}")
    return parse


def _fault_of_tree(parse: Parse) -> str:
    """What a tree has that treebanks should not have; empty for nothing."""
    for number, word in enumerate(parse.words, start=1):
        if not word.strip():
            return f"word {number} is empty, or nothing but white space"
    labels = [label for span in parse.constituents or () for label in span.chain]
    for label in (*labels, *parse.tags):
        if _WHITE_SPACE.search(label):
            return f"expected labels without white space, got {label!r}"
    for label in labels:
        if label == TRACE_TAG or label in ROOT_LABELS:
            kind = "tag of traces" if label == TRACE_TAG else "root"
            return (
                f"expected {label} as a {kind}, got it as a constituent within a tree"
            )
    return ""


def read_treebank(brackets: Optional[Path], conllu: Optional[Path]) -> Iterator[Parse]:
    """The sentences of a treebank, in order, one at a time.

    RAISES (TreebankError): Input is malformed; words or numbers of sentences disagree,
        with both files and lines; or the treebank is empty.
    """
    trees = read_trees(brackets) if brackets else iter(())
    sentences = read_conllu(conllu) if conllu else iter(())
    if brackets and conllu:
        parses = _joined(trees, sentences, str(brackets), str(conllu))
    else:
        parses = chain(trees, sentences)
    return not_empty(parses, brackets or conllu)


def not_empty(parses: Iterable[Parse], path: Optional[Path]) -> Iterator[Parse]:
    """The sentences of a file.

    RAISES (TreebankError): There are none.
    """
    parse = None
    for parse in parses:
        yield parse
    if parse is None:
        raise TreebankError(f"{path}:1: no sentences")


def _joined(
    trees: Iterator[Parse], sentences: Iterator[Parse], brackets: str, conllu: str
) -> Iterator[Parse]:
    for number, pair in enumerate(pair_up(trees, sentences), start=1):
        tree, sentence, differs = pair
        if tree is None or sentence is None or differs is not None:
            raise TreebankError(
                f"{describe_disagreement(pair, brackets, conllu)} (sentence {number})"
            )
        yield with_tree(sentence, tree)


def with_tree(sentence: Parse, tree: Parse) -> Parse:
    """A sentence of CoNLL-U with its tree, and with the tree's tags if it has none."""
    words = [
        ours if ours == theirs else unescape_word(theirs)
        for ours, theirs in zip(tree.words, sentence.words, strict=True)
    ]
    tags = sentence.tags if any(sentence.tags) else tree.tags
    return replace(sentence, words=words, tags=tags, constituents=tree.constituents)


def comparable(word: str) -> str:
    """A word normalised for comparing trees and CoNLL-U: quotes, dashes, escapes, a
    space within it (`20_000`)."""
    word = "".join(unescape_word(word).replace("_", " ").split()).translate(_SAME)
    return word.replace("''", '"').replace("--", "-")


def pair_up(trees: Iterable[Parse], sentences: Iterable[Parse]) -> Iterator[Pair]:
    """Pair trees with sentences; an odd one is given alone, so one missing line is one
    disagreement."""
    tree_source = iter(trees)
    sentence_source = iter(sentences)
    tree = next(tree_source, None)
    sentence = next(sentence_source, None)
    while tree is not None or sentence is not None:
        next_tree = next(tree_source, None)
        next_sentence = next(sentence_source, None)
        differs = _first_difference(tree, sentence)
        while differs is not None and tree and sentence:
            if next_sentence and _first_difference(tree, next_sentence) is None:
                yield Pair(None, sentence, None)
                sentence = next_sentence
                next_sentence = next(sentence_source, None)
            elif next_tree and _first_difference(next_tree, sentence) is None:
                yield Pair(tree, None, None)
                tree = next_tree
                next_tree = next(tree_source, None)
            else:
                break
            differs = _first_difference(tree, sentence)
        yield Pair(tree, sentence, differs if tree and sentence else None)
        tree = next_tree
        sentence = next_sentence


def _first_difference(
    tree: Optional[Parse], sentence: Optional[Parse]
) -> Optional[int]:
    """The first word position at which the two differ; None where they are the same
    sentence or one is missing."""
    if tree is None or sentence is None or tree.words == sentence.words:
        return None
    for i, (ours, theirs) in enumerate(zip(tree.words, sentence.words, strict=False)):
        if ours != theirs and comparable(ours) != comparable(theirs):
            return i
    lengths = (len(tree.words), len(sentence.words))
    return None if lengths[0] == lengths[1] else min(lengths)


def describe_disagreement(pair: Pair, brackets: str, conllu: str) -> str:
    """Describe how a pair disagrees, with both files and lines."""
    tree, sentence, differs = pair
    if tree is None or sentence is None or differs is None:
        single = tree or sentence or Parse([])
        path, missing = conllu, f"tree in {brackets} for the sentence"
        if tree is not None:
            path, missing = brackets, f"sentence in {conllu} for the tree over"
        return f"{path}:{single.line}: no {missing} {_excerpt(single.words)}"
    line = sentence.lines[min(differs, len(sentence.words) - 1)]
    ours, theirs = (_excerpt(x.words[differs : differs + 1]) for x in (tree, sentence))
    counts = ""
    if len(tree.words) != len(sentence.words):
        counts = f"; {len(tree.words)} words and {len(sentence.words)}"
    return (
        f"{brackets}:{tree.line} and {conllu}:{line}: word {differs + 1} is "
        f"{ours} in the tree and {theirs} in the CoNLL-U{counts}"
    )


def _excerpt(words: Sequence[str]) -> str:
    return quoted(" ".join(words[:_EXCERPT]), _EXCERPT) if words else "missing"

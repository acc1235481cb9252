"""Treebanks: a bracket file, a CoNLL-U file or both, as one stream of sentences.

With both files, tree k and sentence k are the same sentence, with the words of the CoNLL-U. Words are compared
leniently (escapes, quotes, dashes), sentences strictly: nothing is dropped, and a disagreement is an error. Where the
CoNLL-U has an escape (`-LRB-`) and the tree the raw text (`(`), the word is the raw text.

Not here: Docs (`docs.py`), reports (`report.py`), reading for training (`corpus.py`).
"""

import re
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from nltk.tree import Tree

from ..trees.brackets import ROOT_LABELS, read_brackets_with_lines
from ..trees.conllu import ConlluSentence, read_conllu
from ..trees.escapes import unescape_word
from ..trees.lines import LineError, numbered_lines, quoted
from ..trees.propositions import Proposition
from ..trees.spans import Span as TreeSpan
from ..trees.spans import tree_to_spans

BRACKETS, CONLLU = "brackets", "conllu"
SUFFIXES = {".ptb": BRACKETS, ".mrg": BRACKETS, ".brackets": BRACKETS, ".conllu": CONLLU, ".conll": CONLLU}
_EXCERPT = 60  # characters of a sentence that an error shows

_SAME = str.maketrans({"`": "'", "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})


class TreebankError(ValueError):
    """Mismatched or invalid treebank files. The message names files and lines."""


class TreebankTree(NamedTuple):
    """A constituency tree as lists, and its location. spans: collapsed, pre-order, without a root label."""

    words: List[str]
    tags: List[str]
    spans: List[TreeSpan]
    path: str
    line: int


@dataclass
class TreebankSentence:
    """One sentence of n words from a treebank, with a tree, dependencies or both.

    tree (Optional[TreebankTree]): Its constituency tree.
    dependencies (Optional[ConlluSentence]): Its words, tags, heads and deprels.
    roles (Optional[Tuple[Proposition, ...]]): Its semantic roles; None if unknown.
    """

    tree: Optional[TreebankTree]
    dependencies: Optional[ConlluSentence]
    roles: Optional[Tuple[Proposition, ...]] = None

    @property
    def words(self) -> List[str]:
        """The words, from the CoNLL-U if there is one."""
        return self.dependencies.words if self.dependencies else self.tree.words if self.tree else []

    @property
    def tags(self) -> List[str]:
        """The fine-grained tags (XPOS), or where the CoNLL-U has no tags, the tree's; empty strings if both have no
        tags."""
        tags = self.dependencies.tags if self.dependencies else []
        if not any(tags) and self.tree:
            tags = self.tree.tags
        return tags

    @property
    def sent_id(self) -> str:
        """The `# sent_id` of the CoNLL-U, or an empty string."""
        return (self.dependencies.metadata.get("sent_id") or "") if self.dependencies else ""

    @property
    def begins_document(self) -> bool:
        """Whether a `# newdoc` precedes it."""
        return any(key.startswith("newdoc") for key in self.dependencies.metadata) if self.dependencies else False


class Pair(NamedTuple):
    """Tree k and sentence k; one is None where the other has no partner.

    differs (Optional[int]): The first word, from 0, at which they differ; None where they are the same sentence.
    """

    tree: Optional[TreebankTree]
    sentence: Optional[ConlluSentence]
    differs: Optional[int]


# Reading


def treebank_files(paths: Sequence[Path]) -> Tuple[Optional[Path], Optional[Path]]:
    """Tell the bracket file from the CoNLL-U file: by extension, else by content.

    RETURNS (Tuple[Optional[Path], Optional[Path]]): The bracket file and the CoNLL-U file.
    RAISES (TreebankError): A file does not exist or is of neither kind, or there are two of a kind.
    """
    found: dict[str, Path] = {}
    for path in paths:
        if not path.is_file():
            raise TreebankError(f"{path}: {describe_path(path)}")
        kind = SUFFIXES.get(path.suffix) or _sniff(path)
        if kind in found:
            raise TreebankError(f"expected at most one file of each kind, got two with {kind}: {found[kind]}, {path}")
        found[kind] = path
    if not found:
        raise TreebankError("expected a bracket file, a CoNLL-U file or both, got none")
    return found.get(BRACKETS), found.get(CONLLU)


def describe_path(path: Path) -> str:
    """Describe a path that is no file. It is not opened, since opening a pipe blocks."""
    if not path.exists():
        return "a link to what does not exist" if path.is_symlink() else "no such file"
    mode = path.stat().st_mode
    kinds = {"a directory": stat.S_ISDIR, "a pipe": stat.S_ISFIFO, "a socket": stat.S_ISSOCK}
    kind = next((kind for kind, is_kind in kinds.items() if is_kind(mode)), "a device")
    return f"is {kind}, expected a file"


def _sniff(path: Path) -> str:
    try:
        for number, line in numbered_lines(path):
            if line.strip() and not line.startswith("#"):
                if line.lstrip().startswith("("):
                    return BRACKETS
                if re.match(r"\d[\d.-]*\t", line):
                    return CONLLU
                shown = quoted(line.strip())
                raise TreebankError(f"{path}:{number}: expected a bracketed tree or a line of CoNLL-U, got {shown}")
    except LineError as error:
        raise TreebankError(f"{path}:{error.number}: {error.reason}: {quoted(error.text)}") from None
    raise TreebankError(f"{path}:1: expected trees or CoNLL-U, got an empty file")


def read_trees(path: Path) -> Iterator[TreebankTree]:
    """The trees of a bracket file as lists.

    RAISES (BracketError): A tree is malformed; with file and line.
    RAISES (TreebankError): A word is empty or white space, which a Doc takes for space between words.
    """
    for tree, line in read_brackets_with_lines(path):
        yield to_treebank_tree(tree, str(path), line)


def to_treebank_tree(tree: Tree, path: str, line: int) -> TreebankTree:
    """A tree as lists.

    RAISES (TreebankError): A word is empty or white space.
    """
    words, tags, spans = tree_to_spans(tree)
    empty = next((i for i, word in enumerate(words, start=1) if not word.strip()), None)
    if empty is not None:
        raise TreebankError(f"{path}:{line}: word {empty} is empty, or nothing but white space")
    if spans and spans[0][2] in ROOT_LABELS:  # a root over several constituents
        spans = spans[1:]
    return TreebankTree(words, tags, spans, path, line)


def read_treebank(brackets: Optional[Path], conllu: Optional[Path]) -> Iterator[TreebankSentence]:
    """The sentences of a treebank, in order, one at a time.

    RAISES (BracketError, ConlluError): Input is malformed; with file and line.
    RAISES (TreebankError): Words or numbers of sentences disagree, with both files and lines; or the treebank is empty.
    """
    found = False
    for sentence in _read_sentences(brackets, conllu):
        found = True
        yield sentence
    if not found:
        raise TreebankError(f"{brackets or conllu}:1: no sentences")


def _read_sentences(brackets: Optional[Path], conllu: Optional[Path]) -> Iterator[TreebankSentence]:
    trees = read_trees(brackets) if brackets else None
    sentences = read_conllu(conllu) if conllu else None
    if trees is None or sentences is None:
        yield from (TreebankSentence(tree, None) for tree in trees or ())
        yield from (TreebankSentence(None, sentence) for sentence in sentences or ())
        return
    for number, pair in enumerate(pair_up(trees, sentences), start=1):
        if pair.tree is None or pair.sentence is None or pair.differs is not None:
            raise TreebankError(f"{describe_disagreement(pair, str(brackets), str(conllu))} (sentence {number})")
        yield TreebankSentence(pair.tree, replace(pair.sentence, words=_raw_words(pair.tree, pair.sentence)))


def _raw_words(tree: TreebankTree, sentence: ConlluSentence) -> List[str]:
    """The words of the CoNLL-U, unescaped where the tree, whose words are raw text, has another."""
    pairs = zip(tree.words, sentence.words, strict=True)
    return [theirs if ours == theirs else unescape_word(theirs) for ours, theirs in pairs]


# Comparing


def comparable(word: str) -> str:
    """A word normalised for comparing trees and CoNLL-U: its quotes, dashes and escapes.

    >>> comparable("``") == comparable('"'), comparable("3\\\\/4"), comparable("-LRB-")
    (True, '3/4', '(')
    """
    word = "".join(unescape_word(word).split()).translate(_SAME)
    return word.replace("''", '"').replace("--", "-")


def pair_up(trees: Iterable[TreebankTree], sentences: Iterable[ConlluSentence]) -> Iterator[Pair]:
    """Pair trees with sentences. Where one side lacks a sentence and continues as the other does after it, the odd
    sentence is given alone: one missing line is one disagreement, not thousands."""
    tree_source, sentence_source = iter(trees), iter(sentences)
    tree, sentence = next(tree_source, None), next(sentence_source, None)
    while tree is not None or sentence is not None:
        next_tree, next_sentence = next(tree_source, None), next(sentence_source, None)
        differs = _first_difference(tree, sentence)
        while differs is not None and tree and sentence:
            if next_sentence and _first_difference(tree, next_sentence) is None:
                yield Pair(None, sentence, None)
                sentence, next_sentence = next_sentence, next(sentence_source, None)
            elif next_tree and _first_difference(next_tree, sentence) is None:
                yield Pair(tree, None, None)
                tree, next_tree = next_tree, next(tree_source, None)
            else:
                break
            differs = _first_difference(tree, sentence)
        yield Pair(tree, sentence, differs if tree and sentence else None)
        tree, sentence = next_tree, next_sentence


def _first_difference(tree: Optional[TreebankTree], sentence: Optional[ConlluSentence]) -> Optional[int]:
    """The first word position at which the two differ; None where they are the same sentence or one is missing."""
    if tree is None or sentence is None or tree.words == sentence.words:
        return None
    for i, (ours, theirs) in enumerate(zip(tree.words, sentence.words, strict=False)):
        if ours != theirs and comparable(ours) != comparable(theirs):
            return i
    return None if len(tree.words) == len(sentence.words) else min(len(tree.words), len(sentence.words))


def describe_disagreement(pair: Pair, brackets: str, conllu: str) -> str:
    """Describe how a pair disagrees, with both files and lines."""
    tree, sentence, differs = pair
    if tree is None and sentence is not None:
        return f"{conllu}:{sentence.line}: no tree in {brackets} for the sentence {_excerpt(sentence.words)}"
    if sentence is None and tree is not None:
        return f"{brackets}:{tree.line}: no sentence in {conllu} for the tree over {_excerpt(tree.words)}"
    if tree is None or sentence is None or differs is None:
        return "no disagreement"
    line = sentence.lines[min(differs, len(sentence.words) - 1)]
    ours = quoted(tree.words[differs], _EXCERPT) if differs < len(tree.words) else "missing"
    theirs = quoted(sentence.words[differs], _EXCERPT) if differs < len(sentence.words) else "missing"
    counts = f"; {len(tree.words)} words and {len(sentence.words)}" if len(tree.words) != len(sentence.words) else ""
    same_words = sorted(map(comparable, tree.words)) == sorted(map(comparable, sentence.words))
    order = "; the same words in another order, as of a discontinuous tree" if same_words else ""
    return (
        f"{brackets}:{tree.line} and {conllu}:{line}: word {differs + 1} is {ours} in the tree and {theirs} in the "
        f"CoNLL-U{counts}{order}"
    )


def _excerpt(words: List[str]) -> str:
    return quoted(" ".join(words[:_EXCERPT]), _EXCERPT)

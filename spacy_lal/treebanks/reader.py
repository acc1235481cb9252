"""Treebanks: a bracket file, a CoNLL-U file or both, and semantic roles, as one stream
of sentences. Tree k and sentence k are the same; nothing is dropped. Words are compared
leniently (escapes, quotes, dashes), and are the CoNLL-U's, but where it has an escape
(`-LRB-`) and the tree the raw text (`(`), the raw text."""

import re
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)
from unicodedata import normalize

from ..files import TreebankError, numbered_lines, quoted, refuse_binary
from ..trees.brackets import (
    ROOT_LABELS,
    TRACE_TAG,
    read_brackets_with_lines,
    unescape_word,
)
from ..trees.conllu import ConlluSentence, read_conllu
from ..trees.roles import Proposition
from ..trees.spans import Span as TreeSpan
from ..trees.spans import SpanError, split_chain, tree_to_spans

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


class TreebankTree(NamedTuple):
    """A constituency tree as lists, and its location.

    spans: collapsed, pre-order, without a root label.
    """

    words: List[str]
    tags: List[str]
    spans: List[TreeSpan]
    path: str
    line: int


@dataclass
class TreebankSentence:
    """One sentence of n words from a treebank, with a tree, dependencies or both, and
    roles, None if unknown."""

    tree: Optional[TreebankTree]
    dependencies: Optional[ConlluSentence]
    roles: Optional[Tuple[Proposition, ...]] = None

    @property
    def words(self) -> List[str]:
        """The words, from the CoNLL-U if there is one."""
        place = self.dependencies or self.tree
        return place.words if place else []

    @property
    def tags(self) -> List[str]:
        """The fine-grained tags (XPOS), or the tree's where the CoNLL-U has none; else
        empty strings."""
        tags = self.dependencies.tags if self.dependencies else []
        return self.tree.tags if self.tree and not any(tags) else tags

    @property
    def sent_id(self) -> str:
        """The `# sent_id` of the CoNLL-U, or an empty string."""
        metadata = self.dependencies.metadata if self.dependencies else {}
        return metadata.get("sent_id") or ""

    def begins(self, comment: str) -> bool:
        """Whether a comment `# newdoc` or `# newpar` precedes it."""
        metadata = self.dependencies.metadata if self.dependencies else {}
        return any(key.startswith(comment) for key in metadata)

    @property
    def where(self) -> str:
        """File and line, for messages."""
        place = self.dependencies or self.tree
        return f"{place.path}:{place.line}" if place else "?"


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
    """Tree k and sentence k, or one and None.

    differs: The first word, from 0, at which they differ, or None.
    """

    tree: Optional[TreebankTree]
    sentence: Optional[ConlluSentence]
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
        with path.open("rb") as file:
            refuse_binary(file.read(1000), str(path))
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


def read_trees(path: Path) -> Iterator[TreebankTree]:
    """The trees of a bracket file.

    RAISES (TreebankError): One is malformed, or has an empty word; with line.
    """
    for tree, line in read_brackets_with_lines(path):
        yield to_treebank_tree(tree, str(path), line)


def to_treebank_tree(tree: "Tree", path: str, line: int) -> TreebankTree:
    """A tree as lists.

    RAISES (TreebankError): A word is empty or white space; a label or a tag is none.
    """
    try:
        words, tags, spans = tree_to_spans(tree)
    except SpanError as error:
        raise TreebankError(f"{path}:{line}: {error}") from None
    for number, word in enumerate(words, start=1):
        if not word.strip():
            raise TreebankError(
                f"{path}:{line}: word {number} is empty, or nothing but white space"
            )
    if spans and spans[0][2] in ROOT_LABELS:  # a root over several constituents
        spans = spans[1:]
    labels = [part for span in spans for part in split_chain(span[2])]
    for label in (*labels, *tags):
        if _WHITE_SPACE.search(label):
            raise TreebankError(
                f"{path}:{line}: expected labels without white space, got {label!r}"
            )
    for label in labels:
        if label == TRACE_TAG or label in ROOT_LABELS:
            raise TreebankError(
                f"{path}:{line}: expected {label} as a "
                f"{'tag of traces' if label == TRACE_TAG else 'root'}, got it as a "
                "constituent within a tree"
            )
    return TreebankTree(words, tags, spans, path, line)


def read_treebank(
    brackets: Optional[Path], conllu: Optional[Path]
) -> Iterator[TreebankSentence]:
    """The sentences of a treebank, in order, one at a time.

    RAISES (TreebankError): Input is malformed; words or numbers of sentences disagree,
        with both files and lines; or the treebank is empty.
    """
    trees = read_trees(brackets) if brackets else None
    sentences = read_conllu(conllu) if conllu else None
    if trees is not None and sentences is not None:
        found = _joined(trees, sentences, str(brackets), str(conllu))
    else:
        found = chain(
            (TreebankSentence(tree, None) for tree in trees or ()),
            (TreebankSentence(None, sentence) for sentence in sentences or ()),
        )
    return not_empty(found, brackets or conllu)


def not_empty(
    sentences: Iterable[TreebankSentence], path: Optional[Path]
) -> Iterator[TreebankSentence]:
    """The sentences of a file.

    RAISES (TreebankError): There are none.
    """
    sentence = None
    for sentence in sentences:
        yield sentence
    if sentence is None:
        raise TreebankError(f"{path}:1: no sentences")


def _joined(
    trees: Iterator[TreebankTree],
    sentences: Iterator[ConlluSentence],
    brackets: str,
    conllu: str,
) -> Iterator[TreebankSentence]:
    for number, pair in enumerate(pair_up(trees, sentences), start=1):
        tree, sentence, differs = pair
        if tree is None or sentence is None or differs is not None:
            raise TreebankError(
                f"{describe_disagreement(pair, brackets, conllu)} (sentence {number})"
            )
        words = [
            a if a == b else unescape_word(b)
            for a, b in zip(tree.words, sentence.words, strict=True)
        ]
        yield TreebankSentence(tree, replace(sentence, words=words))


def comparable(word: str) -> str:
    """A word normalised for comparing trees and CoNLL-U: quotes, dashes, escapes, a
    space within it (`20_000`)."""
    word = "".join(unescape_word(word).replace("_", " ").split()).translate(_SAME)
    return word.replace("''", '"').replace("--", "-")


def pair_up(
    trees: Iterable[TreebankTree], sentences: Iterable[ConlluSentence]
) -> Iterator[Pair]:
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
    tree: Optional[TreebankTree], sentence: Optional[ConlluSentence]
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
    if sentence is not None and tree is None:
        return (
            f"{conllu}:{sentence.line}: no tree in {brackets} for the sentence "
            f"{_excerpt(sentence.words)}"
        )
    if tree is not None and sentence is None:
        return (
            f"{brackets}:{tree.line}: no sentence in {conllu} for the tree over "
            f"{_excerpt(tree.words)}"
        )
    if tree is None or sentence is None or differs is None:
        return "no disagreement"
    line = sentence.lines[min(differs, len(sentence.words) - 1)]
    ours = " ".join(tree.words[differs : differs + 1])
    theirs = " ".join(sentence.words[differs : differs + 1])
    look_alike = normalize("NFC", ours) == normalize("NFC", theirs)
    show = ascii if look_alike else _shown  # code points tell them apart
    counts = ""
    if len(tree.words) != len(sentence.words):
        counts = f"; {len(tree.words)} words and {len(sentence.words)}"
    return (
        f"{brackets}:{tree.line} and {conllu}:{line}: word {differs + 1} is "
        f"{show(ours)} in the tree and {show(theirs)} in the CoNLL-U{counts}"
    )


def _shown(word: str) -> str:
    return quoted(word, _EXCERPT) if word else "missing"


def _excerpt(words: List[str]) -> str:
    return _shown(" ".join(words[:_EXCERPT]))

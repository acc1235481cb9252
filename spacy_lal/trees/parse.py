"""`Parse`: what is known of one sentence, gold or found. Its ways in and out are here
for trees, brackets and arrays of ids, in `conllu.py` for CoNLL-U, in `treebanks/` for
the files of treebanks, in `annotations/` for Docs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    Optional,
)

from .brackets import FALLBACK_ROOT, write_brackets
from .roles import Proposition
from .spans import (
    CHAIN_SEPARATOR,
    SUB_HEAD_LABEL,
    Constituent,
    SpanError,
    collapse_chains,
    nested_spans,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

Heads = Sequence[Optional[int]]
# Both trees are found together; independently; in pieces, which are joined.
ParseMethod = Literal["joint", "separate", "split"]


class MissingParseError(ValueError):
    """A sentence has not the annotation that is shown."""


class Step(NamedTuple):
    """A word of a tree: the labels of the constituents that begin at it, outermost
    first, its tag, and how many constituents end after it."""

    labels: list[str]
    tag: str
    word: str
    n_closed: int


@dataclass
class Parse:
    """What is known of a sentence of n words. A list is empty, or has a value for each
    word; an empty string is a missing value.

    words (Sequence[str]): Raw text.
    tags (Sequence[str]): Fine-grained tags (XPOS), as in trees.
    constituents (Optional[Sequence[Constituent]]): In pre-order, one for each range of
        words ("S::VP"), without the root of treebanks. None: not known.
    heads (Optional[Sequence[Optional[int]]]): Word numbers from 1; 0 is the root, None
        a missing head. None: not known.
    roles (Optional[Tuple[Proposition, ...]]): By predicate. None: not known.
    method (Optional[ParseMethod]): How it was found. None: not by a decoder.
    doc (Any): The Doc that it was read from. None: of no Doc.
    number (int): The place of the sentence in its Doc, from 0.
    tokens (Sequence[int]): The place of each word in the Doc, which may have white
        space between words.
    spaces (Optional[Sequence[bool]]): Whether white space follows. None: not known.
    ranges (Sequence[Tuple[int, int]]): Multiword tokens of CoNLL-U: the first and the
        last word, from 1.
    metadata (Dict[str, Optional[str]]): The lines `# key = value` of CoNLL-U, in order.
    path (str): The name of the file that it was read from.
    lines (Sequence[int]): The line of each word, from 1; in trees, of their beginning.
    """

    words: Sequence[str]
    tags: Sequence[str] = ()
    constituents: Optional[Sequence[Constituent]] = None
    heads: Optional[Heads] = None
    deprels: Sequence[str] = ()
    roles: Optional[tuple[Proposition, ...]] = None
    method: Optional[ParseMethod] = None
    doc: Any = None
    number: int = 0
    tokens: Sequence[int] = ()
    lemmas: Sequence[str] = ()
    pos: Sequence[str] = ()
    morphs: Sequence[str] = ()
    spaces: Optional[Sequence[bool]] = None
    ranges: Sequence[tuple[int, int]] = ()
    metadata: dict[str, Optional[str]] = field(default_factory=dict)
    path: str = ""
    lines: Sequence[int] = ()

    @classmethod
    def from_tree(cls, tree: "Tree") -> "Parse":
        """Words, tags and constituents of a tree, a root included.

        RAISES (SpanError): A constituent has no words; or a label that a chain can't
            hold: it is empty, is `<H>`, contains `::`, begins or ends with `:`.
        """
        words: list[str] = []
        tags: list[str] = []
        constituents: list[Constituent] = []
        unclosed: list[int] = []  # their places among the constituents
        todo: list[Any] = [tree]
        while todo:
            node = todo.pop()
            is_word = not isinstance(node, list)
            if node is _CLOSE:
                place = unclosed.pop()
                constituents[place] = constituents[place]._replace(end=len(words))
            elif is_word or is_preterminal(node):
                words.append(node if is_word else node[0])
                tags.append("" if is_word else node.label())
            else:
                label = node.label()
                if not len(node) or not _is_label(label):
                    raise SpanError(
                        "expected a constituent with words, and labels without '::' in "
                        "them and ':' at their ends, got "
                        f"{label!r} over {len(node)} nodes after {len(words)} words"
                    )
                unclosed.append(len(constituents))
                constituents.append(Constituent(len(words), -1, label))
                todo += [_CLOSE, *reversed(node)]
        return cls(words, tags, collapse_chains(constituents))

    @property
    def text(self) -> str:
        """The text of the Doc from the first word to the last; without a Doc, the words
        with a space between them."""
        if self.doc is None:
            return " ".join(self.words)
        return str(self.doc[self.tokens[0] : self.tokens[-1] + 1].text)

    def token_range(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range of the Doc's tokens that a range of words covers."""
        return self.tokens[start], self.tokens[end - 1] + 1

    @property
    def line(self) -> int:
        """The line of the first word; 0 without a file."""
        return self.lines[0] if self.lines else 0

    @property
    def sent_id(self) -> str:
        """The `# sent_id` of CoNLL-U, or an empty string."""
        return self.metadata.get("sent_id") or ""

    def begins(self, comment: str) -> bool:
        """Whether a comment `# newdoc` or `# newpar` precedes it."""
        return any(key.startswith(comment) for key in self.metadata)

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path or '?'}:{self.line}"

    def steps(self) -> Iterator[Step]:
        """The words with the brackets around them, as a tree is written.

        RAISES (SpanError): There is no word; constituents cross, or lie outside of the
            words.
        RAISES (MissingParseError): The constituents are not known.
        """
        if not self.words:
            raise SpanError("a tree needs at least one word, got none")
        if self.constituents is None:
            raise MissingParseError(
                "the pipeline sets no constituents; the formats conllu and json show "
                "heads alone"
            )
        tags = self.tags or [""] * len(self.words)
        waiting = nested_spans(self.constituents, len(self.words))[::-1]
        ends: list[int] = []
        for i, (word, tag) in enumerate(zip(self.words, tags, strict=True)):
            labels: list[str] = []
            while waiting and waiting[-1].start == i:
                constituent = waiting.pop()
                labels += constituent.chain
                ends += [constituent.end] * len(constituent.chain)
            n_open = len(ends)
            while ends and ends[-1] == i + 1:
                ends.pop()
            yield Step(labels, tag, word, n_open - len(ends))

    def to_tree(self, make: Optional[Callable[[str, list[Any]], Any]] = None) -> "Tree":
        """The tree; words with an empty tag have no preterminal. Without a constituent
        or a tag over all words, it has the root TOP.

        make (Optional[Callable]): What makes a node of a label and its children;
            `nltk.Tree` unless given.
        RAISES (ValueError): As `steps`.
        """
        if make is None:
            from nltk.tree import Tree

            make = Tree  # NLTK takes a fifth of the time that a pipeline takes to load
        around = [make(FALLBACK_ROOT, [])]
        for step in self.steps():
            for label in step.labels:
                node = make(label, [])
                around[-1].append(node)
                around.append(node)
            around[-1].append(make(step.tag, [step.word]) if step.tag else step.word)
            del around[len(around) - step.n_closed :]
        (root,) = around
        is_whole = len(root) == 1 and isinstance(root[0], list)
        return root[0] if is_whole else root

    def to_brackets(self, *, escape: bool = True) -> str:
        """The brackets of `to_tree` on one line, see `write_brackets`; without NLTK."""
        return write_brackets(self.to_tree(_BareNode), escape=escape)

    def cut(self, start: int, end: int) -> "Parse":
        """The part within a half-open range of words: with the constituents that lie in
        it, without roles, ranges and metadata. Words with heads outside become roots.
        """
        parts = {
            name: values[start:end]
            for name in _OF_WORDS
            if (values := getattr(self, name)) is not None
        }
        if self.heads is not None:
            parts["heads"] = [
                head and (head - start if start < head <= end else 0)
                for head in parts["heads"]
            ]
        if self.constituents is not None:
            parts["constituents"] = [
                constituent.moved(-start)
                for constituent in self.constituents
                if constituent.is_within(start, end)
            ]
        return replace(self, **parts, roles=None, ranges=(), metadata={})


class _BareNode(list):  # type: ignore[type-arg]
    def __init__(self, label: str, children: list[Any]) -> None:
        super().__init__(children)
        self.label = lambda: label


# The fields with a value for each word.
_OF_WORDS = (
    *("words", "tags", "heads", "deprels", "tokens"),
    *("lemmas", "pos", "morphs", "spaces", "lines"),
)
_CLOSE = object()  # marks the end of a constituent in a stack of nodes


def is_preterminal(node: Any) -> bool:
    """Whether a node is a tag above one word."""
    return isinstance(node, list) and len(node) == 1 and not isinstance(node[0], list)


def _is_label(label: str) -> bool:
    if not label or label == SUB_HEAD_LABEL or CHAIN_SEPARATOR in label:
        return False
    return ":" not in (label[0], label[-1])
